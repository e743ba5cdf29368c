"""`NamedNodes`: what every graph has, nodes with names in a fixed order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import GraphError, UnfinishedError, UnknownNameError, suggestion
from arcwise.base.files import is_unicode
from arcwise.base.showing import first_few

# A node is given by its name or by its position.
Node = str | int

LISTED_NAMES = 20  # what a message can carry


class NamedNodes:
    """Nodes with names in a fixed order; the base of `Dag`, `Pdag` and `Constraints`."""

    __slots__ = ("__dict__", "_names")

    _names: tuple[str, ...]

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)
        seen: set[str] = set()
        for position, name in enumerate(self._names):
            if not _is_text(name):
                raise GraphError(f"node {position} has the name {name!r}; a name is a string that is not empty.")
            if not is_unicode(name):
                raise GraphError(
                    f"node {position} has the name {name!r}, which is not valid Unicode; it could not be written."
                )
            if name in seen:
                raise GraphError(f"two nodes have the name '{name}'; names must differ.")
            seen.add(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The node names, in the order of the variables of the data."""
        return self._names

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self._names)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return dict(zip(self._names, range(len(self._names)), strict=True))

    def index(self, node: Node) -> int:
        """Return the position of a node that is given by name or by position."""
        if isinstance(node, str):
            position = self._positions.get(node)
            if position is None:
                raise GraphError(suggestion("node", node, self._names))
            return position
        if not 0 <= node < len(self._names):
            raise GraphError(f"no node at position {node}; the positions are 0 to {len(self._names) - 1}.")
        return int(node)

    def _mask(self, nodes: Node | Iterable[Node]) -> int:
        """Return one node, or several, as a bit set."""
        if isinstance(nodes, str | int):
            return 1 << self.index(nodes)
        if not isinstance(nodes, Iterable):
            raise GraphError(f"a node is given by its name or its position, not by {nodes!r}.")
        return bitset(map(self.index, nodes))

    def _new_positions(self, names: Sequence[str]) -> list[int]:
        """Return where each node goes if the nodes are put in the order `names`."""
        target = NamedNodes(names)
        missing = [name for name in self._names if name not in target._positions]
        surplus = [name for name in target.names if name not in self._positions]
        if missing or surplus:
            here, there = (first_few(names, LISTED_NAMES) or "none" for names in (missing, surplus))
            raise GraphError(f"the nodes differ: {here} only here, {there} only there.")
        return [target._positions[name] for name in self._names]

    def _name_arcs(self, arcs: Iterable[tuple[int, int]]) -> tuple[tuple[str, str], ...]:
        return tuple((self._names[a], self._names[b]) for a, b in arcs)


def _is_text(name: object) -> bool:
    return isinstance(name, str) and name != ""


def node_names(nodes: int | Sequence[str]) -> tuple[str, ...]:
    """Return the names of nodes that are given by name, or X0, X1, ... for a number of nodes."""
    if isinstance(nodes, int | np.integer):
        if nodes < 0:
            raise GraphError(f"a graph cannot have {nodes} nodes.")
        return tuple(f"X{v}" for v in range(int(nodes)))
    return NamedNodes(nodes).names


# Sets of node positions as Python integers, bit v for node v: any number of nodes, set algebra at machine speed.


def bitset(members: Iterable[int]) -> int:
    """Return the set of the given positions.

    >>> bitset([0, 2])
    5
    """
    mask = 0
    for v in members:
        mask |= 1 << v
    return mask


