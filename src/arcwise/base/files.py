"""Files that are written whole or not at all: under a temporary name in the same folder, then renamed.

What is renamed is on the disk before, and the folder after: a power cut leaves the old file or the new one. A target
that is not a plain file (a device, a pipe) is written to, never replaced; a link stays a link, and what it points to is
replaced; a file that was there keeps its permissions and, where the system lets us, its owner. A process that is killed
leaves its temporary file behind, which the next one that writes into the folder removes: a file is in use as long as
somebody holds its lock, and the system lets go of that however a process ends.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
import tomllib
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

from arcwise.base.errors import FormatError, OptionError, Remedy, unreadable

try:
    import fcntl as _fcntl

    fcntl: ModuleType | None = _fcntl
except ImportError:  # not on this system: temporary files of killed processes stay
    fcntl = None


GZIP_MAGIC = b"\x1f\x8b"
# A gzip file may unpack to a thousand times its size: beyond this, unpacking is the user's decision.
MAX_UNPACKED = 8 * 2**30
# Unpacked in pieces of this size, so that a hostile file is refused before it fills the memory.
PIECE = 2**24
# JSON of our own is nested less than ten times.
MOST_NESTED = 100
# The names of temporary files and folders, by which left ones are known.
TEMPORARY = re.compile(r"\..*\.[0-9a-f]{12}\.arcwise\.part", re.DOTALL)
SURROGATE = re.compile("[\ud800-\udfff]")
# With the suffixes that are added, a longer name (in bytes) would be too long for most systems.
LONGEST_NAME = 200
# Seconds to wait for a process that gives a folder its name; one that takes longer is not one of ours.
PATIENCE = 10.0


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file for writing; on success it takes the name `path`, on any error it is removed.

    A `path` that is not a regular file is opened and written to instead.
    """
    target = Path(path)
    with _naming_the_file(target):
        if _is_special(target):
            with target.open("wb") as file:
                yield file
            return
        with _replacing(target) as (file, _):
            yield file
            file.flush()


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the name of an empty temporary file for another library to write; see `atomic_write`."""
    target = Path(path)
    with _naming_the_file(target):
        if _is_special(target):
            with tempfile.TemporaryDirectory(prefix="arcwise-") as folder:
                whole = Path(folder, "part")
                yield whole
                with whole.open("rb") as source, target.open("wb") as file:
                    shutil.copyfileobj(source, file, PIECE)
            return
        with _replacing(target) as (_, temporary):
            yield temporary


@contextlib.contextmanager
def _replacing(target: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """Make a temporary file that replaces the file of a given name; for a link, the file it points to."""
    final = Path(os.path.realpath(target)) if target.is_symlink() else target
    _sweep(final.parent)
    with _temporary(final) as (file, temporary):
        yield file, temporary
        # Another library may have made a file of its own under the name. Windows syncs only what is open for writing.
        own = os.path.samestat(os.fstat(file.fileno()), temporary.stat())
        with contextlib.nullcontext(file) if own else temporary.open("r+b") as written:
            os.fsync(written.fileno())
            _keep_mode(final, written.fileno())
        if fcntl is None:  # such systems do not rename an open file
            file.close()
        temporary.replace(final)
        sync_folder(final.parent)


@contextlib.contextmanager
def atomic_folder(path: str | os.PathLike[str], check: Callable[[], object] = lambda: None) -> Iterator[Path]:
    """Yield a new temporary folder; on success it takes the name `path`, on any error it is removed.

    An existing folder of that name, or the target of a link, is replaced: the caller's `check` decides whether it may
    be. It runs after everything is written, while no other arcwise process can take the name.
    """
    target = Path(os.path.realpath(path)) if Path(path).is_symlink() else Path(path)
    with _naming_the_file(target), temporary_folder(target) as part:
        yield part
        for entry in part.rglob("*"):
            if entry.is_dir():
                sync_folder(entry)
        sync_folder(part)
        with _locked(target.parent):
            check()
            if target.is_dir():
                old = _temporary_name(target)
                target.rename(old)
                try:
                    part.rename(target)
                except BaseException:
                    old.rename(target)
                    raise
                shutil.rmtree(old, ignore_errors=True)
            else:
                part.rename(target)
        sync_folder(target.parent)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Be the only process of ours inside, where the system has locks."""
    descriptor = None if fcntl is None else os.open(folder, os.O_RDONLY)
    try:
        until = time.monotonic() + PATIENCE
        while fcntl is not None and descriptor is not None and time.monotonic() < until:
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            time.sleep(0.02)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


@contextlib.contextmanager
def temporary_folder(target: Path) -> Iterator[Path]:
    """Make a folder beside `target`, on the same disk, for files in the making; it is removed in the end."""
    _sweep(target.parent)
    part = _temporary_name(target)
    part.mkdir(mode=0o777)
    lock = _lock_folder(part)
    try:
        yield part
    finally:
        if lock is not None:
            os.close(lock)
        shutil.rmtree(part, ignore_errors=True)


