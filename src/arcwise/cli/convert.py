"""`arcwise convert`: a network or a graph in another format."""

from __future__ import annotations

from pathlib import Path

import typer

from arcwise.base.errors import FormatError
from arcwise.cli.output import (
    GraphArgument,
    ResultOptions,
    check_network_name,
    check_output_name,
    open_graph_file,
    print_json,
    write_graph_file,
)


def convert(graph: GraphArgument, *, printing: ResultOptions) -> None:
    """Write a network or a graph in another format; the two suffixes say which.

    Networks with tables: .bif, .xmlbif, .net (Hugin), .xdsl (GeNIe) and .uai. Graphs, also those of networks: .csv (arc
    list), .dot, .graphml, .txt (structure file) and .modelstring (bnlearn). Each also with .gz. Without -o, or with
    -o -, a network goes to stdout as BIF, a graph as CSV. What a format cannot hold is refused.

    Example: arcwise convert alarm.bif.gz -o alarm.xdsl
    """
    from arcwise.model.bif import format_bif
    from arcwise.model.files import network_format

    output = printing.output
    to_stdout = printing.stdout_is_taken(output, otherwise=True)
    as_network = False
    if output is not None and str(output) != "-":
        as_network = network_format(output) is not None
        _ = check_network_name(output) if as_network else check_output_name(output)
    found = open_graph_file(graph)
    if output is not None and as_network:
        if found.network is None:
            raise FormatError(
                f"{graph}: this is a graph without probability tables, which {output} needs. Estimate them from data: "
                f"arcwise fit {graph} DATA -o {output}"
            )
        found.network.write(output)
    elif output is not None and str(output) != "-":
        write_graph_file(output, found.graph())
    elif to_stdout and found.network is not None:
        typer.echo(format_bif(found.network), nl=False)
    elif to_stdout:
        write_graph_file(Path("-"), found.graph())
    content = found.graph()
    if printing.as_json:
        print_json(
            {
                "graph": graph,
                "variables": content.n_nodes,
                "edges": len(content.skeleton),
                "has_tables": found.network is not None,
                "output": output,
            }
        )
    elif not to_stdout:
        printing.remark(f"wrote {content.n_nodes:,} variables to {output}")