def bits(mask: int) -> Iterator[int]:
    """Yield the positions in a set, ascending.

    >>> list(bits(5))
    [0, 2]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def first_bit(mask: int) -> int:
    """Return the smallest position in a set that is not empty."""
    return (mask & -mask).bit_length() - 1


def reach(start: int, steps: Sequence[int], within: int = -1) -> int:
    """Return a set with all that is reached from it by steps inside `within`, one bit set of steps per node."""
    reached = frontier = start
    while frontier:
        found = 0
        for v in bits(frontier):
            found |= steps[v]
        frontier = found & within & ~reached
        reached |= frontier
    return reached


def components(neighbours: Sequence[int], within: int) -> Iterator[int]:
    """Yield the connected components of an undirected graph, restricted to the set `within`."""
    while within:
        component = reach(within & -within, neighbours, within)
        yield component
        within &= ~component


def to_words(masks: Sequence[int], n_nodes: int) -> NDArray[np.uint64]:
    """Return sets as the native core takes them: one row per set, 64 positions per word, lowest first."""
    n_words = max(1, -(-n_nodes // 64))
    raw = b"".join(mask.to_bytes(8 * n_words, "little") for mask in masks)
    return np.frombuffer(raw, dtype="<u8").astype(np.uint64).reshape(len(masks), n_words)


# Exact random choices with integers of any size: counts of graphs do not fit into a machine word.


def integer_below(bound: int, rng: np.random.Generator) -> int:
    """Return an integer from 0 to bound - 1, each with the same probability: random bits until one is in range."""
    n_bits = (bound - 1).bit_length()
    n_bytes = -(-n_bits // 8)
    while True:
        value = int.from_bytes(rng.bytes(n_bytes), "little") >> (8 * n_bytes - n_bits)
        if value < bound:
            return value


def pick_by_weight(weights: Sequence[int], rng: np.random.Generator) -> int:
    """Return a position with probability proportional to its weight, exactly."""
    rest = integer_below(sum(weights), rng)
    for position, weight in enumerate(weights):
        rest -= weight
        if rest < 0:
            return position
    raise AssertionError("unreachable: the weights sum to more than the value drawn")


class Relatives(tuple[tuple[int, ...], ...]):
    """For each node the positions of its relatives; called with a node, the names of that node's relatives.

    ``dag.parents[2]`` are positions, for computing; ``dag.parents("cough")`` are names, for reading.
    """

    _names: tuple[str, ...]

    @classmethod
    def of(cls, names: tuple[str, ...], positions: Iterable[tuple[int, ...]]) -> Relatives:
        """Make the relatives of nodes with the given names."""
        made = cls(positions)
        made._names = names
        return made

    def __call__(self, node: Node) -> tuple[str, ...]:
        """Return the names of a node's relatives."""
        return tuple(self._names[v] for v in self[NamedNodes(self._names).index(node)])

    def __reduce__(self) -> tuple[object, ...]:
        return Relatives.of, (self._names, tuple(self))


def read_matrix(matrix: ArrayLike, names: Sequence[str] | None) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """Return the node names and where the matrix is not zero; anything but a square matrix of numbers is refused.

    A DataFrame names the nodes by its columns; its index, unless it is the default one, must say the same.
    """
    columns = getattr(matrix, "columns", None)
    if columns is not None:
        labels = [str(label) for label in columns]
        index = [str(label) for label in matrix.index]  # type: ignore[union-attr]
        if index not in (labels, [str(row) for row in range(len(index))]):
            raise GraphError("the index and the columns of the adjacency matrix name different nodes.")
        names = labels if names is None else names
    try:
        entries = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise GraphError("an adjacency matrix holds numbers: 0 for no arc, 1 for an arc.") from None
    if entries.ndim != 2 or entries.shape[0] != entries.shape[1]:
        raise GraphError(f"an adjacency matrix is square; this one has the shape {entries.shape}.")
    if np.isnan(entries).any():
        raise GraphError("the adjacency matrix has missing entries (NaN); write 0 for no arc.")
    if names is None:
        names = [f"X{v}" for v in range(len(entries))]
    if len(names) != len(entries):
        raise GraphError(f"{len(names)} names for an adjacency matrix of {len(entries)} nodes.")
    return tuple(names), entries != 0


# The acyclic moral orientations of a chordal graph: how many there are, each of them, and one at random.
#
# The undirected part of a CPDAG falls into connected chordal graphs, and the DAGs of the Markov equivalence class are
# the independent choices of an orientation without cycle and without v-structure for each of them (Andersson, Madigan
# and Perlman 1997). Graphs are given as `neighbours`, one bit set per node, restricted to a bit set of nodes.
#
# Where certain arcs are known, those orientations count that have them: the members of a class with fixed pairs.
# Without known arcs their number takes polynomial time; with them it is #P-hard (Wienöbst, Bannach and Liskiewicz,
# "Polynomial-time algorithms for counting and sampling Markov equivalent DAGs with applications", JMLR 2023, section
# 6). An orientation of a connected graph has exactly one source, and what stays undirected once the source is chosen is
# again a set of connected chordal graphs; different sources have no orientation in common (He, Jia and Yu, JMLR 2015,
# Theorem 7). So it is a sum over the sources that the known arcs allow, with the numbers of subgraphs kept, and the
# polynomial count for every subgraph without a known arc. A clique of k nodes takes up to 2^k subgraphs: there is a
# limit.


MOST_SUBGRAPHS = 100_000  # a limit of the work; beyond it the count is refused
# What follows from the source of a component: the parents that each node gets, and the components left to orient.
Split = tuple[dict[int, int], list[int]]


