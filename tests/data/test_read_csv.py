from __future__ import annotations

import contextlib
import csv
import gzip
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import BayesianNetwork, datasets
from arcwise.data import Dataset, Table, read_data, read_table
from arcwise.data.formats import read_delimited
from arcwise.data.read import FORMATS
from arcwise.data.source import InputFile, TextOptions, find_titles
from arcwise.errors import ArcwiseError, DataError, DataWarning, FormatError, OptionError

GOOD = "smoke,cough,age\nno,yes,1\nyes,no,2\nno,no,10\n"


def save(folder: Path, text: str | bytes, name: str = "survey.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def parsed(text: bytes, header: bool = True, missing: frozenset[str] = frozenset(), merge: bool = True) -> Table:
    source = InputFile("x.csv", np.frombuffer(text, dtype=np.uint8), None)
    return read_delimited(source, TextOptions(",", header, missing, merge))


def cells(table: Table) -> list[list[str | None]]:
    columns = [[(*column.labels, None)[code] for code in column.codes] for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def test_reads_what_is_there(tmp_path: Path) -> None:
    data = read_data(save(tmp_path, GOOD))
    assert data.names == ("smoke", "cough", "age")
    assert data.states == (("no", "yes"), ("no", "yes"), ("1", "2", "10"))
    assert data.codes.tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 2]]


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        GOOD.rstrip("\n"),
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\n\n  \n"),
        GOOD.replace(",", " , "),
        GOOD.replace("no", '"no"'),
        GOOD.replace("no", ' "no" '),
        gzip.compress(GOOD.encode(), mtime=0),
        gzip.compress(GOOD[:20].encode(), mtime=0) + gzip.compress(GOOD[20:].encode(), mtime=0) + b"\0" * 10,
    ],
)
def test_spellings_of_the_same_file(tmp_path: Path, text: str | bytes) -> None:
    expected = read_data(save(tmp_path, GOOD)).digest
    assert read_data(save(tmp_path, text, "other.csv")).digest == expected


def test_tsv_separator_and_no_header(tmp_path: Path) -> None:
    expected = read_data(save(tmp_path, GOOD)).digest
    assert read_data(save(tmp_path, GOOD.replace(",", "\t"), "x.tsv")).digest == expected
    assert read_data(save(tmp_path, GOOD.replace(",", ";")), separator=";").digest == expected
    bare = read_data(save(tmp_path, GOOD.split("\n", 1)[1]), header=False)
    assert bare.names == ("X0", "X1", "X2")
    with pytest.raises(OptionError, match="one ASCII character"):
        read_data(save(tmp_path, GOOD), separator="--")


def test_columns_drop_and_weights(tmp_path: Path) -> None:
    path = save(tmp_path, GOOD)
    assert read_data(path, columns=["age", "smoke"]).names == ("age", "smoke")
    assert read_data(path, drop=["age"]).names == ("smoke", "cough")
    weighted = read_data(path, counts="age")
    assert weighted.names == ("smoke", "cough")
    assert weighted.n_cases == 13
    for option in ("columns", "drop"):
        with pytest.raises(DataError, match=f"{option}= names the unknown column 'agee'; did you mean 'age'"):
            read_data(path, **{option: ["agee"]})  # type: ignore[arg-type]


# ---- Bad input, one message each

