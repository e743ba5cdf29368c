"""What all tests share: the reference data folder, and Hypothesis profiles."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci")

# A shell starts what it puts in the background with Ctrl-C ignored, and every child inherits that; the tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data beside the checkout; tests that need it are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"reference data not found at {SHARED}: this test compares with published results")
    return SHARED


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
