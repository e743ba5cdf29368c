"""Check a certificate of optimality: one file, Python's standard library, whole numbers only.

    python checker.py TABLE CERTIFICATE

TABLE gives every variable a list of parent sets with scores. A network takes one set for each variable so that the arcs
from parents to children close no cycle; its score is the sum. The CERTIFICATE shows a network and says that no other
has a score above a bound. This program reads both and believes nothing else. Every score is a double and so a fraction
with a power of two below the line: all numbers here are whole multiples of 2^-K, and no sum is rounded.

What is proved, and why it holds. A *problem* is a set of variables with the parent sets that are left for each, and a
*floor*, the score that the certificate's network has on these variables: what does not exceed it need not be looked at.
The certificate is a list of steps, each about one problem, the problems that it makes following it. In a step:

1. A parent set that contains a set of at least its score is dropped: the smaller set can take its place in any network.
2. A set of v is dropped that needs a variable which only v can make possible: go through the variables, placing each
   that has a set among those placed, while v waits. In a network, everything that precedes v gets placed.
3. A *cut* gives every parent set of some variables C a number >= 0 such that in a network without cycles these add up
   to at most its side. A cluster counts the sets with k or more members in C: the first k variables of C, in the order
   of the network, have fewer, so the side is |C| - k. Other cuts are tables for four variables, whose side is found
   here by trying all 543 networks on four variables. For weights y >= 0 of cuts (Lagrange),

       score of a network  <=  sum of y * side  +  sum over variables of the largest (score - sum of y * number),

   and with a certain set of v, the same with its own bracket in place of the largest: a set for which that does not
   exceed the floor is dropped. The weights can be anything; where they come from does not matter.
4. The problem may be split in two: u is a parent of v, or it is not.
5. Or into groups of variables, each with what its sets have within the group: a network restricted to some variables
   has no cycle either, so the bounds of the groups add up.

The bound of a step is the smallest that 3, 4 and 5 give, or the floor if that is larger.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import struct
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import islice, product
from math import isfinite
from pathlib import Path
from typing import Any

FORMAT = "arcwise certificate of optimality 1"
FRACTION_BITS = 44  # the weights of cuts are whole multiples of 2^-44
LARGEST_FILE = 8 * 2**30  # a small gzip file can unpack to any size

Row = tuple[int, int]  # score in units of 2^-K, parents as bits
Problem = dict[int, list[Row]]  # for each variable its rows, by falling score
Coefficients = tuple[tuple[int, ...], ...]  # of four variables, by their parents among the four
Table = tuple[list[str], list[list[tuple[float, tuple[int, ...]]]]]  # names; for each variable (score, parents)


class Refused(ValueError):  # noqa: N818  (a verdict, not an accident)
    """Why a certificate, or the table given with it, is not accepted."""


@dataclass(frozen=True)
class Checked:
    """What an accepted certificate proves: the network has this score, and no network has more than the bound."""

    names: tuple[str, ...]
    arcs: tuple[tuple[str, str], ...]
    score: Fraction
    bound: Fraction
    required: tuple[tuple[str, str], ...]
    forbidden: tuple[tuple[str, str], ...]
    most_parents: dict[str, int]
    steps: int

    @property
    def gap(self) -> Fraction:
        """How much better than the network another one can be at most."""
        return self.bound - self.score


@dataclass(frozen=True)
class Cut:
    """Numbers for the parent sets of its members: a cluster (at least k members inside), or a table for four."""

    members: tuple[int, ...]
    bits: int
    at_least: int
    table: Coefficients
    side: int

    def number_of(self, variable: int) -> Callable[[int], int]:
        """Return the function that gives a parent set of a member its number."""
        if not self.table:
            return lambda parents: (parents & self.bits).bit_count() >= self.at_least
        a, b, c, d = self.members
        row = self.table[self.members.index(variable)]
        return lambda p: row[(p >> a & 1) | (p >> b & 1) << 1 | (p >> c & 1) << 2 | (p >> d & 1) << 3]


Weights = Sequence[tuple[Cut, int]]
Rounds = Callable[[Any], Sequence[Weights]]  # of a step, from what is written


@cache
def four_variable_networks() -> list[tuple[int, ...]]:
    """Return the parents, as bits, in every network on four variables."""
    sets = [[mask for mask in range(16) if not mask >> v & 1] for v in range(4)]
    return [parents for parents in product(*sets) if is_acyclic(parents)]


def four_variable_side(table: Coefficients) -> int:
    """Return the most that the numbers of a table add up to in a network."""
    return max(sum(table[v][parents[v]] for v in range(4)) for parents in four_variable_networks())


def is_acyclic(parents: Sequence[int]) -> bool:
    """Return whether parents, as bits for every variable, close no cycle."""
    placed, left = 0, list(range(len(parents)))
    while left:
        ready = [v for v in left if not parents[v] & ~placed]
        if not ready:
            return False
        placed |= sum(1 << v for v in ready)
        left = [v for v in left if parents[v] & ~placed or not placed >> v & 1]
    return True


def undominated(rows: Iterable[Row]) -> list[Row]:
    """Return the rows without those that contain a set of at least the same score (rule 1), by falling score."""
    kept: list[Row] = []
    known: set[int] = set()
    for score, parents in sorted(rows, key=lambda row: (-row[0], row[1].bit_count())):
        if 1 << parents.bit_count() < len(kept):
            part, found = parents, parents in known
            while part and not found:
                part = (part - 1) & parents
                found = part in known
        else:
            found = any(not smaller & ~parents for _, smaller in kept)
        if not found:
            kept.append((score, parents))
            known.add(parents)
    return kept


def placeable(choices: dict[int, list[int]], placed: int, waiting: int) -> int:
    """Return the variables, as bits, that can be placed after those that are, while some (bits, too) wait."""
    left = [v for v in choices if not waiting >> v & 1]
    placed &= ~waiting
    while True:
        before = placed
        for v in left:
            if any(not parents & ~placed for parents in choices[v]):
                placed |= 1 << v
        if placed == before:
            return placed
        left = [v for v in left if not placed >> v & 1]


def possible(problem: Problem) -> Problem:
    """Return the problem without sets that are in no network (rule 2): without any, if there is no network at all."""
    everything = sum(1 << v for v in problem)
    changed = True
    while changed:
        changed = False
        sets = {v: sorted((parents for _, parents in rows), key=int.bit_count) for v, rows in problem.items()}
        first = sum(1 << v for v, some in sets.items() if some and not some[0])  # they need no parents
        if first == everything:
            break
        choices = {v: some for v, some in sets.items() if not first >> v & 1}
        if placeable(choices, first, 0) != everything:
            return {v: [] for v in problem}
        for v, rows in problem.items():
            before = placeable(choices, first, 1 << v)
            if before | 1 << v == everything:
                continue
            left = [row for row in rows if not row[1] & ~before]
            if len(left) < len(rows):
                problem, changed = {**problem, v: left}, True
    return problem


def weigh(problem: Problem, floor: int, weights: Weights) -> tuple[int, Problem]:
    """Return the bound that weights of cuts give, and the problem without the sets that they exclude (rule 3)."""
    bound = sum(weight * cut.side for cut, weight in weights)
    values: dict[int, Iterator[int]] = {}
    best: dict[int, int] = {}
    seen: dict[int, list[int]] = {}
    for v, rows in problem.items():
        values[v], seen[v] = bracket_values(v, rows, weights), []
        for score, _ in rows:
            if seen[v] and score <= best[v]:
                break  # numbers and weights are >= 0: no bracket exceeds its score
            seen[v].append(next(values[v]))
            best[v] = max(seen[v][-1], best.get(v, seen[v][-1]))
        bound += best[v]
    left: Problem = {}
    for v, rows in problem.items():
        limit = floor - (bound - best[v])
        left[v] = []
        for i, row in enumerate(rows):
            if row[0] <= limit:
                break
            if (seen[v][i] if i < len(seen[v]) else next(values[v])) > limit:
                left[v].append(row)
    return bound, left


def bracket_values(variable: int, rows: Sequence[Row], weights: Weights) -> Iterator[int]:
    """Yield score - sum of weight * number for one row of a variable after the other."""
    mine = [(cut, weight) for cut, weight in weights if cut.bits >> variable & 1]
    plain = [(cut.bits, weight) for cut, weight in mine if cut.at_least == 1 and not cut.table]
    other = [(cut.number_of(variable), weight) for cut, weight in mine if cut.at_least != 1 or cut.table]
    for score, parents in rows:
        for bits, weight in plain:
            if bits & parents:
                score -= weight  # noqa: PLW2901
        yield score - sum(weight * number(parents) for number, weight in other)


def own_bound(problem: Problem, floor: int, rounds: Sequence[Weights]) -> tuple[int, Problem]:
    """Return the bound of a step without its splits, and the remaining problem."""
    inside = sum(1 << v for v in problem)
    if any(cut.bits & ~inside for weights in rounds for cut, _ in weights):
        raise Refused("a cut is used where not all of its variables are")
    problem = possible(problem)
    bounds = []
    for weights in [*rounds, []]:  # at last without cuts
        if not all(problem.values()):
            return floor, problem
        reached, problem = weigh(problem, floor, weights)
        bounds.append(reached)
        problem = possible(problem)
    return min(bounds), problem


def parts_of(problem: Problem, step: dict[str, Any]) -> list[Problem]:
    """Return the problems that a step splits its own into (rules 4 and 5)."""
    if "branch" in step:
        parent, child = (whole(v, 0) for v in listed(step["branch"], 2))
        if parent == child or not {parent, child} <= problem.keys():
            raise Refused("a step branches on an arc that its problem does not have")
        sides = [[row for row in problem[child] if (row[1] >> parent & 1) == present] for present in (1, 0)]
        return [{**problem, child: side} for side in sides]
    groups = [[whole(v, 0) for v in listed(group)] for group in listed(step.get("groups", []))]
    if groups and sorted(v for group in groups for v in group) != sorted(problem):
        raise Refused("the groups of a step are not its variables, each once")
    return [
        {v: undominated((score, parents & inside) for score, parents in problem[v]) for v in group}
        for group in groups
        for inside in [sum(1 << v for v in group)]
    ]


def prove(problem: Problem, floors: Sequence[int], steps: Sequence[Any], rounds_of: Rounds) -> int:
    """Return the bound that the steps prove: once forwards for the problems, once backwards for their bounds."""
    waiting = [problem]
    done: list[tuple[int, int, int, bool]] = []  # bound without splits, floor, how many parts, whether they add up
    for step in steps:
        if not waiting:
            raise Refused("it has more steps than its splits ask for")
        if not isinstance(step, dict) or not any(step.keys() <= {"rounds", split} for split in ("branch", "groups")):
            raise Refused("a step has other entries than its rounds and one split")
        part = waiting.pop()
        floor = sum(floors[v] for v in part)
        own, part = own_bound(part, floor, rounds_of(step.get("rounds", [])))
        parts = parts_of(part, step)
        done.append((own, floor, len(parts), "groups" in step))
        waiting += reversed(parts)
    if waiting:
        raise Refused("it has fewer steps than its splits ask for")
    bounds: list[int] = []
    for own, floor, count, add in reversed(done):
        below = [bounds.pop() for _ in range(count)]
        split = [sum(below) if add else max(below)] if below else []
        bounds.append(max(min([own, *split]), floor))
    return bounds.pop()


def check(table: Table, certificate: dict[str, Any]) -> Checked:
    """Return what a certificate proves about a table; Refused says why it proves nothing."""
    if certificate.get("format") != FORMAT:
        raise Refused(f"it is not of the format '{FORMAT}'")
    if certificate.get("digest") != digest_of(certificate):
        raise Refused("its digest is not that of its content: it was changed after it was written")
    if certificate.get("variables") != list(table[0]) or certificate.get("table") != table_digest(table):
        raise Refused("it is about another table: names, parent sets or scores differ")
    checked = derive(table, certificate)
    for what, derived in (("score", checked.score), ("bound", checked.bound)):
        if certificate.get(what) != str(derived):
            raise Refused(f"the {what} is {float(derived)!r}, which is not what it states")
    return checked


def derive(table: Table, certificate: dict[str, Any]) -> Checked:
    """Return the score of a certificate's network and the bound that its steps prove, whatever it states."""
    names, entries = table
    required, forbidden, network = (
        [as_bits(parents, len(names)) for parents in listed(certificate.get(key), len(names))]
        for key in ("required", "forbidden", "network")
    )
    limits = [whole(limit, 0, len(names)) for limit in listed(certificate.get("most parents"), len(names))]
    below = [score.as_integer_ratio()[1].bit_length() - 1 for rows in entries for score, _ in rows]
    bits = max([FRACTION_BITS, *below])  # the K of all numbers
    sets: list[dict[int, int]] = []  # for each variable, what is allowed: parents as bits, and their score
    for v, rows in enumerate(entries):
        masks = {sum(1 << u for u in parents): int(Fraction(score) * 2**bits) for score, parents in rows}
        allowed = (m for m in masks if not (required[v] & ~m or forbidden[v] & m or m.bit_count() > limits[v]))
        sets.append({m: masks[m] for m in allowed})
    if not all(parents in allowed for parents, allowed in zip(network, sets, strict=True)):
        raise Refused("its network has a parent set that is not in the table, or that its constraints do not allow")
    if not is_acyclic(network):
        raise Refused("its network has a cycle")
    floors = [allowed[parents] for parents, allowed in zip(network, sets, strict=True)]
    tables = [(rows, four_variable_side(rows)) for rows in map(coefficients, listed(certificate.get("tables")))]
    cuts = [cut_of(cut, tables, len(names)) for cut in listed(certificate.get("cuts"))]
    problem = {v: undominated((s, m) for m, s in allowed.items()) for v, allowed in enumerate(sets)}
    steps = listed(certificate.get("steps"))
    bound = prove(problem, floors, steps, lambda rounds: weights_of(rounds, cuts, bits - FRACTION_BITS))
    arcs, must, never = (
        tuple((names[u], names[v]) for v, parents in enumerate(some) for u in range(len(names)) if parents >> u & 1)
        for some in (network, required, forbidden)
    )
    most = {names[v]: limit for v, limit in enumerate(limits) if limit < len(names) - 1}
    score, reached = Fraction(sum(floors), 2**bits), Fraction(bound, 2**bits)
    return Checked(tuple(names), arcs, score, reached, must, never, most, len(steps))


