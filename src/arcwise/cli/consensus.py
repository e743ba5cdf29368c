"""`arcwise consensus`: the network of the significant edges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcwise.base.options import REQUIRED, option
from arcwise.cli.options import ConstraintOptions
from arcwise.cli.output import ResultOptions, check_output_name, print_json, write_graph_file


def consensus(
    confidence: Annotated[Path, typer.Argument(help="Confidences from `arcwise confidence -o`.")],
    threshold: float = option(REQUIRED, "edges strictly above it are significant", low=0, high=1),
    as_class: bool = option(False, "write the equivalence class instead of one DAG of it", flags=("--cpdag",)),
    *,
    rules: ConstraintOptions,
    printing: ResultOptions,
) -> None:
    """Build the network of the edges above a threshold, and list every edge that was dropped or is a toss-up.

    The network obeys the constraints that the networks were learned under, or those that are given here instead.

    The suffix of the output says how it is written: .csv (arc list), .dot, .graphml, or .txt (structure file).

    Example: arcwise consensus confidence.parquet --threshold 0.5 -o network.graphml
    """
    from arcwise.confidence.consensus import consensus_network
    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.graph.constraints import assert_obeys

    output = printing.output
    to_stdout = printing.stdout_is_taken(output)
    if output is not None:
        check_output_name(output, partly_directed=as_class)
    found = EdgeConfidence.load(confidence)
    result = consensus_network(found, threshold, constraints=rules.read(found.names))
    drawn = result.cpdag if as_class else result.dag
    assert_obeys(drawn, result.constraints)
    labels = {(edge.tail, edge.head): edge.present for edge in result.edges}
    if output is not None:
        write_graph_file(output, drawn, labels=labels)
        if not to_stdout:
            printing.remark(f"wrote {output}")
    if to_stdout:
        return
    if printing.as_json:
        print_json(
            {
                "threshold": result.threshold,
                "arcs": list(drawn.arcs),
                "undirected": list(result.cpdag.edges) if as_class else [],
                "edges": [
                    {
                        "tail": e.tail,
                        "head": e.head,
                        "present": e.present,
                        "probability": found.probability.pair(e.tail, e.head).edge,
                        "direction": e.direction,
                        "fate": e.fate,
                    }
                    for e in result.edges
                ],
            }
        )
        return
    if not result.edges:
        typer.echo("# no edge is above the threshold")
    from arcwise.confidence.consensus import Fate

    for edge in result.edges:
        sign = "--" if edge.fate is Fate.UNDIRECTED else "->"
        note = f"  {edge.fate}: {edge.fate.reason}" if edge.fate.is_left_out else ""
        note = "  required" if edge.fate is Fate.REQUIRED else note
        typer.echo(f"{edge.tail} {sign} {edge.head}  {edge.present:.4f}{note}")
