"""`StudiedTable`: what was learned from a study, in one file with how it was learned.

A table says something about confidences that were made by a recipe: the thresholds that were best for it, or how often
its confidences are right. Whether that holds for the confidences at hand depends on whether they were made alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from arcwise.ensemble.recipe import Recipe
from arcwise.errors import FormatError

__all__ = ["BY_CASES", "StudiedTable"]

# How many networks are drawn decides how exact a confidence is, not what it means.
EFFORT = ("replicates", "most_draws", "chains", "way")
BY_CASES = "by cases"  # said of a study whose limits on parents are those of `Facts.most_parents`


class StudiedTable:
    """A table of entries by recipe, made by a study that its provenance names."""

    kind: ClassVar[str]  # the first line of its files
    title: ClassVar[str]  # what it is, in messages
    provenance: Mapping[str, Any]

    def recipe(self, source: str, score: str | None) -> Recipe | None:
        """Return how the networks of the study were made, with this source and score; None if it is not recorded."""
        found = self.provenance.get("recipes", {}).get(f"{source}:{score}")
        return None if found is None else Recipe.from_description(found)

    def studied_like(self, recipe: Recipe, n_cases: int | None) -> Recipe | None:
        """Return the study's own recipe for so many cases, with the settings at hand that only say how long to draw.

        None if the study has no such source and score. Where its limits on parents were the score's own for each data
        set, a recipe with its score's own limit has the study's; another is compared with that for so many cases.
        """
        studied = self.recipe(recipe.source, str(recipe.score.get("name")))
        if studied is None:
            return None
        settings = {**studied.settings, **{k: v for k, v in recipe.settings.items() if k in EFFORT}}
        studied = replace(studied, settings=settings)
        if self.provenance.get("parents") != BY_CASES:
            return studied
        own = recipe.max_parents if recipe.own_limit else studied.scorer.facts.most_parents(n_cases)
        return replace(studied, max_parents=own)

    @staticmethod
    def made_differently(what: str, differences: Sequence[str], claim: str) -> str:
        """Say that what was learned comes from other networks, and what is therefore not known; "" if they are alike.

        >>> StudiedTable.made_differently("They", ["the score: bic, not aic"], "best")  # doctest: +ELLIPSIS
        'They come from networks that were made differently from these (the score: bic, not aic), so no study shows ...'
        """
        if not differences:
            return ""
        return (
            f"{what} come from networks that were made differently from these ({'; '.join(differences)}), so no study "
            f"shows that they are {claim} here."
        )

    def _text(self, rows: Iterable[Mapping[str, Any]]) -> str:
        """Return the text of the table's file: one line per entry."""
        lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        facts = json.dumps(dict(self.provenance), sort_keys=True)
        return f'{{"kind": "{self.kind}",\n"provenance": {facts},\n"entries": [\n{lines}\n]}}\n'

    @classmethod
    def _content(cls, text: str) -> tuple[list[Any], dict[str, Any]]:
        """Return the entries and the provenance that a text holds; a ValueError, or another one, if it holds none."""
        content = json.loads(text)
        if content["kind"] != cls.kind:
            raise ValueError(f"the kind is {content['kind']!r}")
        return list(content["entries"]), dict(content["provenance"])

    @classmethod
    def _refused(cls, where: str, error: Exception) -> FormatError:
        return FormatError(f"{where}: not a table of {cls.title} ({error}). Make it with arcwise study export.")