def weights_of(value: Any, cuts: Sequence[Cut], shift: int) -> Sequence[Weights]:
    """Return the rounds of a step: cuts with their weights in units of 2^-K."""
    rounds = []
    for entry in listed(value):
        if not isinstance(entry, dict):
            raise Refused("a round is not an object")
        chosen = [cuts[whole(cut, 0, len(cuts) - 1)] for cut in listed(entry.get("cuts"))]
        weights = [whole(weight, 0) << shift for weight in listed(entry.get("weights"), len(chosen))]
        rounds.append(list(zip(chosen, weights, strict=True)))
    return rounds


def as_bits(value: Any, count: int) -> int:
    """Return a list of variables as bits."""
    variables = {whole(v, 0, count - 1) for v in listed(value)}
    listed(value, len(variables))
    return sum(1 << v for v in variables)


def whole(value: Any, least: int, most: int | None = None) -> int:
    """Return a whole number in a range, or refuse it."""
    if type(value) is not int or value < least or (most is not None and value > most):
        raise Refused(f"{str(value)[:40]!r} stands where a whole number from {least} to {most} should")
    return value


def listed(value: Any, length: int | None = None) -> list[Any]:
    """Return a list (of a certain length), or refuse it."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise Refused("an entry is missing, is not a list, or has the wrong length")
    return value


def coefficients(value: Any) -> Coefficients:
    """Return the table of a cut on four variables: four rows of sixteen digits, by the parents among the four."""
    rows = listed(value, 4)
    if not all(isinstance(row, str) and len(row) == 16 and set(row) <= set("0123456789") for row in rows):
        raise Refused("the table of a cut is not four rows of sixteen digits")
    return tuple(tuple(map(int, row)) for row in rows)


def cut_of(value: Any, tables: Sequence[tuple[Coefficients, int]], count: int) -> Cut:
    """Return the cut [kind, number, members]: at least `number` members of a cluster, or the table of that number."""
    kind, number, given = listed(value, 3)
    bits, members = as_bits(given, count), tuple(given)
    if kind == "cluster":
        at_least = whole(number, 1, len(members))
        return Cut(members, bits, at_least, (), len(members) - at_least)
    if kind != "table" or len(members) != 4:
        raise Refused("a cut is neither a cluster nor a table for four variables")
    return Cut(members, bits, 0, *tables[whole(number, 0, len(tables) - 1)])


def digest_of(certificate: dict[str, Any]) -> str:
    """Return the SHA-256 of a certificate without its digest, as JSON: keys sorted, no blanks, ASCII."""
    content = {key: value for key, value in certificate.items() if key != "digest"}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def table_digest(table: Table) -> str:
    """Return the SHA-256 of a table: the names, then the sets of each variable in order, with hexadecimal scores."""
    names, entries = table
    hasher = hashlib.sha256(json.dumps(list(names)).encode())
    for rows in entries:
        for parents, score in sorted((tuple(sorted(parents)), score) for score, parents in rows):
            hasher.update(f"\n{' '.join(map(str, parents))}: {(score + 0.0).hex()}".encode())
        hasher.update(b"\n")
    return hasher.hexdigest()


def read_file(path: str) -> bytes:
    """Return the content of a file, plain or gzip."""
    content = Path(path).read_bytes()
    try:
        if content.startswith(b"\x1f\x8b"):
            content = gzip.GzipFile(fileobj=io.BytesIO(content)).read(LARGEST_FILE + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise Refused(f"{path} is damaged: it cannot be unpacked") from None
    if len(content) > LARGEST_FILE:
        raise Refused(f"{path} has more than {LARGEST_FILE} bytes")
    return content


def read_table(path: str) -> Table:
    """Return the names and parent sets of a score file: .jkl (GOBNILP's format) or .arct (arcwise's), plain or gzip."""
    content = read_file(path)
    try:
        table = parse_arct(content) if content.startswith(b"arcwise-parent-sets 1\n") else parse_jkl(content.decode())
        names, entries = table
        for v, rows in enumerate(entries):
            sets = [frozenset(parents) for _, parents in rows]
            proper = all(len(s) == len(p) and v not in s and isfinite(x) for s, (x, p) in zip(sets, rows, strict=True))
            if not proper or not rows or len(set(sets)) < len(sets) or names.count(names[v]) > 1:
                raise ValueError(f"the parent sets of '{names[v]}' are none, or not different and possible")
    except (ValueError, LookupError, TypeError, AttributeError, struct.error) as error:
        raise Refused(f"the table {path} cannot be read: {error}") from None
    return table


def parse_jkl(text: str) -> Table:
    """Return the table in text: the number of variables; for each its name, how many sets, and the sets."""
    lines = [line.split() for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    if len(lines[0]) != 1:
        raise ValueError("the first line is not the number of variables")
    blocks: dict[str, list[list[str]]] = {}
    at = 1
    while at < len(lines):
        name, count = lines[at]
        if name in blocks or int(count) < 1:
            raise ValueError(f"variable '{name}' comes twice or has no parent set")
        blocks[name] = lines[at + 1 : at + 1 + int(count)]
        at += 1 + int(count)
    names = list(blocks)
    numbers = [str(v) for v in range(len(names))]
    if set(names) == set(numbers):
        names = numbers
    position = {name: v for v, name in enumerate(names)}
    entries = []
    for name in names:
        if any(len(line) < 2 or int(line[1]) != len(line) - 2 for line in blocks[name]):
            raise ValueError(f"a set of '{name}' does not have the number of parents that it says")
        entries.append([(float(line[0]), tuple(position[p] for p in line[2:])) for line in blocks[name]])
    if len(names) != int(lines[0][0]) or at != len(lines):
        raise ValueError("it does not have the number of variables or sets that it says")
    mark = "# arcwise parent sets: "
    facts = [json.loads(line.removeprefix(mark)) for line in text.split("\n") if line.startswith(mark)]
    written = facts[0].get("names", names) if facts else names  # names that are more than one word
    return list(map(str, written)) if len(written) == len(names) else names, entries


def parse_arct(content: bytes) -> Table:
    """Return the table in arcwise's binary format: a line, the length of the header, the header, arrays, a checksum."""
    at = content.index(b"\n") + 1
    (length,) = struct.unpack_from("<Q", content, at)
    at += 8 + length
    header = json.loads(content[at - length : at])
    arrays: dict[str, list[Any]] = {}
    for name, kind, (count,) in header["arrays"]:
        form = f"<{count}{ {'<u1': 'B', '<u2': 'H', '<u4': 'I', '<i4': 'i', '<i8': 'q', '<f8': 'd'}[kind] }"
        arrays[name] = list(struct.unpack_from(form, content, at))
        at += struct.calcsize(form)
    if hashlib.sha256(content[:-32]).digest() != content[-32:] or at != len(content) - 32:
        raise ValueError("its checksum does not match")
    names, members = header["facts"]["names"], iter(arrays["members"])
    rows = iter([(x, tuple(islice(members, k))) for x, k in zip(arrays["scores"], arrays["sizes"], strict=True)])
    entries = [list(islice(rows, count)) for count in arrays["rows"]]
    if len(names) != len(entries) or not all(0 <= v < len(names) for v in arrays["members"]) or [*rows, *members]:
        raise ValueError("its arrays do not fit together")
    return names, entries


def read_certificate(path: str) -> dict[str, Any]:
    """Return the content of a certificate."""
    try:
        content = json.loads(read_file(path))
    except (ValueError, RecursionError) as error:
        raise error if isinstance(error, Refused) else Refused(f"it is not JSON, plain or gzip: {error}") from None
    if not isinstance(content, dict):
        raise Refused("it is not a JSON object")
    return content


def main(arguments: Sequence[str]) -> int:
    """Check the files that are named on the command line; 0: accepted, 1: refused."""
    if len(arguments) != 2:
        print("usage: python checker.py TABLE CERTIFICATE", file=sys.stderr)
        return 2
    try:
        found = check(read_table(arguments[0]), read_certificate(arguments[1]))
    except (Refused, OSError) as error:
        print(f"refused: {error}", file=sys.stderr)
        return 1
    print(f"accepted: the network has the score {float(found.score):.6f}, and no network of the table", end=" ")
    print(f"that satisfies the constraints has one that is higher by more than {float(found.gap):.2g}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
