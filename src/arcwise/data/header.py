"""The names of columns, where the header has none or repeats one."""

from __future__ import annotations

__all__ = ["completed_header"]


def completed_header(fields: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return a name for every column, and for those that got it here the reason: empty fields, and repeated names.

    pandas writes its index under an empty name, and joins of two tables repeat names.

    >>> completed_header(["", "age", "age"])
    (['column 1', 'age', 'age (2)'], {'column 1': 'its header is empty', 'age (2)': "column 2 is called 'age', too"})
    """
    names: list[str] = []
    renamed: dict[str, str] = {}
    taken = set(fields)
    for position, own in enumerate(fields, start=1):
        if own and own not in names:
            names.append(own)
            continue
        base, number = (own, names.count(own) + 1) if own else ("column", position)
        spelled = f"{base} ({number})" if own else f"{base} {number}"
        while spelled in taken or spelled in names:
            number += 1
            spelled = f"{base} ({number})"
        names.append(spelled)
        reason = f"column {fields.index(own) + 1} is called '{own}', too" if own else "its header is empty"
        renamed[spelled] = reason
    return names, renamed