def blocks_after(neighbours: Sequence[int], within: int, clique: int) -> list[int]:
    """Return the blocks that stay undirected when the nodes of `clique` come first, in the order of the arcs.

    Every edge between two blocks, or from the clique to a block, points to the later block in all orientations whose
    topological order begins with the clique. Lexicographic breadth-first search from the clique by partition
    refinement; a class of the partition is a block when its first node is visited (Wienöbst, Bannach and Liskiewicz,
    "Polynomial-time algorithms for counting and sampling Markov equivalent DAGs", AAAI 2021, Algorithm 1).
    Linear in nodes and edges.
    """
    blocks: list[int] = []
    queue = [clique, within & ~clique]  # the classes; `following` links them, 0 comes first
    following: list[int] = [1, -1]
    class_of = dict.fromkeys(bits(within & ~clique), 1) | dict.fromkeys(bits(clique), 0)
    preceding: list[int] = [-1, 0]
    head, unvisited, done = 0, within, clique
    while head >= 0:
        if not queue[head]:
            head = following[head]
            if head >= 0:
                preceding[head] = -1
            continue
        v = first_bit(queue[head])
        if not done >> v & 1:
            blocks.append(queue[head])
            done |= queue[head]
        queue[head] &= ~(1 << v)
        unvisited &= ~(1 << v)
        touched: dict[int, int] = {}
        for w in bits(neighbours[v] & unvisited):
            touched[class_of[w]] = touched.get(class_of[w], 0) | 1 << w
        for old, part in touched.items():
            if part == queue[old]:
                continue
            queue[old] &= ~part
            new = len(queue)
            queue.append(part)
            following.append(old)
            preceding.append(preceding[old])
            if preceding[old] >= 0:
                following[preceding[old]] = new
            else:
                head = new
            preceding[old] = new
            for w in bits(part):
                class_of[w] = new
    return blocks


def clique_tree(neighbours: Sequence[int], within: int) -> tuple[list[int], list[int]]:
    """Return the maximal cliques of a connected chordal graph and the parent of each in a clique tree (-1: the root).

    Maximum cardinality search: Blair and Peyton, "An introduction to chordal graphs and clique trees" (1993), Fig. 4.2.
    """
    cliques: list[int] = []
    parents: list[int] = []
    clique_of: dict[int, int] = {}
    rank: dict[int, int] = {}
    weight = dict.fromkeys(bits(within), 0)
    buckets: list[int] = [within] + [0] * within.bit_count()
    top, visited, previous = 0, 0, 0
    while visited != within:
        while not buckets[top]:
            top -= 1
        v = first_bit(buckets[top])
        buckets[top] ^= 1 << v
        earlier = neighbours[v] & visited
        if not cliques or earlier.bit_count() <= previous:
            latest = max(bits(earlier), key=rank.__getitem__, default=-1)
            parents.append(clique_of[latest] if latest >= 0 else -1)
            cliques.append(earlier)
        cliques[-1] |= 1 << v
        clique_of[v] = len(cliques) - 1
        rank[v] = len(rank)
        visited |= 1 << v
        previous = earlier.bit_count()
        for w in bits(neighbours[v] & within & ~visited):
            buckets[weight[w]] ^= 1 << w
            weight[w] += 1
            buckets[weight[w]] |= 1 << w
        top += 1
    return cliques, parents


