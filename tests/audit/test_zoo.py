"""Sixty small ugly files: what the audit must find in each, what becomes of the column, and nothing else."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from arcwise.audit import Audit, check
from arcwise.audit.finding import Kind
from arcwise.data import read_table

N = 400
RNG = np.random.default_rng(2026)
PLAIN = {"a": RNG.choice(["x", "y"], N).tolist(), "b": RNG.choice(["u", "v", "w"], N).tolist()}


def draw(values: Sequence[str], seed: int = 1) -> list[str]:
    """Return N random values, each at least once."""
    rng = np.random.default_rng(seed)
    return [*values, *rng.choice(values, N - len(values)).tolist()] if len(values) < N else list(values[:N])


def numbers(write: Callable[[float], str], low: float = 1000, high: float = 90000) -> list[str]:
    rng = np.random.default_rng(3)
    return [write(float(value)) for value in rng.uniform(low, high, N)]


def sentences() -> list[str]:
    rng = np.random.default_rng(4)
    words = ["called", "about", "the", "invoice", "was", "late", "again", "and", "unhappy", "agent", "helped"]
    return [" ".join(rng.choice(words, 9)) for _ in range(N)]


@dataclass(frozen=True)
class Case:
    """A column, the finding that is due (None: none), and the labels that are left (None: the column goes)."""

    name: str
    values: list[str]
    kind: Kind | None
    left: set[str] | str | None = None  # "numbers": any numbers; "same": as it was


def dates(pattern: str) -> list[str]:
    start = np.datetime64("2015-01-01")
    days = [start + np.timedelta64(int(k), "D") for k in np.random.default_rng(5).integers(0, 3000, N)]
    import datetime

    return [datetime.date.fromisoformat(str(day)).strftime(pattern) for day in days]


CASES = [
    Case("text ids", [f"C{k:05d}" for k in range(N)], Kind.IDENTIFIER),
    Case("numbers from 1", [str(k + 1) for k in range(N)], Kind.IDENTIFIER),
    Case("uuids", [f"{k:08x}-77aa" for k in range(N)], Kind.IDENTIFIER),
    Case("emails", [f"user{k}@example.org" for k in range(N)], Kind.IDENTIFIER),
    Case("names of persons", [f"Ann {chr(65 + k % 26)}{k}" for k in range(N)], Kind.IDENTIFIER),
    Case("iso dates", dates("%Y-%m-%d"), Kind.DATE),
    Case("german dates", dates("%d.%m.%Y"), Kind.DATE),
    Case("american dates", dates("%m/%d/%Y"), Kind.DATE),
    Case("short years", dates("%d/%m/%y"), Kind.DATE),
    Case("named months", dates("%d %b %Y"), Kind.DATE),
    Case("long months", dates("%B %d, %Y"), Kind.DATE),
    Case("months of years", dates("%Y-%m"), Kind.DATE),
    Case("timestamps", [f"{day} 12:30:00" for day in dates("%Y-%m-%d")], Kind.DATE),
    Case("zulu", [f"{day}T08:15:00Z" for day in dates("%Y-%m-%d")], Kind.DATE),
    Case("clock times", draw([f"{h:02d}:{m:02d}" for h in range(24) for m in (0, 15, 30, 45)]), Kind.DATE),
    Case("thousands", numbers(lambda v: f"{v:,.2f}"), Kind.WRITTEN_NUMBER, "numbers"),
    Case("decimal commas", numbers(lambda v: f"{v:.2f}".replace(".", ",")), Kind.WRITTEN_NUMBER, "numbers"),
    Case(
        "german thousands",
        numbers(lambda v: f"{v:,.2f}".translate(str.maketrans(",.", ".,"))),
        Kind.WRITTEN_NUMBER,
        "numbers",
    ),
    Case("swiss thousands", numbers(lambda v: f"{v:,.2f}".replace(",", "'")), Kind.WRITTEN_NUMBER, "numbers"),
    Case("thousands by spaces", numbers(lambda v: f"{v:,.0f}".replace(",", " ")), Kind.WRITTEN_NUMBER, "numbers"),
    Case("dollars", numbers(lambda v: f"${v:.0f}"), Kind.WRITTEN_NUMBER, "numbers"),
    Case("euros behind", numbers(lambda v: f"{v:.2f} €"), Kind.WRITTEN_NUMBER, "numbers"),
    Case("currency codes", numbers(lambda v: f"CHF {v:.2f}"), Kind.WRITTEN_NUMBER, "numbers"),
    Case("percent", numbers(lambda v: f"{v:.1f}%", 0, 100), Kind.WRITTEN_NUMBER, "numbers"),
    Case("kilograms", numbers(lambda v: f"{v:.1f} kg", 40, 120), Kind.WRITTEN_NUMBER, "numbers"),
    Case(
        "negative in brackets",
        numbers(lambda v: f"({-v:.0f})" if v < 0 else f"{v:.0f}", -500, 900),
        Kind.WRITTEN_NUMBER,
        "numbers",
    ),
    Case(
        "negative dollars",
        numbers(lambda v: f"-${-v:.0f}" if v < 0 else f"${v:.0f}", -500, 900),
        Kind.WRITTEN_NUMBER,
        "numbers",
    ),
    Case("two readings", draw(["1,234", "2,345", "3,456", "4,567"]), Kind.WRITTEN_NUMBER, "same"),
    Case("free text", sentences(), Kind.TEXT),
    Case("long texts", [f"{'a very long description of case ' * 2}{k % 300}" for k in range(N)], Kind.TEXT),
    Case("towns", draw([f"town {chr(97 + k % 26)}{k}" for k in range(90)]), Kind.MANY_STATES),
    Case("postcodes as text", draw([f"CH-{k}" for k in range(8000, 8150)]), Kind.MANY_STATES),
    Case("constant", ["yes"] * N, Kind.CONSTANT),
    Case("empty", [""] * N, Kind.CONSTANT),
    Case("constant but for gaps", ["yes"] * (N - 50) + [""] * 50, Kind.CONSTANT),
    Case("nearly constant", ["no"] * (N - 1) + ["yes"], Kind.NEARLY_CONSTANT, "same"),
    Case("copy", PLAIN["a"], Kind.COPY),
    Case("renamed copy", ["ja" if v == "x" else "nein" for v in PLAIN["a"]], Kind.COPY),
    Case("near copy", ["w" if k in (7, 70) else v for k, v in enumerate(PLAIN["b"])], Kind.COPY),
    Case("a function", ["1" if v == "u" else "2" for v in PLAIN["b"]], Kind.DETERMINED, "same"),
    Case(
        "missing by definition",
        ["" if v == "x" else f"{k % 3}" for k, v in enumerate(PLAIN["a"])],
        Kind.BY_DEFINITION,
        {"0", "1", "2", "missing"},
    ),
    Case(
        "cases of letters",
        draw(["Yes", "yes", "No", "no", "YES"]),
        Kind.SPELLING,
        {"Yes", "No", "yes", "no", "YES"},
    ),
    Case("blanks", draw(["New York", "New  York", "Boston", "Chicago"]), Kind.SPELLING, "any"),
    Case("accents", draw(["Zürich", "Zurich", "Genève", "Geneve", "Bern"]), Kind.SPELLING, "any"),
    Case("hyphens", draw(["full-time", "full time", "part time"]), Kind.SPELLING, "any"),
    Case("single letters", draw(["y", "Y", "n", "N"]), Kind.SPELLING, "any"),
    Case("dash", draw(["low", "-", "high"]), Kind.MISSING_MARKER, {"low", "high"}),
    Case("two dashes", draw(["left", "--", "right"]), Kind.MISSING_MARKER, {"left", "right"}),
    Case("point", draw(["left", ".", "right"]), Kind.MISSING_MARKER, {"left", "right"}),
    Case("n.a.", draw(["left", "n.a.", "right"]), Kind.MISSING_MARKER, {"left", "right"}),
    Case("small null", draw(["left", "Null", "right"]), Kind.MISSING_MARKER, {"left", "right"}),
    Case("unknown among numbers", draw(["1", "2", "3", "4", "5", "unknown"]), Kind.MISSING_MARKER, set("12345")),
    Case("unknown among words", draw(["left", "right", "unknown"]), Kind.MISSING_MARKER, "same"),
    Case("999", draw(["1", "2", "3", "4", "5", "999"]), Kind.MISSING_MARKER, set("12345")),
    Case("-9", draw(["0", "1", "2", "3", "-9"]), Kind.MISSING_MARKER, set("0123")),
    Case("99 in range", [str(k) for k in np.random.default_rng(6).integers(60, 140, N)], None, "same"),
    Case("plus and minus", draw(["+", "-"]), None, "same"),
    Case("scale", draw(["low", "medium", "high"]), Kind.ORDINAL, "same"),
    Case("ages", draw(["18-25", "26-35", "36-65", "over 65", "under 18"]), Kind.ORDINAL, "same"),
    Case("rare state", [*["left", "right"] * 199, "middle", "middle"], Kind.RARE_STATES, "same"),
    Case("sorted rows", [*["first"] * 200, *["second"] * 200], Kind.ROW_ORDER, "same"),
    Case("fold", draw(["1", "2", "3", "4", "5"]), None, "same"),
    Case("compact dates", dates("%Y%m%d"), Kind.DATE),
    Case(
        "limits of detection",
        ["<0.5" if k % 4 == 0 else v for k, v in enumerate(numbers(str, 1, 9))],
        Kind.WRITTEN_NUMBER,
        "numbers",
    ),
    Case("long minus signs", numbers(lambda v: f"\u2212{v:.1f}"), Kind.WRITTEN_NUMBER, "numbers"),
    Case("lakhs", numbers(lambda v: f"1,{int(v) % 90 + 10},{int(v) % 900 + 100}"), Kind.WRITTEN_NUMBER, "numbers"),
    Case(
        "a word among numbers",
        ["hemolyzed" if k % 40 == 0 else v for k, v in enumerate(numbers(str, 1, 9))],
        Kind.MISSING_MARKER,
        "same",
    ),
    Case("signs of numbers", draw(["-0.5 mm", "0.5 mm", "1 mm", "-1 mm", "dry"]), None, "same"),
    Case("9 beside 1 to 5", draw(["1", "2", "3", "4", "5", "9"]), Kind.MISSING_MARKER, "same"),
    Case("postcodes with zeros", draw([f"{k:05d}" for k in range(400, 550)]), Kind.MANY_STATES),
    Case("sorted numbers", sorted(numbers(lambda v: f"{v:.1f}"), key=float), Kind.ROW_ORDER, "same"),
    Case("training and test", draw(["train", "test"]), Kind.ROW_ORDER, "same"),
    Case("nothing wrong", draw(["red", "green", "blue"]), None, "same"),
    Case("numbers", numbers(lambda v: f"{v:.3f}"), None, "same"),
    Case("levels", draw(["1", "2", "3"]), None, "same"),
]


def written(case: Case, folder: Path) -> Path:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["ugly", "a", "b"] if "cop" not in case.name and case.name != "a function" else ["a", "b", "ugly"])
    ugly_first = "cop" not in case.name and case.name != "a function"
    for own, a, b in zip(case.values, PLAIN["a"], PLAIN["b"], strict=True):
        writer.writerow([own, a, b] if ugly_first else [a, b, own])
    path = folder / "ugly.csv"
    path.write_text(text.getvalue())
    return path


def audited(case: Case, folder: Path) -> Audit:
    return check(read_table(written(case, folder), merge=True))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_found(case: Case, tmp_path: Path) -> None:
    audit = audited(case, tmp_path)
    kinds = {finding.kind for finding in audit.findings if finding.columns[:1] == ("ugly",)}
    if case.kind is None:
        assert kinds == set()
    else:
        assert case.kind in kinds
    others = [f for f in audit.findings if f.columns[:1] != ("ugly",) and f.kind is not Kind.ROW_ORDER]
    assert others == [], "an ordinary column was found fault with"
    if case.left is None:
        assert "ugly" not in audit.repaired.names
        return
    column = audit.repaired.column("ugly")
    if case.left == "numbers":
        assert column.numbers is not None and len(set(column.numbers.tolist())) > 20
    elif case.left == "same":
        assert set(column.labels) == {value for value in case.values if value}
    elif case.left != "any":
        assert set(column.labels) <= set(case.left)


def test_the_zoo_is_large() -> None:
    assert len(CASES) >= 60 and {case.kind for case in CASES} >= set(Kind) - {
        *(
            Kind.HEADER,
            Kind.REPEATED_ROWS,
            Kind.TOTALS,
            Kind.UNITS,
            Kind.MISSING,
            Kind.CODES,
            Kind.GROUPS,
        )
    }


TITLES = {
    "a line of words": "Customers of the north\n",
    "two lines and a blank one": "Customers of the north\nexported on Monday, 3 May\n\n",
    "padded by a spreadsheet": "Customers of the north,,\n,,\n",
    "comments": "# customers\n# made by a program\n",
}


@pytest.mark.parametrize("titles", TITLES.values(), ids=list(TITLES))
def test_titles_above_the_header_are_told(titles: str, tmp_path: Path) -> None:
    plain = written(Case("plain", draw(["p", "q"]), None, "same"), tmp_path)
    path = tmp_path / "titled.csv"
    path.write_text(titles + plain.read_text())
    audit = check(path)
    (note,) = [finding for finding in audit.findings if finding.kind is Kind.HEADER]
    assert set(audit.table.names) == {"a", "b", "ugly"} and audit.table.n_rows == N
    assert titles.strip(",\n").split("\n", maxsplit=1)[0].rstrip(",") in note.what
    assert note.describe()["option"] == "header" and note.describe()["value"] == "first"


@pytest.mark.parametrize(
    "name, labels", [("cases of letters", {"no", "yes"}), ("accents", {"zurich", "geneve", "bern"})]
)
def test_spellings_become_one(name: str, labels: set[str], tmp_path: Path) -> None:
    from arcwise.audit.columns import folded

    case = next(case for case in CASES if case.name == name)
    column = audited(case, tmp_path).repaired.column("ugly")
    assert {folded(label) for label in column.labels} == labels and len(column.labels) == len(labels)
