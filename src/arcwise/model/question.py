"""`Question`: a query as one writes it, such as ``P(x, y | z=a)``.

    P(x)            the distribution of x
    P(x, y | z=a)   the joint distribution of x and y, given z=a
    P(x=b | z=a)    one probability
    P(x=b, z=a)     the probability of evidence
    P(* | z=a)      the distribution of each variable that is not observed
    MPE(z=a)        the most probable states of all other variables, together

A number stands for the interval that holds it, where states are intervals.
Names and states with spaces, commas, parentheses, bars, equals or quotation marks stand in double quotes, where \\" and
\\\\ stand for a quotation mark and a backslash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

from arcwise.errors import OptionError

__all__ = ["Question", "parse_question"]

TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([(),|=])|([^\s(),|="]+))')
FORMS = "P(x), P(x, y | z=a), P(x=b | z=a), P(* | z=a) or MPE(z=a)"


@dataclass(frozen=True)
class Question:
    """A query in its parts.

    Parameters
    ----------
    text
        The question as it was written.
    asked
        The variables asked for, in order; none for all marginals and for the most probable explanation.
    states
        The states asked for, of all variables of `asked` or of none.
    evidence
        Observed variables and their states.
    explanation
        Whether the most probable explanation is asked for.
    """

    text: str
    asked: tuple[str, ...]
    states: tuple[str, ...]
    evidence: Mapping[str, str]
    explanation: bool = False

    def in_states(self, state_of: Callable[[str, str], str]) -> Question:
        """Return the same question with the state that `state_of` has for each value of a variable that it names."""
        states = tuple(state_of(name, value) for name, value in zip(self.asked, self.states, strict=False))
        return replace(
            self, states=states, evidence={name: state_of(name, value) for name, value in self.evidence.items()}
        )


def parse_question(text: str) -> Question:
    """Read a question; see this module for the forms it may have."""
    reader = _Reader(text)
    kind = reader.word("P or MPE")
    if kind not in ("P", "MPE"):
        reader.fail(f"it begins with '{kind}'")
    reader.expect("(")
    if kind == "MPE":
        reader.skip("|")
        evidence = reader.terms(")") if not reader.at(")") else []
        reader.end()
        return Question(text, (), (), _as_evidence(reader, evidence), explanation=True)
    asked: list[tuple[str, str | None]] = [("*", None)] if reader.skip("*") else reader.terms("|", ")")
    evidence = reader.terms(")") if reader.skip("|") else []
    reader.end()
    if asked == [("*", None)]:
        return Question(text, (), (), _as_evidence(reader, evidence))
    names = tuple(name for name, _ in asked)
    states = tuple(state for _, state in asked if state is not None)
    if states and len(states) < len(names):
        reader.fail("give a state to each of the variables asked for, or to none")
    return Question(text, names, states, _as_evidence(reader, evidence))


class _Reader:
    """The words of a question, one after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, bool]] = []  # and whether it is a word
        position = 0
        while text[position:].strip():
            match = TOKEN.match(text, position)
            if match is None:
                self.fail("a quotation mark is not closed or stands within a word")
            quoted, sign, plain = match.groups()
            word = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else plain
            self._tokens.append((sign, False) if sign else (word, True))
            position = match.end()
        self._at = 0

    def fail(self, why: str) -> NoReturn:
        raise OptionError(f"cannot read the question '{self._text}': {why}. Write it as {FORMS}.")

    def at(self, sign: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at] == (sign, sign == "*")

    def skip(self, sign: str) -> bool:
        found = self.at(sign)
        self._at += found
        return found

    def expect(self, sign: str) -> None:
        if not self.skip(sign):
            shown = f"'{self._tokens[self._at][0]}'" if self._at < len(self._tokens) else "its end"
            self.fail(f"'{sign}' is missing before {shown}")

    def word(self, what: str) -> str:
        if self._at == len(self._tokens) or not self._tokens[self._at][1]:
            shown = f"'{self._tokens[self._at][0]}'" if self._at < len(self._tokens) else "its end"
            self.fail(f"{what} is missing before {shown}")
        self._at += 1
        return self._tokens[self._at - 1][0]

    def terms(self, *ends: str) -> list[tuple[str, str | None]]:
        found: list[tuple[str, str | None]] = []
        while True:
            name = self.word("a variable")
            found.append((name, self.word(f"a state of '{name}'") if self.skip("=") else None))
            if any(self.at(end) for end in ends):
                return found
            if not self.skip(","):
                shown = f"'{self._tokens[self._at][0]}'" if self._at < len(self._tokens) else "its end"
                self.fail(f"a comma or {' or '.join(repr(end) for end in ends)} is missing before {shown}")

    def end(self) -> None:
        self.expect(")")
        if self._at < len(self._tokens):
            self.fail(f"'{self._tokens[self._at][0]}' follows the closing parenthesis")


def _as_evidence(reader: _Reader, terms: list[tuple[str, str | None]]) -> dict[str, str]:
    evidence: dict[str, str] = {}
    for name, state in terms:
        if state is None:
            reader.fail(f"the evidence needs a state of '{name}', as in {name}=a")
        if name in evidence:
            reader.fail(f"the evidence names '{name}' twice")
        evidence[name] = state
    return evidence