class Orientations:
    """The acyclic moral orientations of chordal graphs that have certain arcs: how many, all of them, one at random.

    Parameters
    ----------
    neighbours
        For each node, the nodes that it is joined to, as a bit set; all components must be chordal.
    known
        For each node, those of its neighbours from which a known arc leads to it; none if not given.
    """

    def __init__(self, neighbours: Sequence[int], known: Sequence[int] | None = None) -> None:
        self._neighbours = neighbours
        self._known = [0] * len(neighbours) if known is None else known
        self._free_counts: dict[int, int] = {}
        self._counts: dict[int, int] = {}
        self._looked_at = 0

    def count(self, component: int) -> int:
        """Return the number of orientations of a connected graph, given as a bit set of its nodes.

        Raises
        ------
        UnfinishedError
            If more than `MOST_SUBGRAPHS` subgraphs would have to be looked at.
        """
        if not self._has_known(component):
            return self._count_free(component)
        if component not in self._counts:
            if self._looked_at >= MOST_SUBGRAPHS:
                raise UnfinishedError(
                    f"the members of a class with {component.bit_count()} variables that are joined by open edges were "
                    f"not counted: more than {MOST_SUBGRAPHS:,} subgraphs would have to be looked at."
                )
            self._looked_at += 1
            splits = (self.split(component, source) for source in bits(component))
            self._counts[component] = sum(self.product(split[1]) for split in splits if split is not None)
        return self._counts[component]

    def product(self, graphs: Iterable[int]) -> int:
        """Return the number of joint orientations of several components."""
        return math.prod(self.count(graph) for graph in graphs)

    def every(self, graphs: Sequence[int]) -> Iterator[dict[int, int]]:
        """Yield every joint orientation of the components as the parents of each of their nodes, once each.

        The order is that of the sources, smallest first. No dead ends: the work between two results is polynomial.
        """
        split = lru_cache(4096)(self._split_with_orientations)
        parents = {v: 0 for graph in graphs for v in bits(graph)}
        pending: list[int] = list(reversed(graphs))
        frames: list[tuple[int, Iterator[int], dict[int, int], list[int]]] = []
        while True:
            if pending:
                graph = pending.pop()
                frames.append((graph, bits(graph), {w: parents[w] for w in bits(graph)}, pending))
            else:
                yield dict(parents)
            while frames:
                graph, sources, outer, rest = frames[-1]
                source = next(sources, -1)
                if source < 0:
                    parents.update(outer)
                    frames.pop()
                elif (choice := split(graph, source)) is not None:
                    arcs, parts = choice
                    for w, before in arcs.items():
                        parents[w] = outer[w] | before
                    pending = [*rest, *reversed(parts)]
                    break
            else:
                return

    def draw(self, graphs: Sequence[int], rng: np.random.Generator) -> dict[int, int]:
        """Return one joint orientation of the components, each with the same probability, exactly."""
        parents = {v: 0 for graph in graphs for v in bits(graph)}
        pending = list(graphs)
        while pending:
            graph = pending.pop()
            sources = list(bits(graph))
            edges = sum((self._neighbours[v] & graph).bit_count() for v in sources) // 2
            if self._has_known(graph):
                weights = list(self._block_by_source(graph).values())
            elif edges < len(sources):  # a tree: one orientation for each source
                weights = [1] * len(sources)
            else:
                found = self._by_source(graph)
                weights = [found[source] for source in sources]
            chosen = self.split(graph, sources[pick_by_weight(weights, rng)])
            assert chosen is not None
            arcs, parts = chosen
            for w, before in arcs.items():
                parents[w] |= before
            pending.extend(parts)
        return parents

    def split(self, component: int, source: int) -> Split | None:
        """Return what follows if a node is the source of a component; None if a known arc forbids it."""
        arcs, parts = {source: 0}, []
        before, later = 1 << source, component & ~(1 << source)
        if self._known[source] & component:
            return None
        for block in blocks_after(self._neighbours, component, 1 << source):
            later &= ~block
            for v in bits(block):
                if self._known[v] & later:  # it would point against the order
                    return None
                arcs[v] = self._neighbours[v] & before
            parts += _undirected_parts(self._neighbours, [block])
            before |= block
        return arcs, parts

    def _by_source(self, graph: int) -> dict[int, int]:
        """Return the number of orientations of a connected graph without known arcs that begin at each node.

        Where two blocks meet in one node, the source of the one that is further away is that node: the number is a
        product over the blocks. Cliques that share two nodes are in one block.
        """
        cliques, parents = clique_tree(self._neighbours, graph)
        blocks: list[int] = []
        tops: list[tuple[int, int]] = []  # the block nearer to the first one that it meets, and the node where
        block_of: list[int] = []
        for clique, parent in zip(cliques, parents, strict=True):
            shared = clique & cliques[parent] if parent >= 0 else 0
            if shared & (shared - 1):
                block_of.append(block_of[parent])
                blocks[block_of[-1]] |= clique
            else:
                block_of.append(len(blocks))
                tops.append((block_of[parent] if parent >= 0 else -1, shared.bit_length() - 1))
                blocks.append(clique)
        each = [self._block_by_source(block) for block in blocks]
        whole = math.prod(own[node] for own, (_, node) in zip(each[1:], tops[1:], strict=True))
        found, others = {}, [whole]  # of each block, the number for all others if the source is in it
        for number, (own, (nearer, node)) in enumerate(zip(each, tops, strict=True)):
            if number:
                others.append(others[nearer] * each[nearer][node] // own[node])
            found.update({v: count * others[number] for v, count in own.items() if v != node})
        return found

    def _block_by_source(self, block: int) -> dict[int, int]:
        if block.bit_count() == 2 and not self._has_known(block):
            return dict.fromkeys(bits(block), 1)
        splits = {v: self.split(block, v) for v in bits(block)}
        return {v: 0 if split is None else self.product(split[1]) for v, split in splits.items()}

    def _split_with_orientations(self, component: int, source: int) -> Split | None:
        """Return a split that some orientation has; with known arcs, not every split has one."""
        found = self.split(component, source)
        return None if found is None or (self._has_known(component) and not self.product(found[1])) else found

    def _has_known(self, component: int) -> bool:
        return any(self._known[v] & component for v in bits(component))

    def _count_free(self, component: int) -> int:
        """Count the orientations of a connected chordal graph without known arcs in polynomial time, for any size.

        Clique-Picking (Wienöbst, Bannach and Liskiewicz, AAAI 2021, Theorem 3): with a rooted clique tree, the number
        is the sum over the maximal cliques K of phi(K) times the product of the numbers of the components that stay
        undirected when K comes first. phi counts the orders of K that do not begin with a set that was already counted
        at a clique nearer to the root. Subproblems recur, so that the numbers are kept; there are at most twice as many
        different ones as there are cliques.
        """
        terms: dict[int, list[tuple[int, list[int]]]] = {}
        known = self._free_counts
        pending = [component]
        while pending:  # a stack instead of recursion: the depth may reach the number of nodes
            graph = pending[-1]
            if graph in known:
                pending.pop()
            elif graph not in terms:
                terms[graph] = self._terms(graph)
                pending.extend({h for _, parts in terms[graph] for h in parts} - known.keys())
            else:
                known[graph] = sum(factor * math.prod(known[h] for h in parts) for factor, parts in terms.pop(graph))
        return known[component]

    def _terms(self, graph: int) -> list[tuple[int, list[int]]]:
        cliques, parents = clique_tree(self._neighbours, graph)
        terms = []
        for position, clique in enumerate(cliques):
            shared: set[int] = set()
            below = position
            while parents[below] >= 0:
                separator = cliques[below] & cliques[parents[below]]
                if not separator & ~clique:
                    shared.add(separator)
                below = parents[below]
            sizes = sorted(separator.bit_count() for separator in shared)
            parts = _undirected_parts(self._neighbours, blocks_after(self._neighbours, graph, clique))
            terms.append((_orders_without_prefixes(clique.bit_count(), sizes), parts))
        return terms


def _orders_without_prefixes(size: int, prefixes: Sequence[int]) -> int:
    """Count the orders of a set that begin with none of the nested subsets with the given sizes (phi)."""
    counts: list[int] = []  # the same for each prefix and the prefixes inside it
    for i, prefix in enumerate([*prefixes, size]):
        inner = sum(math.factorial(prefix - smaller) * counts[j] for j, smaller in enumerate(prefixes[:i]))
        counts.append(math.factorial(prefix) - inner)
    return counts[-1]


def _undirected_parts(neighbours: Sequence[int], blocks: Iterable[int]) -> list[int]:
    parts = [part for block in blocks for part in components(neighbours, block)]
    return [part for part in parts if part & (part - 1)]  # a single node has one orientation


# Links as people write them: "smoke->cough", "smoke--cough".


ARROWS = ("->", "→", "--", "—", "<-", "←")


def read_link(text: str, names: Sequence[str]) -> tuple[str, str, bool] | None:
    """Return the two names that an arrow joins, the tail first, and whether it points; None without an arrow.

    Names may hold what looks like an arrow.

    >>> read_link("cough <- smoke", ["smoke", "cough"]), read_link("a--b", ["a", "b"])
    (('smoke', 'cough', True), ('a', 'b', False))
    """
    found = []
    for arrow in ARROWS:
        position = text.find(arrow)
        while position >= 0:
            one, other = text[:position].strip(), text[position + len(arrow) :].strip()
            found.append((other, one, True) if arrow in ("<-", "←") else (one, other, arrow in ("->", "→")))
            position = text.find(arrow, position + 1)
    for link in found:
        if all(name in names for name in link[:2]):
            return link
    return found[0] if found else None


def linked_names(text: str, names: Sequence[str]) -> tuple[str, str] | None:
    """Return the two known names that an arrow joins, the tail first; None without an arrow."""
    link = None if text in names else read_link(text, names)
    for name in link[:2] if link is not None else ():
        if name not in names:
            raise UnknownNameError(suggestion("variable", name, names))
    return None if link is None else link[:2]
