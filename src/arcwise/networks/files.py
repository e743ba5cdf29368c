"""Files of networks: a compact checksummed format (see `arcwise.base.arrays`), and Parquet for other programs.

Reading checks everything that the networks rely on: checksum, types, shapes, ranges, acyclicity.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import open_parquet, read_array_file, write_array_file, write_parquet
from arcwise.base.errors import FormatError
from arcwise.base.files import parse_json
from arcwise.networks.families import Families, choice_type

if TYPE_CHECKING:
    from arcwise.networks.network_list import NetworkSet


KIND = "arcwise-networks 1"
ARRAYS = ("node_offsets", "set_offsets", "members", "choices", "scores", "log_weights")

# What differs from run to run is no part of a result: the same input, options and seed give the same bytes.
CIRCUMSTANCES = ("seconds", "expected_seconds")


def save_networks(networks: NetworkSet, path: str | os.PathLike[str]) -> None:
    """Write a network set: Parquet if the name ends in .parquet, else the compact format (.gz: compressed)."""
    networks.families.assert_obey(networks.obeyed, networks.family_counts > 0)
    if str(path).endswith(".parquet"):
        _save_parquet(networks, path)
        return
    write_array_file(path, KIND, facts_of(networks), arrays_of(networks))


def arrays_of(networks: NetworkSet) -> dict[str, NDArray[Any]]:
    """Return the arrays of a set, by the names that its file has."""
    own = {"choices": networks.choices, "scores": networks.scores, "log_weights": networks.log_weights}
    return {**networks.families.arrays, **own}


# From what a file says about a set to the fields of the set; what is no such thing is a KeyError, TypeError, ...
FactsReader = Callable[[Mapping[str, Any]], dict[str, Any]]


def read_networks(path: str | os.PathLike[str], read_facts: FactsReader) -> dict[str, Any]:
    """Return the fields of a network set that `save_networks` wrote, in either format, checked."""
    if str(path).endswith(".parquet"):
        return _read_parquet(path, read_facts)
    facts, arrays = read_array_file(path, KIND)
    if set(arrays) != set(ARRAYS):
        raise FormatError(f"{path}: holds the arrays {', '.join(arrays)}; expected {', '.join(ARRAYS)}.")
    return _checked(path, facts, arrays, read_facts)


def facts_of(networks: NetworkSet) -> dict[str, Any]:
    """Return what a file says about a set in addition to its arrays, as JSON can hold it (NaN is null)."""
    return {
        "names": list(networks.names),
        "origin": networks.origin,
        **networks.describe(),
        "facts": {name: fact for name, fact in networks.facts.items() if name not in CIRCUMSTANCES},
    }


def _checked(
    path: str | os.PathLike[str], facts: dict[str, Any], arrays: dict[str, NDArray[Any]], read_facts: FactsReader
) -> dict[str, Any]:
    try:
        names = _names(path, facts)
        fields = read_facts(facts)
    except FormatError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FormatError(f"{path}: the facts of the set cannot be read ({error!r}). Write the file again.") from error
    kinds = {"node_offsets": "i8", "set_offsets": "i8", "members": "i4", "scores": "f8", "log_weights": "f8"}
    for name, kind in kinds.items():
        if arrays[name].dtype != np.dtype(kind) or arrays[name].ndim != 1:
            raise FormatError(f"{path}: array '{name}' should be a list of {kind}. Write the file again.")
    families = Families(arrays["node_offsets"], arrays["set_offsets"], arrays["members"])
    choices, scores, log_weights = arrays["choices"], arrays["scores"], arrays["log_weights"]
    families.check(str(path), names)
    if len(set(names)) < len(names):
        raise FormatError(f"{path}: two variables have the same name.")
    if choices.ndim != 2 or choices.dtype.kind != "u" or choices.shape[1:] != (len(names),):
        raise FormatError(f"{path}: the networks should have one number for each of the {len(names)} variables.")
    if scores.shape != (len(choices),) or log_weights.shape != (len(choices),):
        raise FormatError(f"{path}: {len(choices)} networks, but {len(scores)} scores, {len(log_weights)} weights.")
    if len(choices):
        limits = np.diff(families.node_offsets)
        over = np.flatnonzero(choices.max(axis=0) >= limits)
        if len(over):
            raise FormatError(f"{path}: a network has an unknown parent set for '{names[over[0]]}'.")
        if (log_weights > 1e-6).any() or not abs(float(np.exp(log_weights).sum()) - 1.0) < 1e-6:
            raise FormatError(f"{path}: the weights of the networks do not sum to 1.")
    cyclic = first_cyclic(families, choices)
    if cyclic is not None:
        raise FormatError(f"{path}: network {cyclic} has a directed cycle; the file was edited or is damaged.")
    own = {"families": families, "choices": choices, "scores": scores, "log_weights": log_weights}
    return {"names": names, **own, **fields}


def _names(path: str | os.PathLike[str], facts: dict[str, Any]) -> tuple[str, ...]:
    names = facts.get("names")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FormatError(f"{path}: the facts of the set do not name the variables. Write the file again.")
    return tuple(names)


def _floats(path: str | os.PathLike[str], name: str, values: Any) -> NDArray[np.float64]:
    """Return a column as numbers, NaN where it has none."""
    try:
        return np.asarray(np.ma.filled(np.ma.asarray(values).astype(np.float64), np.nan), dtype=np.float64)
    except (TypeError, ValueError):
        raise FormatError(f"{path}: the column '{name}' does not hold numbers. Write the file again.") from None


def first_cyclic(families: Families, choices: NDArray[Any], *, chunk: int = 1 << 14) -> int | None:
    """Return the first network with a directed cycle, or None; many networks at a time.

    Nodes without remaining parents are removed from all networks at once; a network with nodes left over that all
    keep a parent has a cycle.
    """
    masks = families.masks
    words = masks.shape[1]
    starts = families.node_offsets[:-1]
    for begin in range(0, len(choices), chunk):
        parents = masks[choices[begin : begin + chunk].astype(np.int64) + starts]
        left = np.ones(parents.shape[:2], dtype=bool)
        placed = np.zeros((len(parents), words), dtype=np.uint64)
        while left.any():
            free = left & ~(parents & ~placed[:, None, :]).any(axis=2)
            stuck = left.any(axis=1) & ~free.any(axis=1)
            if stuck.any():
                return begin + int(np.flatnonzero(stuck)[0])
            left &= ~free
            for v in np.flatnonzero(free.any(axis=0)):
                placed[free[:, v], v // 64] |= np.uint64(1) << np.uint64(v % 64)
    return None


def _save_parquet(networks: NetworkSet, path: str | os.PathLike[str]) -> None:
    """Write one row per network: score, log_weight, and one column per variable with its parents as a JSON list."""
    import pandas as pd

    columns: dict[str, Any] = {"score": networks.scores, "log_weight": networks.log_weights}
    starts, tuples = networks.families.node_offsets.tolist(), networks.families.parent_tuples
    for v, name in enumerate(networks.names):
        sets = [json.dumps([networks.names[p] for p in ps]) for ps in tuples[starts[v] : starts[v + 1]]]
        columns[f"parents of {name}"] = pd.Categorical.from_codes(
            networks.choices[:, v].astype(np.int64), pd.Index(sets)
        )
    digest = _digest(networks.families, networks.choices, networks.scores, networks.log_weights)
    write_parquet(pd.DataFrame(columns), path, facts={**facts_of(networks), "digest": digest})


def _digest(
    families: Families, choices: NDArray[Any], scores: NDArray[np.float64], log_weights: NDArray[np.float64]
) -> str:
    """Return the SHA-256 of scores, weights and networks, in any order of the dictionaries of parent sets."""
    import pandas as pd

    hasher = hashlib.sha256()
    for values in (scores, log_weights):
        hasher.update(np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes())
    starts, tuples = families.node_offsets.tolist(), families.parent_tuples
    for v in range(families.n_nodes):
        codes, used = pd.factorize(choices[:, v])
        hasher.update(repr([tuples[starts[v] + int(row)] for row in used]).encode())
        hasher.update(codes.astype("<u4").tobytes())
    return hasher.hexdigest()


def _read_parquet(path: str | os.PathLike[str], read_facts: FactsReader) -> dict[str, Any]:
    with open_parquet(path) as file:
        facts = file.facts()
        if facts is None:
            raise FormatError(f"{path}: a Parquet file, but not one of arcwise networks (no 'arcwise' metadata).")
        names = list(_names(path, facts))
        numbers = {name: file.column(name) for name in ("score", "log_weight")}
        # One column at a time: the texts of all the parent sets together are many times the size of the set.
        sets, columns = _parent_columns(path, names, (file.column(f"parents of {name}") for name in names))
    families = Families.from_sets(sets)
    kind = choice_type(int(np.diff(families.node_offsets).max(initial=1)))
    scores, log_weights = (_floats(path, name, numbers[name]) for name in ("score", "log_weight"))
    choices = np.stack(columns, axis=1).astype(kind) if columns else np.empty((len(scores), 0), dtype=kind)
    own = {"choices": choices, "scores": scores, "log_weights": log_weights}
    fields = _checked(path, facts, {**families.arrays, **own}, read_facts)
    if facts.get("digest") != _digest(families, choices, scores, log_weights):
        raise FormatError(f"{path}: the networks are not those that were saved; the file was edited or is damaged.")
    return fields


def _parent_columns(
    path: str | os.PathLike[str], names: list[str], per_node: Iterator[Any]
) -> tuple[list[list[tuple[int, ...]]], list[NDArray[np.int64]]]:
    import pandas as pd

    index = {name: v for v, name in enumerate(names)}
    sets: list[list[tuple[int, ...]]] = []
    columns: list[NDArray[np.int64]] = []
    for name, values in zip(names, per_node, strict=True):
        try:
            codes, texts = pd.factorize(np.asarray(np.ma.filled(values, None), dtype=object))
        except TypeError:  # lists and the like
            raise FormatError(f"{path}: the parents of '{name}' are no text. Write the file again.") from None
        where = f"{path}: the parents of '{name}'"
        try:
            listed = [parse_json(text, source=where) for text in texts]
            sets.append([tuple(sorted(index[p] for p in parents)) for parents in listed])
        except (KeyError, TypeError) as error:
            raise FormatError(f"{where} cannot be read ({error!r}).") from error
        columns.append(np.asarray(codes, dtype=np.int64))
    if any((column < 0).any() for column in columns):
        raise FormatError(f"{path}: a network has no parent set for a variable.")
    return sets, columns