@contextlib.contextmanager
def _naming_the_file(target: Path) -> Iterator[None]:
    """Turn what the system refuses into an error that names the file."""
    if "\0" in str(target):
        raise FormatError(f"cannot write {str(target)!r}: a name cannot contain a NUL character.")
    try:
        yield
    except OSError as error:
        raise FormatError(f"cannot write {target}: {error.strerror or error}.") from error


def _is_special(target: Path) -> bool:
    """Return whether something is there that is to be written to, not replaced; a folder is an error."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise FormatError(f"cannot write {target}: it is a folder. Give a file name.")
    # /dev/stdout may be a regular file, but it is one that somebody has open.
    return not stat.S_ISREG(mode) or target.absolute().parts[1:2] in (("dev",), ("proc",))


def _temporary_name(final: Path) -> Path:
    name = final.name.encode("utf-8", "surrogateescape")[:LONGEST_NAME].decode("utf-8", "ignore")
    return final.with_name(f".{name}.{secrets.token_hex(6)}.arcwise.part")


@contextlib.contextmanager
def _temporary(final: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """Make a temporary file beside `final` and hold its lock; it is removed unless it was renamed."""
    while True:
        temporary = _temporary_name(final)
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
        file = os.fdopen(descriptor, "wb")
        if fcntl is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Between its making and its lock another process may have taken the file for a left one.
        if temporary.exists():
            break
        file.close()
    try:
        yield file, temporary
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # what is left in the buffer of a full disk
            file.close()


def _keep_mode(final: Path, descriptor: int) -> None:
    """Give the new file the permissions and, if that is allowed, the owner of the one that it replaces."""
    try:
        old = final.stat()
    except FileNotFoundError:
        return
    if not hasattr(os, "fchown"):
        return
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    with contextlib.suppress(OSError):
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode) & 0o777)


def sync_folder(folder: Path) -> None:
    """Make sure that the names in a folder are on the disk, where the system can do that."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _lock_folder(folder: Path) -> int | None:
    if fcntl is None:
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


_swept: set[str] = set()


def _sweep(folder: Path) -> None:
    """Remove what killed processes left in a folder, once per process and folder."""
    name = str(folder.absolute())
    if fcntl is None or name in _swept:
        return
    _swept.add(name)
    with contextlib.suppress(OSError):
        left = [Path(entry.path) for entry in os.scandir(folder) if TEMPORARY.fullmatch(entry.name)]
        for path in left:
            with contextlib.suppress(OSError):
                _remove_left(path)


def _remove_left(path: Path) -> None:
    assert fcntl is not None
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an OSError if somebody is writing it
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
    finally:
        os.close(descriptor)


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write `content` to `path` atomically; a name that ends in .gz is compressed, with no time stamp inside."""
    if str(path).endswith(".gz"):
        content = gzip.compress(content, mtime=0)
    with atomic_write(path) as file:
        file.write(content)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path` as UTF-8, atomically; a name that ends in .gz is compressed."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        around = text[max(0, error.start - 20) : error.end + 20]
        raise FormatError(f"cannot write {path}: {around!r} is not valid Unicode. Rename what contains it.") from None
    write_bytes(path, content)


def is_unicode(text: str) -> bool:
    """Return whether a text can be written as UTF-8: it has no half of a character of UTF-16, as JSON can spell it."""
    return text.isascii() or not SURROGATE.search(text)


@contextlib.contextmanager
def readable(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the system refuses into an error that names the file."""
    try:
        yield
    except FormatError:
        raise
    except OSError as error:
        raise FormatError(unreadable(path, error)) from error
    except ValueError as error:  # a name that no file can have
        raise FormatError(f"cannot read {str(path)!r}: {error}.") from error


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a file, plain or gzip by its content; one that is missing, damaged or unpacks to too much is refused."""
    with readable(path), Path(path).open("rb") as file:
        content = bytes(read_descriptor(file, str(path)))
    return unpack_gzip(content, source=str(path)) if content.startswith(GZIP_MAGIC) else content


def decode_text(content: bytes, *, source: str) -> str:
    """Return the content of a file as text: UTF-8, with or without a byte order mark."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(f"{source}: {place_in(content, error.start)}", content[error.start]) from None


def not_utf8(place: str, byte: int) -> FormatError:
    """Return the error for a byte that is not UTF-8."""
    return FormatError(
        f"{place}: byte 0x{byte:02x} is not UTF-8 text. Convert the file, e.g. iconv -f latin1 -t utf-8 OLD > NEW, or "
        "save it as UTF-8."
    )


def place_in(content: bytes, at: int) -> str:
    """Return where a byte of a text is, such as "line 3, column 5", in characters."""
    line, start = content.count(b"\n", 0, at) + 1, content.rfind(b"\n", 0, at) + 1
    return f"line {line:,}, column {len(content[start:at].decode('utf-8', 'replace')) + 1:,}"


