"""The audit as a whole: order, agreement, options, files; and the way through `learn` and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise import check, learn
from arcwise.audit import Severity
from arcwise.audit.finding import Kind
from arcwise.audit.written_numbers import COMMA, POINT, NumberFormat
from arcwise.cli.main import main
from arcwise.errors import DataError, OptionError
from arcwise.findings.preparation import PreparationError

N = 300
QUICK = {"compare": False, "permutations": 0}


def customers(rows: int = 2000, seed: int = 0) -> pd.DataFrame:
    """Return a file as companies have them: ids, dates, money, text, copies, gaps as dashes, a long list of towns."""
    rng = np.random.default_rng(seed)
    segment = rng.choice(["Basic", "Plus", "Pro"], rows, p=[0.5, 0.3, 0.2])
    spend = np.select([segment == "Pro", segment == "Plus"], [3, 2], 1) * rng.lognormal(6, 0.5, rows)
    churn = np.where(rng.random(rows) < np.where(segment == "Basic", 0.45, 0.1), "Yes", "No").astype(object)
    support = np.where(rng.random(rows) < np.where(churn == "Yes", 0.6, 0.15), "often", "rarely").astype(object)
    support[rng.random(rows) < 0.1] = "-"
    loud = rng.random(rows) < 0.2
    churn[loud] = [str(value).upper() for value in churn[loud]]
    days = pd.Timestamp("2018-01-01") + pd.to_timedelta(rng.integers(0, 2000, rows), unit="D")
    words = ["called", "about", "invoice", "late", "happy", "refund", "again", "agent"]
    return pd.DataFrame(
        {
            "customer_id": [f"C{100000 + k}" for k in range(rows)],
            "signup": days.strftime("%d.%m.%Y"),
            "segment": segment,
            "segment_code": pd.Series(segment).map({"Basic": "1", "Plus": "2", "Pro": "3"}),
            "spend": [f"{value:,.2f}" for value in spend],
            "spend_eur": [f"{0.93 * value:.2f}".replace(".", ",") for value in spend],
            "price": [f"${value}" for value in rng.choice([49, 99, 199, 365, 499], rows)],
            "churn": churn,
            "support": support,
            "notes": [" ".join(rng.choice(words, 7)) for _ in range(rows)],
            "city": [f"City {value % 900}" for value in rng.zipf(1.2, rows)],
            "country": "CH",
        }
    )


class TestTheCustomersFile:
    def test_no_edge_at_what_is_no_variable(self, tmp_path: Path) -> None:
        path = tmp_path / "customers.csv"
        customers().to_csv(path)  # with the index, which has no name
        analysis = learn(path, agree=True, impute="mode", **QUICK)
        assert set(analysis.data.names) == {"segment", "spend", "price", "churn", "support"}
        edges = {frozenset((edge.first, edge.second)) for edge in analysis.edges if edge.fate.in_network}
        assert edges == {frozenset(pair) for pair in (("segment", "spend"), ("segment", "churn"), ("churn", "support"))}
        told = " ".join(analysis.steps)
        for name in ("customer_id", "signup", "segment_code", "spend_eur", "notes", "city", "country", "column 1"):
            assert f"'{name}'" in told

    def test_the_terminal_lists_what_was_done(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "customers.csv"
        customers().to_csv(path)
        out = tmp_path / "out"
        words = ["learn", str(path), "--yes", "--impute", "mode", "--no-compare", "--permutations", "0", "-o", str(out)]
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == 0
        told = capsys.readouterr().err
        for step in json.loads((out / "run.json").read_text())["data"]["steps"]:
            assert step in told
        report = (out / "report.html").read_text()
        assert "What was found, the gravest first" in report and "What is missing together" in report

    def test_without_agreement_everything_is_asked(self) -> None:
        with pytest.raises(PreparationError) as caught:
            learn(customers(), **QUICK)
        message = str(caught.value)
        for part in (
            "customer_id",
            "holds dates",
            "'$",
            "free text",
            "is a copy of column 'segment'",
            "several spellings",
        ):
            assert part in message
        assert "Agree to all of it with agree=True" in message

    def test_options_answer(self) -> None:
        options = {"drop": ("notes", "city", "country", "segment_code", "spend_eur", "customer_id")}
        analysis = learn(customers(), agree=True, dates="year", impute="drop", merge_rare=30, **options, **QUICK)
        assert set(analysis.data.states[analysis.data.index("signup")]) == {str(y) for y in range(2018, 2024)}
        kept = learn(customers()[["segment", "city", "churn"]], agree=True, merge_rare=40, **QUICK)
        assert "other" in kept.data.states[kept.data.index("city")]


class TestAgreement:
    @staticmethod
    def visits() -> pd.DataFrame:
        days = pd.date_range("2024-01-01", periods=90).astype(str)
        answers = ["yes", "no", "Yes"] * 30
        return pd.DataFrame({"start": days, "end": days[::-1], "a": answers, "b": ["u", "v"] * 45, "one": "x"})

    def test_what_is_proposed_for_several_columns_is_said_once(self) -> None:
        with pytest.raises(PreparationError) as caught:
            learn(self.visits().drop(columns="a"), **QUICK)
        assert str(caught.value).endswith("or choose: learn(..., dates='drop', drop=['one'])")

    def test_the_call_that_is_proposed_answers_everything(self) -> None:
        with pytest.raises(PreparationError) as caught:
            learn(self.visits(), **QUICK)
        message = str(caught.value)
        assert message.endswith("agree to the rest: learn(..., dates='drop', drop=['one'], agree=True)")
        assert learn(self.visits(), dates="drop", drop=["one"], agree=True, **QUICK).data.names == ("a", "b")

    def test_what_has_no_option_asks_for_agreement_alone(self) -> None:
        with pytest.raises(PreparationError) as caught:
            learn(self.visits()[["a", "b"]], **QUICK)
        assert str(caught.value).endswith("Agree to all of it with agree=True.")

    def test_what_has_two_answers_stays_a_question(self) -> None:
        frame = pd.DataFrame({"x": ["1,234", "2,345", "3,456"] * 30, "y": ["a", "b", "a"] * 30, "z": ["u", "v"] * 45})
        with pytest.raises(PreparationError, match=r"'1,234' is 1234 or 1\.234.*\n.*Choose: learn\(\.\.\., decimal"):
            learn(frame, agree=True, **QUICK)
        frame["y"] = ["a", "b", "b"] * 20 + ["a", "a", "b"] * 10
        for decimal, first in ((",", "1.234"), (".", "1234")):
            analysis = learn(frame, agree=True, decimal=decimal, **QUICK)
            assert analysis.data.states[0][0] == first

    def test_asked_is_done_without_agreement(self) -> None:
        frame = pd.DataFrame({"x": ["$1", "$2", "$3"] * 30, "y": ["a", "b", "b"] * 20 + ["a"] * 30})
        with pytest.raises(PreparationError, match="written as text"):
            learn(frame, **QUICK)
        assert learn(frame, decimal=".", **QUICK).data.states[0] == ("1", "2", "3")

    def test_clean_data_need_no_agreement(self) -> None:
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({name: rng.choice(["u", "v", "w"], N) for name in "abcd"})
        audit = check(frame)
        assert len(audit) == 0 and audit.steps == () and "findings: 0 blocks" in repr(audit)
        assert learn(frame, **QUICK).steps == ()

    def test_a_header_that_is_a_row(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.csv"
        rng = np.random.default_rng(1)
        path.write_text("".join(f"{a},{b},{c}\n" for a, b, c in rng.choice(["x", "y"], (90, 3)).tolist()))
        text = path.read_text()
        path.write_text("x,y,z\n" + text.replace("y,x,x", "y,y,z"))
        found = check(path)
        assert found.findings[0].kind is Kind.HEADER and not found.findings[0].safe
        with pytest.raises(PreparationError, match="header='none'"):
            learn(path, agree=True, **QUICK)
        assert learn(path, header="none", agree=True, **QUICK).data.names == ("X0", "X1", "X2")


class TestRows:
    def test_rows_that_were_entered_twice(self) -> None:
        rng = np.random.default_rng(2)
        frame = pd.DataFrame({"weight": rng.normal(70, 10, N).round(8), "b": rng.choice(["u", "v"], N)})
        assert not [f for f in check(frame).findings if f.kind is Kind.REPEATED_ROWS]
        twice = pd.concat([frame, frame.iloc[:7]])
        found = [f for f in check(twice).findings if f.kind is Kind.REPEATED_ROWS]
        assert found[0].what.startswith("7 rows of 307 repeat")

    def test_few_states_repeat_by_chance(self) -> None:
        rng = np.random.default_rng(3)
        frame = pd.DataFrame({name: rng.choice(["u", "v"], N) for name in "abc"})
        assert len(check(frame)) == 0

    def test_a_column_of_the_split(self) -> None:
        rng = np.random.default_rng(4)
        frame = pd.DataFrame({"a": rng.choice(["u", "v"], N), "split": rng.choice(["train", "test"], N)})
        assert [f.kind for f in check(frame).findings] == [Kind.ROW_ORDER]

    def test_rows_that_sum_up_the_others_are_left_out(self) -> None:
        rng = np.random.default_rng(5)
        frame = pd.DataFrame({"order": range(N), "a": rng.choice(["u", "v"], N), "b": rng.choice(["u", "v"], N)})
        whole = pd.concat([frame.astype(object), pd.DataFrame({"order": ["Total"]})])
        audit = check(whole)
        assert audit.repaired.n_rows == N and audit.repaired.names == ("a", "b")
        assert audit.steps[0] == "Left out 1 row at the end, which sums up the others."
        assert check(frame).repaired.n_rows == N

    def test_a_sign_in_most_rows_is_a_question(self) -> None:
        rng = np.random.default_rng(6)
        frame = pd.DataFrame(
            {"code": rng.choice(["-", "A", "B"], N, p=[0.8, 0.1, 0.1]), "b": rng.choice(["u", "v"], N)}
        )
        with pytest.raises(PreparationError, match=r"in most rows.*\n.*Choose: learn\(\.\.\., missing=\['-'\]\)"):
            learn(frame, agree=True, **QUICK)
        assert "-" in learn(frame, keep=["code"], **QUICK).data.states[0]
        assert learn(frame, missing=["-"], impute="drop", agree=True, **QUICK).data.states[0] == ("A", "B")

    def test_a_header_can_be_confirmed(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.csv"
        rng = np.random.default_rng(1)
        path.write_text(
            "5.1,3.5,a\n" + "".join(f"{x:.1f},{y:.1f},{rng.choice(['a', 'b'])}\n" for x, y in rng.normal(5, 2, (60, 2)))
        )
        with pytest.raises(PreparationError, match="header='none'"):
            learn(path, agree=True, **QUICK)
        assert learn(path, agree=True, header="first", **QUICK).data.names == ("5.1", "3.5", "a")
        assert learn(path, agree=True, header="none", **QUICK).data.n_cases == 61


class TestNumbers:
    @pytest.mark.parametrize(
        "reading, text, number",
        [
            (POINT, "1,234.5", "1234.5"), (COMMA, "1.234,5", "1234.5"), (POINT, "1,23", None), (COMMA, "1,23", "1.23"),
            (POINT, "12'345", "12345"), (POINT, "1234,567", None), (POINT, ".5", "0.5"), (POINT, "1,234,56", None),
            (NumberFormat(".", " "), "1 234.5", "1234.5"), (POINT, "1.2.3", None), (POINT, "5.", "5"),
        ],
    )  # fmt: skip
    def test_readings(self, reading: NumberFormat, text: str, number: str | None) -> None:
        assert reading.read(text) == number

    def test_a_point_is_a_question_where_others_have_decimal_commas(self) -> None:
        rng = np.random.default_rng(7)
        frame = pd.DataFrame(
            {
                "crp": [f"{v:.1f}".replace(".", ",") for v in rng.gamma(2, 9, N)],
                "count": [f"{int(v):,}".replace(",", ".") for v in rng.normal(6000, 900, N)],
            }
        )
        found = {f.columns[0]: f for f in check(frame).findings}
        assert found["crp"].safe and found["crp"].remedy is not None and found["crp"].remedy.value == ","
        assert not found["count"].safe and "or" in found["count"].evidence
        read = check(frame, decimal=",").repaired
        assert read.column("count").values().min() > 1000 > read.column("crp").values().max()
        assert Kind.WRITTEN_NUMBER not in {f.kind for f in check(frame[["count"]]).findings}

    def test_a_sign_is_no_spelling(self) -> None:
        frame = pd.DataFrame({"shift": ["-1 mm", "1 mm", "2 mm", "dry"] * 50, "grade": ["AB-", "AB", "O", "AB-"] * 50})
        assert Kind.SPELLING not in {f.kind for f in check(frame).findings}

    def test_words_among_numbers_are_a_question(self) -> None:
        values = [f"{v:.2f}" for v in np.random.default_rng(8).normal(13, 2, N)]
        frame = pd.DataFrame({"hb": ["clotted", *values[1:]], "b": ["u", "v", "v"] * (N // 3)})
        with pytest.raises(PreparationError, match="numbers but for 'clotted'"):
            learn(frame, agree=True, **QUICK)
        assert "hb" in learn(frame, agree=True, missing=["clotted"], impute="drop", **QUICK).data.names

    def test_identifiers_that_repeat_and_stamps(self) -> None:
        rng = np.random.default_rng(9)
        frame = pd.DataFrame(
            {
                "customer_id": rng.integers(1, 120, N),
                "created_at": rng.integers(1_500_000_000, 1_700_000_000, N),
                "amount": rng.integers(1_500_000_000, 1_700_000_000, N),
                "zip": rng.choice(rng.integers(10000, 99999, 150), N),
                "b": rng.choice(["u", "v"], N),
            }
        )
        assert check(frame).repaired.names == ("amount", "b")
        years = check(frame, dates="year").repaired.column("created_at")
        assert set(years.labels) <= {str(year) for year in range(2017, 2024)}

    def test_units_must_be_one(self) -> None:
        frame = pd.DataFrame({"x": [f"{k} {'kg' if k % 2 else 'lb'}" for k in range(100)], "y": ["a", "b"] * 50})
        assert Kind.WRITTEN_NUMBER not in {f.kind for f in check(frame).findings}


class TestCopies:
    def test_a_twin_no_longer_halves_the_confidence(self) -> None:
        rng = np.random.default_rng(5)
        a = rng.choice(["u", "v"], N)
        b = np.where(rng.random(N) < 0.8, a, rng.choice(["u", "v"], N))
        frame = pd.DataFrame({"a": a, "twin": np.where(a == "u", "0", "1"), "b": b})
        analysis = learn(frame, agree=True, **QUICK)
        assert analysis.data.names == ("a", "b") and analysis.edge("a", "b").present > 0.95
        kept = learn(frame, agree=True, keep=["twin"], **QUICK)
        assert "twin" in kept.data.names

    def test_strong_dependence_is_no_copy(self) -> None:
        rng = np.random.default_rng(6)
        a = rng.choice(["u", "v"], 2000)
        frame = pd.DataFrame({"a": a, "b": np.where(rng.random(2000) < 0.03, "v", a)})
        assert Kind.COPY not in {f.kind for f in check(frame).findings}

    def test_two_columns_that_hardly_vary_are_no_copies(self) -> None:
        frame = pd.DataFrame({"a": ["u"] * 990 + ["v"] * 10, "b": ["u"] * 980 + ["v"] * 10 + ["u"] * 10})
        assert Kind.COPY not in {f.kind for f in check(frame).findings}

    def test_measurements_that_differ_in_every_row_are_no_copies(self) -> None:
        rng = np.random.default_rng(9)
        frame = pd.DataFrame({"a": rng.normal(size=N), "b": rng.normal(size=N), "c": rng.choice(["u", "v"], N)})
        assert len(check(frame)) == 0
        frame["inch"] = (frame["a"] / 2.54).round(4)
        assert [f.columns for f in check(frame).findings] == [("inch",)]


class TestStates:
    def test_no_column_is_learned_with_more_states_than_its_rows_can_carry(self) -> None:
        rng = np.random.default_rng(7)
        for states in (25, 40, 80, 200):
            frame = pd.DataFrame({"t": rng.choice([f"t{k}" for k in range(states)], N), "b": rng.choice(["u", "v"], N)})
            frame["c"] = rng.choice(["u", "v"], N)
            names = learn(frame, agree=True, **QUICK).data.names
            assert ("t" in names) == (10 * frame["t"].nunique() <= N)

    def test_positions(self) -> None:
        frame = customers(300)
        table = check(frame, merge_rare=5).table
        assert table.checked_names(["#1", "segment"], "here") == ["customer_id", "segment"]
        with pytest.raises(DataError, match="unknown column '#99'"):
            table.checked_names(["#99"], "here")


class TestVerb:
    def test_prints_and_writes(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path, clean = tmp_path / "customers.csv", tmp_path / "clean.csv"
        customers().to_csv(path, index=False)
        with pytest.raises(SystemExit) as caught:
            main(["check", str(path), "--json", "-o", str(clean)])
        assert caught.value.code == 0
        found = json.loads(capsys.readouterr().out)
        assert {"kind": "copy", "columns": ["segment_code"]}.items() <= {
            key: value for f in found["findings"] if f["columns"] == ["segment_code"] for key, value in f.items()
        }.items()
        assert pd.read_csv(clean).columns.tolist() == found["columns_left"]
        again = check(clean)
        assert not again.of(Severity.BLOCKS) and not again.of(Severity.MISLEADS)

    def test_unknown_way_for_dates(self) -> None:
        with pytest.raises(OptionError, match="dates"):
            check(customers(50), dates="week")


def test_a_constant_column_is_left_out_by_the_stages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"a": rng.choice(["u", "v"], N), "b": rng.choice(["u", "v"], N), "same": "x"})
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    for words in (["scores", str(path), "-o", str(tmp_path / "t.jkl")], ["bootstrap", str(path), "--replicates", "5"]):
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == 0
        assert "Left out column 'same'" in capsys.readouterr().err


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_copies_with_other_gaps_are_found_and_the_fuller_one_is_kept(share: float) -> None:
    """Both as numbers, rounded and in another unit, and as labels; the copies have gaps that the others have not."""
    rng = np.random.default_rng(5)
    money = rng.lognormal(6, 1, 400)
    kind = rng.choice(["a", "b", "c"], 400)
    frame = pd.DataFrame(
        {
            "dollars": money.round(2),
            "kind": kind,
            "other": rng.choice(["u", "v"], 400),
            "euros": (0.9 * money).round(2),
            "code": pd.Series(kind).map({"a": "1", "b": "2", "c": "3"}),
        }
    )
    for name in ("dollars", "code"):
        frame.loc[rng.random(400) < share, name] = None
    audit = check(frame)
    copies = {finding.columns: finding.what for finding in audit.findings if finding.kind is Kind.COPY}
    assert set(copies) == {("dollars",), ("code",)}
    assert copies["dollars",].endswith("a copy of column 'euros'") and copies["code",].endswith("'kind'")
    assert audit.repaired.names == ("kind", "other", "euros")


def test_columns_that_are_hardly_ever_there_together_are_no_copies() -> None:
    rng = np.random.default_rng(6)
    values = rng.normal(size=400)
    first = rng.random(400) < 0.5
    frame = pd.DataFrame({"x": np.where(first, values, np.nan), "y": np.where(first, np.nan, values)})
    frame.loc[:30] = np.stack([values[:31]] * 2, axis=1)
    frame["z"] = rng.choice(["u", "v"], 400)
    assert not [finding for finding in check(frame).findings if finding.kind is Kind.COPY]


def test_a_function_of_another_column_is_found_in_spite_of_gaps() -> None:
    rng = np.random.default_rng(7)
    town = rng.choice([f"town {k}" for k in range(9)], 400)
    frame = pd.DataFrame(
        {"town": town, "land": [f"land {name[-1] > '4'}" for name in town], "z": rng.choice(["u", "v"], 400)}
    )
    frame.loc[rng.random(400) < 0.1, "land"] = None
    (finding,) = [finding for finding in check(frame).findings if finding.kind is Kind.DETERMINED]
    assert finding.columns == ("land", "town")
    assert finding.remedy is not None and finding.remedy.value == ["land"]  # not the one it follows from


def test_one_row_of_many_that_breaks_a_function_is_seen() -> None:
    rng = np.random.default_rng(8)
    town = rng.integers(9, size=30_000)
    frame = pd.DataFrame({"town": town.astype(str), "land": (town > 4).astype(str)})
    frame["z"] = rng.choice(["u", "v"], 30_000)
    assert [finding.columns for finding in check(frame).findings if finding.kind is Kind.DETERMINED] == [
        ("land", "town")
    ]
    frame.loc[12_347, "land"] = "True" if town[12_347] <= 4 else "False"  # not among the rows that are looked at first
    assert not [finding for finding in check(frame).findings if finding.kind is Kind.DETERMINED]


@pytest.mark.parametrize(
    "first, found",
    [
        ({"crp": "mg/l", "hb": "g/dl", "sex": None, "dx": "ICD"}, True),
        ({"crp": "mg/l", "hb": "13.1", "sex": "m", "dx": "I10"}, False),  # one word, in a case
        ({"crp": "hemolyzed", "hb": "hemolyzed", "sex": "7", "dx": "I10"}, False),  # a case with a number
    ],
)
def test_a_row_of_units_is_no_case(first: dict[str, str | None], found: bool) -> None:
    rng = np.random.default_rng(1)
    rest = pd.DataFrame(
        {
            "crp": [f"{v:.1f}" if v > 0.4 else "<0.4" for v in rng.lognormal(size=80)],
            "hb": [f"{v:.1f}" for v in rng.normal(13, 1, 80)],
            "sex": rng.choice(["m", "f"], 80),
            "dx": rng.choice(["I10", "J18"], 80),
        }
    )
    audit = check(pd.concat([pd.DataFrame([first]), rest]))
    units = [finding for finding in audit.findings if finding.kind is Kind.UNITS]
    assert len(units) == found
    assert audit.repaired.n_rows == (80 if found else 81)
    if found:
        assert "'mg/l', 'g/dl'" in units[0].what and audit.repaired.column("crp").is_continuous()
        assert any("which holds units" in step for step in audit.steps)


def test_ticks_are_told() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.choice(["u", "v"], 60), "b": rng.choice(["u", "v"], 60), "seen": ["x", None] * 30})
    (finding,) = [finding for finding in check(frame).findings if finding.kind is Kind.CONSTANT]
    assert finding.evidence == (
        "'seen' has 'x' in 30 rows and nothing in the others: if nothing means no, write that into it"
    )


def test_a_file_is_read_as_is_said(tmp_path: Path) -> None:
    path = tmp_path / "x.dat"
    path.write_text("".join(f"{'ab'[k % 2]}|{'uvw'[k % 3]}\n" for k in range(40)))
    audit = check(path, format="csv", separator="|", header="none")
    assert audit.table.names == ("X0", "X1") and audit.table.n_rows == 40
    assert check(path, format="csv", header="first").table.names == ("a", "u")


@pytest.mark.parametrize("most", ["MOST_PAIRS", "MOST_COUNTED"])
def test_pairs_that_are_left_out_are_told(most: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({f"v{k}": rng.choice(["x", "y"], 200) for k in range(4)})
    assert not [finding for finding in check(table).findings if finding.kind is Kind.COPY]
    monkeypatch.setattr(f"arcwise.audit.relations.{most}", 2)
    told = [finding for finding in check(table).findings if finding.kind is Kind.COPY]
    assert [finding.columns for finding in told] == [()]
    assert "were left out" in told[0].what


def test_the_columns_are_shown_with_few_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wages = [8.081599002846286] * 9 + [5.0, 7.25, 9.125]
    pd.DataFrame({"wage": wages, "smoke": [0.0, 1.0, 0.0] * 4}).to_csv(tmp_path / "few.csv", index=False)
    with pytest.raises(SystemExit):
        main(["check", str(tmp_path / "few.csv")])
    shown = " ".join(capsys.readouterr().out.split())
    assert "8.0816 (75%)" in shown
    assert "0 (67%)" in shown and "0.0 (" not in shown


def test_a_highest_code_that_goes_with_another_column_is_no_gap() -> None:
    rng = np.random.default_rng(2)
    income = np.where(rng.random(900) < 0.25, "high", "low")
    gain = rng.integers(0, 60, 900) * 100
    gain[np.flatnonzero(income == "high")[:15]] = 99999
    frame = pd.DataFrame({"gain": gain, "income": income, "sex": rng.choice(["f", "m"], 900)})
    [found] = [one for one in check(frame).findings if one.kind is Kind.MISSING_MARKER]
    assert found.severity is Severity.NOTE and found.evidence == "all 15 rows with it have income = high"
    mixed = learn(frame, agree=True, **QUICK).mixed
    assert mixed is not None and mixed.values[mixed.index("gain")].max() == 99999
    frame["gain"] = rng.permutation(gain)
    [found] = [one for one in check(frame).findings if one.kind is Kind.MISSING_MARKER]
    assert found.severity is Severity.MISLEADS