BAD: list[tuple[str, str | bytes, type[ArcwiseError], str]] = [
    ("empty file", "", FormatError, "survey.csv: the file is empty"),
    ("blank lines only", "\n \n", FormatError, "the file is empty"),
    ("header only", "a,b\n", DataError, "no rows, only the header"),
    ("one column", "a\nx\ny\n", DataError, "only one column, 'a'.*needs at least two variables. If"),
    ("other separator", "a b\nx y\ny x\n", DataError, "only one column.*a space. Give separator=' '"),
    ("duplicate numbers", "1,0,1\n0,1,1\n", DataError, "fields 1 and 3.*header=False"),
    ("numbers in the header", "5.1,3.5\n1,2\n", FormatError, "consists of numbers.*header=False"),
    ("ragged, short", "a,b,c\nx,y,z\n\nx,y\n", FormatError, "survey.csv: line 4 has 2 fields, but the header has 3"),
    ("ragged, long", "a,b\nx,y\nx,y,z\n", FormatError, "line 3 has 3 fields, but the header has 2"),
    ("ragged, trailing comma", "a,b\nx,y,\n", FormatError, "line 2 has 3 fields"),
    ("one state", "smoke,cough\nno,a\nno,b\n", DataError,
     r"survey.csv: column 'smoke' \(1 of 2\) has one distinct value, 'no'; a variable needs at least two states. "
     r"Drop the column with drop=\['smoke'\], or declare its states: states=\{'smoke': \['no', 'yes'\]\}."),
    ("Latin-1", "a,b\nx,y\ncaf\xe9,z\n".encode("latin1"), FormatError,
     "survey.csv: line 3, column 'a': byte 0xe9 is not UTF-8 text"),
    ("Latin-1 header", "a,caf\xe9\nx,y\n".encode("latin1"), FormatError, "the header, field 2: byte 0xe9 is not UTF-8"),
    ("UTF-16", "a,b\nx,y\n".encode("utf-16"), FormatError, "this is UTF-16 text, not CSV"),
    ("NUL byte", "a,b\nx,y\nx,\0\n", FormatError, "line 3, field 2: a NUL byte"),
    ("NUL byte in quotes", 'a,b\nx,y\nx,"\0"\n', FormatError, "line 3, field 2: a NUL byte"),
    ("NUL byte after quotes", 'a,b\nx,y\nx,"z"\0\n', FormatError, "line 3, field 2: a NUL byte"),
    ("NUL bytes only", b"\0" * 100, FormatError, "NUL byte"),
    ("unclosed quote", 'a,b\nx,"y\nx,y\n', FormatError, "line 2, field 2: the quote .* is never closed"),
    ("text after quote", 'a,b\nx,"y"z\n', FormatError, "line 2, field 2: text follows the closing quote"),
    ("megabyte field", "a,b\nx," + "y" * 2**21 + "\n", FormatError, "line 2, field 2 is longer than 1 MiB"),
    ("megabyte quoted field", 'a,b\nx,"' + "y\n" * 2**20 + '"\n', FormatError, "line 2, field 2 is longer than 1 MiB"),
    ("megabyte line", "a,b\nx" + ",y" * 2**20 + "\n", FormatError, "line 2 has 1,048,577 fields, but the header has 2"),
    ("megabyte header", "a," * 2**20 + "\nx,y\n", FormatError, "line 2 has 2 fields, but the header has 1,048,577"),
    ("spaces collide", 'a,b\nyes,y\n"yes ",x\n', DataError,
     "line 3: column 'a' has the state 'yes' with different spaces.*merge=True"),
    ("no-break space collides", "a,b\nyes,y\nyes\u00a0,x\n", DataError, "line 3: column 'a' has the state 'yes'"),
    ("numbers collide", "a,b\n1,y\n1.0,x\n", DataError, "'a' .* has the states '1', '1.0'.*same number.*merge=True"),
    ("missing", "a,b\nx,y\n,y\nNA,\nx,?\n", DataError,
     r"survey.csv: 4 missing values in 2 of 2 columns \('a' 2, 'b' 2\); 1 of 4 rows are complete, the first gap is in "
     "line 3. .*learn.*impute.*'mode'.*'knn'.*'drop'.*missing="),
    ("numbers", "a,b\n" + "".join(f"{k / 7},x\n" for k in range(30)), DataError, "30 distinct values.*discretize"),
    ("identifier", "a,b\n" + "".join(f"p{k},x\n" for k in range(30)), DataError, "identifier"),
    ("Parquet", b"PAR1xxxx", FormatError, "this is a Parquet file, not CSV as its suffix says. Give format='parquet'"),
    ("Excel", b"PK\x03\x04xxxx", FormatError, "zip archive or Excel"),
    ("ARFF", "% comment\n@RELATION x\n", FormatError, "this is an ARFF file, not CSV.*format='arff'"),
    ("HTML", "<!DOCTYPE html>\n<html>", FormatError, "an HTML page"),
    ("BIF", "network unknown {\n}", FormatError, "a BIF network"),
    ("damaged gzip", gzip.compress(GOOD.encode())[:-10], FormatError, "damaged gzip file"),
    ("not gzip after all", b"\x1f\x8b" + b"x" * 50, FormatError, "damaged gzip file"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_files(tmp_path: Path, text: str | bytes, kind: type[ArcwiseError], message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        read_data(save(tmp_path, text))
    assert "survey.csv" in str(caught.value)
    assert len(str(caught.value)) < 1500


def test_bad_paths(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"cannot read .*nothing.csv: No such file"):
        read_data(tmp_path / "nothing.csv")
    with pytest.raises(FormatError, match="cannot read"):
        read_data(tmp_path)
    with pytest.raises(FormatError, match=r"suffix does not say which format it is; known are .csv, .*format='csv'"):
        read_data(save(tmp_path, GOOD, "survey.data"))
    assert read_data(save(tmp_path, GOOD, "survey.data"), format="csv").n_rows == 3
    with pytest.raises(OptionError, match="unknown format 'cvs'; did you mean 'csv'"):
        read_data(save(tmp_path, GOOD), format="cvs")
    with pytest.raises(FormatError, match="not CSV as format='csv' says"):
        read_data(save(tmp_path, b"PAR1", "x.parquet"), format="csv")
    with pytest.raises(DataError, match="states= names the unknown column 'smoker'"):
        read_data(save(tmp_path, GOOD), states={"smoker": ["a", "b"]})
    with pytest.raises(OptionError, match="list of markers"):
        read_data(save(tmp_path, GOOD), missing="?")


def test_a_gzip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise.base.files.MAX_UNPACKED", 2**24)
    with pytest.raises(FormatError, match="unpacks to more than"):
        read_data(save(tmp_path, gzip.compress(b"\n" * 2**26), "bomb.csv.gz"))


def test_merging(tmp_path: Path) -> None:
    text = "a,b\n1,yes\n1.0, yes\n 2 ,no\n2.50,no \n2.5,no\n"
    data = read_data(save(tmp_path, text), merge=True)
    assert data.states == (("1", "2", "2.5"), ("no", "yes"))
    assert data.codes.tolist() == [[0, 0, 1, 2, 2], [1, 1, 0, 0, 0]]
    kept = read_data(save(tmp_path, "a,b\n1,y\n01,x\n1,x\n"), states={"a": ["1", "01"]})
    assert kept.codes[0].tolist() == [0, 1, 0]


def test_missing_markers(tmp_path: Path) -> None:
    text = "a,b\nx,?\ny,NA\nx,None\n,None\n"
    table = read_table(save(tmp_path, text))
    assert table.n_missing == {"a": 1, "b": 2}
    assert table.column("b").labels == ("None",)
    other = read_table(save(tmp_path, text), missing=["-"])
    assert other.n_missing == {}
    with pytest.raises(DataError, match="empty"):
        other.to_dataset()


def test_declared_states_of_a_file_name_the_line(tmp_path: Path) -> None:
    path = save(tmp_path, 'a,b\n\nx,"y\n"\n\ny,z\nq,z\n')
    with pytest.raises(DataError, match=r"survey.csv: column 'a' \(1 of 2\) has the value 'q' in line 7"):
        read_data(path, states={"a": ["x", "y"]})


def test_many_labels_widen_the_codes() -> None:
    for count, kind in ((255, np.uint8), (256, np.uint16), (65_535, np.uint16), (65_536, np.uint32)):
        labels = [f"v{k}" for k in range(count)]
        table = parsed(("a,b\n" + "".join(f"{label},x\n" for label in labels * 2)).encode())
        assert table.columns[0].labels == tuple(labels)
        assert table.columns[0].codes.dtype == kind
        np.testing.assert_array_equal(table.columns[0].codes, np.tile(np.arange(count), 2))


# ---- The native reader against Python's csv module, and against anything at all

FIELD = st.text(st.sampled_from("ab1é \"\n,'\t;"), max_size=5)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(FIELD, min_size=n, max_size=n), min_size=1, max_size=8)),
       st.sampled_from(["\n", "\r\n"]), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))  # fmt: skip
