# Two commands do everything from a fresh clone: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CLIENTS := $(VENV)/clients/.ready
LIBRARIES := $(VENV)/clients/python/.ready
SERVERS := $(VENV)/real-servers/.ready
BROWSER := $(VENV)/.browser
BENCH := $(VENV)/.bench
# The other versions of Python that `make test-all` tests, where they are installed.
PYTHONS ?= 3.12 3.13

.PHONY: help demo test test-all test-pythons bench docs format clean

help:
	@echo "make demo      generate, then walk the disclosure path with a real client"
	@echo "make test      format, lint, types, tests, toolfold check: what CI runs"
	@echo "make test-all  the same plus the long sweeps over real data, clients of others, other versions of Python"
	@echo "make bench     print the figures"
	@echo "make docs      write the reference, and build toolfold's own docs into site/"
	@echo "make format    format and fix what can be fixed"

define INSTALL
	$(1) -m venv $(2)
	$(2)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt pip
	$(2)/bin/python -m pip install --quiet -c constraints.txt --editable '.[generate,semantic,docs,postgres,code]' --group dev
	@touch $@
endef

$(READY): pyproject.toml constraints.txt
	$(call INSTALL,$(PYTHON),$(VENV))

# Another version of Python in an environment of its own: .venv-3.13
.PRECIOUS: .venv-%/.ready
.venv-%/.ready: pyproject.toml constraints.txt
	$(call INSTALL,python$*,.venv-$*)

# Clients written by others, from npm; Node itself comes from PyPI with the rest.
$(CLIENTS): $(READY) tests/clients/package.json tests/clients/install.py
	$(BIN)/python -m tests.clients.install
	@touch $@

# Libraries in Python, written by others too, each in an environment of its own.
$(LIBRARIES): $(READY) tests/clients/environments.py $(wildcard tests/clients/python/*.txt)
	$(BIN)/python -m tests.clients.environments
	@touch $@

# Servers from PyPI and npm that gateways are tried with, each in an environment of its own too.
$(SERVERS): $(READY) tests/support/real_servers.py
	$(BIN)/python -m tests.support.real_servers
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
	$(BIN)/python examples/code.py

test: $(READY) $(CLIENTS) $(BROWSER)
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/pytest -n 3 --dist worksteal -m "not long"
	$(BIN)/toolfold check

test-all: test $(LIBRARIES) $(SERVERS)
	$(BIN)/pytest -n 2 -m long
	$(MAKE) test-pythons

# Clients from npm and the browser were tried above: they do not depend on the version.
test-pythons: export PYENV_VERSION := $(shell pyenv versions --bare 2>/dev/null | paste -sd: -)
test-pythons:
	@set -e; for version in $(PYTHONS); do \
	  if python$$version --version >/dev/null 2>&1; then $(MAKE) test-in-$$version; \
	  else echo "python$$version: skipped, not installed"; fi; \
	done

test-in-%: .venv-%/.ready
	.venv-$*/bin/pytest -n 2 --dist worksteal -m "not long" --ignore tests/clients --ignore tests/site

bench: $(READY) $(BENCH) $(SERVERS)
	$(BIN)/python -m bench.all

# URL is where the site will be published, if that is known.
docs: $(READY)
	$(BIN)/python -m manual
	$(BIN)/python -m manual.site --url "$(URL)"

format: $(READY)
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .

clean:
	rm -rf $(VENV) .venv-* .mypy_cache .ruff_cache .hypothesis dist
