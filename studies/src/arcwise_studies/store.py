"""`Store`: a study's plan and the outcomes of its cells, in one DuckDB file.

The file is opened for each reading or writing and closed again. DuckDB lets either one process write or many read, so
this is what makes `status` and `summarize` possible while a run is under way. Outcomes are written in batches, one
transaction each: after `kill -9` the file holds every batch that was written, whole.

| table | one row per | columns |
|---|---|---|
| study | key | key, value: format, name, digest, content (JSON), version, created |
| cells | planned cell | id, position, experiment, parameters (JSON) |
| outcomes | cell with an outcome | id, status, message, seconds, run, written, rows (JSON) |
| runs | call of `run_study` | run, started, ended, version, workers, status |

A store may come from somebody else. A DuckDB file can hold more than tables: a view or a macro is SQL, and SQL reads
files. So every connection is closed to anything outside the store, and a store that holds anything but these tables,
with these columns, is refused before anything is asked of it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.base.arrays import CLOSED
from arcwise.base.files import atomic_write, parse_json, temporary_folder
from arcwise.base.run import Run
from arcwise.errors import ConfigError, FormatError
from arcwise_studies.config import Study
from arcwise_studies.outcome import Outcome
from arcwise_studies.plan import Cell

if TYPE_CHECKING:
    import duckdb

__all__ = ["Store", "StoreBusyError"]

FORMAT = "arcwise study 1"
# How long to wait for another process that has the file open.
PATIENCE_SECONDS = 60.0
# Of a plan: how many are written between two looks at the clock.
CELLS_PER_LOOK = 10_000
# What DuckDB says of a file that another process, or another thread of this one, has open.
BUSY = ("Could not set lock", "different configuration", "already attached", "Resource In Use")
# The objects of a file that are no plain tables; each query returns their names.
FOREIGN = (
    "SELECT view_name FROM duckdb_views() WHERE NOT internal",
    "SELECT function_name FROM duckdb_functions() WHERE NOT internal",
    "SELECT sequence_name FROM duckdb_sequences()",
    "SELECT table_name FROM duckdb_tables() WHERE temporary OR schema_name <> 'main'",
)
SCHEMA = """
CREATE TABLE study (key VARCHAR NOT NULL, value VARCHAR NOT NULL);
CREATE TABLE cells (id VARCHAR NOT NULL, position INTEGER, experiment VARCHAR, parameters VARCHAR);
CREATE TABLE outcomes (
    id VARCHAR PRIMARY KEY, status VARCHAR NOT NULL, message VARCHAR, seconds DOUBLE,
    run INTEGER, written TIMESTAMP, rows VARCHAR
);
CREATE TABLE runs (
    run INTEGER PRIMARY KEY, started TIMESTAMP, ended TIMESTAMP, version VARCHAR, workers VARCHAR, status VARCHAR
);
"""
# The columns of each table, as DuckDB lists them.
TABLES = {
    "study": [("key", "VARCHAR"), ("value", "VARCHAR")],
    "cells": [("id", "VARCHAR"), ("position", "INTEGER"), ("experiment", "VARCHAR"), ("parameters", "VARCHAR")],
    "outcomes": [
        ("id", "VARCHAR"),
        ("status", "VARCHAR"),
        ("message", "VARCHAR"),
        ("seconds", "DOUBLE"),
        ("run", "INTEGER"),
        ("written", "TIMESTAMP"),
        ("rows", "VARCHAR"),
    ],
    "runs": [
        ("run", "INTEGER"),
        ("started", "TIMESTAMP"),
        ("ended", "TIMESTAMP"),
        ("version", "VARCHAR"),
        ("workers", "VARCHAR"),
        ("status", "VARCHAR"),
    ],
}
# No statement may reach anything but the store, and none may change that.
CLOSED_STORE = {**CLOSED, "enable_external_access": "false", "lock_configuration": "true"}


class StoreBusyError(FormatError):
    """Another program has the store open."""


class _OutOfTime(Exception):  # noqa: N818 - a signal within this module
    """Raised inside a transaction, so that nothing of it stays."""


class Store:
    """The store of a study. Nothing is opened until something is read or written."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    @property
    def exists(self) -> bool:
        """Whether there is a file; an empty one, as a full disk leaves it, does not count."""
        try:
            return self.path.stat().st_size > 0
        except FileNotFoundError:
            return False

    def begin(
        self, study: Study, plan: Sequence[Cell], *, accept_changes: bool = False, deadline: Run | None = None
    ) -> bool:
        """Make the store, or check that it is this study's; with `accept_changes` it becomes this study's.

        Outcomes stay in any case: those of cells that are in the new plan too count for it. False if the time was over
        before the plan was written: then all is as it was.
        """
        clock = Run.of(deadline)
        try:
            self._begin(study, plan, accept_changes, clock)
        except _OutOfTime:
            return False
        return True

    def _begin(self, study: Study, plan: Sequence[Cell], accept_changes: bool, deadline: Run) -> None:
        if not self.exists:
            self._make(study, plan, deadline)
            return
        with self._open(write=True) as connection:
            connection.execute("BEGIN TRANSACTION")
            known = self._facts(connection)
            if known.get("digest") != study.digest:
                if not accept_changes:
                    raise ConfigError(self._changed(self._content(known), study))
                self._write_plan(connection, study, plan, deadline)
            connection.execute("COMMIT")

    def _make(self, study: Study, plan: Sequence[Cell], deadline: Run) -> None:
        """Make the store under another name: a full disk leaves no half of one that would then be refused."""
        import duckdb

        with atomic_write(self.path) as file, temporary_folder(self.path) as folder:
            part = Store(folder / "store.duckdb")
            try:
                with duckdb.connect(str(part.path), config=CLOSED_STORE) as connection:
                    connection.execute("BEGIN TRANSACTION")
                    connection.execute(SCHEMA)
                    part._write_plan(connection, study, plan, deadline)
                    connection.execute("COMMIT")
            except duckdb.Error as error:
                raise FormatError(f"cannot write {self.path}: {_first_line(error)}") from error
            with part.path.open("rb") as whole:
                shutil.copyfileobj(whole, file, 2**20)

    def begin_run(self, workers: str) -> int:
        """Note that a run starts; return its number."""
        with self._open(write=True) as connection:
            (run,) = _one(connection, "SELECT coalesce(max(run), 0) + 1 FROM runs")
            connection.execute(
                "INSERT INTO runs VALUES (?, now()::TIMESTAMP, NULL, ?, ?, 'running')", [run, _version(), workers]
            )
        return int(run)

    def end_run(self, run: int, status: str) -> None:
        """Note how a run ended."""
        with self._open(write=True) as connection:
            connection.execute("UPDATE runs SET ended = now()::TIMESTAMP, status = ? WHERE run = ?", [status, run])

    def append(self, outcomes: Sequence[Outcome], run: int, *, patience: float = PATIENCE_SECONDS) -> None:
        """Write outcomes in one transaction. A cell that is finished stays as it is.

        If another program has the file open for longer than `patience` (seconds), nothing is written and
        `StoreBusyError` raised.
        """
        if not outcomes:
            return
        kinds = ("VARCHAR", "VARCHAR", "VARCHAR", "DOUBLE", "VARCHAR")
        columns = [[getattr(o, name) for o in outcomes] for name in ("id", "status", "message", "seconds", "rows")]
        unnested = [f"unnest(?::{kind}[])" for kind in kinds]
        replaced = ("status", "message", "seconds", "run", "written", "rows")
        with self._open(write=True, patience=patience) as connection:
            connection.execute(
                f"INSERT INTO outcomes SELECT {', '.join(unnested[:4])}, {int(run)}, now()::TIMESTAMP, {unnested[4]} "
                f"ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = EXCLUDED.{name}' for name in replaced)} "
                "WHERE outcomes.status <> 'finished'",
                columns,
            )

    def statuses(self) -> dict[str, str]:
        """Return the status of every cell that has an outcome, planned or not."""
        with self._open() as connection:
            return dict(connection.execute("SELECT id, status FROM outcomes").fetchall())

    def facts(self) -> dict[str, str]:
        """Return what the store says of its study: name, digest, content, version, created."""
        with self._open() as connection:
            return self._facts(connection)

    def study(self) -> Study:
        """Return the study whose store this is."""
        return Study.from_content(self._content(self.facts()), source=str(self.path))

    def _content(self, facts: dict[str, str]) -> dict[str, Any]:
        content = parse_json(facts.get("content", ""), source=f"{self.path}: the study")
        if not isinstance(content, dict):
            raise FormatError(f"{self.path}: the study in the store is no table; the store was edited.")
        return content

    def runs(self) -> list[dict[str, Any]]:
        """Return the runs so far."""
        with self._open() as connection:
            cursor = connection.execute("SELECT * FROM runs ORDER BY run")
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def cells(self, *, rows: bool = True) -> list[tuple[Any, ...]]:
        """Return (id, experiment, parameters, status, message, seconds, rows) of every planned cell, in order.

        Without `rows` that column, by far the largest, is not read and empty.
        """
        content = "coalesce(o.rows, '[]')" if rows else "'[]'"
        with self._open() as connection:
            return connection.execute(
                "SELECT c.id, c.experiment, c.parameters, coalesce(o.status, 'pending'), coalesce(o.message, ''), "
                f"o.seconds, {content} FROM cells c LEFT JOIN outcomes o USING (id) ORDER BY c.position"
            ).fetchall()

    @contextlib.contextmanager
    def _open(self, *, write: bool = False, patience: float = PATIENCE_SECONDS) -> Iterator[duckdb.DuckDBPyConnection]:
        import duckdb

        if not write and not self.exists:
            raise FormatError(f"there is no store {self.path}; `arcwise study run` makes one.")
        connection = self._connect(write, patience)
        try:
            self._check_tables(connection)
            yield connection
        except duckdb.Error as error:
            raise FormatError(f"{self.path}: the store cannot be used: {_first_line(error)}") from error
        finally:
            connection.close()

    def _connect(self, write: bool, patience: float) -> duckdb.DuckDBPyConnection:
        import duckdb

        end = time.monotonic() + patience
        while True:
            try:
                return duckdb.connect(str(self.path), read_only=not write, config=CLOSED_STORE)
            except duckdb.OutOfMemoryException as error:
                raise MemoryError(f"{self.path} cannot be opened: {_first_line(error)}") from error
            except duckdb.Error as error:
                reason = _first_line(error)
                is_busy = any(sign in reason for sign in BUSY)
                if not is_busy:
                    raise FormatError(f"{self.path} is not a store of a study: {reason}") from error
                if time.monotonic() > end:
                    raise StoreBusyError(f"{self.path} is held open by another program: {reason}") from error
                time.sleep(0.05)

    def _check_tables(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Refuse a file that holds anything but the tables of a store, as `SCHEMA` makes them."""
        for query in FOREIGN:
            found = connection.execute(query).fetchone()
            if found is not None:
                raise FormatError(
                    f"{self.path} holds '{found[0]}', which is no table of a study's store: it could run SQL of its "
                    "own. Do not use this file."
                )
        columns: dict[str, list[tuple[str, str]]] = {}
        for table, column, kind, default in connection.execute(
            "SELECT table_name, column_name, data_type, column_default FROM duckdb_columns() WHERE NOT internal "
            "ORDER BY table_name, column_index"
        ).fetchall():
            columns.setdefault(table, []).append((column, kind if default is None else f"{kind} with a default"))
        if columns != TABLES:
            raise FormatError(f"{self.path} is a DuckDB file, but not a store of a study. Give another file.")

    def _facts(self, connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
        facts = dict(connection.execute("SELECT key, value FROM study").fetchall())
        if facts.get("format") != FORMAT or not {"name", "digest", "content", "version", "created"} <= facts.keys():
            raise FormatError(f"{self.path} is a DuckDB file, but not a store of a study. Give another file.")
        return facts

    def _write_plan(
        self, connection: duckdb.DuckDBPyConnection, study: Study, plan: Sequence[Cell], deadline: Run
    ) -> None:
        facts = {
            "format": FORMAT,
            "name": study.name,
            "digest": study.digest,
            "content": json.dumps(study.content),
            "version": _version(),
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        connection.execute("DELETE FROM study")
        connection.execute("DELETE FROM cells")
        connection.execute(
            "INSERT INTO study SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[])",
            [list(facts), list(facts.values())],
        )
        for first in range(0, len(plan), CELLS_PER_LOOK):
            if deadline.is_over:
                raise _OutOfTime
            part = plan[first : first + CELLS_PER_LOOK]
            connection.execute(
                "INSERT INTO cells SELECT unnest(?::VARCHAR[]), unnest(?::INTEGER[]), unnest(?::VARCHAR[]), "
                "unnest(?::VARCHAR[])",
                [
                    [cell.id for cell in part],
                    list(range(first, first + len(part))),
                    [cell.experiment for cell in part],
                    [json.dumps(cell.parameters) for cell in part],
                ],
            )

    def _changed(self, known: dict[str, Any], study: Study) -> str:
        """Return what differs between the study of the store and the one that is to be run."""
        old, new = _flat(known), _flat(study.content)
        differing = [key for key in {**old, **new} if old.get(key) != new.get(key)]
        listed = "; ".join(f"{key}: {_brief(old.get(key))} there, {_brief(new.get(key))} here" for key in differing[:4])
        more = f"; and {len(differing) - 4} more" if len(differing) > 4 else ""
        return (
            f"{self.path} holds another study, or this one's configuration has changed since it was started: {listed}"
            f"{more}. Undo the change, give another --store, or resume with --accept-changes (finished cells that the "
            "change does not touch are kept)."
        )


def _flat(content: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in content.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


def _brief(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]


def _one(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    row = connection.execute(query).fetchone()
    assert row is not None
    return tuple(row)


def _version() -> str:
    from importlib.metadata import version

    return version("arcwise")
