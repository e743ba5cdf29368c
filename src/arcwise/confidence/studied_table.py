"""`StudiedTable`: what was learned from a study, in one file with how it was learned.

A table says something about confidences that were made by a recipe: the thresholds that were best for it, or how
often its confidences are right. Whether that holds for the confidences at hand depends on whether they were made
alike.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import resources
from typing import Any, ClassVar, Self

from arcwise.base.errors import UNREADABLE, FormatError
from arcwise.networks.recipe import Recipe

# How many networks are drawn decides how exact a confidence is, not what it means.
EFFORT = ("replicates", "most_draws", "chains", "way")
BY_CASES = "by cases"  # said of a study whose limits on parents are those of `Facts.most_parents`


@dataclass(frozen=True, eq=False)
class StudiedTable:
    """A table of entries by recipe, made by a study that its provenance names."""

    kind: ClassVar[str]  # the first line of its files
    title: ClassVar[str]  # what it is, in messages
    entries: Mapping[Any, Any]  # by the `key` of each
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
        """Return that what was learned comes from other networks, and what no study shows then; "" if they are alike.

        >>> StudiedTable.made_differently("They", ["the score: bic, not aic"], "best")  # doctest: +ELLIPSIS
        'They come from networks that were made differently from these (the score: bic, not aic), so no study shows ...'
        """
        if not differences:
            return ""
        return (
            f"{what} come from networks that were made differently from these ({'; '.join(differences)}), so no study "
            f"shows that they are {claim} here."
        )

    def to_json(self) -> str:
        """Return the text of the table's file: one line per entry."""
        rows = (self._row(entry) for _, entry in sorted(self.entries.items()))
        lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        facts = json.dumps(dict(self.provenance), sort_keys=True)
        return f'{{"kind": "{self.kind}",\n"provenance": {facts},\n"entries": [\n{lines}\n]}}\n'

    @classmethod
    def from_json(cls, text: str, *, where: str = "") -> Self:
        """Read the text of a file that `to_json` made, and check it; messages say `where` it is from."""
        try:
            content = json.loads(text)
            if content["kind"] != cls.kind:
                raise ValueError(f"the kind is {content['kind']!r}")
            entries = [cls._entry(row) for row in content["entries"]]
            return cls({entry.key: entry for entry in entries}, dict(content["provenance"]))
        except UNREADABLE as error:
            what = f"{where or cls.title}: not a table of {cls.title}"
            raise FormatError(f"{what} ({error}). Make it with arcwise study export.") from error

    @classmethod
    def shipped(cls, name: str) -> Self:
        """Return a table that comes with the package."""
        file = resources.files("arcwise.confidence").joinpath("data", name)
        return cls.from_json(file.read_text(encoding="utf-8"), where=name)

    @classmethod
    def _row(cls, entry: Any) -> dict[str, Any]:
        """Return an entry as its line holds it."""
        return asdict(entry)

    @classmethod
    def _entry(cls, row: Mapping[str, Any]) -> Any:
        """Return the entry of a line, checked."""
        raise NotImplementedError
