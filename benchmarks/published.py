"""Hill climbing against the scores that are published for BLIP, on the data of density estimation that they are of.

`python -m benchmarks.published FOLDER` reads nltcs.test.data and so on (0 and 1 with commas, no header) or
nltcs_test.csv.gz (with a header) from a folder or the folders in it, by default those of the reference data, and
measures what it finds. The scores are of the supplement of Scanagatta, Corani, de Campos and
Zaffalon, Machine Learning 107, 2018; "train" is their "ts".

BLIP's score is not BIC: frequencies are smoothed, and in the published figures a variable without parents costs
log(N) / 2 more. Both are computed here; the search maximizes BIC.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.local import hill_climb
from arcwise.scores import make_score
from benchmarks._topic import SHARED, has_data, parser_for

# Data set and part; ASOBS, ASOBS-ENT, and GOBNILP with the same parent sets (- where it had no result).
PUBLISHED = """
nltcs.test -20287 -20289 -20082
nltcs.train -99684 -99100 -98489
nltcs.valid -13467 -13530 -13368
msnbc.test -369799 -370622 -368951
msnbc.train -1852172 -1858118 -1840247
msnbc.valid -247736 -247769 -246620
kdd.test -74076 -74031 -73835
kdd.train -436061 -435045 -433689
kdd.valid -49373 -49294 -49046
plants.test -49771 -49609 -49304
plants.train -236006 -237775 -236190
plants.valid -33945 -33963 -33269
baudio.test -126858 -126524 -125694
baudio.train -621080 -621815 -619672
baudio.valid -84692 -84593 -84177
bnetflix.test -176332 -176326 -175489
bnetflix.train -866212 -868012 -862308
bnetflix.valid -118007 -118041 -117445
jester.test -227288 -226889 -225767
jester.train -494836 -493380 -491827
jester.valid -56489 -56486 -56258
accidents.test -74839 -74510 -74469
accidents.train -360440 -356032 -357230
accidents.valid -50447 -50271 -49719
tretail.test -48934 -48876 -48825
tretail.train -239158 -239091 -238930
tretail.valid -32718 -32722 -32656
pumsb_star.test -64001 -63427 -64404
pumsb_star.train -315260 -314762 -323609
pumsb_star.valid -43478 -42742 -43197
dna.test -97484 -97489 -96979
dna.train -130658 -130694 -129976
dna.valid -33613 -33669 -33513
kosarek.test -76216 -75821 -75671
kosarek.train -375131 -373440 -372720
kosarek.valid -52063 -52012 -51877
msweb.test -52301 -52150 -52160
msweb.train -293745 -293444 -293508
msweb.valid -34400 -34274 -34299
book.test -64132 -64056 -64174
book.train -314630 -314139 -314249
book.valid -41877 -41810 -41913
tmovie.test -34872 -34737 -35069
tmovie.train -262428 -262048 -262314
tmovie.valid -62831 -62657 -62982
cwebkb.test -133862 -133858 -134238
cwebkb.train -428644 -427997 -428575
cwebkb.valid -91078 -91022 -91529
cr52.test -136909 -136293 -137045
cr52.train -644661 -640792 -643486
cr52.valid -98753 -98637 -99946
c20ng.test -588177 -587554 -
c20ng.train -1615366 -1613998 -
c20ng.valid -463223 -462607 -
bbc.test -84827 -84901 -85499
bbc.train -418164 -417891 -
bbc.valid -55946 -55921 -56509
ad.test -16683 -16557 -17016
ad.train -49460 -49448 -50373
ad.valid -13899 -13835 -14116
"""
COLUMNS = (
    *("data", "n", "N", "CPU s", "BIC", "BLIP's score", "ASOBS", "ASOBS-ENT", "against the better"),
    *("with parents for roots", "GOBNILP"),
)


def blip_score(codes: np.ndarray, child: int, parents: list[int]) -> float:
    """A family's score as published for BLIP; all variables have two states."""
    cases, sets = len(codes), 2 ** len(parents)
    row = np.zeros(cases, dtype=np.int64)
    for parent in parents:
        row = 2 * row + codes[:, parent]
    counts = np.bincount(2 * row + codes[:, child], minlength=2 * sets).reshape(sets, 2).astype(float)
    shares = np.log(counts + 1 / (2 * sets)) - np.log(counts.sum(axis=1, keepdims=True) + 1 / 2)
    if not parents:
        shares = np.log((counts + 1 / 2) / (cases + 1))
    penalty: float = math.log(cases) * max(1.0, sets / 2)
    return float((counts * shares).sum()) - penalty


def give_roots_a_parent(codes: np.ndarray, parents: list[list[int]]) -> list[list[int]]:
    """The network with the best parent for each variable that has none, where that scores higher."""
    given = [list(own) for own in parents]
    variables = range(len(given))
    for root in (v for v in variables if not given[v]):
        below = {root}
        while more := {v for v in variables if v not in below and below.intersection(given[v])}:
            below |= more
        scores = {v: blip_score(codes, root, [v]) for v in variables if v not in below}
        if scores and max(scores.values()) > blip_score(codes, root, []):
            given[root] = [max(scores, key=lambda v: scores[v])]
    return given


def read_codes(path: Path) -> NDArray[np.uint8]:
    return np.loadtxt(path, delimiter=",", dtype=np.uint8, skiprows=0 if path.suffix == ".data" else 1)


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=SHARED / "data" / "density")
    folder = parser.parse_args(arguments).folder
    if not has_data(folder):
        return
    found = {path.name.removesuffix(".csv.gz").replace("_", "."): path for path in folder.rglob("*.csv.gz")}
    found |= {path.name.removesuffix(".data"): path for path in folder.rglob("*.data")}
    bic = make_score("bic")
    print(f"| {' | '.join(COLUMNS)} |")
    print(f"|---|{'---:|' * (len(COLUMNS) - 1)}")
    for line in PUBLISHED.strip().splitlines():
        name, asobs, ent, gobnilp = line.split()
        if name not in found:
            continue
        codes = read_codes(found[name])
        data = Dataset.from_codes(codes, states=[["0", "1"]] * codes.shape[1])
        begin = time.process_time()
        dag = hill_climb(data, progress=False).dag
        seconds = time.process_time() - begin
        parents = [list(own) for own in dag.parents]
        best = max(int(asobs), int(ent))
        ours = sum(blip_score(codes, v, own) for v, own in enumerate(parents))
        rooted = sum(blip_score(codes, v, own) for v, own in enumerate(give_roots_a_parent(codes, parents)))
        print(
            f"| {name} | {codes.shape[1]:,} | {len(codes):,} | {seconds:.2f} | {bic.score_network(data, dag):,.0f} | "
            f"{ours:,.0f} | {int(asobs):,} | {int(ent):,} | {ours - best:+,.0f} | {rooted - best:+,.0f} | "
            f"{gobnilp if gobnilp == '-' else format(int(gobnilp), ',')} |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