def test_reads_what_the_csv_module_writes(rows: list[list[str]], end: str, quoting: int) -> None:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator=end, quoting=quoting).writerows(rows)
    table = parsed(buffer.getvalue().encode(), header=False)
    expected = [[field.strip() for field in row] for row in rows]
    if quoting == csv.QUOTE_MINIMAL:
        if any('"' in f.strip()[:1] and '"' not in f[:1] for row in rows for f in row):
            return  # the csv module leaves a quote after a space alone; for us it opens a quoted field
        expected = [
            row for row, raw in zip(expected, rows, strict=True) if raw == [""] or len(row) > 1 or raw[0].strip(" \t")
        ]
    assert cells(table) == expected


def test_agrees_with_pandas(networks: Path, tmp_path: Path) -> None:
    """Numbers, words, gaps; few columns and many; packed and not."""
    datasets.load("survey").to_dataframe().to_csv(tmp_path / "survey.csv", index=False)
    for name, rows in (("alarm", 20_000), ("munin1", 2_000)):
        frame = BayesianNetwork.read(networks / f"{name}.bif.gz").sample(rows, seed=1).to_dataframe().astype(object)
        gaps = np.random.default_rng(2).random(frame.shape) < 0.05
        frame.mask(gaps, None).to_csv(tmp_path / f"{name}.csv.gz", index=False)
    for path in sorted(tmp_path.iterdir()):
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
        expected = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
        assert cells(read_table(path)) == expected


