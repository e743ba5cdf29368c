"""Measure what an installation of a wheel takes, and print it as the tables of docs/benchmarks/install.md.

    python packaging/install_figures.py dist/arcwise-0.2.0-cp311-....whl --python python3.11

An empty environment with the newest versions, no settings of this machine, no compiler. Seconds are CPU seconds,
medians of seven runs with byte code there; MB are millions of bytes of files, byte code included.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = 7
SIZES = """
import json, importlib.metadata as metadata
from pathlib import Path
def size(found):
    paths = {Path(found.locate_file(file)).resolve() for file in found.files or ()}
    return sum(path.stat().st_size for path in paths if path.is_file())
print(json.dumps({found.metadata["Name"].lower(): size(found) for found in metadata.distributions()}))
"""
CLIMB = "import arcwise; arcwise.hill_climb(arcwise.read_data('iris.csv'), progress=False)"
LEARN = "import arcwise; arcwise.learn('iris.csv', seed=1, progress=False).save('answer-{number}')"
LOADED = "import sys, json; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
MODULES = {"scikit-learn": "sklearn"}


class Trial:
    """An environment with the wheel in it."""

    def __init__(self, folder: Path, python: Path, wheel: Path) -> None:
        self.folder, self.binaries, self.wheel = folder, folder / "new" / "bin", wheel.resolve()
        (folder / "work").mkdir()
        subprocess.run([str(python), "-m", "venv", str(folder / "new")], check=True)
        self.own = set(self.sizes())
        self.pip("install", "--only-binary", ":all:", str(self.wheel))

    def pip(self, *arguments: str) -> None:
        """Run pip."""
        command = [str(self.binaries / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
        subprocess.run(command, check=True)

    def run(self, *command: str) -> str:
        """Run a program as `env -i` would."""
        environment = {"PATH": str(self.binaries), "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        found = subprocess.run(
            command, env=environment, cwd=self.folder / "work", capture_output=True, text=True, check=True
        )
        return found.stdout

    def sizes(self) -> dict[str, int]:
        """Return the bytes of every distribution."""
        found: dict[str, int] = json.loads(self.run("python", "-c", SIZES))
        return found

    def loaded(self, program: str) -> set[str]:
        """Return the packages that a program loads."""
        return set(json.loads(self.run("python", "-c", f"{program}\n{LOADED}")))

    def seconds(self, *command: str) -> float:
        """Return the median of the CPU seconds that a command takes: what else the machine does plays no part."""
        taken = []
        for _ in range(RUNS):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.run(*command)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return statistics.median(taken)


def main() -> int:
    """Install, measure, print."""
    parser = argparse.ArgumentParser(prog="python packaging/install_figures.py", description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    options = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with tempfile.TemporaryDirectory() as name:
        trial = Trial(Path(name), options.python, options.wheel)
        trial.run("python", "-c", "from arcwise import datasets; datasets.load('iris').to_file('iris.csv')")
        program = {"import": "import arcwise", "climb": CLIMB, "learn": LEARN.format(number=1)}
        loaded = {key: trial.loaded(value) for key, value in program.items()}
        sizes = {key: value for key, value in trial.sizes().items() if key not in trial.own}
        print(f"wheel {options.wheel.stat().st_size / 1e6:.1f} MB, installed {sum(sizes.values()) / 1e6:.0f} MB")
        nothing = trial.seconds("python", "-c", "pass")
        print(f"python alone {nothing:.3f} s")
        print(f"import arcwise {trial.seconds('python', '-c', 'import arcwise'):.3f} s with Python itself")
        print(f"hill_climb {trial.seconds('python', '-c', CLIMB):.3f} s with Python itself")
        print(f"arcwise --help {trial.seconds('arcwise', '--help'):.3f} s")
        print("\n| package | MB | import arcwise | hill_climb | learn |\n|---|---|---|---|---|")
        for key, value in sorted(sizes.items(), key=lambda item: -item[1]):
            module = MODULES.get(key, key).replace("-", "_")
            when = (("yes" if module in loaded[stage] else "") for stage in ("import", "climb", "learn"))
            print(f"| {key} | {value / 1e6:.1f} | {' | '.join(when)} |")
        print("\n| extra | adds MB | packages |\n|---|---|---|")
        for extra in project["optional-dependencies"]:
            if extra in ("test", "lint", "docs", "peers"):
                continue
            trial.pip("install", "--only-binary", ":all:", f"{trial.wheel}[{extra}]")
            added = {key: value for key, value in trial.sizes().items() if key not in sizes and key not in trial.own}
            print(f"| {extra} | {sum(added.values()) / 1e6:.0f} | {', '.join(sorted(added))} |")
            trial.pip("uninstall", "--yes", *added)
    return 0


if __name__ == "__main__":
    sys.exit(main())
