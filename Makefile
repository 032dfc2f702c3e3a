# Two commands do everything from a fresh clone: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CLIENTS := $(VENV)/clients/.ready
BROWSER := $(VENV)/.browser
BENCH := $(VENV)/.bench

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
	$(BIN)/python -m pip install --quiet -c constraints.txt --editable '.[generate,semantic,docs]' --group dev
	@touch $@

# Clients written by others, from npm; Node itself comes from PyPI with the rest.
$(CLIENTS): $(READY) tests/clients/package.json tests/clients/install.py
	$(BIN)/python -m tests.clients.install
	@touch $@

# The browser of the tests: the system's chromium, installed where it is missing and we may.
$(BROWSER): $(READY) tests/site/browser.py
	$(BIN)/python -m tests.site.browser
	@touch $@

$(BENCH): $(READY)
	$(BIN)/python -m pip install --quiet -c constraints.txt --group bench
	@touch $@

demo: $(READY)
	$(BIN)/toolfold generate
	$(BIN)/python examples/walk.py

test: $(READY) $(CLIENTS) $(BROWSER)
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist worksteal -m "not long"
	$(BIN)/toolfold check

test-all: test
	$(BIN)/pytest -n 2 -m long

bench: $(READY) $(BENCH)
	$(BIN)/python -m bench.all

format: $(READY)
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis dist
