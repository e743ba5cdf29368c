"""`arcwise confidence`: how far each edge can be trusted, from a file of networks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from arcwise.base.errors import FormatError
from arcwise.base.options import option
from arcwise.cli.output import ResultVerb, check_file_name
from arcwise.cli.verb import Result, facts
from arcwise.confidence.averaging import edge_confidence
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.networks.network_list import NetworkSet


class Confidence(ResultVerb):
    """Average networks into the confidence that an edge joins each pair of variables.

    Example: arcwise confidence nets.parquet -o confidence.parquet
    """

    networks: Annotated[Path, typer.Argument(help="Networks from `arcwise credible` or `arcwise bootstrap`.")]
    orient: str = option(
        "cpdag",
        "cpdag (directions that the data or constraints show), dag, or skeleton",
        choices=("cpdag", "dag", "skeleton"),
    )
    weights: str | None = option(
        None, "posterior or equal", usual="as the networks were saved", choices=("posterior", "equal")
    )
    feature: str = option(
        "edge",
        "edge, markov-blanket, or path (a directed path from one to the other)",
        choices=("edge", "markov-blanket", "path"),
    )
    n_cases: int | None = option(
        None, "the number of cases, if the file of networks does not say", low=1, flags=("--cases",)
    )
    compare: Path | None = option(None, "other networks, or confidences, to print side by side")
    above: float = option(0.0, "print only pairs with a confidence above this")

    def _check(self) -> None:
        check_file_name(self.output, "confidences", (".parquet", ".csv", ".csv.gz"))

    def _run(self) -> Result:
        try:
            given = NetworkSet.load(self.networks)
        except FormatError as error:
            raise FormatError(f"{error} Networks come from `arcwise credible -o` or `arcwise bootstrap -o`.") from None
        result = self._averaged(given)
        if self.output is not None:
            result.save(self.output)
            self.remark(f"wrote {self.output}")
        if self.compare is not None:
            both = result.compare(self._other(self.compare))
            both = both[(both["here"] > self.above) | (both["there"] > self.above)]
            return Result({"pairs": both}, lambda: _print(both))
        frame = result.to_frame(above=self.above)
        payload = {
            "origin": result.origin,
            "networks": result.n_networks,
            **facts(result, "orient", "weights", "exact", "complete"),
            "pairs": frame,
        }
        return Result(payload, () if self.output is not None else lambda: _print(frame))

    def _averaged(self, networks: NetworkSet) -> EdgeConfidence:
        options: Any = {name: getattr(self, name) for name in ("orient", "weights", "feature", "n_cases")}
        return edge_confidence(networks, **options)

    def _other(self, path: Path) -> EdgeConfidence:
        """Return the confidences of a file, or those of its networks."""
        try:
            return EdgeConfidence.load(path)
        except FormatError:
            return self._averaged(NetworkSet.load(path))


def _print(frame: Any) -> None:
    typer.echo(frame.to_string(index=False, float_format=lambda value: f"{value:.4f}"))
