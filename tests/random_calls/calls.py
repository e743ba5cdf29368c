"""The calls: each is plain data, is carried out on the state of a session, and compares its answer with brute force.

What may be refused is as much a part of the promise as what is returned: every call says for which questions an error
is right, and an error for any other is a finding.
"""

from __future__ import annotations

import math
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.random_calls.problem import Problem, Rules

from arcwise.confidence import edge_confidence
from arcwise.ensemble import (
    CredibleSet,
    NetworkSet,
    bootstrap_networks,
    count_credible,
    exact_posterior,
    find_credible,
    k_best,
)
from arcwise.ensemble import stream_credible as stream
from arcwise.errors import ConstraintError, GuaranteeError, OptionError
from arcwise.exact import find_optimal
from arcwise.limits import Limits, Status
from arcwise.local import hill_climb, order_search, tabu_search
from arcwise.parent_sets import ParentSetTable, build_parent_sets, read_parent_sets, write_parent_sets

__all__ = ["CALLS", "Call", "Session", "WrongError", "draw_call"]

NEAR = 1e-7  # two scores this close may come in either order, and one at the edge of a set may be in it or not


class WrongError(Exception):
    """An answer that is not what brute force says."""


@dataclass(frozen=True)
class Call:
    """One call: its name and options."""

    name: str
    options: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in self.options.items())})"


