"""`CredibleNetworks`: the networks of a credible set, listed, drawn or streamed into a folder.

What a set is, and what is known of it without listing a network, is in `arcwise.ensemble.credible_set`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.deadline import Deadline
from arcwise.ensemble.diagram.credible_diagram import CredibleDiagram
from arcwise.ensemble.diagram.listing import CHUNK, Listed, iterate_chunks, list_all, list_best
from arcwise.ensemble.diagram.sampling import draw_networks
from arcwise.ensemble.network_set import NetworkSet, Weighting, check_weighting, posterior_log_weights
from arcwise.ensemble.recipe import Recipe
from arcwise.errors import OptionError
from arcwise.limits import Limits, Status
from arcwise.mentions import Argument
from arcwise.progress import ProgressCallback, show_progress
from arcwise.seeds import Seed, resolve_seed

if TYPE_CHECKING:
    from arcwise.ensemble.stream import NetworkStream

__all__ = ["By", "CredibleNetworks"]

By = Literal["dag", "mec"]


class CredibleNetworks:
    """How the networks of a set are had one by one, for whatever has their diagram."""

    slack: float

    if TYPE_CHECKING:  # what the set has

        @property
        def names(self) -> tuple[str, ...]:
            """The variables."""

        @property
        def max_parents(self) -> int | None:
            """The parent limit of the table."""

        @property
        def score(self) -> Mapping[str, Any]:
            """The score's name and parameters."""

        @property
        def data_digest(self) -> str | None:
            """The digest of the data."""

        @property
        def recipe(self) -> Recipe:
            """How the networks are made."""

        @property
        def known_facts(self) -> dict[str, Any]:
            """What constraints and experiments say."""

        @property
        def progress(self) -> bool | ProgressCallback | None:
            """What shows how far it is."""

        @property
        def count(self) -> int:
            """The number of networks."""

        @property
        def complete(self) -> bool:
            """Whether no network is missing."""

        def diagram(self, by: By = "dag", deadline: Deadline | None = None) -> CredibleDiagram:
            """Return the decision diagram of the networks or of the classes."""

    def networks(self, by: By = "dag", *, limits: Limits | None = None) -> NetworkSet:
        """List the networks, each exactly once, by falling score and with posterior weights.

        Parameters
        ----------
        by
            "dag" lists DAGs. "mec" lists one DAG for each equivalence class, cut down to the members that satisfy the
            constraints, without going through them: it needs a score that gives the members of a class the same value,
            and no limits on the parents of single variables. Each class weighs as much as its representative;
            `weigh_classes` gives it the weight of all its members. Constraints or experiments with more than 20
            variables: a few networks per class are listed, and all classes that were met are held in memory.
        limits
            `seconds`, `memory_bytes`, and `count`, the number of networks to list: if there are more, the best are
            listed, the status is COUNT_LIMIT, and ``facts["total"]`` has the exact number (as text, of DAGs).
        """
        deadline = Deadline.of(limits)
        with show_progress(self.progress) as callback:
            diagram = self.diagram(by, deadline)
            most = deadline.given.count
            if diagram.status is not Status.COMPLETE:
                return listed_networks(self, diagram, nothing_listed(diagram), deadline)
            if most is None:
                return listed_networks(self, diagram, list_all(diagram, deadline, callback), deadline)
            found = list_best(diagram, most, deadline, callback)
        total = {}
        if found.status is Status.COUNT_LIMIT and diagram.rank is None:
            total["total"] = str(self.count if by == "dag" else diagram.sums(limits=Limits()).count)
        return listed_networks(self, diagram, found, deadline, **total)

    def best(self, count: int, by: By = "dag", *, limits: Limits | None = None) -> NetworkSet:
        """List the best networks or classes of the set, all of them if there are no more; the origin is "k-best".

        Of networks that tie for the last place, any may be in the list. `slack` is the distance of the last from the
        optimum.
        """
        if count < 1:
            raise OptionError(Argument("count", count), "must be at least 1.")
        deadline = Deadline.of(limits)
        with show_progress(self.progress) as callback:
            diagram = self.diagram(by, deadline)
            found = nothing_listed(diagram)
            if diagram.status is Status.COMPLETE:
                found = list_best(diagram, count, deadline, callback)
        if found.status is Status.COUNT_LIMIT:  # by the count that was asked for, which is no limit
            found = Listed(found.choices, found.losses, Status.COMPLETE)
        return listed_networks(self, diagram, found, deadline, origin="k-best")

    def sample(
        self, count: int, *, weights: Weighting = "posterior", seed: Seed = None, limits: Limits | None = None
    ) -> NetworkSet:
        """Draw networks of the set at random, each independently of the others; the origin is "draws".

        For what only a list of networks can tell about a set that is too large to list. The draws are exact: no chain
        has to converge. A network may come several times; all have the same weight, and their order is that of the
        draws, so that the first thousand are a sample too.

        Parameters
        ----------
        count
            How many.
        weights
            What the chance of a network is proportional to: its posterior weight within the set ("posterior"), or 1
            ("equal").
        seed
            An integer gives the same networks each time; fewer draws are the first of more. ``facts["seed"]`` has the
            one that was used.
        limits
            `seconds`, `memory_bytes`, and `count`; what was drawn before a limit is returned, with the status.

        Raises
        ------
        UnfinishedError
            If fewer than one in 10,000 paths of the diagram that were tried belong to the set.
        """
        if count < 1:
            raise OptionError(Argument("count", count), "must be at least 1.")
        check_weighting(weights)
        used = resolve_seed(seed)
        deadline = Deadline.of(limits)
        with show_progress(self.progress) as callback:
            diagram = self.diagram("dag", deadline)
            found, proposals = nothing_listed(diagram), 0
            if diagram.status is Status.COMPLETE:
                by_score = weights == "posterior"
                found, proposals = draw_networks(
                    diagram, count, by_score=by_score, seed=used, deadline=deadline, callback=callback
                )
        facts = {"seed": used, "drawn_by": weights, "proposals": proposals}
        made = listed_networks(self, diagram, found, deadline, origin="draws")
        return replace(made, facts={**made.facts, **facts}).with_weights("equal")

    def chunks(self, by: By = "dag", *, size: int = CHUNK, limits: Limits | None = None) -> Iterator[NetworkSet]:
        """Yield all networks, up to `size` at a time, for sums over sets that do not fit into memory.

        They come in the order of the diagram, not of their scores, and their weights are those within the chunk. A
        limit of time or memory ends the iteration; the last chunk, which may be empty, then has it as its status.
        """
        deadline = Deadline.of(limits)
        diagram = self.diagram(by, deadline)
        if diagram.status is not Status.COMPLETE:
            yield listed_networks(self, diagram, nothing_listed(diagram), deadline)
            return
        for choices, losses in iterate_chunks(diagram, size=size):
            status = deadline.status
            if len(losses) or status is not Status.COMPLETE:
                yield listed_networks(self, diagram, Listed(choices, losses, status), deadline)
            if status is not Status.COMPLETE:
                return

    def losses(self, by: By = "dag", *, limits: Limits | None = None) -> NDArray[np.float64]:
        """Return how far each network lies below the optimum, rising: the curve of deviations (Liao figure 3.1).

        Raises
        ------
        OptionError
            If a limit is reached.
        """
        deadline = Deadline.of(limits)
        diagram = self.diagram(by, deadline)
        parts: list[NDArray[np.float64]] = [np.empty(0)]
        status = diagram.status
        for _, lost in iterate_chunks(diagram) if status is Status.COMPLETE else ():
            parts.append(lost)
            status = deadline.status
            if status is not Status.COMPLETE:
                break
        if status is not Status.COMPLETE:
            raise OptionError(f"the losses of the networks were not all found ({status}); raise the limit.")
        return np.sort(np.concatenate(parts))

    def stream(
        self,
        folder: str | os.PathLike[str],
        by: By = "dag",
        *,
        chunk: int = 1_000_000,
        parquet: bool = False,
        limits: Limits | None = None,
    ) -> NetworkStream:
        """List the set into a folder, `chunk` networks per file; continue where an earlier call ended.

        `limits.seconds` and `limits.count` are per call. Within a file the networks come in the order of the diagram,
        not of their scores, and their weights are those within the file.
        """
        from arcwise.ensemble.credible_set import CredibleSet
        from arcwise.ensemble.stream import stream_set

        assert isinstance(self, CredibleSet)
        return stream_set(self, folder, by, chunk=chunk, parquet=parquet, deadline=Deadline.of(limits))


