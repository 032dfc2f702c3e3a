# Two commands do everything from a fresh clone: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CLIENTS := $(VENV)/clients/.ready

.PHONY: help demo test test-all bench format clean

help:
	@echo "make demo      generate, then walk the disclosure path with a real client"
	@echo "make test      format, lint, types, tests, toolfold check: what CI runs"
	@echo "make test-all  the same plus the long sweeps over real data"
	@echo "make bench     print the figures"
	@echo "make format    format and fix what can be fixed"

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt pip
	$(BIN)/python -m pip install --quiet -c constraints.txt --editable '.[generate,semantic]' --group dev
	@touch $@

# Clients written by others, from npm; Node itself comes from PyPI with the rest.
$(CLIENTS): $(READY) tests/clients/package.json tests/clients/install.py
	$(BIN)/python -m tests.clients.install
	@touch $@

demo: $(READY)
	$(BIN)/toolfold generate
	$(BIN)/python examples/walk.py

test: $(READY) $(CLIENTS)
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 -m "not long"
	$(BIN)/toolfold check

test-all: test
	$(BIN)/pytest -n 2 -m long

bench: $(READY)
	$(BIN)/python -m bench.all

format: $(READY)
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .

clean:
	rm -rf $(VENV) .toolfold_cache .mypy_cache .ruff_cache .hypothesis dist
