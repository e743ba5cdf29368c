"""Credible sets: Liao's Tables 3.1 and 3.2 as printed, what we count, in which time, and the ratio.

`python -m benchmarks.credible [--table 3.1|3.2] [--seconds S] [--tables FOLDER] [--slow] [--page FILE] [data ...]`
prints Markdown, and with --page also puts the tables into the page, under their headings. Times are CPU seconds from a
finished table of parent sets, as in the thesis; tables are built with `build_parent_sets` for each factor and kept in
FOLDER if given. The published times are from another machine (2.2 GHz Xeon E7-4850 v3, GOBNILP-dev with CPLEX), so a
ratio tells orders of magnitude.

Rows that take minutes or more than 4 GB (`SEPARATE`) are shown as they were measured in runs of their own and marked
with a dagger; --slow measures them too (give --seconds and --gigabytes to match).
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arcwise.data import read_data
from arcwise.ensemble import NetworkSummary, count_credible
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_sets, read_parent_sets, write_parent_sets
from benchmarks._topic import SHARED, has_data, parser_for

CAP = 150_000  # where the thesis stopped
FACTORS = (3, 20, 150)
CLASS_SECONDS = 600.0  # for counting the classes


@dataclass(frozen=True)
class Row:
    """A row: file, n, N, and (seconds, networks, classes) per factor; None: over 24 hours, or not printed."""

    data: str
    n: int
    cases: int
    published: tuple[tuple[float | None, int | None, int | None], ...]


OT = (None, None, None)
TABLE_3_1 = (
    Row("tic-tac-toe", 10, 958, ((1.9, 192, 64), (2.0, 192, 64), (3.3, 544, 160))),
    Row("wine", 14, 178, ((4.1, 308, 51), (24.9, 3449, 576), (144, 26197, 4497))),
    Row("adult", 14, 32561, ((17.5, 324, 162), (45.1, 1140, 570), (55.7, 2281, 1137))),
    Row("nltcs", 16, 3236, ((53.8, 240, 120), (202, 1200, 600), (1005, 4606, 2303))),
    Row("msnbc", 17, 58265, ((3483, 24, 24), (7147, 960, 504), (8821, 1938, 1026))),
    Row("letter", 17, 20000, (OT, OT, OT)),
    Row("voting", 17, 435, ((1.3, 27, 2), (4.0, 441, 33), (14.3, 2222, 170))),
    Row("zoo", 17, 101, ((8.1, 49, 13), (21.9, 1111, 270), (299, 21683, 5392))),
    Row("hepatitis", 20, 155, ((7.1, 580, 105), (513, 87169, 15358), (1453, CAP, 49269))),
    Row("parkinsons", 23, 195, ((30.7, 1088, 336), (3166, CAP, 39720), (4534, CAP, None))),
    Row("sensors", 25, 5456, (OT, OT, OT)),
    Row("autos", 26, 159, ((95.0, 560, 200), (2383, 50374, 17790), (6667, CAP, None))),
    Row("insurance1000", 27, 1000, ((49.8, 8226, 2062), (245, 104870, 25580), (415, 148925, 36072))),
    Row("horse", 28, 300, ((18.8, 1643, 246), (1359, CAP, None), (1963, CAP, None))),
    Row("flag", 29, 194, ((16.1, 773, 169), (4052, CAP, None), (5561, CAP, None))),
    Row("wdbc", 31, 569, ((396, 398, 107), (10144, 28424, 8182), (45938, CAP, None))),
    Row("mildew1000", 35, 1000, ((1.2, 1026, 2), (1.2, 1026, 2), (2.1, 2052, 4))),
    Row("soybean", 36, 266, ((7729, CAP, CAP), (16097, CAP, None), (8894, CAP, None))),
    Row("alarm", 37, 1000, ((6.3, 1508, 122), (684, 123352, 9323), (2258, CAP, None))),
    Row("bands", 39, 277, ((101, 7092, 810), (2033, CAP, None), (16975, CAP, None))),
    Row("spectf", 45, 267, ((432, 27770, 4510), (7425, CAP, None), (19665, CAP, None))),
    Row("sponge", 45, 76, ((16.8, 1102, 65), (1301, 146097, 7905), (1254, CAP, None))),
    Row("barley1000", 48, 1000, ((0.8, 182, 1), (0.8, 364, 2), (1.3, 1274, None))),
    Row("hailfinder100", 56, 100, ((172, CAP, 20), (149, CAP, None), (215, CAP, None))),
    Row("hailfinder500", 56, 500, ((286, CAP, 30720), (314, CAP, None), (217, CAP, None))),
    Row("lung-cancer", 57, 32, ((584, CAP, 40621), (9067, CAP, None), (2740, CAP, None))),
)
# CPU seconds of GOBNILP-dev (SCIP 6.0.2 with SoPlex, the version of Liao et al. 2019) on one core of the machine that
# docs/benchmarks/credible.md was measured on, for counting alone. hailfinder100 was not done in 262 s.
GOBNILP = (
    ("wine", 14, 3, 2.7),
    ("wine", 14, 20, 19.2),
    ("wine", 14, 150, 130.0),
    ("voting", 17, 3, 1.0),
    ("voting", 17, 20, 3.2),
    ("zoo", 17, 3, 7.6),
    ("zoo", 17, 20, 20.2),
    ("hepatitis", 20, 3, 6.8),
    ("autos", 26, 3, 160.0),
    ("insurance1000", 27, 3, 0.9),
    ("horse", 28, 3, 9.8),
    ("flag", 29, 3, 18.0),
    ("mildew1000", 35, 3, 1.3),
    ("mildew1000", 35, 20, 1.9),
    ("mildew1000", 35, 150, 2.7),
    ("alarm1000", 37, 3, 2.1),
    ("sponge", 45, 3, 10.4),
    ("barley1000", 48, 3, 0.6),
    ("barley1000", 48, 20, 0.7),
    ("barley1000", 48, 150, 1.0),
    ("hailfinder100", 56, 3, 262.0),
)
# Table 3.2, columns T20, G20, M20: BDeu with equivalent sample size 1.
TABLE_3_2 = (
    Row("tic-tac-toe", 10, 958, ((0.6, 152, 24),)),
    Row("wine", 14, 178, ((35.9, 8734, 6262),)),
    Row("adult", 14, 32561, ((9.3, 792, 19),)),
    Row("nltcs", 16, 3236, ((125.5, 652, 326),)),
    Row("msnbc", 17, 58265, ((4018.9, 24, 24),)),
    Row("letter", 17, 20000, ((56344.8, 20, 10),)),
    Row("voting", 17, 435, ((6.0, 621, 207),)),
    Row("zoo", 17, 101, ((8418.8, 29073, 6761),)),
    Row("hepatitis", 20, 155, ((441.4, 28024, 3534),)),
    Row("parkinsons", 23, 195, ((1515.9, CAP, 42448),)),
    Row("autos", 26, 159, (OT,)),
    Row("insurance1000", 27, 1000, ((8.3, 1081, 133),)),
)


# What separate runs measured: parent sets, networks, classes, CPU seconds; no networks where the run did not end.
# The tables of alarm and spectf need 5 and 8 GB, that of insurance1000 with BDeu takes six minutes.
SEPARATE: dict[tuple[str, str, int], tuple[int, int | None, int | None, float | None]] = {
    ("bic", "sensors", 3): (962_366, 8, 4, 31.56),
    ("bic", "sensors", 20): (1_010_209, 70, 16, 32.65),
    ("bic", "sensors", 150): (1_062_511, 130, 28, 33.84),
    ("bic", "alarm", 3): (818, 1_508, 32, 0.07),
    ("bic", "alarm", 20): (1_476, 123_566, 2_506, 0.193),
    ("bic", "alarm", 150): (3_468, 6_763_458, 124_877, 1.96),
    ("bic", "spectf", 3): (1_311, 27_770, 2_164, 0.224),
    ("bic", "spectf", 20): (5_404, 92_209_454, 7_280_759, 8.04),
    ("bic", "spectf", 150): (17_663, 79_603_911_583, None, 458.3),
    ("bic", "lung-cancer", 150): (5_073, 1_110_804_599_440_188, None, 543.6),
    ("bdeu:ess=1", "autos", 20): (239_698, 194_229_326, 59_053_780, 10.29),
    ("bdeu:ess=1", "insurance1000", 20): (1_228, 4_467, 293, 0.13),
}
# Classes that separate runs counted, listing a member of each; None where there are too many, or the run was stopped.
SEPARATE_CLASSES: dict[tuple[str, str, int], int | None] = {
    ("bic", "soybean", 20): 86_480_244,
    ("bic", "soybean", 150): None,
    ("bic", "bands", 150): 167_199_559,
    ("bic", "hailfinder500", 20): 13_107_200,
    ("bic", "hailfinder500", 150): 70_189_056,
    ("bic", "lung-cancer", 20): None,
}
# Classes that were estimated from uniform draws, with seed 1: the estimate and half of the 95 % interval, in percent.
ESTIMATED_CLASSES: dict[tuple[str, str, int], tuple[int, float]] = {
    ("bic", "soybean", 150): (6_648_677_391, 0.39),
    ("bic", "spectf", 150): (6_246_186_171, 0.38),
    ("bic", "lung-cancer", 20): (17_725_725_692, 0.33),
    ("bic", "lung-cancer", 150): (20_085_935_032_708, 0.41),
}
HEADER = (
    "| data | n | factor | published s | networks | classes | parent sets | our networks | our classes | our CPU s "
    "| times faster |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
)
GOBNILP_HEADER = """| data | n | factor | networks | GOBNILP s | our CPU s | times faster |
|---|---:|---:|---:|---:|---:|---:|"""


def table_for(
    row: Row, score: str, factor: int, folder: Path | None, seconds: float, memory: int
) -> ParentSetTable | None:
    """Build or read the table; None if it does not finish in time and memory."""
    saved = None if folder is None else folder / f"{row.data}_{score.split(':', maxsplit=1)[0]}_{factor}.arct"
    if saved is not None and saved.exists():
        return read_parent_sets(saved)
    data = read_data(SHARED / "data" / "liao2019" / f"{row.data}.csv.gz", categorical=True)
    limits = Limits(seconds=seconds, memory_bytes=memory)
    table = build_parent_sets(data, score, slack=math.log(factor), limits=limits)
    if table.status is not Status.COMPLETE:
        return None
    if saved is not None:
        write_parent_sets(saved, table)
    return table


def count_timed(table: ParentSetTable, factor: int, seconds: float, memory: int) -> tuple[NetworkSummary, float]:
    """Count the set; with the least CPU time of up to five runs where one takes little."""
    least, spent = math.inf, 0.0
    for _ in range(5):
        start = time.process_time()
        summary = count_credible(table, bayes_factor=factor, limits=Limits(seconds=seconds, memory_bytes=memory))
        elapsed = time.process_time() - start
        least, spent = min(least, elapsed), spent + elapsed
        if spent > 0.3:
            break
    return summary, least


def compare_with_gobnilp(folder: Path | None, seconds: float, memory: int) -> list[str]:
    """Compared with GOBNILP-dev on one machine: its CPU seconds were measured once and are constants here."""
    lines = []
    for name, n, factor, theirs in GOBNILP:
        table = table_for(Row(name, n, 0, ()), "bic", factor, folder, seconds, memory)
        if table is None:
            continue
        summary, ours = count_timed(table, factor, seconds, memory)
        over = "over " if name == "hailfinder100" else ""
        ratio = f"{over}{theirs / ours:,.0f}"
        lines.append(f"| {name} | {n} | {factor} | {summary.count:,} | {over}{theirs:g} | {ours:.3f} | {ratio} |")
        print(lines[-1], flush=True)
    return lines


def number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def measure(
    row: Row,
    score: str,
    factor: int,
    published: tuple[float | None, int | None, int | None],
    given: argparse.Namespace,
) -> str:
    """Return the line of one row and factor: measured, or from its separate run."""
    time_then, count_then, classes_then = published
    then = "OT" if count_then is None else f"over {CAP:,}" if count_then == CAP else number(count_then)
    lead = f"| {row.data} | {row.n} | {factor} | {time_then or 'OT'} | {then} | {number(classes_then)} |"
    separate = None if given.slow else SEPARATE.get((score, row.data, factor))
    if separate is not None:
        rows, count, classes, elapsed = separate
        if count is None or elapsed is None:
            return f"{lead} {rows:,} | not reached, see below | | | |"
        return f"{lead} {rows:,} | {_ours(count, classes, elapsed, time_then, mark=' †')}"
    memory = given.gigabytes << 30
    table = table_for(row, score, factor, given.tables, given.seconds, memory)
    if table is None:
        return f"{lead} | no table in {given.seconds:g} s and {given.gigabytes} GB | | | |"
    summary, elapsed = count_timed(table, factor, given.seconds, memory)
    if not summary.complete:
        return f"{lead} {table.n_rows:,} | {summary.status} | | {elapsed:.1f} | |"
    key = (score, row.data, factor)
    separate_classes = key in SEPARATE_CLASSES and not given.slow
    if separate_classes:
        classes = SEPARATE_CLASSES[key]
    else:
        limits = Limits(seconds=CLASS_SECONDS, count=10**9 if given.slow else None)
        classes = count_credible(table, bayes_factor=factor, classes=True, limits=limits).class_count
    ours = _ours(summary.count, classes, elapsed, time_then, listed=" †" if separate_classes else "")
    if classes is None and key in ESTIMATED_CLASSES:
        estimate, half = ESTIMATED_CLASSES[key]
        ours = ours.replace("not counted", f"{estimate:,} ± {half} % ‡")
    return f"{lead} {table.n_rows:,} | {ours}"


def _ours(count: int, classes: int | None, elapsed: float, then: float | None, mark: str = "", listed: str = "") -> str:
    ratio = "" if then is None else f"{then / elapsed:,.0f}"
    grouped = "not counted" if classes is None else f"{classes:,}{listed}"
    return f"{count:,} | {grouped} | {elapsed:.3f}{mark} | {ratio} |"


def put_into_page(page: Path, heading: str, table: str) -> None:
    """Replace the first table under the heading."""
    text = page.read_text(encoding="utf-8")
    head, found, rest = text.partition(f"## {heading}")
    if not found:
        raise SystemExit(f"{page}: no heading that begins with '## {heading}'")
    page.write_text(head + found + re.sub(r"(?m)(^\|.*\n)+", lambda _: table + "\n", rest, count=1), encoding="utf-8")


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("data", nargs="*")
    parser.add_argument("--table", choices=("3.1", "3.2"))
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--gigabytes", type=int, default=4)
    parser.add_argument("--factors", type=int, nargs="*", default=FACTORS)
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--page", type=Path)
    given = parser.parse_args(arguments)
    if not has_data(SHARED / "data" / "liao2019"):
        return
    for name, rows, score, factors in (
        ("3.1", TABLE_3_1, "bic", FACTORS),
        ("3.2", TABLE_3_2, "bdeu:ess=1", (20,)),
    ):
        if given.table not in (None, name):
            continue
        print(f"\nTable {name} ({score})\n\n{HEADER}", flush=True)
        lines = [HEADER]
        for row in rows:
            if given.data and row.data not in given.data:
                continue
            for factor, published in zip(factors, row.published, strict=True):
                if factor in given.factors:
                    lines.append(measure(row, score, factor, published, given))
                    print(lines[-1], flush=True)
        if given.page is not None and not given.data:
            put_into_page(given.page, f"Table {name}", "\n".join(lines))
    if given.table is None and not given.data:
        print(f"\nCompared with GOBNILP-dev (BIC)\n\n{GOBNILP_HEADER}", flush=True)
        compared = compare_with_gobnilp(given.tables, given.seconds, given.gigabytes << 30)
        if given.page is not None:
            put_into_page(given.page, "Compared with GOBNILP-dev", "\n".join([GOBNILP_HEADER, *compared]))


if __name__ == "__main__":
    main(sys.argv[1:])
