# Entry point of all tasks: `make` lists the targets. Each target does its own set-up, with cargo, git and a C compiler.

CARGO ?= cargo
PATHS ?=
CASES ?=
CLONES ?=
PARTS ?=
TARGET ?=
SECONDS ?= 60
EXAMPLE := target/example

CAUSEWAY ?= target/release/causeway
EXAMPLE_DATA := target/example-data
EXAMPLE_QUERY := retry when the tracking service does not answer

.DEFAULT_GOAL := help
.PHONY: help run test check bench eval eval-baseline build example conformance deploy-check fuzz release-check dist dist-check cluster \
	web-check

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' $(MAKEFILE_LIST) | awk -F': ' '{ printf "  make %-14s %s\n", $$1, $$2 }'

run: build ## Index and serve the repositories below PATHS="..."; without PATHS, an example organisation
ifeq ($(strip $(PATHS)),)
	@$(MAKE) --no-print-directory example
	@$(CAUSEWAY) --data $(EXAMPLE_DATA) index $(EXAMPLE)
	@echo; echo 'causeway search "$(EXAMPLE_QUERY)"'; echo
	@$(CAUSEWAY) --data $(EXAMPLE_DATA) search "$(EXAMPLE_QUERY)" $(EXAMPLE) --limit 4
	@echo; exec $(CAUSEWAY) --data $(EXAMPLE_DATA) up $(EXAMPLE)
else
	@exec $(CAUSEWAY) up $(PATHS)
endif

test: ## Run all tests
	$(CARGO) test --workspace

# With the examples, the documentation has the dependencies of clippy with the same features: they are compiled once.
check: ## Check format, lints and documentation
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --lib --examples --no-deps --document-private-items

bench: ## Measure the cost of an index relative to parsing, on PATHS="..." or this repository; then 500 repositories and a cluster
	$(CARGO) bench -p causeway-worker --bench index_cost -- $(abspath $(PATHS))
	$(CARGO) bench -p causeway-tests --bench many_repositories
	$(CARGO) bench -p causeway-tests --bench cluster

eval: build ## Measure the ranking with the cases in CASES="..." on the clones in CLONES="..."; PARTS="..." selects parts
	@test -n "$(CASES)" -a -n "$(CLONES)" || { echo 'make eval CASES=cases.jsonl CLONES=folder; see docs/developing/evaluation.md'; exit 2; }
	@python3 -m unittest discover --quiet --buffer -s tests/evaluation
	@python3 tests/evaluation/evaluate.py "$(CASES)" "$(CLONES)" $(if $(strip $(PARTS)),--parts "$(PARTS)") $(EVAL_FLAGS)

eval-baseline: EVAL_FLAGS += --write-baseline
eval-baseline: eval ## Run eval, and write the figures into tests/evaluation/baseline.json

build: ## Build the release binary, target/release/causeway
	$(CARGO) build --release -p causeway

# The author, the dates and the configuration are fixed, so that the commits are the same everywhere.
define commit_example
	rm -rf "$(2)"; mkdir -p "$(2)"; cp -R "$(1)/." "$(2)"; cd "$(2)"; \
	for name in $$(env | sed -n 's/^\(GIT_[A-Z_]*\)=.*/\1/p'); do unset $$name; done; \
	export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null \
	    GIT_AUTHOR_NAME="Ada Byron" GIT_AUTHOR_EMAIL=ada@harbour.example GIT_AUTHOR_DATE="1767225600 +0000" \
	    GIT_COMMITTER_NAME="Ada Byron" GIT_COMMITTER_EMAIL=ada@harbour.example GIT_COMMITTER_DATE="1767225600 +0000"; \
	git -c init.defaultBranch=main init --quiet; \
	git -c core.autocrlf=false -c core.excludesFile=/dev/null add --all; \
	git commit --quiet --message "All of it";
endef

example: ## Turn the example organisation into git repositories, in target/example
	@set -e; for source in tests/fixtures/organisation/*/; do ( \
	    $(call commit_example,$$source,$(EXAMPLE)/$$(basename $$source)) \
	); done

web-check: ## Walk through the web pages with a browser; needs Node, npm and Chromium (CHROMIUM=/usr/bin/chromium)
	tests/web/run.sh

conformance: ## Run the MCP conformance suites and real clients; needs Python and Node
	tests/conformance/run.sh

deploy-check: ## Render and validate the files in deploy/; needs Python, and kubectl or npm
	deploy/check/run.sh
	python3 -m unittest discover --quiet --buffer -s packaging

fuzz: ## Fuzz the parsers of untrusted bytes for SECONDS=60 each; TARGET="wire query" selects targets. Needs a C++ compiler
	fuzz/run $(SECONDS) $(TARGET)

# cargo-deny is installed below target/ unless the machine has it.
CARGO_DENY_ROOT := target/cargo-deny
CARGO_DENY := $(shell command -v cargo-deny || echo $(CARGO_DENY_ROOT)/bin/cargo-deny)

release-check: $(CARGO_DENY) ## Check licences, advisories, bans and duplicate versions of dependencies; needs the network
	$(CARGO_DENY) --workspace check

$(CARGO_DENY_ROOT)/bin/cargo-deny:
	$(CARGO) install --locked --root $(CARGO_DENY_ROOT) cargo-deny

dist: ## Make all packages in target/dist, of a release build for glibc 2.28, or of BINARY=file
	packaging/run.sh

dist-check: ## Install each package of target/dist into an empty environment and ask it; OLD=file tries upgrades from it
	packaging/check.sh

cluster: ## Run a cluster in containers and kill its parts; needs Docker and compose, see deploy/cluster/run.sh
	deploy/cluster/run.sh
