"""`Source`: a way to make many networks from data. One file per source, one line in the registry."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from arcwise.errors import OptionError
from arcwise.mentions import Argument, Remedy

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.ensemble.gaps.completions import Completions
    from arcwise.ensemble.network_summary import Ensemble
    from arcwise.ensemble.recipe import Recipe, Run
    from arcwise.ensemble.uncut import Uncut

__all__ = ["Source"]


class Source(abc.ABC):
    """A way to make networks, with what one needs to know about it.

    Attributes
    ----------
    name, title
        Its name in code, and in texts.
    networks
        What its networks are called in a sentence: "networks learned from resampled data".
    meaning
        What it is, in a phrase for people who do not know it.
    Settings
        A dataclass of its own options, made with `arcwise.option.option`.
    default_score, why_score
        The score that is usual with it, and the reason, a sentence without a full stop; "" if there is none to give.
    citation
        The key of the work to cite, in `arcwise.bibliography`; "" for none.
    counted_by
        The setting that says how many networks are made; "" if the data decide that.
    is_sample
        Whether the networks are a random sample, so that a confidence has a Monte Carlo error and a part of them is a
        smaller sample; if not, they are all there are, and a part of them says nothing.
    is_usual
        Whether `learn` tries it by itself, and compares others with it; if not, only where it is asked for.
    has_shares
        Whether the share of networks with an edge says how far to trust it; not that of single searches, however many
        completions of the data there are.
    quick_permutations
        Up to how many variables shuffled columns are learned from without being asked for: that is twenty times the
        work, and without dependence nothing can be pruned by what explains the data well.
    obeys_ancestors
        Whether it can obey that a variable leads to another, or does not.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    networks: ClassVar[str]
    meaning: ClassVar[str]
    Settings: ClassVar[type[Any]]
    default_score: ClassVar[str]
    why_score: ClassVar[str] = ""
    citation: ClassVar[str] = ""
    counted_by: ClassVar[str] = ""
    is_sample: ClassVar[bool]
    is_usual: ClassVar[bool] = True
    has_shares: ClassVar[bool] = True
    quick_permutations: ClassVar[int] = 0
    obeys_ancestors: ClassVar[bool] = False

    @abc.abstractmethod
    def run(self, recipe: Recipe, data: Dataset, run: Run) -> Ensemble:
        """Make the networks; a limit shows in the status of what is returned, which may be empty then."""

    def run_incomplete(
        self, recipe: Recipe, data: Completions, run: Run, visit: Callable[[Ensemble, Dataset], None] | None = None
    ) -> Ensemble:
        """Make networks from data with gaps: those of all completions, unless a source knows better.

        `visit` is called with the networks of each completion, if there are such.
        """
        from arcwise.ensemble.gaps.averaging import run_completions

        return run_completions(recipe, data, run, visit)

    def run_uncut(self, recipe: Recipe, data: Uncut, run: Run) -> Ensemble:
        """Make networks from data whose numbers are cut anew whenever they are sampled; a source must know how."""
        raise OptionError(
            Argument("recut", True),
            f"cuts every sample of the data anew, and the {self.title} takes none.",
            remedies=Remedy("take samples:", Argument("method", "bootstrap")),
        )
