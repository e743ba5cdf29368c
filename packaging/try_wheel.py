"""Try a wheel as a new user would: an empty environment, no compiler, the newest or the lowest versions of everything.

    python packaging/try_wheel.py dist/arcwise-0.2.0-cp311-....whl --python python3.11 --lowest

The lowest versions are those that pyproject.toml allows for the Python in question. Prints what a user waits for: size,
CPU seconds to import and to --help.
packaging/install_figures.py measures the parts.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """
import json, sys, time
begin = time.process_time()
import arcwise
after = time.process_time()
HEAVY = ("pandas", "scipy", "sklearn", "matplotlib", "networkx", "duckdb", "highspy")
loaded = [name for name in HEAVY if name in sys.modules]
import random
rows = [[str(random.Random(k).randrange(2)), str(k % 3), str(k % 2)] for k in range(90)]
data = arcwise.Dataset.from_codes([[int(value) for value in row] for row in rows], names=["a", "b", "c"])
found = arcwise.hill_climb(data, progress=False)
climbed = [name for name in HEAVY if name in sys.modules]
network = arcwise.fit_parameters(found.dag, data)
network.write("small.xdsl")
assert arcwise.BayesianNetwork.read("small.xdsl") == network
print(json.dumps({"import": after - begin, "loaded": loaded, "climbed": climbed, "arcs": len(found.dag.arcs)}))
"""


def lowest() -> list[str]:
    """Return every dependency at its lowest version: of >=1.26 the releases 1.26.*, for the same Pythons."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = []
    for text in project["dependencies"]:
        requirement, _, pythons = text.partition(";")
        wanted.append(f"{requirement.replace('>=', '==')}.*{';' if pythons else ''}{pythons}")
    return wanted


def main() -> int:
    """Install and try; the exit code is that of what failed."""
    parser = argparse.ArgumentParser(prog="python packaging/try_wheel.py", description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--lowest", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([str(options.python), "-m", "venv", str(folder / "new")], check=True)
        binaries = folder / "new" / "bin"
        pip = [str(binaries / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        before = size(folder / "new")
        wanted = lowest() if options.lowest else []
        subprocess.run([*pip, "--only-binary", ":all:", str(options.wheel.resolve()), *wanted], check=True)
        installed = size(folder / "new") - before

        def plain(*command: str) -> str:
            # As `env -i` would, in an empty folder: nothing of this machine's settings, and no compiler on PATH.
            environment = {"PATH": str(binaries), "HOME": str(folder), "LC_ALL": "C.UTF-8"}
            work = folder / "work"
            work.mkdir(exist_ok=True)
            found = subprocess.run(command, env=environment, cwd=work, capture_output=True, text=True, check=False)
            if found.returncode not in (0, 3):  # 3: a busy machine met the limit of time; what is written is valid
                raise SystemExit(f"{' '.join(command)} ended with {found.returncode}:\n{found.stdout}{found.stderr}")
            return found.stdout

        plain("python", "-c", PROGRAM)  # makes byte code
        facts = json.loads(plain("python", "-c", PROGRAM))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        plain("arcwise", "--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        facts["help"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        plain("python", "-c", "from arcwise import datasets; datasets.load('iris').to_file('iris.csv')")
        if "Report: demo-output/report.html" not in plain("arcwise", "demo"):
            raise SystemExit("the demo does not say where its report is")
        plain("arcwise", "learn", "iris.csv", "-o", "answer", "--quiet")
        plain("arcwise", "search", "iris.csv", "--quiet", "-o", "iris.txt")
        plain("arcwise", "fit", "iris.txt", "iris.csv", "-o", "iris.net", "--quiet")
        plain("arcwise", "query", "iris.net", "P(species)")
        if not (folder / "work" / "answer" / "report.html").stat().st_size:
            raise SystemExit("learn wrote an empty report")
    kind = "lowest" if options.lowest else "newest"
    print(
        f"{options.wheel.name}, {kind} versions: {installed / 1e6:.0f} MB installed, import {facts['import']:.2f} s "
        f"(then loaded: {', '.join(facts['loaded']) or 'nothing heavy'}; after hill_climb: "
        f"{', '.join(facts['climbed']) or 'nothing heavy'}), --help {facts['help']:.2f} s"
    )
    return 0


def size(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


if __name__ == "__main__":
    sys.exit(main())
