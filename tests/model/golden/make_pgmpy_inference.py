"""Makes pgmpy_inference.json: marginals and log-likelihoods as pgmpy computes them.

Run from the root of the checkout, with pgmpy installed: python tests/model/golden/make_pgmpy_inference.py
"""

from __future__ import annotations

import gzip
import json
import logging
import math
import warnings
from pathlib import Path

NETWORKS = Path("../shared/data/networks")
QUERIES = [
    ("asia", ["lung"], {"xray": "yes", "dysp": "yes"}),
    ("asia", ["tub", "bronc"], {"asia": "yes"}),
    ("cancer", ["Cancer", "Smoker"], {"Xray": "positive"}),
    ("alarm", ["HYPOVOLEMIA"], {"BP": "LOW", "HR": "HIGH"}),
    ("alarm", ["LVFAILURE", "ANAPHYLAXIS"], {"CVP": "HIGH"}),
    ("child", ["Disease"], {"CO2Report": "<7.5", "LVHreport": "yes", "XrayReport": "Plethoric"}),
    ("insurance", ["PropCost"], {"Age": "Adolescent", "DrivHist": "Many"}),
    ("sachs", ["Akt", "Erk"], {"PKA": "LOW"}),
    ("hailfinder", ["R5Fcst"], {"Date": "Jul2_Jul15", "MorningBound": "Strong"}),
    ("win95pts", ["Problem1"], {"PrtOn": "Yes"}),
    ("hepar2", ["carcinoma"], {"age": "age65_100", "bilirubin": "a88_20"}),
]
LIKELIHOODS = [("asia", 500, 1), ("alarm", 200, 2), ("hailfinder", 100, 3), ("child", 300, 4)]


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    import pgmpy
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader

    from arcwise.model import read_bif

    def pgmpy_model(name: str) -> object:
        return BIFReader(string=gzip.decompress((NETWORKS / f"{name}.bif.gz").read_bytes()).decode()).get_model()

    queries = []
    for name, variables, evidence in QUERIES:
        model = pgmpy_model(name)
        factor = VariableElimination(model).query(variables, evidence=evidence, show_progress=False)
        # pgmpy chooses the order of the axes and of the states: both are put into the network's.
        network = read_bif(NETWORKS / f"{name}.bif.gz")
        table = factor.values.transpose([factor.variables.index(v) for v in variables])
        for axis, v in enumerate(variables):
            states = network.states[network.index(v)]
            table = table.take([factor.state_names[v].index(s) for s in states], axis=axis)
        queries.append({"network": name, "variables": variables, "evidence": evidence, "probabilities": table.tolist()})
    likelihoods = []
    for name, rows, seed in LIKELIHOODS:
        network = read_bif(NETWORKS / f"{name}.bif.gz")
        data = network.sample(rows, seed=seed)
        model = pgmpy_model(name)
        total = 0.0
        for row in range(rows):
            state = {v: data.states[i][data.codes[i, row]] for i, v in enumerate(data.names)}
            total += sum(
                math.log(model.get_cpds(v).get_value(**{u: state[u] for u in model.get_cpds(v).variables}))
                for v in state
            )
        likelihoods.append({"network": name, "rows": rows, "seed": seed, "log_likelihood": total})
    document = {
        "made_by": "python tests/model/golden/make_pgmpy_inference.py",
        "pgmpy": pgmpy.__version__,
        "queries": queries,
        "likelihoods": likelihoods,
    }
    (Path(__file__).parent / "pgmpy_inference.json").write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
