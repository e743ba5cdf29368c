"""The prior: an ESS path counted once against one table per value, and Steck's Table 1 beside the printed one.

The rows of Table 1 other than balance scale and tic-tac-toe need the UCI files of the reference data, prepared by the
recipe that reproduces the published optima: missing values by the mode, numbers into 3 bins of equal width.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np

from arcwise import datasets
from arcwise.data import Dataset, discretize, impute, read_table
from arcwise.priors import EssSolver, Learning, ascend_ess, find_optima, maximise_ess
from arcwise.scores import make_score

UCI = Path(__file__).resolve().parents[2] / "shared" / "data" / "uci"
META = UCI.parent / "meta.json"

# Steck (2008), Table 1: data, file, interval alpha^I, maximiser alpha^M, analytic alpha*, rounds k.
PRINTED = [
    ("balance", "balance_scale", "1...100", 48, 44, 1),
    ("iris", "iris", "1...3", 2, 2, 2),
    ("thyroid", "thyroid_new", "2...2", 2, 3, 5),
    ("liver", "liver_bupa", "3...6", 4, 3, 3),
    ("ecoli", "ecoli", "7...10", 8, 8, 3),
    ("abalone", "abalone", "6...6", 6, 7, 3),
    ("diabetes", "diabetes_pima", "3...5", 4, 3, 3),
    ("post op", "post_operative", "3...5", 3, 3, 3),
    ("yeast", "yeast", "1...6", 6, 6, 2),
    ("cancer", "breast_cancer", "6...10", 8, 7, 2),
    ("shuttle", "shuttle", "1...3", 3, 3, 2),
    ("tictac", "tic_tac_toe", "51...62", 51, 60, 2),
    ("bc wis", "bc_wisconsin_with_id", "7...15", 8, 5, 3),
    ("glass", "glass_with_id", "5...6", 6, 6, 4),
    ("page", "page_blocks", "3...3", 3, 3, 2),
    ("heart cl", "heart_cleveland", "13...16", 13, 9, 3),
    ("heart hu", "heart_hungarian", "5...6", 5, 5, 3),
    ("heart st", "heart_statlog", "7...10", 10, 10, 4),
    ("wine", "wine", "8...8", 8, 7, 3),
    ("adult", "adult_train", "48...58", 50, 49, 3),
]


def prepared(name: str) -> Dataset | None:
    if name == "balance_scale":
        return datasets.load("balance-scale")
    if name == "tic_tac_toe":
        return datasets.load("tic-tac-toe")
    path = UCI / f"{name}.csv.gz"
    if not path.exists():
        return None
    # Every continuous column is cut, also one with few values, which `discretize` alone would take for categories.
    continuous = {entry["file"]: entry.get("continuous_vars", []) for entry in json.loads(META.read_text())}
    table = impute(read_table(path), method="mode")
    constant = [column for column, values in table.to_dataframe().items() if values.nunique() < 2]
    if constant:  # heart_hungarian's column ca: one value once the missing ones are filled in
        table = impute(read_table(path, drop=constant), method="mode")
    columns = [column for column in continuous[f"uci/{path.name}"] if column not in constant]
    cut = discretize(table, method="width", bins=3, columns=columns) if columns else table
    return cut.to_dataset(categorical=True)


def table_1() -> None:
    print("| data | N | n | alpha^I | ours | alpha^M | ours | alpha* | ours | its class | k | ours | CPU s |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for label, name, interval, maximum, analytic, rounds in PRINTED:
        data = prepared(name)
        if data is None:
            print(f"| {label} | reference data not found |")
            continue
        start = time.process_time()
        learning = Learning()
        ascent = ascend_ess(data, learning=learning, progress=False)
        exact = maximise_ess(data, learning=learning, progress=False)
        seconds = time.process_time() - start
        ours = f"{exact.integers[0]}...{exact.integers[1]}"
        spread = "" if ascent.spread is None else f"{ascent.spread[0]:.1f} to {ascent.spread[1]:.1f}"
        cells = [label, data.n_cases, data.n_variables, interval, ours, maximum, f"{exact.alpha_max:.2f}", analytic]
        cells += [f"{ascent.alpha_star:.2f}", spread, rounds, ascent.rounds, f"{seconds:.1f}"]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def counted_once() -> None:
    """An ESS path of 60 values with all its parts: a table and a search each; tables counted together; `EssSolver`."""
    print("| data | N | one table and one search each, CPU s | tables counted together | ratio | `EssSolver` | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    grid = np.logspace(-3, 5, 60)
    scores = [make_score("bdeu", ess=float(value)) for value in grid]
    for name in ("heart_statlog", "heart_cleveland", "wine", "adult_train"):
        data = prepared(name)
        if data is None:
            print(f"| {name} | reference data not found |")
            continue
        if data.n_variables > 14:  # adult has 15: without its last
            data = data.select(data.names[:14])
        learning = Learning()
        start = time.process_time()
        apart = [find_optima(data, [score], learning, progress=False)[0] for score in scores]
        second = time.process_time()
        together = find_optima(data, scores, learning, progress=False)
        third = time.process_time()
        kept = EssSolver(data, learning, progress=False).solve(grid)
        end = time.process_time()
        for one, two, three in zip(apart, together, kept, strict=True):
            assert abs(one.score - two.score) + abs(one.score - three.score) < 1e-9 * abs(one.score)
        each, joint, rescored = second - start, third - second, end - third
        print(
            f"| {name} (n = {data.n_variables}) | {data.n_cases:,} | {each:.2f} | {joint:.2f} | {each / joint:.1f}x "
            f"| {rescored:.3f} | {each / rescored:.0f}x |",
            flush=True,
        )


def main() -> None:
    counted_once()
    print()
    table_1()


if __name__ == "__main__":
    main()
