"""`Source`: a way to make many networks from data. A class each, and an entry in the loop of the registry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import Argument, OptionError, Remedy
from arcwise.base.run import Run, Status
from arcwise.data.dataset import Dataset
from arcwise.networks.families import joined_families
from arcwise.networks.network_list import NetworkSummary, concatenate
from arcwise.networks.recipe import Ensemble, KnownFacts, NetworkOrigin, NetworkSource, Recipe, Visit, make_facts
from arcwise.parent_sets.build import build_parent_set_tables
from arcwise.parent_sets.table import ParentSetTable
from arcwise.posterior.chain_posterior import joined_chains
from arcwise.sampled.completions import CHAINS, MOST_TIMES, Completions
from arcwise.sampled.numeric_data import NumericData, Sampled

# Networks from every completion of data with gaps, by any source, as one ensemble.


# Confidences of likely edges are steady if the standard error of their average over completions is below this.
STEADY_ERROR = 0.05
LIKELY_EDGE = 0.5
# With fewer completions at the end of the time, nothing is averaged.
FEWEST = 4


def completions_for(recipe: Recipe, data: Sampled, seed: int) -> Completions:
    """Return the completions of data with gaps that a recipe is to learn from."""
    if isinstance(data, Completions):
        return data
    assert data.gaps is not None
    return Completions(
        data.gaps,
        constraints=recipe.constraints_on(data.names),
        max_parents=recipe.max_parents,
        count=recipe.completions,
        seed=seed,
    )


def _seed(seed: int, index: int) -> int:
    return int(np.random.SeedSequence([seed, index]).generate_state(1, np.uint64)[0] >> np.uint64(1))


def _is_moving(present: list[NDArray[np.float64]]) -> bool:
    """Return whether the average confidence in a likely edge is uncertain, by how far the chains' averages differ.

    Completions of one chain follow from each other; chains do not, so that the spread of their means is the honest one.
    """
    values = np.array(present)
    likely = values.mean(axis=0) > LIKELY_EDGE
    means = np.array([values[chain::CHAINS].mean(axis=0) for chain in range(min(CHAINS, len(values)))])
    return (
        bool((means.std(axis=0, ddof=1)[likely] / np.sqrt(len(means)) > STEADY_ERROR).any()) if len(means) > 1 else True
    )


def _merged(parts: list[Ensemble], recipe: Recipe, status: Status, facts: KnownFacts, digest: str) -> Ensemble:
    """Join the networks of all completions; each completion has the same weight."""
    listed = [part.listed for part in parts if part.listed is not None]
    if len(listed) == len(parts):
        weights = np.concatenate([part.weights / len(parts) for part in listed])
        joined = concatenate(listed).with_weights(weights)
        facts = joined.facts | facts | joined_chains([part.facts for part in listed])
        return replace(joined, status=status, data_digest=digest, facts=facts).made_by(recipe)
    names = parts[0].names
    families, numbers = joined_families([part.families for part in parts])
    sums = {"posterior": np.zeros(families.n_rows), "equal": np.zeros(families.n_rows)}
    for part, own in zip(parts, numbers, strict=True):
        rows = families.node_offsets[part.families.row_nodes] + own
        sums["posterior"][rows] += part.family_probabilities("posterior") / len(parts)
        sums["equal"][rows] += part.family_probabilities("equal") / len(parts)
    return NetworkSummary(
        names=names,
        families=families,
        count=sum(part.count for part in parts),
        posterior=np.minimum(sums["posterior"], 1.0),
        equal=np.minimum(sums["equal"], 1.0),
        origin=NetworkOrigin(recipe.source),
        status=status,
        max_parents=recipe.max_parents,
        score=dict(recipe.score),
        data_digest=digest,
        facts=facts,
    ).made_by(recipe)


def tables_of(recipes: Sequence[Recipe], data: Dataset, run: Run, slack: float) -> list[ParentSetTable]:
    """Score the parent sets that a network within the slack can have, for recipes that differ in their score alone."""
    first = recipes[0]
    return build_parent_set_tables(
        data,
        [one.scorer for one in recipes],
        slack=slack,
        max_parents=first.max_parents,
        constraints=first.constraints_on(data.names),
        threads=run.threads,
        cluster=run.cluster,
        limits=run.uncounted,
        progress=run.progress,
    )


def as_recut(recipe: Recipe, data: Sampled) -> Sampled:
    """Return the data as a recipe takes them: uncut if it cuts samples anew, and cut once otherwise."""
    if isinstance(data, NumericData):
        return data if recipe.recuts else data.completions or data.whole
    if recipe.recuts:
        raise OptionError(
            Argument("recut", True),
            "cuts the numbers of every sample anew, and these data are discrete already.",
            remedies=(
                Remedy("give the numbers: NumericData(table, columns, Cutting(...))"),
                Remedy("leave it out"),
            ),
        )
    return data


class Source(NetworkSource):
    """What a source inherits: it only has to say how networks are made from complete data.

    Its facts are explained at `arcwise.networks.recipe.NetworkSource`.
    """

    def carry_out(self, recipe: Recipe, data: Sampled, run: Run) -> Ensemble:
        """Make the networks of any data that a recipe takes."""
        data = as_recut(recipe, data)
        if isinstance(data, NumericData):
            return self.run_uncut(recipe, data, run)
        if data.gapless is not None:
            return self.run(recipe, self.counted(data.gapless), run)
        return self.run_incomplete(recipe, completions_for(recipe, data, run.seed), run)

    def counted(self, data: Any) -> Any:
        """Return data as they are, if groups are resampled, and else as many rows of each group as it is worth."""
        return data if self.resamples else data.independent()

    def run_incomplete(self, recipe: Recipe, data: Completions, run: Run, visit: Visit | None = None) -> Ensemble:
        """Make the networks of a recipe from one completion after the other.

        There are as many as the data say, and up to three times as many while the confidence in an edge that is likely
        still has a standard error above 0.05. Where the time ends, those that are finished are a smaller sample of
        completions, if they are at least four or as many as were asked for; the status says so. It also says what ended
        the draws of one completion: of chains that had not converged, say.

        Parameters
        ----------
        recipe, run
            How networks are made, and the circumstances; `run.limits` are for all completions together.
        data
            The completions.
        visit
            Called with the networks of each completion, which are not kept, and the completion.
        """
        parts: list[Ensemble] = []
        likely: list[NDArray[np.float64]] = []
        status, ended, wanted = Status.COMPLETE, Status.COMPLETE, data.count
        with run.shown() as shown:
            while len(parts) < wanted:
                index = len(parts)
                shown.report("completions", index, wanted)
                state = data.state(index, run)
                if state is None or run.is_over:
                    status = Status.TIME_LIMIT
                    break
                own = run.replace(seed=_seed(run.seed, index), limits=run.limits, progress=False)
                made = self.run(recipe, self.counted(state[0]), own)
                if not made.count or not (made.complete or self.is_sample):
                    status = made.status
                    if status is Status.INTERRUPTED or not parts:
                        return made
                    break
                if ended is Status.COMPLETE:
                    ended = made.status
                if visit is not None:
                    visit(made, state[0])
                arcs = made.arc_probabilities()
                likely.append(arcs + arcs.T)
                parts.append(made.summed())  # the networks of a sample are kept
                if len(parts) == wanted and wanted < MOST_TIMES * data.count and _is_moving(likely):
                    wanted = min(MOST_TIMES * data.count, wanted + max(CHAINS, data.count // 2))
            shown.report("completions", len(parts), len(parts))
        if len(parts) < min(FEWEST, data.count):
            return NetworkSummary.unfinished(data.data.names, status)
        steady = status is Status.COMPLETE and not _is_moving(likely)
        status = ended if status is Status.COMPLETE else status
        facts = make_facts(completions=len(parts), steady=steady, n_cases=data.data.n_effective)
        return _merged(parts, recipe, status, facts, data.data.digest)