@given(st.binary(max_size=60) | st.text(st.sampled_from('a,"\n\r \t\\%;\0é'), max_size=40).map(str.encode))
def test_any_bytes_are_read_or_refused(text: bytes) -> None:
    for header in (True, False):
        try:
            table = parsed(text, header)
        except ArcwiseError:
            continue
        assert len({len(column.codes) for column in table.columns}) == 1


@given(st.binary(max_size=60))
def test_any_file_is_read_or_refused(text: bytes) -> None:
    for kind in FORMATS:
        read_fd, write_fd = os.pipe()
        os.write(write_fd, text)
        os.close(write_fd)
        try:
            with pytest.raises(ArcwiseError):
                read_data(f"/proc/self/fd/{read_fd}", format=kind)
                raise DataError("it was read")
        finally:
            os.close(read_fd)


def test_standard_input(tmp_path: Path) -> None:
    program = "from arcwise.data import read_data; print(read_data('-').digest)"
    for text in (GOOD.encode(), GOOD.replace(",", "\t").encode(), gzip.compress(GOOD.encode())):
        done = subprocess.run([sys.executable, "-c", program], input=text, capture_output=True, check=True)
        assert done.stdout.decode().strip() == read_data(save(tmp_path, GOOD)).digest


def test_a_pipe_can_be_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(GOOD))
    writer.start()
    assert read_data(pipe).n_rows == 3
    writer.join()


def test_progress_is_reported_and_interruption_heard(tmp_path: Path) -> None:
    path = save(tmp_path, "a,b\n" + "x,y\ny,x\n" * 5000)
    events: list[tuple[int, int | None]] = []
    read_data(path, progress=lambda event: events.append((event.done, event.total)))
    assert events
    assert all(0 < done <= (total or 0) == path.stat().st_size for done, total in events)
    for problem in (KeyboardInterrupt, RuntimeError):

        def stop(event: object, problem: type[BaseException] = problem) -> None:
            raise problem

        with pytest.raises(problem):
            read_data(path, progress=stop)


# ---- Writing


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.tsv"])
def test_written_files_are_read_back(tmp_path: Path, name: str) -> None:
    odd = ("a,b", 'say "hi"', "line\nend", "tab\there", "é", "'")
    data = Dataset.from_codes(
        np.array([[k, k % 2] for k in range(6)]), names=("odd, name", "b"), states=[odd, ("no", "yes")],
        weights=[1, 2, 3, 1, 20_000, 1],
    )  # fmt: skip
    data.to_file(tmp_path / name)
    back = read_data(tmp_path / name, states={"odd, name": odd})
    assert back.digest == data.expand().digest


def test_writing_needs_a_known_format(tmp_path: Path) -> None:
    data = Dataset.from_codes(np.array([[0, 1], [1, 0]]))
    with pytest.raises(FormatError, match="suffix"):
        data.to_file(tmp_path / "x.xlsx")
    with pytest.raises(OptionError, match="unknown format"):
        data.to_file(tmp_path / "x.csv", format="xlsx")
    for name in ("x.parquet.gz", "-"):
        with pytest.raises(FormatError, match="Parquet is compressed by itself and needs a file"):
            data.to_file(name, format="parquet")
    with pytest.raises(FormatError, match="cannot write"):
        data.to_file(tmp_path / "no" / "x.csv")


def test_writing_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    Dataset.from_codes(np.array([[0, 1], [1, 0]])).to_file("-")
    assert capsys.readouterr().out == "X0,X1\n0,1\n1,0\n"


