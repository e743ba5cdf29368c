"""`Study`: what a TOML file asks for, typed and checked. `read_study` reads one.

name = "my-study"                  # default: the name of the file
seed = 1
networks_folder = "networks"       # optional, seen from the file; --networks on the command line comes first
data_folder = "data"               # optional; --data comes first

[limits]                           # of one cell
seconds = 600
memory_mb = 4000

[experiments.discovery]            # a table per experiment: its settings
networks = ["asia", "random:nodes=20,seed=1"]

[smoke.discovery]                  # settings that --smoke replaces, for a run of a minute
networks = ["asia"]
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from arcwise.base.errors import suggestion
from arcwise.base.files import parse_toml, read_bytes
from arcwise.base.showing import one_screen
from arcwise.errors import ConfigError, FormatError
from arcwise.limits import Limits
from arcwise_studies.registry import EXPERIMENTS, load_experiment
from arcwise_studies.settings import parse_settings, plain_settings
from arcwise_studies.sources import Sources

__all__ = ["Study", "canonical_json", "read_study"]

TABLES = ("experiments", "smoke", "limits")
MEGABYTE = 10**6
PLAIN_NAME = re.compile(r"[^./\\:\x00-\x1f\x7f][^/\\:\x00-\x1f\x7f]{0,99}")


@dataclass(frozen=True)
class _Top:
    """The keys outside tables."""

    name: str = ""
    description: str = ""
    seed: int = 0
    networks_folder: str | None = None
    data_folder: str | None = None


@dataclass(frozen=True)
class _Identity:
    """What the content of a study has besides its tables."""

    name: str
    seed: int


@dataclass(frozen=True)
class _Bounds:
    """The limits as the content of a study has them."""

    seconds: float | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True)
class _CellLimits:
    seconds: float | None = None
    memory_mb: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("seconds", self.seconds), ("memory_mb", self.memory_mb)):
            if value is not None and not value > 0:
                raise ConfigError(f"{name} = {value} must be positive; leave it out for no limit.")


@one_screen
@dataclass(frozen=True)
class Study:
    """A study that can be planned and run: experiments with their settings, a seed, limits of a cell, and sources.

    The `digest` covers all of it but the folders, which may differ from machine to machine, and the description.
    """

    name: str
    seed: int
    experiments: Mapping[str, Any]
    limits: Limits = Limits()  # noqa: RUF009 - frozen
    sources: Sources = field(default_factory=Sources)
    description: str = ""

    @cached_property
    def content(self) -> dict[str, Any]:
        """What the study asks for, as JSON can hold it."""
        return {
            "name": self.name,
            "seed": self.seed,
            "experiments": {name: plain_settings(settings) for name, settings in self.experiments.items()},
            "limits": {"seconds": self.limits.seconds, "memory_bytes": self.limits.memory_bytes},
        }

    @cached_property
    def digest(self) -> str:
        """A fingerprint of `content`."""
        return hashlib.sha256(canonical_json(self.content).encode()).hexdigest()

    @classmethod
    def from_content(
        cls, content: Mapping[str, Any], sources: Sources | None = None, *, source: str = "study"
    ) -> Study:
        """Make a study from its `content`, as the store and the workers have it; `source` names it in messages."""
        tables, limits = content.get("experiments"), content.get("limits")
        if not isinstance(tables, dict) or not isinstance(limits, dict):
            raise FormatError(f"{source}: the study has no experiments or limits; it was edited.")
        for name in tables:
            if name not in EXPERIMENTS:
                raise ConfigError(f"{source}: {suggestion('experiment', str(name), EXPERIMENTS)}")
        top = parse_settings(_Identity, {key: content[key] for key in ("name", "seed") if key in content}, source)
        bounds = parse_settings(_Bounds, limits, f"{source}: limits")
        experiments = {
            name: parse_settings(load_experiment(name).Settings, settings, name) for name, settings in tables.items()
        }
        return cls(
            top.name,
            top.seed,
            experiments,
            Limits(seconds=bounds.seconds, memory_bytes=bounds.memory_bytes),
            sources or Sources(),
        )

    def __post_init__(self) -> None:
        """Refuse a name that is not a plain file name: the store is named after it."""
        if not PLAIN_NAME.fullmatch(self.name):
            raise ConfigError(
                f"name = {self.name[:60]!r}: a study's name becomes a file name; it has 1 to 100 characters, does not "
                "begin with a dot, and contains no slash, backslash, colon or control character."
            )
        if not 0 <= self.seed < 2**128:
            raise ConfigError(f"seed = {str(self.seed)[:40]} must be 0 or more, and less than 2^128.")

    def check(self) -> None:
        """Raise an error if a network or a data set that the study names is not there."""
        for name, settings in self.experiments.items():
            load_experiment(name).check(settings, self.sources)


def read_study(
    path: str | os.PathLike[str],
    *,
    smoke: bool = False,
    networks_folder: str | os.PathLike[str] | None = None,
    data_folder: str | os.PathLike[str] | None = None,
) -> Study:
    """Read a study from a TOML file.

    Parameters
    ----------
    path
        The file.
    smoke
        Replace settings by those of the table ``smoke``: a small version of the study, named NAME-smoke.
    networks_folder, data_folder
        Where networks and data files are, seen from here; they replace those of the file.
    """
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 at byte {error.start}.") from None
    content = parse_toml(text, source=str(path))
    known = (*_Top.__dataclass_fields__, *TABLES)
    for key in content:
        if key not in known:
            raise ConfigError(f"{path}: {suggestion('key', key, known)}")
    top = parse_settings(_Top, {key: value for key, value in content.items() if key not in TABLES}, str(path))
    limits = parse_settings(_CellLimits, content.get("limits", {}), f"{path}: [limits]")
    memory = None if limits.memory_mb is None else int(limits.memory_mb * MEGABYTE)
    name = top.name or Path(path).name.removesuffix(".gz").removesuffix(".toml")
    sources = Sources(top.networks_folder, top.data_folder, str(Path(path).resolve().parent))
    if networks_folder is not None:
        sources = replace(sources, networks_folder=str(Path(networks_folder).resolve()))
    if data_folder is not None:
        sources = replace(sources, data_folder=str(Path(data_folder).resolve()))
    experiments = _experiments(str(path), content, smoke)
    try:
        return Study(
            name=f"{name}-smoke" if smoke else name,
            seed=top.seed,
            experiments=experiments,
            limits=Limits(seconds=limits.seconds, memory_bytes=memory),
            sources=sources,
            description=top.description,
        )
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def _experiments(path: str, content: Mapping[str, Any], smoke: bool) -> dict[str, Any]:
    tables = _tables(path, content, "experiments")
    small = _tables(path, content, "smoke")
    if not tables:
        raise ConfigError(
            f"{path}: no experiment. Give a table of settings for at least one of {', '.join(EXPERIMENTS)}, "
            "as in [experiments.overhead]."
        )
    if smoke and not small:
        raise ConfigError(f"{path}: there is no smoke size; it needs a table such as [smoke.{next(iter(tables))}].")
    for name in small:
        if name not in tables:
            raise ConfigError(f"{path}: [smoke.{name}]: {suggestion('experiment of this file', name, tables)}")
    found = {}
    for name, table in tables.items():
        if name not in EXPERIMENTS:
            raise ConfigError(f"{path}: {suggestion('experiment', name, EXPERIMENTS)}")
        kind = load_experiment(name).Settings
        found[name] = parse_settings(kind, table, f"{path}: [experiments.{name}]")
        if name in small:  # checked whether it is asked for or not
            both = parse_settings(kind, {**table, **small[name]}, f"{path}: [smoke.{name}]")
            found[name] = both if smoke else found[name]
    return found


def _tables(path: str, content: Mapping[str, Any], key: str) -> dict[str, dict[str, Any]]:
    tables = content.get(key, {})
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise ConfigError(f"{path}: '{key}' must hold one table per experiment, as in [{key}.overhead].")
    return tables


def canonical_json(value: Any) -> str:
    """Return JSON that is the same for equal values: keys sorted, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
