"""Certificates of published instances with known optima; `python -m benchmarks.certificates` has more of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcwise.certificate import check_certificate
from arcwise.exact import certify_optimal
from arcwise.parent_sets import read_parent_sets

OPTIMA = {
    "asia_10000_3": None,
    "bnslim_alarm-5000": -53781.3386,
    "bnslim_barley-5000": -294944.9522,
    "bnslim_child-5000": -62059.5035,
    "bnslim_hailfinder-5000": -252358.1055,
    "bnslim_insurance-5000": -68053.1412,
    "bnslim_mildew-5000": -262638.0713,
    "bnslim_water-5000": -65865.8128,
    "computed/alarm1000_BIC": -11783.0524,
    "computed/barley1000_BIC": -67699.7275,
    "computed/carpo100_BIC": -2000.2132,
    "computed/flag_BIC": -2748.1052,
    "computed/hailfinder500_BIC": -27777.5544,
    "computed/horse_BIC": -4524.6631,
    "computed/insurance1000_BIC": -14350.4714,
    "computed/lung-cancer_BIC": -1379.2860,
    "computed/sponge_BIC": -2072.6115,
    "water1000_BIC": None,
    "zoo_BIC": -773.4861,
}


@pytest.mark.parametrize("name", OPTIMA)
def test_the_optimum_is_certified(shared: Path, tmp_path: Path, name: str) -> None:
    path = shared / "data" / "scores" / f"{name}.jkl.gz"
    optimum = certify_optimal(read_parent_sets(path), tmp_path / "c.json.gz", progress=False)
    found = check_certificate(path, tmp_path / "c.json.gz")
    assert found.dag == optimum.dag
    assert found.gap <= 1e-6
    expected = OPTIMA[name]
    if expected is not None:
        assert float(found.score) == pytest.approx(expected, abs=2e-4)
