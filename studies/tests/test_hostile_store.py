"""Stores from somebody else: no SQL of theirs is run, and nothing but an error of ours comes of what they hold."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from arcwise.errors import ArcwiseError, ConfigError, FormatError
from arcwise_studies import export_rows, plan_study, read_study, run_study, study_status, summarize_study
from arcwise_studies.store import CLOSED_STORE, SCHEMA, TABLES, Store


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    (folder / "tiny.toml").write_text("[experiments.overhead]\ncells = 2\n")
    run_study(read_study(folder / "tiny.toml"), folder / "tiny.duckdb", progress=False)
    return folder / "tiny.duckdb"


@pytest.fixture
def evil(done: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(done, tmp_path / "evil.duckdb"))


VIEW = """
CREATE TABLE o2 AS SELECT * FROM outcomes; DROP TABLE outcomes;
CREATE VIEW outcomes AS SELECT id, 'finished' AS status, message, seconds, run, written,
  '[{"value":' || to_json((SELECT content FROM read_text('SECRET'))) || '}]' AS rows FROM o2
"""


@pytest.mark.parametrize(
    "change",
    [
        VIEW,
        "CREATE VIEW more AS SELECT * FROM read_text('SECRET')",
        "CREATE MACRO coalesce(a, b) AS 'x'",
        "CREATE MACRO reads() AS TABLE SELECT * FROM read_text('SECRET')",
        "CREATE TABLE more (a INTEGER)",
        "CREATE SCHEMA other; CREATE TABLE other.outcomes (a INTEGER)",
        "ALTER TABLE outcomes ADD COLUMN more VARCHAR",
        "CREATE SEQUENCE numbers",
        "DROP TABLE runs",
    ],
)
def test_anything_but_the_tables_of_a_store_is_refused(evil: Path, change: str) -> None:
    secret = evil.with_name("secret.txt")
    secret.write_text("do not tell")
    with duckdb.connect(str(evil)) as connection:
        connection.execute(change.replace("SECRET", str(secret)))
    target = evil.with_name("rows.csv")
    study = read_study_of(evil)
    for use in (
        lambda: export_rows(evil, target),
        lambda: study_status(evil),
        lambda: summarize_study(evil),
        lambda: run_study(study, evil, progress=False),
        lambda: Store(evil).begin(study, plan_study(study), accept_changes=True),
    ):
        with pytest.raises(FormatError, match=r"no table of a study's store|not a store of a study"):
            use()
    assert not target.exists()


def read_study_of(path: Path) -> object:
    file = path.with_name("tiny.toml")
    file.write_text("[experiments.overhead]\ncells = 2\n")
    return read_study(file)


def test_no_statement_reaches_outside_a_store(done: Path) -> None:
    with duckdb.connect(str(done), read_only=True, config=CLOSED_STORE) as connection:
        for statement in (
            "SELECT * FROM read_text('/etc/hostname')",
            "COPY cells TO 'out.csv'",
            "ATTACH 'other.duckdb'",
            "SET enable_external_access = true",
            "INSTALL httpfs",
            "LOAD httpfs",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(statement)


def test_the_tables_are_those_of_the_schema() -> None:
    with duckdb.connect() as connection:
        connection.execute(SCHEMA)
        found: dict[str, list[tuple[str, str]]] = {}
        for table, column, kind in connection.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal "
            "ORDER BY table_name, column_index"
        ).fetchall():
            found.setdefault(table, []).append((column, kind))
    assert found == TABLES


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE study SET value = '[' WHERE key = 'content'",
        "UPDATE study SET value = repeat('[', 5000) WHERE key = 'content'",
        "UPDATE study SET value = '{}' WHERE key = 'content'",
        """UPDATE study SET value = replace(value, '"overhead"', '"nothing"') WHERE key = 'content'""",
        """UPDATE study SET value = replace(value, '"tiny"', '"../x"') WHERE key = 'content'""",
        "DELETE FROM study WHERE key = 'content'",
        "UPDATE cells SET parameters = '9'",
        "UPDATE cells SET parameters = repeat('[', 5000)",
        "UPDATE cells SET experiment = 'nothing'",
        "UPDATE outcomes SET rows = '[1]'",
        "UPDATE outcomes SET rows = '[{\"value\": []}]'",
        "UPDATE outcomes SET rows = '[{\"other\": 1}]'",
        "UPDATE outcomes SET rows = repeat('9', 5000)",
    ],
)
def test_an_edited_store_is_an_error_of_ours(evil: Path, change: str) -> None:
    with duckdb.connect(str(evil)) as connection:
        connection.execute(change)
    with pytest.raises(ArcwiseError):
        summarize_study(evil)


def test_an_empty_file_is_no_store_yet(done: Path, tmp_path: Path) -> None:
    """A full disk leaves such a file."""
    study = read_study_of(tmp_path / "x")
    (tmp_path / "x.duckdb").touch()
    assert run_study(study, tmp_path / "x.duckdb", progress=False).finished == 2  # type: ignore[arg-type]


def test_a_store_that_cannot_be_made_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = read_study_of(tmp_path / "x")

    def full(*_: object) -> None:
        raise duckdb.IOException("No space left on device")

    monkeypatch.setattr(Store, "_write_plan", full)
    with pytest.raises(FormatError, match=r"cannot write .*No space left on device"):
        Store(tmp_path / "x.duckdb").begin(study, plan_study(study))  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.toml"]


@pytest.mark.parametrize("name", ["../escaped", "/tmp/x", "a/b", ".hidden", "a\\\\b", "x\\u0000", "C:x", "x" * 101])
def test_a_name_that_leaves_the_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "s.toml").write_text(f'name = "{name}"\n[experiments.overhead]\ncells = 2\n')
    with pytest.raises(ConfigError, match="a study's name becomes a file name"):
        read_study(tmp_path / "s.toml")


def test_a_number_with_digits_too_many_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise_studies.plan.MOST_CELLS", 1_000)
    (tmp_path / "s.toml").write_text('[experiments.density]\ndata = ["tic-tac-toe"]\nsplits = 4294967296\n')
    with pytest.raises(ConfigError, match="more than 1,000 cells: is a number"):
        plan_study(read_study(tmp_path / "s.toml"))
