"""Certificates of optimality on published instances of up to 60 variables: what they cost, and that they are accepted.

`python -m benchmarks.certificates` prints the table; `--write` puts it into docs/benchmarks/certificates.md.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from arcwise.certificate import check_certificate
from arcwise.exact import certify_optimal, find_optimal
from arcwise.limits import Limits
from arcwise.parent_sets import read_jkl
from benchmarks._topic import ROOT, SHARED, has_data, parser_for

SCORES = SHARED / "data" / "scores"
PAGE = ROOT / "docs" / "benchmarks" / "certificates.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"
LARGEST = 60
# Instances that only dynamic programming finishes: what is proved in this many seconds.
OPEN = {"steel_BIC": 100.0}


def rows() -> Iterator[str]:
    yield "| instance | n | parent sets | optimum | search | certified | ratio | check | KiB | steps | proved within |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    files = {path.name.removesuffix(".jkl.gz"): path for path in SCORES.rglob("*.jkl.gz")}
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "certificate.json.gz")
        for name, path in sorted(files.items(), key=lambda item: item[0].lower()):
            table = read_jkl(path)
            if table.n_variables > LARGEST:
                continue
            start = time.process_time()
            find_optimal(table, progress=False)
            plain = time.process_time() - start
            start = time.process_time()
            certify_optimal(table, target, limits=Limits(seconds=OPEN.get(name)), progress=False)
            written = time.process_time() - start
            start = time.process_time()
            found = check_certificate(path, target)
            checked = time.process_time() - start
            yield (
                f"| {name} | {table.n_variables} | {table.n_rows:,} | {float(found.score):.4f} | {plain:.2f} "
                f"| {written:.2f} | {written / max(plain, 0.005):.2f} | {checked:.2f} "
                f"| {target.stat().st_size / 1024:,.1f} | {found.steps} | {float(found.gap):.1g} |"
            )


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    write = parser.parse_args(arguments).write
    if not has_data(SCORES):
        return
    lines = []
    for row in rows():
        print(row, flush=True)
        lines.append(row)
    if write:
        before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
        after = rest.split(END, 1)[1]
        PAGE.write_text(f"{before}{BEGIN}{chr(10).join(lines)}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
