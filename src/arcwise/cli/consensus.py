"""`arcwise consensus`: the network of the significant edges."""

from __future__ import annotations

from collections.abc import Iterator

from arcwise.base.options import REQUIRED, option
from arcwise.cli.options import ConstraintOptions
from arcwise.cli.output import ConfidenceArgument, ResultVerb, check_output_name, write_graph_file
from arcwise.cli.verb import Result
from arcwise.confidence.consensus import ConsensusNetwork, Fate, consensus_network
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.graph.constraints import assert_obeys


class Consensus(ConstraintOptions, ResultVerb):
    """Build the network of the edges above a threshold, and list every edge that was dropped or is a toss-up.

    The network obeys the constraints that the networks were learned under, or those that are given here instead.

    The suffix of the output says how it is written: .csv (arc list), .dot, .graphml, or .txt (structure file).

    Example: arcwise consensus confidence.parquet --threshold 0.5 -o network.graphml
    """

    confidence: ConfidenceArgument
    threshold: float = option(REQUIRED, "edges strictly above it are significant", low=0, high=1)
    as_class: bool = option(False, "write the equivalence class instead of one DAG of it", flags=("--cpdag",))

    def _run(self) -> Result:
        to_stdout = self.stdout_is_taken(self.output)
        if self.output is not None:
            check_output_name(self.output, partly_directed=self.as_class)
        found = EdgeConfidence.load(self.confidence)
        result = consensus_network(found, self.threshold, constraints=self.read_constraints(found.names))
        drawn = result.cpdag if self.as_class else result.dag
        assert_obeys(drawn, result.constraints)
        if self.output is not None:
            labels = {(edge.tail, edge.head): edge.present for edge in result.edges}
            write_graph_file(self.output, drawn, labels=labels)
            self.remark("" if to_stdout else f"wrote {self.output}")
        payload = {
            "threshold": result.threshold,
            "arcs": drawn.arcs,
            "undirected": result.cpdag.edges if self.as_class else [],
            "edges": (
                {
                    "tail": e.tail,
                    "head": e.head,
                    "present": e.present,
                    "probability": found.probability.pair(e.tail, e.head).edge,
                    "direction": e.direction,
                    "fate": e.fate,
                }
                for e in result.edges
            ),
        }
        return Result(payload, () if to_stdout else _lines(result))


def _lines(result: ConsensusNetwork) -> Iterator[str]:
    if not result.edges:
        yield "# no edge is above the threshold"
    for edge in result.edges:
        sign = "--" if edge.fate is Fate.UNDIRECTED else "->"
        note = f"  {edge.fate}: {edge.fate.reason}" if edge.fate.is_left_out else ""
        note = "  required" if edge.fate is Fate.REQUIRED else note
        yield f"{edge.tail} {sign} {edge.head}  {edge.present:.4f}{note}"
