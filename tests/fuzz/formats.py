"""Every kind of file that arcwise reads: a good one, how to break it in its own terms, and what to do with it.

A format that carries a checksum is broken *inside*: the content is changed and the checksum made anew, for whoever
wants to do harm does that too.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import random
import shutil
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from tests.fuzz.mutation import TOKENS, VALUES, mutate_arrays, mutate_bytes, mutate_json, mutate_text

from arcwise import learn
from arcwise.base.arrays import format_array_file, parse_array_file
from arcwise.confidence import EdgeConfidence, edge_confidence, recommend
from arcwise.credible.listing import MANIFEST, NetworkStream
from arcwise.data import Dataset, MixedData, read_table, write_data
from arcwise.ensemble import CredibleSet, NetworkSet, bootstrap_networks, find_credible, sample_posterior
from arcwise.errors import ArcwiseError
from arcwise.graph import (
    Dag,
    Pdag,
    read_beliefs,
    read_constraints,
    read_graph,
    write_adjacency,
    write_arc_list,
    write_dot,
    write_graphml,
    write_structure,
)
from arcwise.limits import Limits
from arcwise.local import hill_climb
from arcwise.model import MixedNetwork, fit_parameters, read_network
from arcwise.parent_sets import build_parent_sets, read_parent_sets, write_parent_sets
from arcwise.report.report import Words
from arcwise_studies import plan_study, read_study, run_study, study_status, summarize_study
from arcwise_studies.frames import export_rows

__all__ = ["FORMATS", "Format", "make_examples"]

Change = Callable[[bytes, random.Random], bytes]


@dataclass(frozen=True)
class Format:
    """A kind of file: its suffix, what reads it (and uses what was read), how it is broken."""

    suffix: str
    read: Callable[[Path], object]
    change: Change


def example_data() -> Dataset:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, 60)
    second = np.where(rng.random(60) < 0.8, first, 1 - first)
    codes = np.column_stack([first, second, rng.integers(0, 3, 60), np.where(rng.random(60) < 0.7, second, first)])
    states = [["n", "y"], ["0", "1"], ["u", "v", "w"], ["low", "high"]]
    return Dataset.from_codes(codes, names=["a", "b", "c", "d"], states=states)


def example_columns() -> MixedData:
    """A number, a category, a scale and another number."""
    rng = np.random.default_rng(2)
    number = rng.normal(size=60)
    category = np.where(number + rng.normal(size=60) > 0, "y", "n")
    frame = pd.DataFrame(
        {"n": number, "c": category, "s": rng.integers(1, 5, 60), "m": number * 3 + rng.normal(size=60)}
    )
    return MixedData.from_dataframe(frame)


def make_examples(folder: Path) -> dict[str, bytes]:
    """Write one good file of every format and return their contents."""
    data = example_data()
    for suffix in ("csv", "tsv", "arff", "parquet"):
        write_data(data, folder / f"data.{suffix}")
    (folder / "sparse.arff").write_text(
        "@relation r\n@attribute a {x,y}\n@attribute 'b c' {u,'v w'}\n@attribute n numeric\n@data\n"
        "{0 y, 1 'v w'}\n{2 3}\n{}\n{0 x, 1 u, 2 5}\n"
    )
    (folder / "data.lau").write_text("[G, B, M]\n[0, 1, 1]\n[1, 1, 0]\n[1, 0, 0]\n")
    dag = hill_climb(data).dag
    mixed = Pdag.from_edges(["a", "b", "c", "d"], [("a", "c")], [("a", "b"), ("c", "d")])
    fitted = fit_parameters(dag, data)
    for suffix in ("bif", "xmlbif", "net", "xdsl", "uai"):
        fitted.write(folder / f"network.{suffix}")
    (folder / "graph.modelstring").write_text(dag.to_model_string())
    write_structure(folder / "graph.txt", dag)
    write_arc_list(folder / "arcs.csv", mixed)
    write_adjacency(folder / "matrix.csv", mixed)
    write_dot(folder / "graph.dot", mixed)
    write_graphml(folder / "graph.graphml", mixed, labels={("a", "b"): 0.5})
    (folder / "graph.json").write_text(
        json.dumps({"variables": dag.names, "arcs": dag.arcs, "undirected": [["c", "d"]]})
    )
    (folder / "link.json").write_text(
        json.dumps({"directed": True, "nodes": [{"id": "a"}, {"id": 2}], "links": [{"source": "a", "target": 2}]})
    )
    table = build_parent_sets(data, "bic", slack=3.0, progress=False)
    write_parent_sets(folder / "table.jkl", table)
    write_parent_sets(folder / "table.arct", table)
    find_credible(table, log_slack=2.0, progress=False).save(folder / "networks.nets")
    networks = bootstrap_networks(data, replicates=4, seed=1, progress=False)
    networks.save(folder / "networks.parquet")
    edge_confidence(networks, n_cases=60).save(folder / "confidence.parquet")
    (folder / "rules.toml").write_text('required = [["a", "b"]]\nforbidden = [["c", "a"]]\nmax_parents = 2\n')
    (folder / "odds.csv").write_text("from,to,odds,kind\na,b,4:1,->\nb,c,0.1,--\n")
    (folder / "odds.toml").write_text('every_edge = 0.5\narcs = [["a", "b", "4 to 1"]]\n')
    (folder / "odds.json").write_text('{"edges": [["a", "b", 0.25]], "expected_edges": 1.5}\n')
    (folder / "rules.json").write_text('{"tiers": [["a"], ["b", "c"]], "max_parents_of": {"c": 1}}\n')
    bootstrap_networks(data, replicates=3, seed=1, path=folder / "run.replicates", progress=False)
    _chains(folder / "run.chains")
    _stopped(folder / "table.checkpoint")
    CredibleSet.build(table, log_slack=1.0, progress=False).stream(folder / "stream", chunk=2)
    (folder / "study.toml").write_text(
        'name = "tiny"\nseed = 3\n[limits]\nseconds = 2.5\nmemory_mb = 4000\n[experiments.overhead]\ncells = 3\n'
        'work = "sleep"\nfail = [1]\n[smoke.overhead]\ncells = 1\n'
    )
    run_study(read_study(folder / "study.toml"), folder / "study.duckdb", progress=False)
    shutil.copy(folder / "stream" / MANIFEST, folder / "stream.manifest")
    columns = example_columns()
    dag = Dag.from_arcs(columns.names, [("n", "c"), ("n", "s"), ("s", "m")])
    MixedNetwork.fit(dag, columns).write(folder / "network.json")
    columns.to_file(folder / "columns.parquet")
    kept = learn(data, replicates=4, permutations=0, compare=False, limit_seconds=None, progress=False)
    (folder / "report.json").write_text(kept.report.to_json())
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


class _StopError(Exception):
    """Ends the building of a table after some levels, when its checkpoint is there."""


def _checkpoint_table(path: Path, **options: Any) -> object:
    return build_parent_sets(example_data(), "bdeu:ess=1", slack=3.0, checkpoint=path, **options)


def _stopped(path: Path) -> None:
    def stop(event: Any) -> None:
        del event
        if path.exists():
            raise _StopError

    try:
        _checkpoint_table(path, progress=stop)
    except _StopError:
        return
    raise AssertionError("no checkpoint was left")


# ---- Reading, and using what was read


def _data(path: Path) -> object:
    table = read_table(path, progress=False)
    for categorical in (False, True):
        try:
            data = table.to_dataset(categorical=categorical)
        except ArcwiseError:
            continue
        return data.digest
    return None


def _table(path: Path) -> object:
    table = read_parent_sets(path)
    table.validate()
    return table.digest


def _networks(path: Path) -> object:
    networks = NetworkSet.load(path)
    return edge_confidence(networks).present if len(networks) else None


def _mixed_network(path: Path) -> object:
    network = MixedNetwork.read(path)
    return network.sample(3, seed=1), repr(network)


def _columns(path: Path) -> object:
    return MixedData.from_table(read_table(path, progress=False)).digest


def _words(path: Path) -> object:
    return Words.read(path).to_json()


def _confidence(path: Path) -> object:
    confidence = EdgeConfidence.load(path)
    confidence.to_frame(above=-1.0)
    return recommend(confidence)


def _resumed(path: Path) -> object:
    return bootstrap_networks(example_data(), replicates=4, seed=1, path=path, progress=False)


def _chains(path: Path) -> object:
    table = build_parent_sets(example_data(), "bic", slack=3.0, progress=False)
    found = sample_posterior(table, seed=1, path=path, limits=Limits(seconds=5, count=20), progress=False)
    return found.edge_probabilities()


def _study(path: Path) -> object:
    return len(plan_study(read_study(path)))


def _store(path: Path) -> object:
    study_status(path).lines()
    export_rows(path, path.with_name("rows.csv"))
    return summarize_study(path)


def _manifest(path: Path) -> object:
    folder = path.parent / "streamed"
    folder.mkdir(exist_ok=True)
    shutil.copy(path, folder / MANIFEST)
    for number in range(3):
        (folder / f"networks-{number:06d}.nets").touch()
    return NetworkStream.load(folder)


# ---- Breaking


def _text(content: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.2:
        return mutate_bytes(content, rng)
    return mutate_text(content.decode("utf-8"), rng).encode("utf-8", "surrogatepass")


def _tree(content: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.4:
        return _text(content, rng)
    return json.dumps(mutate_json(json.loads(content), rng)).encode()


def _array_file(content: bytes, rng: random.Random) -> bytes:
    kind = content[: content.index(b"\n")].decode()
    if rng.random() < 0.15:
        return mutate_bytes(content, rng)
    facts, arrays = parse_array_file(content, kind, source="example")
    if rng.random() < 0.6:
        return format_array_file(kind, facts, mutate_arrays(arrays, rng))
    whole = format_array_file(kind, facts, arrays)[:-32]
    (length,) = struct.unpack_from("<Q", whole, len(kind) + 1)
    start = len(kind) + 9
    header = _tree(whole[start : start + length], rng)
    size = len(header) if rng.random() < 0.95 else rng.choice((0, 1, 2**31, 2**63, 2**64 - 1))
    body = f"{kind}\n".encode() + struct.pack("<Q", size) + header + whole[start + length :]
    return body + hashlib.sha256(body).digest()


def _journal(content: bytes, rng: random.Random) -> bytes:
    end = content.index(b"\n", content.index(b"\n") + 1) + 1
    magic = content[: content.index(b"\n") + 1]
    if rng.random() < 0.3:
        return magic + _tree(content[len(magic) : end - 1], rng) + b"\n" + content[end:]
    parts, at = [content[:end]], end
    while at < len(content):
        size, _ = struct.unpack_from("<II", content, at)
        body = content[at + 8 : at + 8 + size]
        at += 8 + size
        if rng.random() < 0.5:
            numbers = np.frombuffer(body[16:], "u1").copy()
            numbers[rng.randrange(len(numbers))] = rng.choice((0, 1, 2, 3, 4, 200, 255))
            body = body[:16] + numbers.tobytes()
        parts += [struct.pack("<II", len(body), zlib.crc32(body)), body]
    return b"".join(parts) if rng.random() < 0.9 else mutate_bytes(b"".join(parts), rng)


def _parquet(content: bytes, rng: random.Random) -> bytes:
    """Change a value, a type, a name or the facts of a Parquet file, through DuckDB."""
    import tempfile

    if rng.random() < 0.5:
        return mutate_bytes(content, rng)
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        source, target = Path(folder, "a.parquet"), Path(folder, "b.parquet")
        source.write_bytes(content)
        frame = connection.execute(f"SELECT * FROM read_parquet('{source}')").df().astype(object)
        rows = connection.execute(f"SELECT value FROM parquet_kv_metadata('{source}') WHERE key = 'arcwise'").fetchall()
        facts: Any = json.loads(bytes(rows[0][0])) if rows else {}
        if rng.random() < 0.5:
            facts = mutate_json(facts, rng)
        else:
            column = rng.choice(list(frame.columns))
            match rng.randrange(4):
                case 0:
                    frame[column] = frame[column].astype(str)
                    frame.loc[rng.randrange(len(frame)), column] = rng.choice(TOKENS)
                case 1:
                    frame = frame.drop(columns=column)
                case 2:
                    frame[column] = rng.choice((1, 2.5, "x", None, True))
                case _:
                    frame = frame.rename(columns={column: rng.choice(("zz", "a", "é"))})
        if not len(frame.columns):
            return content
        text = json.dumps(facts).replace("'", "''")
        connection.register("frame", frame)
        try:
            connection.execute(f"COPY frame TO '{target}' (FORMAT PARQUET, KV_METADATA {{arcwise: '{text}'}})")
        except duckdb.Error:
            return mutate_bytes(content, rng)
        return target.read_bytes()


STORE_CHANGES = (
    "UPDATE study SET value = ? WHERE key = (SELECT key FROM study ORDER BY hash(key || ?) LIMIT 1)",
    "UPDATE cells SET parameters = ? WHERE position = length(?) % 3",
    "UPDATE cells SET experiment = ? WHERE position = length(?) % 3",
    "UPDATE outcomes SET rows = ? WHERE run >= length(?) * 0",
    "UPDATE outcomes SET status = ? WHERE length(?) >= 0",
    "DELETE FROM study WHERE key <> ? AND hash(key || ?) % 2 = 0",
    "ALTER TABLE outcomes ADD COLUMN more VARCHAR DEFAULT 'x'",
    "CREATE VIEW other AS SELECT 1",
    "DROP TABLE runs",
    "CREATE MACRO coalesce(a, b) AS a",
)


def _store_change(content: bytes, rng: random.Random) -> bytes:
    import tempfile

    if rng.random() < 0.3:
        return mutate_bytes(content, rng)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store.duckdb")
        path.write_bytes(content)
        with duckdb.connect(str(path)) as connection:
            for _ in range(rng.choice((1, 2))):
                statement = rng.choice(STORE_CHANGES)
                texts = (
                    "[" * 3000,
                    "{}",
                    "[]",
                    "[1]",
                    '[{"value": []}]',
                    '{"number": 1e999}',
                    "",
                    "finished",
                    "9" * 5000,
                )
                value = rng.choice((*texts, json.dumps(rng.choice(VALUES))))
                with contextlib.suppress(duckdb.Error):
                    connection.execute(statement, [value, str(rng.random())][: statement.count("?")])
        return path.read_bytes()


FORMATS: dict[str, Format] = {
    "data.csv": Format(".csv", _data, _text),
    "data.tsv": Format(".tsv", _data, _text),
    "data.arff": Format(".arff", _data, _text),
    "sparse.arff": Format(".arff", _data, _text),
    "data.lau": Format(".lau", _data, _text),
    "data.parquet": Format(".parquet", _data, _parquet),
    "network.bif": Format(".bif", read_network, _text),
    "network.xmlbif": Format(".xmlbif", read_network, _text),
    "network.net": Format(".net", read_network, _text),
    "network.xdsl": Format(".xdsl", read_network, _text),
    "network.uai": Format(".uai", read_network, _text),
    "network.json": Format(".json", _mixed_network, _tree),
    "columns.parquet": Format(".parquet", _columns, _parquet),
    "report.json": Format(".json", _words, _tree),
    "graph.modelstring": Format(".modelstring", read_graph, _text),
    "graph.txt": Format(".txt", read_graph, _text),
    "arcs.csv": Format(".csv", read_graph, _text),
    "matrix.csv": Format(".csv", read_graph, _text),
    "graph.dot": Format(".dot", read_graph, _text),
    "graph.graphml": Format(".graphml", read_graph, _text),
    "graph.json": Format(".json", read_graph, _tree),
    "link.json": Format(".json", read_graph, _tree),
    "table.jkl": Format(".jkl", _table, _text),
    "table.arct": Format(".arct", _table, _array_file),
    "networks.nets": Format(".nets", _networks, _array_file),
    "networks.parquet": Format(".parquet", _networks, _parquet),
    "confidence.parquet": Format(".parquet", _confidence, _parquet),
    "rules.toml": Format(".toml", lambda path: read_constraints(path, ["a", "b", "c"]), _text),
    "rules.json": Format(".json", lambda path: read_constraints(path, ["a", "b", "c"]), _tree),
    "odds.csv": Format(".csv", lambda path: read_beliefs(path).on(["a", "b", "c"]), _text),
    "odds.toml": Format(".toml", lambda path: read_beliefs(path).on(["a", "b", "c"]), _text),
    "odds.json": Format(".json", lambda path: read_beliefs(path).on(["a", "b", "c"]), _tree),
    "run.replicates": Format(".replicates", _resumed, _journal),
    "run.chains": Format(".chains", _chains, _array_file),
    "table.checkpoint": Format(
        ".checkpoint", lambda path: _checkpoint_table(path, progress=False, limits=Limits(seconds=5)), _array_file
    ),
    "stream.manifest": Format(".manifest", _manifest, _tree),
    "study.toml": Format(".toml", _study, _text),
    "study.duckdb": Format(".duckdb", _store, _store_change),
}


def packed(content: bytes, rng: random.Random) -> bytes:
    """Return a gzip file of the content, sometimes a broken one."""
    found = gzip.compress(content, 1, mtime=0)
    return mutate_bytes(found, rng) if rng.random() < 0.5 else found
