"""Read graphs from JSON: what the verbs print with ``--json``, and the node-link form of networkx and D3."""

from __future__ import annotations

from typing import Any

from arcwise.errors import FormatError, GraphError
from arcwise.files import parse_json
from arcwise.graph.dag import Dag
from arcwise.graph.graph_table_files import ArcList
from arcwise.graph.pdag import Pdag

__all__ = ["parse_json_graph"]

FORM = '{"variables": ["a", "b"], "arcs": [["a", "b"]], "undirected": []}'


def parse_json_graph(text: str, *, source: str = "graph") -> Dag | Pdag | ArcList:
    """Return the graph of an object with `arcs`, and perhaps `variables` (or `nodes`) and `undirected` edges.

    Without a list of variables it is a list of arcs, which does not say which nodes have no edge. The record that
    ``arcwise learn`` writes, run.json, has its arcs under `result`.
    """
    found = parse_json(text, source=source)
    if isinstance(found, dict) and isinstance(found.get("result"), dict):
        found = found["result"]
    if not isinstance(found, dict):
        raise FormatError(f"{source}: a graph is an object such as {FORM}.")
    links = found.get("links", found.get("edges"))
    if "arcs" not in found and isinstance(links, list) and isinstance(found.get("nodes"), list):
        return _node_link(found, links, source)
    arcs = _pairs(found.get("arcs"), "arcs", source)
    edges = _pairs(found.get("undirected", []), "undirected", source)
    names = found.get("variables", found.get("nodes"))
    listed = ArcList(arcs, edges)
    if not isinstance(names, list):  # `arcwise optimal` counts the nodes of its search
        return listed
    if not all(isinstance(name, str) for name in names):
        raise FormatError(f"{source}: the variables are a list of names.")
    return _graph(listed, names, source)


def _node_link(found: dict[str, Any], links: list[Any], source: str) -> Dag | Pdag:
    try:
        names = [str(node["id"]) for node in found["nodes"]]
        pairs = tuple((str(link["source"]), str(link["target"])) for link in links)
    except (TypeError, KeyError, ValueError):  # the last: a number too long to be printed
        raise FormatError(f"{source}: a node needs an 'id', a link a 'source' and a 'target'.") from None
    directed = found.get("directed", False) is True
    return _graph(ArcList(pairs, ()) if directed else ArcList((), pairs), names, source)


def _graph(listed: ArcList, names: list[str], source: str) -> Dag | Pdag:
    try:
        return listed.graph(names)
    except GraphError as error:
        raise error.within(f"{source}:", kind=FormatError) from None


def _pairs(value: Any, key: str, source: str) -> tuple[tuple[str, str], ...]:
    if value is None:
        raise FormatError(f"{source}: there is no key '{key}'; a graph is an object such as {FORM}.")
    ok = isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair) for pair in value
    )
    if not ok:
        raise FormatError(f"{source}: '{key}' must be a list of pairs of names, such as {FORM}.")
    return tuple((a, b) for a, b in value)
