"""Labels that are one label in several spellings: "Yes" and "yes", "New  York" and "new york", "Zürich", "Zurich"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from arcwise.audit.finding import Finding, Kind, Repair, Severity
from arcwise.data import Column, Table
from arcwise.mentions import Argument

__all__ = ["find_spellings", "folded"]

SINGLE = "ynjmfwdt"  # yes, no, ja; male, female, weiblich, divers; true
# Between letters, with or without blanks: "full-time", "full - time"; in "1-2" it is a range.
_HYPHEN = re.compile(r"(?<=[^\W\d])\s*-\s*(?=[^\W\d])")


def folded(label: str) -> str:
    """Return a label without what spellings differ in: case, accents, blanks, hyphens, underscores, a full stop.

    A hyphen joins words; before a number or behind a grade it means something.

    >>> folded("  Sao_Paulo "), folded("são-paulo."), folded("AB-"), folded("-0.5")
    ('sao paulo', 'sao paulo', 'ab-', '-0.5')
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", label) if not unicodedata.combining(c))
    return " ".join(_HYPHEN.sub(" ", plain.casefold().replace("_", " ")).rstrip(".").split())


def find_spellings(table: Table) -> Iterable[Finding]:
    """Yield, for every column of words, the labels to join; each group takes its most frequent spelling."""
    for column in table.columns:
        if column.declared or column.numbers is not None:
            continue
        joined = _joined(column)
        if not joined:
            continue
        groups = _groups(column, joined)
        shown = "; ".join(" = ".join(f"'{label}'" for label in group) for group in groups[:3])
        more = f" and {len(groups) - 3} more" if len(groups) > 3 else ""
        yield Finding(
            Kind.SPELLING,
            Severity.MISLEADS,
            (column.name,),
            f"column '{column.name}' has the same label in several spellings: {shown}{more}",
            "they differ in case, blanks or accents alone",
            "take each for one state, in its most frequent spelling",
            Argument("agree", True),
            Repair(
                lambda table, name=column.name, joined=joined: table.with_columns([table.column(name).relabel(joined)]),  # type: ignore[misc]
                f"Joined spellings in column '{column.name}': {shown}{more}.",
            ),
        )


def _joined(column: Column) -> dict[str, str]:
    """Return the spellings that change, each with the one it becomes; single letters may differ by case on purpose."""
    by_key: dict[str, list[int]] = {}
    for code, label in enumerate(column.labels):
        by_key.setdefault(folded(label), []).append(code)
    counts = column.counts()
    joined: dict[str, str] = {}
    for key, codes in by_key.items():
        if len(codes) < 2 or not key or (len(key) == 1 and key not in SINGLE):
            continue
        best = min(codes, key=lambda code: (-int(counts[code]), column.labels[code]))
        joined |= {column.labels[code]: column.labels[best] for code in codes if code != best}
    return joined


def _groups(column: Column, joined: dict[str, str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for label, best in joined.items():
        groups.setdefault(best, [best]).append(label)
    return list(groups.values())