def csv_rows(text: str, *, source: str, expected: str) -> list[tuple[int, list[str]]]:
    """Return the lines of CSV that are not empty, with their numbers, and no blanks around cells; at least a header."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        raise FormatError(f"{source}, line {reader.line_num}: {error}.") from None
    if not rows:
        raise FormatError(f"{source}: the file is empty; {expected}.")
    return rows


def format_of(
    path: str | os.PathLike[str], formats: Mapping[str, Sequence[str]], unsaid: str, remedy: Remedy | tuple[()] = ()
) -> str:
    """Return the key of `formats` whose suffix a name has, also before .gz; `unsaid` is what others leave open."""
    suffix = Path(Path(path).name.lower().removesuffix(".gz")).suffix
    for kind, suffixes in formats.items():
        if suffix in suffixes:
            return kind
    listed = ", ".join(suffix for suffixes in formats.values() for suffix in suffixes)
    what = f"the suffix does not say {unsaid}; known are {listed}, each also with .gz."
    raise FormatError(f"{path}: {what}", remedies=remedy)


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a file of text, plain or gzip."""
    return decode_text(read_bytes(path), source=str(path))


def read_descriptor(file: BinaryIO, source: str) -> bytes:
    """Return the rest of an open file; one that becomes shorter meanwhile is refused.

    A file is never mapped into memory: what another program cuts off would then end this one (SIGBUS).
    """
    size = os.fstat(file.fileno()).st_size if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else 0
    content = file.read()
    if len(content) < size:
        raise FormatError(
            f"{source}: the file became shorter while it was read ({len(content):,} of {size:,} bytes). Is another "
            "program writing it? Try again when that is done."
        )
    return content


def parse_json(text: str | bytes, *, source: str) -> Any:
    """Return what JSON text holds; whatever Python's reader makes of other text, this is a FormatError.

    So is text nested so deeply that what is read could not be written again.
    """
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"{source}, line {error.lineno}, column {error.colno}: not JSON: {error.msg}.") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{source}: not UTF-8 at byte {error.start}.") from None
    except RecursionError:
        raise FormatError(f"{source}: not JSON that can be read: nested too deeply.") from None
    except ValueError as error:  # a number of thousands of digits
        raise FormatError(f"{source}: not JSON: {error}.") from None
    if _is_deeper(found, MOST_NESTED):
        raise FormatError(f"{source}: not JSON that can be read: nested too deeply.")
    return found


def refuse_other_run(
    path: str | os.PathLike[str], kept: str, known: Mapping[str, Any] | None, identity: Mapping[str, Any]
) -> None:
    """Refuse to go on with a file of kept work unless its run, as the file says, is just this one."""
    if known != identity:
        there = known if isinstance(known, dict) else {}
        differing = [name for name, value in identity.items() if there.get(name) != value]
        raise OptionError(
            f"{path} holds the {kept} of another run: {', '.join(differing)} differ. Repeat that run's arguments to "
            "resume it, or give another file."
        )


def parse_toml(text: str, *, source: str) -> dict[str, Any]:
    """Return what TOML text holds; whatever Python's reader makes of other text, this is a FormatError."""
    # A dotted key of a thousand parts takes Python's reader a million steps.
    for number, line in enumerate(text.splitlines(), start=1):
        keys = line.split("=")[:-1] or [line if line.lstrip().startswith("[") else ""]
        if max(key.count(".") for key in keys) > MOST_NESTED:
            raise FormatError(f"{source}, line {number}: a key of more than {MOST_NESTED} parts.")
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise FormatError(f"{source}: nested too deeply.") from None
    except (ValueError, OverflowError, TypeError, KeyError, AttributeError) as error:  # a date in year 0, long numbers
        raise FormatError(f"{source}: {error}.") from None
    if _is_deeper(found, MOST_NESTED):
        raise FormatError(f"{source}: nested too deeply.")
    return found


def _is_deeper(value: Any, most: int) -> bool:
    layer = [value]
    for _ in range(most):
        inner = [list(item.values()) if isinstance(item, dict) else item for item in layer]
        layer = [part for item in inner if isinstance(item, list) for part in item if isinstance(part, dict | list)]
        if not layer:
            return False
    return True


def unpack_gzip(packed: bytes | memoryview, *, source: str, limit: int | None = None) -> bytes:
    """Return what a gzip file unpacks to, at most `limit` bytes (default: `MAX_UNPACKED`); `source` is its name."""
    most = MAX_UNPACKED if limit is None else limit
    parts: list[bytes] = []
    total = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            while part := file.read(PIECE):
                parts.append(part)
                total += len(part)
                if total > most:
                    raise FormatError(
                        f"{source}: the gzip file unpacks to more than "
                        f"{f'{most // 2**30} GiB' if most >= 2**30 else f'{most:,} bytes'}. "
                        "If that is right, unpack it first with gunzip."
                    )
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"{source}: damaged gzip file ({error}). Fetch or write it again.") from error
    return b"".join(parts)
