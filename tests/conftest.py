"""What all tests share: published networks and data, and Hypothesis profiles."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The examples are the same each time. `ci` has them all (HYPOTHESIS_PROFILE=ci); `dev` has the first of them.
settings.register_profile("ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", settings.get_profile("ci"), max_examples=20)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "dev")
settings.load_profile(PROFILE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Apply the profile `dev` to tests that ask for a number of examples of their own, too."""
    if PROFILE == "dev":
        for item in items:
            test = getattr(getattr(item, "obj", None), "__func__", getattr(item, "obj", None))
            own = getattr(test, "_hypothesis_internal_use_settings", None)
            if own is not None:
                few = min(own.max_examples, settings.default.max_examples)
                test._hypothesis_internal_use_settings = settings(own, max_examples=few)


# A shell starts what it puts in the background with Ctrl-C ignored, and every child inherits that; the tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
NETWORKS = (ROOT / "build" / "networks", SHARED / "data" / "networks")
MISSING = "NO REFERENCE DATA"


@pytest.fixture(scope="session")
def networks() -> Path:
    """The folder of the bnlearn repository's networks, `NAME.bif.gz`."""
    folder = next((folder for folder in NETWORKS if folder.is_dir()), None)
    return folder or pytest.skip(f"{MISSING}: no published networks in {NETWORKS[0]}; `make networks` downloads them")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data beside the checkout, which nobody can download; without it, tests are skipped."""
    if not SHARED.is_dir():
        pytest.skip(f"{MISSING}: {SHARED} is not there, and this test compares with published results")
    return SHARED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many comparisons with published results were left out."""
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if MISSING in str(report.longrepr)]
    if skipped:
        terminalreporter.write_line(f"{MISSING}: {len(skipped)} tests were skipped for want of it", yellow=True)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Run the command line in this process: `cli(*arguments, code=0)` returns stdout, or stderr if code is not 0."""
    from arcwise.cli.main import main

    def run(*arguments: object, code: int = 0) -> str:
        monkeypatch.setattr("sys.argv", ["arcwise", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ending:
            main()
        printed = capsys.readouterr()
        assert (ending.value.code or 0) == code, printed.err
        return printed.out if code == 0 else printed.err

    return run
