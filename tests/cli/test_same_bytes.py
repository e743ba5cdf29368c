"""The same input, options and seed give the same bytes; where the clock decided, the exit code is 3."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from arcwise.data import Dataset, write_data

VERBS = (
    "bootstrap {data} --replicates 12 --seed 3 -o {folder}/b.nets",
    "bootstrap {data} --replicates 12 --seed 3 -o {folder}/b.parquet",
    "credible {data} --score bdeu --bayes-factor 5 -o {folder}/c.nets",
    "credible {data} --score bdeu --bayes-factor 5 -o {folder}/c.parquet",
    "confidence {folder}/b.nets -o {folder}/kb.parquet",
    "confidence {folder}/c.parquet -o {folder}/kc.parquet",
    "consensus {folder}/kb.parquet --threshold 0.5 -o {folder}/consensus.graphml",
    "scores {data} -o {folder}/s.jkl",
    "scores {data} -o {folder}/s.jkl.gz",
    "scores {data} -o {folder}/s.arct",
    "optimal {data} -o {folder}/o.graphml",
    "search {data} --method genetic --seed 2 -o {folder}/g.dot",
    "fit {folder}/o.txt {data} -o {folder}/f.bif",
    "sample {folder}/f.bif --rows 50 --seed 1 -o {folder}/rows.csv",
    "learn {data} -o {folder}/learned",
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (300, 6))
    codes[:, 1:] = np.where(rng.random((300, 5)) < 0.7, codes[:, :5], codes[:, 1:])
    path = tmp_path_factory.mktemp("same") / "data.csv"
    write_data(Dataset.from_codes(codes, names=list("abcdef"), states=[["n", "y"]] * 6), path)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_writer_writes_the_same_bytes_again(
    data: Path, tmp_path: Path, cli: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for number in (1, 2):
        folder = tmp_path / str(number) / "made"
        folder.mkdir(parents=True)
        monkeypatch.chdir(folder.parent)  # a report names the folder
        cli("optimal", data, "-o", "made/o.txt")
        for verb in VERBS:
            cli(*verb.format(data=data, folder="made").split())
        made.append(contents(folder))
        time.sleep(0.01)  # another time of day
    assert made[0].keys() == made[1].keys()
    assert len(made[0]) > len(VERBS) + 4
    assert [name for name in made[0] if made[0][name] != made[1][name]] == []


def learn(data: Path, folder: Path, seconds: str) -> int:
    from arcwise.cli.main import main

    with pytest.raises(SystemExit) as ending:
        main(["learn", str(data), "-o", str(folder), "--limit-seconds", seconds])
    code = ending.value.code or 0
    assert isinstance(code, int)
    return code


def test_where_the_clock_decided_the_exit_code_says_so(data: Path, tmp_path: Path) -> None:
    assert learn(data, tmp_path / "whole", "1000") == 0
    whole = contents(tmp_path / "whole")
    results = [name for name in whole if name not in ("run.json", "report.html")]  # these name the limit
    assert "edges.csv" in results
    codes = set()
    for seconds in ("0.001", "0.05", "0.2", "0.5", "1", "3"):
        folder = tmp_path / seconds
        code = learn(data, folder, seconds)
        codes.add(code)
        assert code in (0, 1, 3)
        assert folder.exists() == (code != 1)  # 1: no network was finished, and nothing is written
        if code == 0:
            timed = contents(folder)
            own, usual = (f"--limit-seconds {float(limit)}".encode() for limit in (seconds, "1000"))
            assert [name for name in results if timed[name].replace(own, usual) != whole[name]] == [], seconds
    assert codes & {1, 3}
