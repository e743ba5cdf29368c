"""Files that once mattered, and some new ones each time: read or refused with an error of ours, never anything else."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path

import pytest
from tests.fuzz.formats import FORMATS, make_examples
from tests.fuzz.fuzzer import Finding, attempt, break_file

LONG = 300_000
XML = '<?xml version="1.0"?><graphml><key id="k" for="node" attr.name="label"/><graph edgedefault="directed">'
ARFF = "@relation r\n@attribute a {x,y}\n@attribute b {x,y}\n@data\n"
FACTS = '{"slack": 0, "max_parents": null, "score": {}, "data_digest": null, "status": "complete"}'


def array_file(kind: str, header: object) -> bytes:
    text = json.dumps(header).encode()
    body = f"{kind}\n".encode() + struct.pack("<Q", len(text)) + text
    return body + hashlib.sha256(body).digest()


def table_of(arrays: list[object]) -> bytes:
    return array_file("arcwise-parent-sets 1", {"facts": json.loads(FACTS) | {"names": ["a"]}, "arrays": arrays})


# What was found by attacks on 0.1.0 and by these fuzzers: the format, and the file.
REGRESSIONS: dict[str, tuple[str, bytes]] = {
    "sparse rows with quotes that are not closed": ("sparse.arff", (ARFF + "{0 '" + "\\'" * LONG + "}\n").encode()),
    "sparse rows of many blanks": ("sparse.arff", (ARFF + "{" + " " * LONG + "0}\n").encode()),
    "a sparse file of billions of values": (
        "sparse.arff",
        (
            "@relation r\n"
            + "".join(f"@attribute a{k} {{x,y}}\n" for k in range(20_000))
            + "@data\n"
            + "{}\n" * 200_000
        ).encode(),
    ),
    "a state that comes again after many": (
        "data.arff",
        ("@relation r\n@attribute a {" + ",".join(f"s{k}" for k in range(60_000)) + ",s59999}\n@data\n").encode(),
    ),
    "line ends in a label": (
        "graph.graphml",
        (XML + '<node id="a"><data key="k">' + "\n" * 2**20 + "</data></node></graph></graphml>").encode(),
    ),
    "references in a label": (
        "graph.graphml",
        (XML + '<node id="a"><data key="k">' + "&#10;" * LONG + "</data></node></graph></graphml>").encode(),
    ),
    "strings that are joined": ("graph.dot", ("digraph { " + "+".join(['"a"'] * LONG) + " }").encode()),
    "a string that is not closed": ("graph.dot", ('digraph { "' + '\\"' * LONG).encode()),
    "many nodes, the last one twice": (
        "graph.json",
        json.dumps({"variables": [*(f"n{k}" for k in range(60_000)), "n59999"], "arcs": []}).encode(),
    ),
    "deep JSON": ("graph.json", b"[" * 100_000),
    "a number of 5,000 digits": ("graph.json", b'{"arcs": [], "n": ' + b"9" * 5_000 + b"}"),
    "half a character": ("graph.json", b'{"variables": ["\\ud800"], "arcs": []}'),
    "half a character in a structure": ("graph.txt", b'"\\ud800" []\n'),
    "an id of 5,000 digits": ("link.json", b'{"nodes": [{"id": ' + b"9" * 4_000 + b'}], "links": []}'),
    "deep constraints": ("rules.json", b'{"tiers": ' + b"[" * 100_000),
    "a key of 10,000 parts": ("rules.toml", b"a" + b".a" * 10_000 + b" = 1\n"),
    "a key of 300,000 parts in a heading": ("study.toml", b"[" + b"a." * LONG + b"a]\n"),
    "a date that is none": ("study.toml", b"seed = 0000-00-00\n"),
    "a limit of 400 digits": ("study.toml", b"[limits]\nmemory_mb = " + b"4" * 400 + b"\n[experiments.overhead]\n"),
    "as many cells as there are numbers": ("study.toml", b"[experiments.overhead]\ncells = " + b"3" * 100 + b"\n"),
    "a seed of 4,000 digits": ("study.toml", b"seed = " + b"9" * 4_000 + b"\n[experiments.overhead]\n"),
    "status as a list": (
        "table.jkl",
        b'# arcwise parent sets: {"slack": 0, "max_parents": null, "score": {}, "data_digest": null, "status": []}\n'
        b"1\na 1\n-1 0\n",
    ),
    "slack of 400 digits": (
        "table.jkl",
        b"# arcwise parent sets: "
        + FACTS.replace('"slack": 0', f'"slack": {"9" * 400}').encode()
        + b"\n1\na 1\n-1 0\n",
    ),
    "deep facts": ("table.jkl", b"# arcwise parent sets: " + b"[" * 100_000 + b"\n1\na 1\n-1 0\n"),
    "70 dimensions": ("table.arct", table_of([["x", "<f8", [0] * 70]])),
    "a shape beyond numpy": ("table.arct", table_of([["x", "<f8", [0, 2**47, 2**47]]])),
    "a shape of negative sizes": ("table.arct", table_of([["x", "<f8", [-1, -1]]])),
    "offsets that overflow": (
        "networks.nets",
        b"".join(
            (
                body := b"arcwise-networks 1\n"
                + struct.pack("<Q", len(head))
                + head
                + struct.pack("<5q", 0, 2**63 - 1, -(2**63), -1, 0),
                hashlib.sha256(body).digest(),
            )
        )
        if (head := b'{"facts": {"names": ["a", "b", "c", "d"]}, "arrays": [["node_offsets", "<i8", [5]]]}')
        else b"",
    ),
    "many open elements": ("network.xmlbif", b"<BIF>" + b"<a>" * LONG),
    "many entities": (
        "network.xdsl",
        b"<!DOCTYPE a ["
        + b"".join(b'<!ENTITY e%d "%s">' % (k, b"&e%d;" % (k - 1) * 10 if k else b"x" * 100) for k in range(20))
        + b"]><smile>&e19;</smile>",
    ),
    "many defaults": (
        "network.xmlbif",
        b"<!DOCTYPE BIF ["
        + b"".join(b'<!ATTLIST a b%d CDATA "%s">' % (k, b"x" * 200) for k in range(2_000))
        + b"]><BIF>"
        + b"<a/>" * 100_000
        + b"</BIF>",
    ),
    "a comment in every state": ("network.net", b"node a { states = (" + b"x % y\n" * LONG),
    "a string that is not closed in Hugin": ("network.net", b'net { a = "' + b'\\"' * LONG),
    "many nodes on one line": ("network.net", b"".join(b"node n%d { states = (x y); } " % k for k in range(30_000))),
    "a list of brackets": ("network.net", b"node a { states = (x y); } potential (a) { data = " + b"(" * LONG + b"; }"),
    "as many states as memory": ("network.uai", b"BAYES 1 999999999999999 1 1 0 2 0.5 0.5"),
    "a scope of everything": ("network.uai", b"BAYES 1 2 1 999999999999999 0"),
    "many bars": ("graph.modelstring", b"[a" + b"|" * LONG),
    "brackets that are not closed": ("graph.modelstring", b"[a][" * LONG),
    "a file name beyond any": (
        "stream.manifest",
        json.dumps(
            {
                "identity": "",
                "files": ["x" * 5_000],
                "count": 1,
                "position": [],
                "status": "complete",
                "diagram": "",
                "opt": 0,
                "slack": 0,
            }
        ).encode(),
    ),
}


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return make_examples(tmp_path_factory.mktemp("examples"))


@pytest.mark.parametrize("name", FORMATS)
def test_a_good_file_is_read(examples: dict[str, bytes], tmp_path: Path, name: str) -> None:
    assert attempt(name, examples[name], tmp_path) is None


@pytest.mark.parametrize("what", REGRESSIONS)
def test_regressions(tmp_path: Path, what: str) -> None:
    name, content = REGRESSIONS[what]
    outcome = attempt(name, content, tmp_path)
    assert not isinstance(outcome, Finding), outcome


@pytest.mark.parametrize(("name", "seed"), [("networks.parquet", 810491576), ("data.parquet", 811082154)])
def test_files_that_a_long_run_found(examples: dict[str, bytes], tmp_path: Path, name: str, seed: int) -> None:
    """DuckDB ended with an error of C++, std::bad_cast, which is none of its own."""
    outcome = attempt(name, break_file(name, examples[name], seed), tmp_path)
    assert not isinstance(outcome, Finding), outcome


# How many files of a format are broken: about two seconds of CPU time each, and a minute together; the first are a
# quick test. Counted, not timed, so that the test is the same each time and on every machine.
MOST = 5500
FEWER = {".manifest": 1000, ".chains": 400, ".replicates": 1200, ".checkpoint": 1200, ".parquet": 40, ".duckdb": 10}


@pytest.mark.parametrize("one_in", [25, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FORMATS)
def test_new_files(examples: dict[str, bytes], tmp_path: Path, name: str, one_in: int) -> None:
    refused = 0
    count = max(FEWER.get(Path(name).suffix, MOST) // one_in, 10)
    for seed in range(count):
        content = break_file(name, examples[name], seed)
        outcome = attempt(name, content, tmp_path)
        assert not isinstance(outcome, Finding), f"seed {seed}: {outcome.text}"
        refused += outcome is not None
    assert refused > count // 8  # or nothing was broken


def test_a_finding_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is not an error of ours is a finding, as is a file that takes too long."""

    def broken(path: Path) -> None:
        raise RecursionError(path.name)

    monkeypatch.setitem(FORMATS, "graph.txt", type(FORMATS["graph.txt"])(".txt", broken, FORMATS["graph.txt"].change))
    outcome = attempt("graph.txt", b"a []", tmp_path)
    assert isinstance(outcome, Finding)
    assert "RecursionError" in outcome.text
    monkeypatch.setattr("tests.fuzz.fuzzer.MOST_SECONDS", -1.0)
    slow = attempt("graph.json", b"{}", tmp_path)
    assert isinstance(slow, Finding)
    assert "s of CPU" in slow.text