def test_names_that_are_missing_or_repeated_are_made(tmp_path: Path) -> None:
    path = tmp_path / "joined.csv"
    path.write_text(",a,b,a,,a (2)\n0,x,y,x,u,s\n1,y,y,x,v,t\n")
    table = read_table(path)
    assert table.names == ("column 1", "a", "b", "a (3)", "column 5", "a (2)")
    assert table.renamed["a (3)"] == "column 2 is called 'a', too"
    assert table.drop(["column 1"]).renamed.keys() == {"a (3)", "column 5"}
    assert read_table(path, drop=["#1", "#5"]).names == ("a", "b", "a (3)", "a (2)")


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a;b\nx;y\ny;x\n", ";"),
        ("name;height\nAnn;1,71\nBob;1,82\n", ";"),
        ("a\tb\nx\ty\n", "\t"),
        ("a|b\nx|y\n", "|"),
        ('"a;b",c\n"x;y",z\n', ","),
        ("a,b\nx;1,y\nz,w\n", ","),
        ("a;b,c\nx;y,z\n", ","),  # both would do
        ("", ","),
    ],
)
def test_the_separator_is_what_the_first_lines_show(text: str, separator: str) -> None:
    from arcwise.data.formats import guessed_separator

    assert guessed_separator(text.encode()) == separator


ROWS = "".join(f"{'ab'[k % 2]},{k % 7},{'uv'[k % 3 == 0]}\n" for k in range(40))


@pytest.mark.parametrize(
    "titles",
    [
        "Ward export\n",
        "Ward export\nAll patients, 2023\n\n",
        "Ward export,,\n,,\n",
        '"Sales, by region, ""net""",,\n',
        "# made by a program\r\n# on a Monday\r\n",
        "\ufeffUmsätze im März\n",
        '"a title\nof two lines"\n',
    ],
)
def test_titles_above_the_header_are_skipped(tmp_path: Path, titles: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{titles}town,size,kind\n{ROWS}", encoding="utf-8", newline="")
    table = read_table(path)
    assert table.names == ("town", "size", "kind") and table.n_rows == 40 and table.above
    line = path.read_text(encoding="utf-8").splitlines().index("town,size,kind") + 2
    assert f"line {line}" in table.where(0)
    with pytest.warns(DataWarning, match="lines above the header were skipped"):
        assert read_data(path).names == table.names
    with contextlib.suppress(FormatError):  # the first line is the header, if that is said
        assert "town" not in read_table(path, header=True).names


@pytest.mark.parametrize(
    "text",
    [
        f"town,size,kind\n{ROWS}",
        f"town,,\n{ROWS}",  # names that lack
        f"\n\ntown,size,kind\n{ROWS}",  # blank lines are no titles
        "a,b\n" + "x,y\n" * 40,
        "a b,c d\n" + "x,y\nu,v\n" * 20,
        "column\n" + "x\ny\n" * 20,
    ],
)
def test_a_header_is_no_title(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    assert read_table(path).above == ()


@pytest.mark.parametrize(
    "text", [f"size,kind\n{ROWS}", '"a"\n' + '"p","u"\n"q","v"\n' * 20, f"town size kind\n{ROWS}"], ids=["R", "R2", "s"]
)
def test_a_header_that_lacks_a_name_is_refused(tmp_path: Path, text: str) -> None:
    """R writes one name less than there are columns: its header must not pass for a title, nor a row for names."""
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match="fields, but the header has"):
        read_table(path)


def test_a_separator_within_fields_makes_no_title_of_the_header() -> None:
    text = b"rain,wet grass,set\nyes,dry,rain;wet grass\nno,dry,rain;wet grass\nyes,wet,rain;wet grass\n"
    assert find_titles(text, [",", ";"], whole=True) is None


def test_tabs_after_quotes_are_separators_and_no_blanks(tmp_path: Path) -> None:
    """Names in quotes over a row of words, above numbers: the names must not pass for a title of fewer fields."""
    path = tmp_path / "x.tsv"
    path.write_text('"id"\t"name"\t"size"\nNA\tx\ty\n1\tu\tv\n2\tw\tz\n')
    table = read_table(path)
    assert table.names == ("id", "name", "size")
    assert table.above == ()
    assert table.n_rows == 3
    path.write_text('"a title"\n"id"\t"name"\t"size"\n1\tu\tv\n2\tw\tz\n')
    assert read_table(path).above == ("a title",)
