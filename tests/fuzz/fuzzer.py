"""One attempt: a broken file is refused with an error of arcwise, or read, and quickly. All else is a finding."""

from __future__ import annotations

import random
import time
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.formats import FORMATS, packed

from arcwise.errors import ArcwiseError

__all__ = ["MOST_SECONDS", "Finding", "attempt", "break_file"]

# CPU seconds for a file of at most a megabyte; on a busy machine the clock on the wall says nothing.
MOST_SECONDS = 10.0


@dataclass(frozen=True)
class Finding:
    """What went wrong; `key` is the same for files that fail in the same place."""

    key: str
    text: str


def break_file(name: str, content: bytes, seed: int) -> bytes:
    """Return a broken version of a good file, the same for the same seed."""
    rng = random.Random(seed)
    broken = FORMATS[name].change(content, rng)
    return packed(broken, rng) if rng.random() < 0.02 else broken


def attempt(name: str, content: bytes, folder: Path) -> Finding | ArcwiseError | None:
    """Read a broken file; return None if it was read, the error if it was refused, or a finding."""
    form = FORMATS[name]
    path = folder / f"broken{form.suffix}"
    path.write_bytes(content)
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            form.read(path)
        error: BaseException | None = None
    except ArcwiseError as refusal:
        error = refusal
    except BaseException as other:
        frames = traceback.extract_tb(other.__traceback__)
        own = [frame for frame in frames if "arcwise" in frame.filename and "fuzz" not in frame.filename]
        last = own[-1] if own else frames[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        return Finding(
            f"{name} {type(other).__name__} {place}", f"{type(other).__name__}: {str(other)[:200]} ({place})"
        )
    finally:
        path.unlink(missing_ok=True)
    seconds = time.process_time() - start
    if seconds > MOST_SECONDS:
        return Finding(f"{name} slow", f"took {seconds:.1f} s of CPU for {len(content):,} bytes")
    if error is not None:
        message = str(error)
        if not message.strip():
            return Finding(f"{name} message", f"{type(error).__name__} without a message")
        return error
    return None
