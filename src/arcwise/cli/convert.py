"""`arcwise convert`: a network or a graph in another format."""

from __future__ import annotations

from pathlib import Path

import typer

from arcwise.base.errors import FormatError
from arcwise.cli.output import (
    GraphArgument,
    ResultVerb,
    check_network_name,
    check_output_name,
    open_graph_file,
    write_graph_file,
)
from arcwise.cli.verb import Result
from arcwise.model.bif import format_bif
from arcwise.model.files import network_format


class Convert(ResultVerb):
    """Write a network or a graph in another format; the two suffixes say which.

    Networks with tables: .bif, .xmlbif, .net (Hugin), .xdsl (GeNIe) and .uai. Graphs, also those of networks: .csv (arc
    list), .dot, .graphml, .txt (structure file) and .modelstring (bnlearn). Each also with .gz. Without -o, or with
    -o -, a network goes to stdout as BIF, a graph as CSV. What a format cannot hold is refused.

    Example: arcwise convert alarm.bif.gz -o alarm.xdsl
    """

    graph: GraphArgument

    def _run(self) -> Result:
        output = None if self.stdout_is_taken(self.output, otherwise=True) else self.output
        as_network = output is not None and network_format(output) is not None
        if output is not None and not as_network:
            check_output_name(output)
        elif output is not None:
            check_network_name(output)
        found = open_graph_file(self.graph)
        if output is not None and as_network:
            if found.network is None:
                raise FormatError(
                    f"{self.graph}: this is a graph without probability tables, which {output} needs. Estimate them "
                    f"from data: arcwise fit {self.graph} DATA -o {output}"
                )
            found.network.write(output)
        elif output is None and found.network is not None:
            typer.echo(format_bif(found.network), nl=False)
        else:
            write_graph_file(output or Path("-"), found.graph())
        content = found.graph()
        payload = {
            "graph": self.graph,
            "variables": content.n_nodes,
            "edges": len(content.skeleton),
            "has_tables": found.network is not None,
            "output": output,
        }
        return Result(payload, told="" if output is None else f"wrote {content.n_nodes:,} variables to {output}")
