"""Tables of several scores from one pass over the data.

Counting is most of the work of a table with a limit of parents, and does not depend on the score. So who will need
tables of the same data with several scores says so beforehand, and the first that asks has all of them built.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from arcwise.limits import Status
from arcwise.parent_sets import ParentSetTable, build_parent_set_tables

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.deadline import Deadline
    from arcwise.ensemble.recipe import Recipe, Run

__all__ = ["SharedTables", "tables_of"]


class SharedTables:
    """The tables that some recipes will ask for, built together where they differ in their score alone.

    Each is handed out once and then let go. If memory is too short for all, each is built for itself.
    """

    def __init__(self) -> None:
        self._waiting: list[Recipe] = []
        self._data: Dataset | None = None
        self._built: list[tuple[Recipe, ParentSetTable]] = []

    def expect(self, recipes: Iterable[Recipe]) -> None:
        """Say that these recipes will be carried out."""
        self._waiting = list(recipes)

    def take(self, recipe: Recipe, data: Dataset, run: Run, slack: float, deadline: Deadline) -> ParentSetTable | None:
        """Return the table of a recipe, built now or before; None if it is not shared with any other."""
        if not self._built and not self._build(recipe, data, run, slack, deadline):
            return None
        for place, (of, table) in enumerate(self._built):
            if of == recipe and data is self._data and table.slack >= slack:
                del self._built[place]
                return table
        return None

    def _build(self, recipe: Recipe, data: Dataset, run: Run, slack: float, deadline: Deadline) -> bool:
        together = [one for one in self._waiting if _is_like(one, recipe)]
        if recipe not in together:
            return False
        self._waiting = [one for one in self._waiting if one not in together]
        if len(together) < 2:
            return False
        tables = tables_of(together, data, run, slack, deadline)
        if any(table.status is Status.MEMORY_LIMIT for table in tables):
            return False
        made = list(zip(together, tables, strict=True))
        # What the time or Ctrl-C cut short is for the one that asked; the others may have time of their own.
        is_whole = all(table.status is Status.COMPLETE for table in tables)
        self._data, self._built = data, made if is_whole else [one for one in made if one[0] == recipe]
        return True


def tables_of(
    recipes: Sequence[Recipe], data: Dataset, run: Run, slack: float, deadline: Deadline
) -> list[ParentSetTable]:
    """Score the parent sets that a network within the slack can have, for recipes that differ in their score alone."""
    first = recipes[0]
    return build_parent_set_tables(
        data,
        [one.scorer for one in recipes],
        slack=slack,
        max_parents=first.max_parents,
        constraints=first.constraints_on(data.names),
        threads=run.threads,
        cluster=run.cluster,
        limits=deadline.uncounted,
        progress=run.progress,
    )


def _is_like(one: Recipe, other: Recipe) -> bool:
    """Return whether two recipes need tables of the same families."""
    return (
        one.source == other.source
        and one.max_parents == other.max_parents
        and one.settings == other.settings
        and one.constraints == other.constraints
    )