def listed_networks(
    credible: CredibleNetworks,
    diagram: CredibleDiagram,
    listed: Listed,
    deadline: Deadline,
    origin: str = "credible",
    **facts: Any,
) -> NetworkSet:
    """Return what was listed of a diagram as networks that know where they come from.

    They have the set's recipe, unless no recipe makes just these: the k best, and what time cut short.
    """
    scores = diagram.opt - listed.losses
    slack = credible.slack
    if origin == "k-best" and len(listed.losses):
        slack = float(listed.losses[-1])
    made = NetworkSet(
        names=credible.names,
        families=diagram.families,
        choices=listed.choices,
        scores=scores,
        log_weights=posterior_log_weights(-listed.losses),  # the scores have lost digits of the losses
        origin=origin,
        opt=diagram.opt if diagram.native.states else math.nan,
        slack=slack,
        status=listed.status,
        max_parents=credible.max_parents,
        tolerance=diagram.tolerance,
        score=dict(credible.score),
        data_digest=credible.data_digest,
        facts={
            "by": "mec" if diagram.by_class else "dag",
            "seconds": deadline.seconds,
            "states": diagram.native.states,
            "explored": diagram.native.explored,
            **credible.known_facts,
            **facts,
        },
    ).compact()
    if origin == "k-best" or listed.status not in (Status.COMPLETE, Status.COUNT_LIMIT):
        return made  # no recipe makes just these
    most = None if listed.status is Status.COMPLETE else len(listed.losses)
    return made.made_by(replace(credible.recipe, settings={**credible.recipe.settings, "most_networks": most}))


def nothing_listed(diagram: CredibleDiagram) -> Listed:
    """Return the list of a diagram that was not finished."""
    return Listed(np.empty((0, diagram.table.n_variables), dtype=np.uint16), np.empty(0), diagram.status)