@dataclass
class Session:
    """The state: the problem, a folder, and the table that the next calls use."""

    problem: Problem
    folder: Path
    table: ParentSetTable | None = None
    score: str = ""
    rules: Rules = field(default_factory=Rules)  # that the table was built for
    networks: NetworkSet | None = None
    streams: dict[int, tuple[Any, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.score = self.score or self.problem.score_names[0]

    def kept(self, rules: Rules) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The score of every DAG, and which ones the table's and the call's rules allow."""
        n = self.problem.n
        required = (*self.rules.required, *rules.required)
        scores, possible = self.problem.scores(self.score), self.problem.possible(self.score, required)
        return scores, possible & self.rules.allow(n) & rules.allow(n)

    def asks_for_more(self, rules: Rules) -> bool:
        """Whether arcs are required that the table was not built for: a reason to refuse."""
        return not set(rules.required) <= set(self.rules.required)


def _need(session: Session) -> ParentSetTable:
    if session.table is None:
        build(session, score=session.problem.score_names[0], slack=3.0, rules=Rules(), threads=1)
    assert session.table is not None
    return session.table


def _check(right: bool, what: str) -> None:
    if not right:
        raise WrongError(what)


def _guarded(session: Session, rules: Rules, slack: float, work: Callable[[], Any]) -> Any:
    """Carry out a search; return None if it was refused for a good reason."""
    table = _need(session)
    kept = session.kept(rules)[1]
    try:
        answer = work()
    except GuaranteeError as error:
        _check(session.asks_for_more(rules) or slack > table.slack, f"refused without a reason: {error}")
        return None
    except ConstraintError as error:
        right = not kept.any() or session.asks_for_more(rules)  # a column that never varies has no other parent set
        _check(right, f"{int(kept.sum())} networks satisfy the constraints: {error}")
        return None
    _check(bool(kept.any()), "an answer, though no network satisfies the constraints")
    return answer


def build(session: Session, *, score: str, slack: float, rules: Rules, threads: int) -> None:
    problem = session.problem
    try:
        table = build_parent_sets(
            problem.data,
            problem.score(score),
            slack=slack,
            constraints=rules.of(problem.data.names),
            threads=threads,
            progress=False,
        )
    except ConstraintError as error:
        possible = rules.allow(problem.n) & problem.possible(score, rules.required)
        _check(not possible.any(), f"refused without a reason: {error}")
        return
    _check(table.status is Status.COMPLETE, "a table without limits is not complete")
    session.table, session.score, session.rules = table, score, rules


def reload_table(session: Session, *, suffix: str) -> None:
    table = _need(session)
    path = session.folder / f"table{suffix}"
    write_parent_sets(path, table)
    session.table = read_parent_sets(path)
    _check(session.table.digest == table.digest, f"a table read back from {suffix} is another one")
    _check(session.table.slack == table.slack, "its slack is another one")


def optimal(session: Session, *, method: str, rules: Rules, seconds: float | None) -> None:
    table = _need(session)
    found = _guarded(
        session,
        rules,
        0.0,
        lambda: find_optimal(
            table,
            method=method,
            constraints=rules.of(session.problem.data.names),
            limits=Limits(seconds=seconds),
            progress=False,
        ),
    )
    if found is None:
        return
    scores, kept = session.kept(rules)
    number = session.problem.number(found.dag)
    best = float(scores[kept].max())
    _check(bool(kept[number]), f"{found.dag} breaks the constraints")
    _check(math.isclose(scores[number], found.score, abs_tol=NEAR), "the score is not that of the network")
    _check(found.upper_bound >= best - NEAR, f"the bound {found.upper_bound} is below the optimum {best}")
    if found.status is Status.COMPLETE:
        _check(math.isclose(found.score, best, abs_tol=NEAR), f"optimum {found.score}, by brute force {best}")


def _compare(session: Session, rules: Rules, slack: float, dags: list[int], complete: bool) -> None:
    """Compare listed networks with all within the slack."""
    scores, kept = session.kept(rules)
    loss = scores[kept].max() - scores
    _check(len(set(dags)) == len(dags), "a network is listed twice")
    _check(all(kept[d] for d in dags), "a listed network breaks the constraints")
    _check(all(loss[d] <= slack + NEAR for d in dags), "a listed network is beyond the slack")
    if complete:
        sure = set(np.flatnonzero(kept & (loss <= slack - NEAR)).tolist())
        _check(sure <= set(dags), f"{len(sure - set(dags))} networks of {len(sure)} are missing")


def credible(session: Session, *, slack: float, rules: Rules, count: int | None) -> None:
    table = _need(session)
    found = _guarded(
        session,
        rules,
        slack,
        lambda: find_credible(
            table,
            log_slack=slack,
            constraints=rules.of(session.problem.data.names),
            limits=Limits(count=count),
            progress=False,
        ),
    )
    if found is None:
        return
    dags = [session.problem.number(dag) for dag in found]
    _compare(session, rules, slack, dags, found.complete)
    if not found.complete:
        scores, kept = session.kept(rules)
        _check(count is not None and len(dags) == count, "not complete, and not as many as asked for")
        order = np.sort(scores[kept])[::-1]
        worst = min(scores[d] for d in dags)
        _check(worst >= order[len(dags) - 1] - NEAR, "a limit on the count did not keep the best networks")
    session.networks = found


def counted(session: Session, *, slack: float, rules: Rules, classes: bool) -> None:
    table = _need(session)
    whole = rules == Rules() == session.rules and session.problem.score(session.score).facts.equivalent
    try:
        found = _guarded(
            session,
            rules,
            slack,
            lambda: count_credible(
                table,
                log_slack=slack,
                constraints=rules.of(session.problem.data.names),
                classes=classes and whole,
                progress=False,
            ),
        )
    except OptionError as error:
        raise WrongError(f"refused without a reason: {error}") from error
    if found is None:
        return
    scores, kept = session.kept(rules)
    loss = scores[kept].max() - scores
    least, most = (int((kept & (loss <= slack + edge)).sum()) for edge in (-NEAR, NEAR))
    _check(least <= found.count <= most, f"count {found.count}, by brute force {least} to {most}")
    if least == most:
        weights = np.where(kept & (loss <= slack), np.exp(-loss), 0.0)
        arcs = np.tensordot(weights / weights.sum(), _arcs(session), axes=1)
        _check(bool(np.allclose(found.arc_probabilities("posterior"), arcs, atol=1e-6)), "arc probabilities are off")
        if classes and whole:
            by_hand = session.problem.classes(kept & (loss <= slack))
            _check(found.class_count == by_hand, f"{found.class_count} classes, by brute force {by_hand}")


def _arcs(session: Session) -> NDArray[np.float64]:
    from tests.oracles.all_dags import adjacency

    return adjacency(session.problem.n).astype(float)


def best(session: Session, *, k: int, rules: Rules, by: str) -> None:
    table = _need(session)
    scores, kept = session.kept(rules)
    whole = rules == Rules() == session.rules and session.problem.score(session.score).facts.equivalent
    loss = scores[kept].max() - scores if kept.any() else scores
    if by == "mec" and not whole:
        by = "dag"
    try:
        found = k_best(table, k, by=by, constraints=rules.of(session.problem.data.names), progress=False)  # type: ignore[arg-type]
    except GuaranteeError as error:
        within = int((kept & (loss <= table.slack + NEAR)).sum())
        few = within < k if by == "dag" else session.problem.classes(kept & (loss <= table.slack + NEAR)) < k
        _check(session.asks_for_more(rules) or few, f"refused without a reason: {error}")
        return
    except ConstraintError as error:
        _check(not kept.any() or session.asks_for_more(rules), f"refused without a reason: {error}")
        return
    _check(found.complete, "k_best without limits is not complete")
    total = int(kept.sum()) if by == "dag" else session.problem.classes(kept)
    _check(found.count == min(k, total), f"{found.count} networks, though there are {total} and {k} were asked for")
    if by == "dag":
        mine = np.sort([scores[session.problem.number(dag)] for dag in found])[::-1]
        _check(bool(np.allclose(mine, np.sort(scores[kept])[::-1][: len(mine)], atol=NEAR)), "not the best ones")


def streamed(session: Session, *, number: int, slack: float, rules: Rules, count: int | None) -> None:
    table = _need(session)
    folder = session.folder / f"stream{number}"
    question = (table.digest, slack, rules)
    try:
        found = _guarded(
            session,
            rules,
            slack,
            lambda: stream(
                table,
                folder,
                log_slack=slack,
                constraints=rules.of(session.problem.data.names),
                limits=Limits(count=count),
                progress=False,
            ),
        )
    except OptionError as error:
        known = session.streams.get(number)
        _check(known is not None and known != question, f"refused without a reason: {error}")
        shutil.rmtree(folder)
        del session.streams[number]
        return
    if found is None:
        return
    session.streams[number] = question
    dags = [session.problem.number(dag) for part in found for dag in part]
    _check(len(dags) == found.count, "the count is not that of the networks in the files")
    _compare(session, rules, slack, dags, found.complete)


def posterior(session: Session, *, score: str, threads: int) -> None:
    problem = session.problem
    table = build_parent_sets(problem.data, problem.score(score), slack=math.inf, progress=False)
    found = exact_posterior(table, threads=threads, progress=False)
    scores = np.where(problem.possible(score), problem.scores(score), -np.inf)
    weights = np.exp(scores - scores.max())
    arcs = np.tensordot(weights / weights.sum(), _arcs(session), axes=1)
    _check(bool(np.allclose(found.arc_probabilities(), arcs, atol=1e-6)), "the exact posterior is off")


def averaged(session: Session, *, slack: float) -> None:
    table = _need(session)
    found = _guarded(session, Rules(), slack, lambda: CredibleSet.build(table, log_slack=slack, progress=False))
    if found is None:
        return
    confidence = edge_confidence(found)
    _check(bool(((confidence.vector >= 0) & (confidence.vector <= 1 + 1e-9)).all()), "a confidence outside 0 to 1")
    path = session.folder / "confidence.parquet"
    confidence.save(path)
    again = type(confidence).load(path)
    _check(bool(np.array_equal(again.vector, confidence.vector)), "a confidence read back is another one")


def reload_networks(session: Session, *, suffix: str) -> None:
    if session.networks is None or not len(session.networks):
        return
    path = session.folder / f"networks{suffix}"
    session.networks.save(path)
    again = NetworkSet.load(path)
    _check(list(again) == list(session.networks), f"networks read back from {suffix} are others")
    session.networks = again


def local(session: Session, *, method: str, rules: Rules, seed: int) -> None:
    problem = session.problem
    scores, kept = problem.scores(session.score), rules.allow(problem.n)
    constraints = rules.of(problem.data.names)
    try:
        if method == "order":
            table = _need(session)
            kept = kept & session.rules.allow(problem.n)
            found = order_search(table, constraints=constraints, seed=seed, progress=False)
        else:
            search = hill_climb if method == "hill-climbing" else tabu_search
            score = problem.score(session.score)
            found = search(problem.data, score=score, constraints=constraints, seed=seed, progress=False)
    except GuaranteeError as error:
        _check(session.asks_for_more(rules), f"refused without a reason: {error}")
        return
    except ConstraintError as error:
        unknown = not (kept & np.isfinite(scores)).any()  # families that the score does not know
        _check(unknown or method == "order", f"refused without a reason: {error}")
        return
    number = problem.number(found.dag)
    _check(bool(kept[number]), f"{found.dag} breaks the constraints")
    _check(math.isclose(scores[number], found.score, abs_tol=NEAR), "the score is not that of the network")


def sampled(session: Session, *, seed: int, share: float | None) -> None:
    """Go on with a sample of the data, in which columns may never vary."""
    data, made = session.problem.data, session.problem.sample(seed, share)
    expected = data.n_effective * (1.0 if share is None else share)
    right = made.data.n_cases > 0 if data.design is not None else abs(made.data.n_cases - expected) <= 1
    _check(right, f"a sample of {made.data.n_cases} cases, not {expected:g}")  # groups differ in size
    session.problem, session.table, session.networks, session.rules = made, None, None, Rules()
    session.score = made.score_names[0]


def resampled(session: Session, *, score: str, learner: str, seed: int, draws: str) -> None:
    """A bootstrap: the same for any number of threads, and its networks have the scores that they have."""
    problem, options = session.problem, {"learner": learner, "seed": seed, "draws": draws, "replicates": 3}
    networks, again = (
        bootstrap_networks(problem.data, problem.score(score), workers=workers, progress=False, **options)
        for workers in (1, 2)
    )
    _check(list(networks) == list(again), "two threads find other networks than one")
    mine = [problem.scores(score)[problem.number(dag)] for dag in networks]
    _check(bool(np.allclose(networks.scores, mine, atol=NEAR)), "the scores are not those of the networks")
    present = edge_confidence(networks).present
    shares = np.mean([dag.to_adjacency() | dag.to_adjacency().T for dag in networks], axis=0)
    _check(bool(np.allclose(present, shares, atol=1e-9)), "a confidence is not the share of the networks")


class _InterruptError(Exception):
    pass


def interrupted(session: Session, *, slack: float, events: int, after: str) -> None:
    """A progress callback that raises, or a limit that is over at once: nothing wrong, and the next call is right."""
    table = _need(session)
    seen = 0

    def progress(event: Any) -> None:
        nonlocal seen
        seen += 1
        if seen > events:
            raise KeyboardInterrupt if after == "Ctrl-C" else _InterruptError

    limits = Limits(seconds=1e-9) if after == "time" else None
    try:
        found = find_credible(table, log_slack=slack, limits=limits, progress=progress if after != "time" else False)
    except (_InterruptError, KeyboardInterrupt):
        return
    except GuaranteeError:
        _check(slack > table.slack, "refused without a reason")
        return
    except ConstraintError:
        return
    dags = [session.problem.number(dag) for dag in found]
    _compare(session, Rules(), slack, dags, found.complete)


CALLS: dict[str, Callable[..., None]] = {
    "build": build,
    "reload_table": reload_table,
    "optimal": optimal,
    "credible": credible,
    "counted": counted,
    "best": best,
    "streamed": streamed,
    "posterior": posterior,
    "averaged": averaged,
    "reload_networks": reload_networks,
    "local": local,
    "sampled": sampled,
    "resampled": resampled,
    "interrupted": interrupted,
}


def _draw_rules(rng: random.Random, n: int) -> Rules:
    if rng.random() < 0.4:
        return Rules()
    arcs = [(a, b) for a in range(n) for b in range(n) if a != b]
    rng.shuffle(arcs)
    required = tuple(arcs[: rng.choice((0, 0, 0, 1, 1, 2))])
    forbidden = tuple(arc for arc in arcs[::-1][: rng.choice((0, 1, 1, 2))] if arc not in required)
    if {(b, a) for a, b in required} & set(required):  # a contradiction that is refused when it is made
        required = required[:1]
    return Rules(required, forbidden, rng.choice((None, None, None, 1, 2)))


def draw_call(rng: random.Random, problem: Problem) -> Call:
    """Draw a call with random options."""
    n = problem.n
    slack = rng.choice((0.0, 0.1, 1.0, 3.0, 3.0, 8.0))
    rules = _draw_rules(rng, n)
    if rules.max_parents is not None:
        most = max((sum(b == v for _, b in rules.required) for v in range(n)), default=0)
        rules = Rules(rules.required, rules.forbidden, max(rules.max_parents, most))
    drawn: dict[str, dict[str, Any]] = {
        "build": {
            "score": rng.choice(problem.score_names),
            "slack": rng.choice((0.0, 1.0, 3.0, 8.0, math.inf)),
            "rules": rules if rng.random() < 0.5 else Rules(),
            "threads": rng.choice((1, 2)),
        },
        "reload_table": {"suffix": rng.choice((".jkl", ".arct", ".jkl.gz", ".arct.gz"))},
        "optimal": {
            "method": rng.choice(("auto", "dp", "branch-and-bound", "branch-and-bound", "ilp")),
            "rules": rules,
            "seconds": rng.choice((None, None, None, 1e-9)),
        },
        "credible": {"slack": slack, "rules": rules, "count": rng.choice((None, None, 1, 3, 20))},
        "counted": {"slack": slack, "rules": rules, "classes": rng.random() < 0.5},
        "best": {"k": rng.choice((1, 2, 5, 20, 60)), "rules": rules, "by": rng.choice(("dag", "dag", "mec"))},
        "streamed": {
            "number": rng.choice((0, 0, 0, 1)),
            "slack": rng.choice((1.0, 3.0)),  # few, so that a folder is asked for again
            "rules": rules,
            "count": rng.choice((None, None, 1, 4)),
        },
        "posterior": {"score": rng.choice(problem.score_names), "threads": rng.choice((1, 2))},
        "averaged": {"slack": slack},
        "reload_networks": {"suffix": rng.choice((".nets", ".parquet"))},
        "local": {"method": rng.choice(("hill-climbing", "tabu", "order")), "rules": rules, "seed": rng.randrange(9)},
        "sampled": {"seed": rng.randrange(99), "share": rng.choice((None, None, 0.7))},
        "resampled": {
            "score": rng.choice(problem.score_names),
            "learner": rng.choice(("hill-climbing", "exact")),
            "seed": rng.randrange(9),
            "draws": rng.choice(("both", "replacement", "parts")),
        },
        "interrupted": {
            "slack": slack,
            "events": rng.randrange(4),
            "after": rng.choice(("Ctrl-C", "error", "time")),
        },
    }
    common = ("build", "optimal", "credible", "counted", "best", "streamed", "streamed")
    name = rng.choice((*drawn, *common))
    return Call(name, drawn[name])
