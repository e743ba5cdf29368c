"""Options that choose the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli.completion import names_of
from arcwise.cli.option_group import OptionGroup

if TYPE_CHECKING:
    from arcwise.graph import Constraints
    from arcwise.scores import Score

__all__ = ["DEFAULT_SCORE", "BeliefsOption", "EssOption", "ScoreOptions", "complete_score", "tell_idle"]

DEFAULT_SCORE = "bic"


complete_score = names_of("arcwise.scores", "SCORES")


EssOption = Annotated[
    float | None,
    typer.Option("--ess", help="The equivalent sample size, for scores that have one.", show_default=False),
]


BeliefsOption = Annotated[
    str | None,
    typer.Option(
        "--beliefs",
        help="Prior odds: a .csv file (from,to,odds,kind), a .toml or .json file, or JSON, {...}.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class ScoreOptions(OptionGroup):
    """The score, `--score bdeu --ess 10` is `--score bdeu:ess=10`, and the prior odds that are added to it."""

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
    beliefs: BeliefsOption = None

    def make(self) -> Score:
        """Return the score that the options ask for."""
        from arcwise.scores import make_score

        options = {} if self.ess is None else {"ess": self.ess}
        return make_score(self.score or DEFAULT_SCORE, beliefs=self.beliefs, **options)


def tell_idle(score: Score, constraints: Constraints | None, *, quiet: bool) -> None:
    """Say on stderr which prior odds the constraints leave without effect."""
    from arcwise.scores import BelievedScore

    if isinstance(score, BelievedScore) and constraints is not None and not quiet:
        for sentence in score.beliefs.idle_under(constraints):
            typer.echo(f"{sentence[0].upper()}{sentence[1:]}.", err=True)
