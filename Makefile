# bayplan: everything a contributor types. `make` alone explains.
#
# Needs Python 3.11 or newer with pip, and make. The rest is set up here, in .venv, once:
#   .venv/.core   bayplan and what it needs to run    (demo, bench, docs)
#   .venv/.dev    the tools on top of it              (test, lint)
# Both stamps are made again when pyproject.toml or constraints.txt changes.

PYTHON ?= python3
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help demo test lint format bench docs clean

help: ## this text
	@echo "bayplan decides where work runs, and says why."
	@echo
	@echo "  First time here:  make demo     see it place, refuse and explain"
	@echo "  Changed a file:   make test     then make lint"
	@echo
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  Another Python:   make PYTHON=python3.12 test   (after make clean)"
	@echo "  More for pytest:  make test ARGS='-k spread -x'"

demo: $(VENV)/.core ## place an example cluster's work, with explanations (quick)
	@$(BIN)/bayplan demo $(ARGS)

test: $(VENV)/.dev ## all tests, examples included
	@$(BIN)/python -m pytest $(ARGS)

lint: $(VENV)/.dev ## style, formatting, types, layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev ## let ruff fix and format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/.core ## measure the engine
	$(BIN)/python -m benchmarks $(ARGS)

docs: $(VENV)/.core ## check the pages: links resolve, code runs, output is as shown
	@$(BIN)/python scripts/check_docs.py

clean: ## remove .venv and everything generated
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- set-up ------------------------------------------------------------------

$(VENV)/.core: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    found=$$($(PYTHON) -c 'import sys; print(sys.version.split()[0])' 2>/dev/null || echo missing); \
	    echo "bayplan needs Python 3.11 or newer; here, $(PYTHON) is $$found."; \
	    echo "Name another one: make PYTHON=python3.12 $(or $(MAKECMDGOALS),demo)"; exit 1; } >&2
	@echo "Setting up $(VENV) (once)..."
	@$(PIP) --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { \
	    : "no ensurepip in this Python: lend the new environment our pip"; \
	    $(PYTHON) -m venv --clear --without-pip $(VENV) && $(PYTHON) -m pip --quiet --python $(BIN)/python install pip; }
	@$(PIP) install --no-compile --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	@echo "Adding the development tools..."
	@$(PIP) install --no-compile --constraint constraints.txt --editable '.[dev]'
	@touch $@
