# Two commands do everything on a fresh machine: `make demo` and `make test`.
.PHONY: demo test check bench clean help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
EXTRAS := eval,generate,attack,finetune,ray,dev
MODEL ?=
# Threads of one test process; two workers share the cores.
export OMP_NUM_THREADS ?= 1
# Processes share what they compile: where that is forbidden, each start of lmms-eval compiles torch and transformers anew.
unexport PYTHONDONTWRITEBYTECODE

help:  ## Show this help
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("vhbench needs Python 3.11 or newer, not " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.5"
	$(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt -e ".[$(EXTRAS)]"
	@touch $@

demo: $(READY)  ## Build the starter splits and run lmms-eval on them (MODEL=org/name for a real model)
	@$(BIN)/vhbench demo $(if $(MODEL),--model $(MODEL))

test: $(READY)  ## Run the tests
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

check: $(READY)  ## Lint, check types, build the docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright vhbench
	$(BIN)/python tests/prose_lint.py --most 0 README.md CONTRIBUTING.md CHANGELOG.md docs/*.md
	$(BIN)/python tests/prose_lint.py --prose --most 20 $$(git ls-files '*.py' | grep -Ev '^(tests|benchmarks)/')
	$(BIN)/sphinx-build -W --keep-going -q docs build/docs

bench: $(READY)  ## Print the benchmarks: ratios against named baselines
	@for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

clean:  ## Remove what the other targets made
	rm -rf $(VENV) build dist out results
