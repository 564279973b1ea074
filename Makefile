# Two commands for everyone (demo, test), a few for developers; everything lives in .venv.
SHELL  := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

PYTHON ?= python3
# Workers of the tests: one a core, at most four (each takes about 2 GB), at least two, as one group waits for a server.
JOBS   ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n > 4 ? 4 : n < 2 ? 2 : n)))
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --disable-pip-version-check --no-input --constraint constraints.txt
INPUTS := pyproject.toml constraints.txt
# Tests start hundreds of Pythons: where this is set, each would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE
# What shares a server or a file stays on one worker; groups begin in the order of tests/conftest.py, the longest first.
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup --no-loadscope-reorder

.PHONY: help demo test quick coverage lint types docs format clean

help:
	@printf '%s\n' \
	  'make demo    install into .venv, load the sample, ask it questions (offline, no key)' \
	  'make test    install the test extras, run all tests (PYTEST_ARGS="-k name" narrows, JOBS=1 is calmer)' \
	  'make quick   what needs neither server nor browser and is not slow' \
	  'make coverage  as make test, and the share of lines and branches that was run' \
	  'make lint    ruff: rules and format' \
	  'make types   mypy --strict' \
	  'make docs    the documentation as a site in build/site' \
	  'make format  ruff: put the format right' \
	  'make clean   remove .venv and caches'

demo: $(VENV)/.stamp-run
	@$(BIN)/hydra-kg demo

test: $(VENV)/.stamp-test
	@$(PYTEST) --durations 20 $(PYTEST_ARGS)

quick: $(VENV)/.stamp-test
	@HYDRA_THOROUGH=$${HYDRA_THOROUGH:-0.25} $(PYTEST) -q -m 'not server and not slow' tests/unit tests/contract $(PYTEST_ARGS)

coverage: $(VENV)/.stamp-test
	@$(PYTEST) --durations 20 --cov --cov-report=term $(PYTEST_ARGS)

lint: $(VENV)/.stamp-test
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.stamp-test
	@$(BIN)/mypy

docs: $(VENV)/.stamp-docs
	@$(BIN)/proselint check --config docs/proselint.json *.md docs/*.md docs/*/*.md
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --site-dir build/site && echo 'built: build/site/index.html'

format: $(VENV)/.stamp-test
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

clean:
	rm -rf $(VENV) dist .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache

# The two checks before venv turn its half-made folder and long traceback into one line with a remedy.
$(VENV)/pyvenv.cfg:
	@printf '\n== 1/3 virtual environment in %s\n' '$(VENV)'
	@command -v $(PYTHON) >/dev/null || { \
	  echo 'There is no "$(PYTHON)" here. Install Python 3.11 or later, or name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "hydra-kg needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) -V 2>&1). Name another: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo 'This Python cannot make virtual environments (Debian and Ubuntu keep that part in a package of its own).' >&2; \
	  echo 'Remedy: sudo apt-get install python3-venv   then: make $(MAKECMDGOALS)' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.stamp-run: $(INPUTS) | $(VENV)/pyvenv.cfg
	@printf '\n== 2/3 installing hydra-kg and its dependencies (about 130 MB to fetch; a second run skips this)\n'
	@$(PIP) --editable .
	@touch $@
	@printf '\n== 3/3 demo\n'

$(VENV)/.stamp-test: $(INPUTS) | $(VENV)/pyvenv.cfg
	@printf '\n== 2/3 installing hydra-kg with its test extras (about 200 MB to fetch; a second run skips this)\n'
	@$(PIP) --editable '.[test]'
	@touch $(VENV)/.stamp-run $@

$(VENV)/.stamp-docs: $(INPUTS) | $(VENV)/.stamp-test
	@$(PIP) --editable '.[docs]'
	@touch $@
