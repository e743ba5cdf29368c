"""Little address space: every call ends with its result, a status, or MemoryError, whatever the number of threads."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arcwise.base.machine import address_space_left, available_memory, describe_memory
from arcwise.base.options import MOST_THREADS
from arcwise.data import Dataset
from arcwise.ensemble import exact_posterior
from arcwise.errors import OptionError
from arcwise.exact import find_optimal
from arcwise.graph import Dag
from arcwise.model import fit_parameters
from arcwise.parent_sets import build_parent_sets
from arcwise.priors import Learning

# In processes of their own: after the imports, so much more address space is allowed and no more. What a call needs of
# it for its threads, its tables or its exceptions differs from limit to limit.
CHILD = """
import os, resource, sys, traceback
import numpy as np
from pathlib import Path
from arcwise.data import Dataset
from arcwise.ensemble import bootstrap_networks, exact_posterior
from arcwise.exact import find_optimal
from arcwise.limits import Limits
from arcwise.model import fit_parameters
from arcwise.parent_sets import build_parent_sets
from arcwise.priors import Learning, ess_path

call = sys.argv[1]
rng = np.random.default_rng(1)
n = 13
codes = rng.integers(0, 3, (1000, n))
codes[:, 1::2] = np.where(rng.random((1000, n // 2)) < 0.7, codes[:, : n - 1 : 2], codes[:, 1::2])
data = Dataset.from_codes(codes, names=[f"v{k}" for k in range(n)], states=[["a", "b", "c"]] * n)
memory = Limits(memory_bytes=2**40)  # not a limit of arcwise's own
small = Dataset.from_codes(codes[:20, :3], names=["a", "b", "c"], states=[["a", "b", "c"]] * 3)
# What is imported late is imported now.
find_optimal(build_parent_sets(small, "bic", threads=2, progress=False), method="dp")
bootstrap_networks(small, replicates=4, seed=1, workers=2, backend="threads", progress=False)
ess_path(small, ess=[1.0])
if call == "optimum":
    table = build_parent_sets(data, "bic", slack=30.0)
if call == "sample":
    network = fit_parameters(find_optimal(build_parent_sets(data, "bic")).dag, data)
if call == "posterior":
    table = build_parent_sets(data, "bdeu", slack=float("inf"), max_parents=3)


def attempt(megabytes):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = used + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    if call == "table":
        build_parent_sets(data, "bdeu", slack=40.0, threads=4, limits=memory)
    elif call == "optimum":
        find_optimal(table, method="dp", threads=4)
    elif call == "sample":
        network.log_likelihood(network.sample(50_000, seed=1, threads=4), threads=4)
    elif call == "posterior":
        exact_posterior(table, threads=4, limits=memory)
    elif call == "bootstrap":
        bootstrap_networks(data, replicates=50, seed=1, workers=4, backend="threads", progress=False)
    elif call == "path":
        ess_path(data, ess=[1.0, 2.0], learning=Learning(threads=4, limits=memory))


for megabytes in (1, 6, 12, 24, 40, 80, 150, 2000):
    child = os.fork()
    if child == 0:
        try:
            attempt(megabytes)
            os._exit(10)
        except MemoryError:
            os._exit(20)
        except BaseException:
            traceback.print_exc()
            os._exit(30)
    print(megabytes, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.mark.parametrize("call", ["table", "optimum", "sample", "posterior", "bootstrap", "path"])
def test_calls_with_threads_in_little_address_space(call: str) -> None:
    done = subprocess.run([sys.executable, "-c", CHILD, call], capture_output=True, text=True, check=True, timeout=200)
    outcomes = dict(map(int, line.split()) for line in done.stdout.splitlines())
    assert len(outcomes) == 8
    assert set(outcomes.values()) <= {10, 20}, f"{outcomes} {done.stderr[-1000:]}"  # done, or MemoryError
    assert outcomes[2000] == 10


@pytest.mark.parametrize("megabytes", [150, 350, 1000])
def test_the_program_refuses_what_it_cannot_start_in(megabytes: int) -> None:
    def narrow() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    done = subprocess.run(
        [sys.executable, "-m", "arcwise.cli", "learn", "missing.csv"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=narrow,
        timeout=60,
    )
    assert done.returncode == 1
    assert "MB of address space" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_limit_of_address_space_is_a_limit_of_memory() -> None:
    assert available_memory() is not None
    code = (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
        "from arcwise.base.machine import address_space_left, available_memory, describe_memory\n"
        "left = address_space_left()\n"
        "assert 1 << 30 < left < 3 << 30, left\n"
        "assert available_memory() <= left * 3 // 4\n"
        "assert 'ulimit -v' in describe_memory()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        assert address_space_left() is None
    assert "MB of address space" in describe_memory()


@pytest.mark.parametrize("threads", [2**31, 2**63, MOST_THREADS + 1, 0, -1])
def test_numbers_of_threads_are_bounded(tmp_path: Path, threads: int) -> None:
    codes = np.random.default_rng(1).integers(0, 2, (40, 3))
    data = Dataset.from_codes(codes, names=["a", "b", "c"], states=[["x", "y"]] * 3)
    table = build_parent_sets(data, "bdeu", slack=float("inf"))
    network = fit_parameters(Dag(data.names, [[], [0], []]), data)
    calls = (
        lambda: build_parent_sets(data, "bic", threads=threads),
        lambda: find_optimal(table, threads=threads),
        lambda: exact_posterior(table, threads=threads),
        lambda: network.sample(10, seed=1, threads=threads),
        lambda: network.log_likelihood(data, threads=threads),
        lambda: network.query("a", {"b": "x"}, threads=threads),
        lambda: Learning(threads=threads),
    )
    for call in calls:
        with pytest.raises(OptionError, match="threads"):
            call()
