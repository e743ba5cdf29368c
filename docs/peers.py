"""The table on the first page: how fast arcwise is beside other software, read from the tables of the benchmark pages.

Nothing is measured here and no figure is typed: if a page is measured again, `python docs/update.py` brings the first
page along, and a test fails until it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent / "benchmarks"


def rows(page: str, heading: str | None = None, below: str | None = None) -> Iterator[dict[str, str]]:
    """Give the rows of the first table of a page, or of that below a heading, by the names of their columns."""
    text = (BENCHMARKS / f"{page}.md").read_text(encoding="utf-8")
    for title in (None if heading is None else f"## {heading}", below):
        if title is not None:
            text = text.split(f"\n{title}\n", 1)[1]
    lines = [line for line in text[text.index("\n|") + 1 :].split("\n\n", 1)[0].splitlines() if line.startswith("|")]
    names, _, *body = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    for cells in body:
        yield dict(zip(names, cells, strict=True))


def number(cell: str) -> float:
    """Read "137x", "+905.8" or "1,002"."""
    found = re.match(r"[+-]?[\d,.]+", cell)
    assert found is not None, f"'{cell}' is no number"
    return float(found[0].replace(",", ""))


def times(values: list[float]) -> str:
    """Say how many times as fast: the lowest and the highest."""
    lowest, highest = (f"{value:.3g}" if value < 10 else f"{value:.0f}" for value in (min(values), max(values)))
    return f"{lowest} times as fast" if lowest == highest else f"{lowest} to {highest} times as fast"


def _others_on_alarm() -> Iterator[tuple[str, str, str, str]]:
    """Give what bnlearn's tabu search and causal-learn's BOSS reach on one sample, beside our climb.

    No ratio: they did not run on the same occasion.
    """
    found = {row["software"]: row for row in rows("local-search", "Others on one sample")}
    ours = found["arcwise"]
    for peer in ("bnlearn", "causal-learn"):
        row = found[peer]
        better = number(ours["BIC"]) - number(row["BIC"])
        assert better > 0, f"{peer} has the better score: the sentence does not hold"
        yield (
            f"a network of alarm, 5,000 rows ({row['search']}: BIC {row['BIC']} in {row['s']} s)",
            peer,
            f"better by {better:,.1f}: BIC {ours['BIC']} in {ours['s']} s",
            "local-search",
        )


def peer_table() -> str:
    """Return the table: task, other software, what was measured, and where."""
    climbs = [row for row in rows("local-search") if row["search"] == "hill climbing"]
    better = [number(row["difference"]) for row in climbs]
    tabu = [number(row["ratio"]) for row in rows("bootstrap") if "tabu" in row.values()]
    anchors = [number(row["ratio"]) for row in rows("exact", "Published instances") if row["ratio"] != "-"]
    faster = sum(ratio < 1 for ratio in anchors)
    ahead = [number(row["% better"]) > 0 for row in rows("../evidence", "Density: twenty data sets")]  # the average's
    printed = [number(row["ratio"]) for row in rows("../evidence", "Posteriors of all variables") if row["ratio"]]
    found = (
        ("every family of at most three parents scored", "pyAgrum", times(_ratios("parent_sets")), "parent_sets"),
        (
            "hill climbing, defaults",
            "pyAgrum",
            f"{times([number(row['ratio']) for row in climbs])}, and a better BIC on {sum(d > 0 for d in better)} of "
            f"{len(better)} networks",
            "local-search",
        ),
        *_others_on_alarm(),
        ("200 bootstrap replicates by tabu search", "bnlearn", times(tabu), "bootstrap"),
        ("100 queries with evidence", "pyAgrum", times(_ratios("inference", "100 queries")), "inference"),
        ("the marginals of all variables", "pyAgrum", times(_ratios("inference", "All marginals")), "inference"),
        *(
            (
                task,
                peer,
                times([number(row["ratio"]) for row in rows("networks", peer) if word in row["task"]]),
                "networks",
            )
            for task, word in (("100,000 rows sampled", "sample"), ("BIF files read", "read"))
            for peer in ("pyAgrum", "pgmpy")
        ),
        (
            "the optimal network, proved",
            "GOBNILP, ELSA",
            f"faster than the faster of the two on {faster} of {len(anchors)} published instances"
            + (f", up to {max(anchors):.1f} times slower on the others" if faster < len(anchors) else ""),
            "exact",
        ),
        ("all posteriors of 2,000 rows", "Fast-BNI, as printed", times(printed), "../evidence"),
        (
            "densities of public data",
            "HCLT circuits, as printed",
            f"better on {sum(ahead)} of {len(ahead)} data sets, by averages over networks",
            "../evidence",
        ),
    )
    titles = ["| task | beside | arcwise is | measured |", "|---|---|---|---|"]
    return "\n".join([*titles, *(f"| {a} | {b} | {c} | [log]({d}.md) |" for a, b, c, d in found)]) + "\n"


def _ratios(page: str, heading: str | None = None) -> list[float]:
    return [number(row["ratio"]) for row in rows(page, heading) if row["ratio"]]
