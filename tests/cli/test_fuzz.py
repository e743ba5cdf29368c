"""Thousands of broken files and options: never a traceback, never success with nothing done, never half a file."""

from __future__ import annotations

import io
import itertools
import json
import shutil
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from arcwise.analysis import learn
from arcwise.cli.main import main
from arcwise.confidence import edge_confidence
from arcwise.data import Dataset, write_data
from arcwise.ensemble import bootstrap_networks
from arcwise.graph import write_arc_list, write_dot, write_graphml, write_structure
from arcwise.local import hill_climb
from arcwise.model import fit_parameters
from arcwise.parent_sets import build_parent_sets, write_parent_sets
from arcwise_studies import plan_study, read_study
from arcwise_studies.store import Store

# Tokens that go where others were: too large, too small, not a number, the wrong kind, syntax, other scripts.
NASTY = [
    *(
        "",
        " ",
        "0",
        "-1",
        "1e999",
        "nan",
        "inf",
        "-inf",
        "9" * 20,
        "9" * 400,
        "0x10",
        "1.5",
        "abc",
        "NA",
        "null",
        "true",
    ),
    *("é", "\u202e", "😀", "\x00", "\ufeff", '"', "'", ",", ";", "\t", "{", "}", "[", "]", "(", ")", "|", "#", "%"),
    *("\\", "/", "..", "-", "--", "?", "=", "a=b", "a" * 5000, "\n", "\r\n", "\n\n\n", "$(x)", "%s", "{0}", "-o"),
]
NUMBERS = ["-1", "0", "nan", "inf", "-inf", "abc", "", "1e400", "1,5", "0x1", "9" * 24, "1e-400", "--"]
WORDS = ["", "bdue", "bic:", "bdeu:ess", "bdeu:ess=", "bdeu:ess=-1", "bdeu:es=1", ":", "é", "nan", "a b", "-"]


@dataclass(frozen=True)
class Outcome:
    """What a run of the command line did."""

    code: object
    out: bytes
    err: str


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One good file of every kind."""
    folder = tmp_path_factory.mktemp("examples")
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, 40)
    codes = np.column_stack([first, np.where(rng.random(40) < 0.8, first, 1 - first), rng.integers(0, 3, 40)])
    data = Dataset.from_codes(codes, names=["a", "b", "c"], states=[["n", "y"], ["0", "1"], ["u", "v", "w"]])
    for name in ("data.csv", "data.tsv", "data.arff", "data.parquet", "data.csv.gz"):
        write_data(data, folder / name)
    (folder / "raw.csv").write_text(
        "x,y,z\n" + "".join(f"{i * 0.37:.2f},{i % 3},{'' if i % 7 else 'k'}\n" for i in range(40))
    )
    dag = hill_climb(data).dag
    fit_parameters(dag, data).write_bif(folder / "network.bif")
    write_structure(folder / "graph.txt", dag)
    write_arc_list(folder / "graph.csv", dag)
    table = build_parent_sets(data, "bic", slack=3.0, progress=False)
    write_parent_sets(folder / "table.jkl", table)
    write_parent_sets(folder / "table.arct", table)
    networks = bootstrap_networks(data, replicates=5, seed=1, progress=False)
    networks.save(folder / "networks.parquet")
    networks.save(folder / "networks.bin")
    edge_confidence(networks).save(folder / "confidence.parquet")
    (folder / "rules.toml").write_text('required = [["a", "b"]]\nforbidden = [["c", "a"]]\nmax_parents = 2\n')
    (folder / "rules.json").write_text('{"tiers": [["a"], ["b", "c"]], "max_parents_of": {"c": 1}}\n')
    bootstrap_networks(data, replicates=3, seed=1, path=folder / "run.replicates", progress=False)
    study = (Path(__file__).resolve().parents[2] / "studies/smoke.toml").read_bytes()
    (folder / "study.toml").write_bytes(study)
    planned = read_study(folder / "study.toml", smoke=True)
    Store(folder / "store.duckdb").begin(planned, plan_study(planned))
    (folder / "little.toml").write_text("[experiments.overhead]\ncells = 2\nfail = [1]\n[smoke.overhead]\ncells = 1\n")
    store = ["--store", str(folder / "done.duckdb"), "--summary", str(folder / "summary")]
    assert run(["study", "run", str(folder / "little.toml"), *store]).code == 3  # a cell fails
    shutil.rmtree(folder / "summary")
    write_dot(folder / "graph.dot", dag)
    write_graphml(folder / "graph.graphml", dag)
    (folder / "graph.json").write_text(json.dumps({"variables": dag.names, "arcs": dag.arcs, "undirected": []}))
    learn(data, seed=1, compare=False, permutations=0, threshold=0.3).save(folder / "report")
    return folder


def run(arguments: list[str], stdin: bytes = b"") -> Outcome:
    """Run the command line in this process; any exception but SystemExit would be a traceback."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)), encoding="utf-8")  # type: ignore[type-var]
    sys.stdout, sys.stderr = out, err
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a process prints them
            main(arguments)
        code: object = 0
    except SystemExit as ending:
        code = ending.code or 0
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    out.flush()
    return Outcome(code, out.buffer.getvalue(), err.getvalue())  # type: ignore[attr-defined]


