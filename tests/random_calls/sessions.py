"""One session: a problem and a sequence of calls, both from one seed. A sequence that fails is shrunk."""

from __future__ import annotations

import random
import tempfile
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

from tests.random_calls.calls import CALLS, Call, Session, draw_call
from tests.random_calls.problem import make_problem

__all__ = ["Failure", "calls_of", "run_calls", "shrink"]


@dataclass(frozen=True)
class Failure:
    """What went wrong, in which call; `key` is the same for failures of the same kind."""

    position: int
    key: str
    text: str


def calls_of(seed: int, length: int = 12) -> list[Call]:
    """The calls of a seed, the same every time."""
    rng = random.Random(seed)
    problem = make_problem(seed)
    return [draw_call(rng, problem) for _ in range(length)]


def run_calls(seed: int, calls: list[Call]) -> Failure | None:
    """Carry out calls one after the other; return the first that gives a wrong answer or an error."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = Session(make_problem(seed), Path(folder))
        for position, call in enumerate(calls):
            try:
                CALLS[call.name](session, **call.options)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                frames = [f for f in traceback.extract_tb(error.__traceback__) if "arcwise" in f.filename]
                place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
                key = f"{call.name} {type(error).__name__}"
                return Failure(position, key, f"{type(error).__name__}: {str(error)[:300]} {place}")
    return None


def shrink(seed: int, calls: list[Call], failure: Failure) -> list[Call]:
    """Leave out calls, from the back, as long as the last one fails in the same way."""
    kept = calls[: failure.position + 1]
    position = len(kept) - 2
    while position >= 0:
        fewer = kept[:position] + kept[position + 1 :]
        again = run_calls(seed, fewer)
        if again is not None and again.key == failure.key and again.position == len(fewer) - 1:
            kept = fewer
        position -= 1
    return kept
