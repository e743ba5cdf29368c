"""Options that choose the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli.completion import names_of
from arcwise.cli.option_group import OptionGroup

if TYPE_CHECKING:
    from arcwise.scores import Score

__all__ = ["DEFAULT_SCORE", "EssOption", "ScoreOptions", "complete_score"]

DEFAULT_SCORE = "bic"


complete_score = names_of("arcwise.scores", "SCORES")


EssOption = Annotated[
    float | None,
    typer.Option("--ess", help="The equivalent sample size, for scores that have one.", show_default=False),
]


@dataclass(frozen=True)
class ScoreOptions(OptionGroup):
    """The score: `--score bdeu --ess 10` is `--score bdeu:ess=10`."""

    score: Annotated[
        str | None,
        typer.Option(
            "--score",
            "-s",
            help="A score, e.g. aic, or with parameters, bdeu:ess=10 (default: bic).",
            autocompletion=complete_score,
            show_default=False,
        ),
    ] = None
    ess: EssOption = None

    def make(self) -> Score:
        """Return the score that the options ask for."""
        from arcwise.scores import make_score

        name = self.score or DEFAULT_SCORE
        return make_score(name) if self.ess is None else make_score(name, ess=self.ess)