def check(arguments: list[str], folder: Path, target: Path | None, stdin: bytes = b"") -> bool:
    """Run and check the three promises; return whether the input was refused."""
    before = {path.name for path in folder.iterdir()}
    what = f"arcwise {arguments!r} in {folder}"
    try:
        done = run(arguments, stdin)
    except BaseException as error:
        raise AssertionError(f"{what}: a traceback ending in {error!r}") from error
    new = {path.name for path in folder.iterdir()} - before
    assert done.code in (0, 1, 2, 3), f"{what}: exit code {done.code}"
    assert "Traceback" not in done.err, f"{what}: {done.err}"
    assert not any(name.endswith(".part") for name in new), f"{what}: left {new}"
    if done.code in (0, 3):
        written = target is not None and target.exists() and (target.is_dir() or target.stat().st_size > 0)
        told = done.code == 3 and done.err.strip()  # not all was done, and why
        assert written or done.out.strip() or told, f"{what}: success, but nothing was done"
        if target is not None:
            shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
        for path in (folder / name for name in new if (folder / name).exists()):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return False
    assert done.err.strip(), f"{what}: exit code {done.code} without a message"
    assert not new, f"{what}: refused, but left {new}"
    return True


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Break a file in one of many ways."""
    size = len(content)
    at = int(rng.integers(size)) if size else 0
    kind = int(rng.integers(9))
    if kind == 0:
        return content[:at]  # truncated
    if kind == 1:  # some bytes are others
        changed = bytearray(content)
        for _ in range(int(rng.integers(1, 6))):
            changed[int(rng.integers(size))] = int(rng.integers(256))
        return bytes(changed)
    if kind == 2:
        return content[:at] + bytes(rng.integers(0, 256, int(rng.integers(1, 40)), dtype=np.uint8)) + content[at:]
    if kind == 3:
        return b"" if rng.random() < 0.2 else content + content[at:]
    lines = content.splitlines(keepends=True)
    line = int(rng.integers(len(lines)))
    if kind == 4:
        del lines[line]
    elif kind == 5:
        lines.insert(int(rng.integers(len(lines))), lines[line])
    elif kind == 6:
        rng.shuffle(lines)  # type: ignore[arg-type]
    else:  # a token of a line is another
        parts = [part for part in lines[line].replace(b",", b" ").split() if part]
        token = parts[int(rng.integers(len(parts)))] if parts else lines[line]
        lines[line] = lines[line].replace(token, NASTY[int(rng.integers(len(NASTY)))].encode(), 1)
    return b"".join(lines)


# For each kind of file the verbs that read it; {} is the broken file, OUT a file to write.
READERS: dict[str, list[list[str]]] = {
    "data.csv": [
        ["search", "{}", "-o", "OUT.csv"],
        ["scores", "{}", "-o", "OUT.jkl"],
        ["optimal", "{}", "--json"],
        ["credible", "{}", "-o", "OUT.parquet"],
        ["bootstrap", "{}", "--replicates", "3", "-o", "OUT.bin"],
        ["fit", "EXAMPLES/graph.txt", "{}", "-o", "OUT.bif"],
        ["evaluate", "EXAMPLES/network.bif", "EXAMPLES/network.bif", "--data", "{}"],
        ["prior", "edge", "{}", "--parent", "a", "--child", "b"],
        ["prior", "ess", "{}"],
        ["prior", "path", "{}", "--values", "3", "--json"],
        ["prior", "sensitivity", "{}"],
        ["prior", "compare", "{}", "--splits", "1"],
        ["prior", "saturation", "{}", "--repetitions", "1"],
        ["explain", "EXAMPLES/graph.txt", "--data", "{}"],
        ["impute", "{}", "-o", "OUT.csv"],
        ["discretize", "{}", "--numeric", "-o", "OUT.arff"],
    ],
    "raw.csv": [["impute", "{}", "-o", "OUT.csv"], ["discretize", "{}", "-o", "OUT.parquet"], ["search", "{}"]],
    "data.tsv": [["search", "{}", "-o", "OUT.dot"], ["impute", "{}"]],
    "data.arff": [["search", "{}", "--json"], ["impute", "{}", "-o", "OUT.arff"]],
    "data.parquet": [["search", "{}", "-o", "OUT.graphml"], ["impute", "{}"]],
    "data.csv.gz": [["search", "{}", "-o", "OUT.txt"]],
    "network.bif": [
        ["sample", "{}", "--rows", "5", "-o", "OUT.csv"],
        ["sample", "{}", "--rows", "5"],
        ["query", "{}", "P(a)", "-o", "OUT.csv"],
        ["query", "{}", "MPE()", "--json"],
        ["evaluate", "{}", "EXAMPLES/network.bif"],
        ["evaluate", "EXAMPLES/graph.txt", "{}", "--json"],
        ["convert", "{}"],
        ["fit", "{}", "EXAMPLES/data.csv", "-o", "OUT.bif"],
    ],
    "graph.txt": [["evaluate", "{}", "EXAMPLES/network.bif"], ["fit", "{}", "EXAMPLES/data.csv"]],
    "graph.csv": [["evaluate", "{}", "EXAMPLES/network.bif"], ["search", "EXAMPLES/data.csv", "--required", "{}"]],
    "graph.dot": [
        ["fit", "{}", "EXAMPLES/data.csv", "-o", "OUT.bif"],
        ["explain", "{}", "--data", "EXAMPLES/data.csv"],
    ],
    "graph.graphml": [["evaluate", "{}", "EXAMPLES/network.bif"], ["fit", "{}", "EXAMPLES/data.csv"]],
    "graph.json": [
        ["evaluate", "EXAMPLES/network.bif", "{}"],
        ["explain", "{}", "--data", "EXAMPLES/data.csv", "--json"],
    ],
    "report/run.json": [["explain", "FOLDER"], ["explain", "FOLDER", "a--b", "--json"]],
    "report/edges.csv": [["explain", "FOLDER", "--json"], ["explain", "FOLDER", "a->b", "c", "a"]],
    "report/network.bif": [["explain", "FOLDER"]],
    "report/confidence.parquet": [["explain", "FOLDER", "a->b"]],
    "table.jkl": [
        ["optimal", "{}", "-o", "OUT.csv"],
        ["credible", "{}", "--trust-table", "--bayes-factor", "3", "-o", "OUT.bin"],
    ],
    "table.arct": [["optimal", "{}", "--json"], ["credible", "{}", "--bayes-factor", "3"]],
    "networks.parquet": [["confidence", "{}", "-o", "OUT.parquet"]],
    "networks.bin": [["confidence", "{}"], ["confidence", "{}", "-o", "OUT.csv"]],
    "confidence.parquet": [["threshold", "{}"], ["consensus", "{}", "--threshold", "0.5", "-o", "OUT.csv"]],
    "rules.toml": [["search", "EXAMPLES/data.csv", "--constraints", "{}", "-o", "OUT.csv"]],
    "rules.json": [["scores", "EXAMPLES/data.csv", "--constraints", "{}", "-o", "OUT.arct"]],
    "study.toml": [["study", "plan", "{}"], ["study", "plan", "{}", "--smoke", "--json"]],
    "little.toml": [
        [
            "study",
            "run",
            "{}",
            "--store",
            "OUT.duckdb",
            "--limit-cells",
            "1",
            "--limit-seconds",
            "5",
            "--summary",
            "MORE",
        ],
        ["study", "plan", "{}", "--measured", "EXAMPLES/done.duckdb"],
        ["study", "status", "{}", "--store", "EXAMPLES/done.duckdb"],
        ["study", "export", "{}", "--store", "EXAMPLES/done.duckdb", "-o", "OUT.parquet"],
    ],
    "store.duckdb": [["study", "status", "--store", "{}"], ["study", "export", "--store", "{}", "-o", "OUT.csv"]],
    "done.duckdb": [
        ["study", "summarize", "--store", "{}", "-o", "MORE", "--no-figures", "--json"],
        ["study", "export", "--store", "{}", "-o", "OUT.csv"],
        ["study", "status", "EXAMPLES/little.toml", "--store", "{}", "--json"],
        ["study", "run", "EXAMPLES/little.toml", "--store", "{}", "--limit-cells", "1", "--summary", "MORE"],
        ["study", "plan", "EXAMPLES/little.toml", "--measured", "{}"],
    ],
    "run.replicates": [["bootstrap", "EXAMPLES/data.csv", "--replicates", "4", "--seed", "1", "--resume", "{}"]],
}
# How many broken files of each kind.
COUNTS = {"data.csv": 420, "network.bif": 320, "table.jkl": 220, "raw.csv": 120, "data.arff": 120, "table.arct": 100}
OTHERS = 60


def command_of(template: list[str], broken: Path, examples: Path, folder: Path) -> tuple[list[str], Path | None]:
    target = next((folder / part for part in template if part.startswith("OUT.")), None)
    arguments = [
        str(broken)
        if part == "{}"
        else str(broken.parent)
        if part == "FOLDER"
        else str(folder / "more")
        if part == "MORE"
        else str(target)
        if part.startswith("OUT.")
        else part.replace("EXAMPLES", str(examples))
        for part in template
    ]
    return arguments, target


# One in so many is a quick test.
SHARES = pytest.mark.parametrize("one_in", [5, pytest.param(1, marks=pytest.mark.slow)])


@SHARES
@pytest.mark.parametrize("kind", READERS)
def test_broken_files(kind: str, examples: Path, tmp_path: Path, one_in: int) -> None:
    rng = np.random.default_rng([len(kind), *kind.encode()])
    content = (examples / kind).read_bytes()
    others = sorted(path for path in examples.iterdir() if path.name != Path(kind).name and path.is_file())
    broken = tmp_path / kind
    if broken.parent != tmp_path:  # one file of a folder
        shutil.copytree((examples / kind).parent, broken.parent)
    refused = 0
    commands = itertools.cycle(READERS[kind])
    count = COUNTS.get(kind, OTHERS) // one_in
    for number in range(0, count * one_in, one_in):
        if number < len(others):  # another kind of file under this name
            broken.write_bytes(others[number].read_bytes())
        else:
            broken.write_bytes(damaged(content, rng))
        arguments, target = command_of(next(commands), broken, examples, tmp_path)
        refused += check(arguments, tmp_path, target)
    assert refused >= 0.25 * count


def option_cases(examples: Path, folder: Path) -> Iterator[tuple[list[str], Path | None]]:
    """Every option of every verb with values that it cannot have, and files that cannot be read or written."""
    import typer

    from arcwise.cli.main import _register_verbs, app

    _register_verbs()
    good: dict[str, list[str]] = {
        "learn": ["data.csv", "--replicates=2", "--permutations=0"],
        "impute": ["raw.csv"],
        "discretize": ["raw.csv"],
        "scores": ["data.csv"],
        "search": ["data.csv"],
        "credible": ["table.jkl", "--trust-table"],
        "bootstrap": ["data.csv", "--replicates=3"],
        "optimal": ["data.csv"],
        "confidence": ["networks.bin"],
        "threshold": ["confidence.parquet"],
        "consensus": ["confidence.parquet", "--threshold=0.5"],
        "fit": ["graph.txt", "data.csv"],
        "query": ["network.bif", "P(a)"],
        "sample": ["network.bif", "--rows=3"],
        "evaluate": ["network.bif", "graph.txt"],
        "prior edge": ["data.csv", "--parent=a", "--child=b"],
        "prior ess": ["data.csv"],
        "prior path": ["data.csv", "--values=3"],
        "prior sensitivity": ["data.csv"],
        "prior compare": ["data.csv", "--splits=1"],
        "prior saturation": ["data.csv", "--repetitions=1"],
        "explain": ["report"],
        "study plan": ["little.toml"],
        "study run": ["rules.toml"],
        "study status": ["little.toml"],
        "study export": ["little.toml"],
        "study summarize": ["little.toml"],
    }

    def walk(name: str, command: object) -> Iterator[tuple[str, object]]:
        for own, inner in getattr(command, "commands", {}).items():
            yield from walk(f"{name} {own}".strip(), inner)
        if not hasattr(command, "commands"):
            yield name, command

    for name, command in walk("", typer.main.get_command(app)):
        if name not in good:
            continue
        start = [*name.split(), *(str(examples / part) if (examples / part).exists() else part for part in good[name])]
        yield [*name.split()], None
        yield [*start, "--no-such-option"], None
        yield [*start, "one", "more", "argument"], None
        yield [*name.split(), str(examples / "missing.csv"), *start[len(name.split()) + 1 :]], None
        yield [*name.split(), str(examples), *start[len(name.split()) + 1 :]], None
        for parameter in command.params:  # type: ignore[attr-defined]
            if parameter.param_type_name != "option" or parameter.name in ("install_completion", "show_completion"):
                continue
            option = max(parameter.opts, key=len)
            if getattr(parameter, "is_flag", False):
                yield [*start, f"{option}=3"], None
                continue
            kind = str(getattr(parameter, "type_descriptor", None) or parameter.type).lower()
            for value in NUMBERS if "'int'" in kind or "'float'" in kind or "range" in kind else WORDS:
                yield [*start, f"{option}={value}"], None
            if option == "--output" and not name.startswith(("learn", "study")):
                for file in ("none/x.csv", "x.unknown", ".", "x", "..", "a/b/c.jkl", "nul\x00.csv", "x" * 300 + ".csv"):
                    yield [*start, "--output", str(folder / file)], folder / "x"


@SHARES
def test_broken_options(examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_in: int) -> None:
    monkeypatch.chdir(tmp_path)  # a word may be taken for the name of a file to write
    refused = total = 0
    for arguments, target in itertools.islice(option_cases(examples, tmp_path), 0, None, one_in):
        total += 1
        refused += check(arguments, tmp_path, target)
    assert total >= 800 // one_in
    assert refused >= 650 // one_in


def test_broken_input_on_stdin(examples: Path, tmp_path: Path) -> None:
    """What a pipe may bring: tables and data, whole and broken, told apart by their content."""
    rng = np.random.default_rng(3)
    refused = 0
    for kind in ("table.jkl", "table.arct", "data.csv", "data.csv.gz", "network.bif"):
        content = (examples / kind).read_bytes()
        for number in range(30):
            broken = content if number == 0 else damaged(content, rng)
            for verb in ("optimal", "credible"):
                refused += check([verb, "-", "-q"], tmp_path, None, broken)
    assert refused >= 150


def test_the_fuzz_is_large_enough() -> None:
    broken_files = sum(COUNTS.get(kind, OTHERS) for kind in READERS)
    assert broken_files >= 1900


@pytest.mark.parametrize("fault", [ValueError("x"), KeyError("x"), MemoryError()])
def test_a_traceback_would_be_noticed(
    examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise fault

    monkeypatch.setattr("arcwise.cli.options.read_table", fail)
    arguments = ["search", str(examples / "data.csv")]
    if isinstance(fault, MemoryError):  # told as a message
        assert check(arguments, tmp_path, None)
        return
    with pytest.raises(AssertionError, match="a traceback ending in"):
        check(arguments, tmp_path, None)
