# symrnn: `make help` lists the targets. PYTHON chooses the interpreter, VENV the environment it makes,
# WORKERS how many tests run at once.

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
RUN = $(VENV)/bin/python

.DEFAULT_GOAL := help
.PHONY: help report test fast mutants fuzz bench lint clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST)

report: $(VENV)/installed ## regenerate reports/ from derivations/
	$(RUN) -m symrnn report

test: $(VENV)/installed ## run all tests
	$(RUN) -m pytest -q -n $(WORKERS) --dist worksteal

fast: $(VENV)/installed ## run the tests that are not marked slow
	$(RUN) -m pytest -q -n $(WORKERS) --dist worksteal -m "not slow"

mutants: $(VENV)/installed ## judge every mutant of every true identity (some minutes)
	SYMRNN_MUTANTS=all $(RUN) -m pytest -q tests/test_mutants.py

fuzz: $(VENV)/installed ## read 100000 mutated documents and formulas, and print and read back trees (an hour)
	SYMRNN_FUZZ=50 $(RUN) -m pytest -q -n $(WORKERS) tests/read/test_read_fuzz.py tests/read/test_read_round_trip.py

bench: $(VENV)/installed ## time symrnn against SymPy and print the ratios
	$(RUN) -m bench

lint: $(VENV)/installed ## check style and types
	$(RUN) -m ruff check symrnn tests bench docs
	$(RUN) -m mypy

clean: ## remove the environment and the caches
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/installed: pyproject.toml
	@command -v "$(PYTHON)" >/dev/null || { \
	  echo "$(PYTHON) was not found. Name a Python 3.11 or newer: make $(or $(MAKECMDGOALS),test) PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "symrnn needs Python 3.11 or newer; $(PYTHON) is $$("$(PYTHON)" --version 2>&1). Name another: make $(or $(MAKECMDGOALS),test) PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "$(PYTHON) has no venv module. Debian and Ubuntu install it with: apt install python3-venv" >&2; exit 1; }
	@echo "installing into $(VENV) (a minute or two the first time) ..." >&2
	@"$(PYTHON)" -m venv --clear "$(VENV)"
	@"$(RUN)" -m pip install -q --disable-pip-version-check -e '.[dev]'
	@touch "$@"
