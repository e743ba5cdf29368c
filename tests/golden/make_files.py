"""Writes the files of this version into a folder: python tests/golden/make_files.py tests/golden/files-0.2.

Those of an earlier version stay as that version wrote them; test_old_files.py reads all of them.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from arcwise import bootstrap_networks, build_parent_sets, datasets, edge_confidence, find_credible, fit_parameters
from arcwise.data import write_data
from arcwise.ensemble import count_credible
from arcwise.model import write_bif
from arcwise.parent_sets import write_jkl, write_parent_sets


def main(folder: Path) -> None:
    """Write one file of each kind."""
    folder.mkdir(exist_ok=True)
    data = datasets.load("iris")
    table = build_parent_sets(data, "bic", slack=math.log(20))
    write_parent_sets(folder / "table.arct", table)
    write_jkl(folder / "table.jkl", table)
    networks = find_credible(table, bayes_factor=20)
    networks.save(folder / "networks.nets")
    networks.save(folder / "networks.parquet")
    count_credible(table, bayes_factor=20).save(folder / "counted.summary")
    edge_confidence(networks).save(folder / "confidence.parquet")
    bootstrap_networks(data, "bic", replicates=5, seed=1).save(folder / "bootstrap.nets")
    write_bif(fit_parameters(networks[0], data), folder / "network.bif")
    write_data(data, folder / "data.parquet")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
