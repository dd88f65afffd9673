# Every command installs what it needs, including packages on a fresh Debian or Ubuntu.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
# An app that the check of its budgets refused is not up to date.
.DELETE_ON_ERROR:

# Checked SQL comes from the committed .sqlx folders; a DATABASE_URL in the environment must not affect the build.
export SQLX_OFFLINE := true

# Every build is one of the workspace: `-p stack` alone resolves other features and compiles most crates again.
TARGET := $(or $(CARGO_TARGET_DIR),target)

# What deploy/setup.sh installs (deploy/path.sh): Node.js in a folder of its own, and Rust.
export PATH := $(CURDIR)/target/node/node_modules/.bin:$(HOME)/.cargo/bin:$(PATH)

STACK := $(TARGET)/debug/stack
WEB_SOURCES := $(shell find web/src web/public web/prerender web/scripts -type f 2>/dev/null) \
  $(wildcard web/*.ts web/*.js web/*.json web/index.html)

.PHONY: help setup run demo restart logs audit reset dev-db build test check sqlx fmt sbom secrets images test-compose test-kubernetes rules \
  manifests check-kubernetes test-fresh test-restore test-standby test-secrets test-tasks test-tls test-upgrade test-cluster test-time bench bench-quick \
  attack chaos

help: ## List the commands
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

setup: ## Install what is missing
	@deploy/setup.sh run

run: setup build ## Start the product on http://localhost:8080 (STACK_PORT changes it) until Ctrl-C
	@exec $(STACK) run

demo: setup build ## Start a new product with six months of history (2 minutes), or add a demo member to an existing one
	@deploy/setup.sh demo
	@exec $(STACK) demo

restart: build ## Build, and restart one process of the running product (SERVICE=wallet)
	@$(STACK) restart $(SERVICE)

logs: ## Follow the logs of all processes
	@deploy/logs.sh

audit: setup ## Verify the ledger and the other invariants of the running product
	@cargo build --quiet --workspace --bins
	@exec $(STACK) audit

reset: setup ## Delete all data of the local product
	@cargo build --quiet --workspace --bins
	@exec $(STACK) reset

dev-db: setup ## Start a PostgreSQL for development until Ctrl-C
	@cargo build --quiet --workspace --bins
	@exec $(STACK) dev-db

build: web/dist/index.html
	@[ -x $(STACK) ] || echo "building the services: 5 to 15 minutes the first time, seconds after a change"
	@cargo build --workspace --bins

test: ## Run all tests: Rust, web, and the browser over the real product
	@deploy/setup.sh test
	@$(MAKE) --no-print-directory web/dist/index.html
	@deploy/test.sh

bench: setup web/dist/index.html ## Run the benchmarks of the ledger, the product and its pages
	@deploy/setup.sh bench
	@cargo build --profile local --quiet --workspace --bins
	@cargo run --profile local --quiet --manifest-path deploy/bench/Cargo.toml --target-dir $(TARGET) -- $(BENCH_ARGS)

bench-quick: setup ## Run the benchmarks with 2 s per figure
	@$(MAKE) --no-print-directory bench BENCH_ARGS="--seconds 2 $(BENCH_ARGS)"

attack: setup web/dist/index.html ## Attack a local product for 15 minutes (ATTACK_ARGS=--quick takes two)
	@cargo build --profile local --quiet --workspace --bins
	@$(TARGET)/local/stack attack $(ATTACK_ARGS)

chaos: setup web/dist/index.html ## Let processes die at every point for an hour (CHAOS_ARGS="--seed 1 --minutes 5" for less)
	@cargo build --quiet --workspace --bins --features chassis/crash-points
	@exec $(STACK) chaos $(CHAOS_ARGS)

test-time: setup build ## Play a year on a shifted clock: what ends by time, retention, statements, audits
	@deploy/setup.sh demo
	@exec $(STACK) year

check: ## Check format, lints, boundaries, types and licences
	@deploy/setup.sh run
	@$(MAKE) --no-print-directory web/node_modules/.package-lock.json proto/node_modules/.package-lock.json
	@deploy/check.sh

sqlx: ## Regenerate the checked SQL of every service (SQLX_ARGS=--check only compares)
	@deploy/setup.sh run
	@cargo build --quiet --workspace --bins
	@$(STACK) testbed -- deploy/sqlx.sh $(SQLX_ARGS)

sbom: ## Write the bills of materials of all binaries and the web app (CycloneDX)
	@deploy/setup.sh run
	@deploy/sbom.sh

secrets: ## Generate passwords and keys for docker compose; keeps existing ones
	@deploy/setup.sh secrets
	@deploy/secrets.sh

images: ## Build all images of docker compose, with the tag of this version
	@REVISION=$$(git rev-parse HEAD) docker compose --profile tools build

test-compose: setup ## Install, lose, restore, upgrade and roll back an installation with docker compose (Debian, as root; BINARIES=target/debug compiles nothing)
	@if [ -n "$(BINARIES)" ]; then $(MAKE) --no-print-directory build; fi
	@BINARIES="$(BINARIES)" deploy/test-compose.sh

test-kubernetes: setup ## Play the workloads of the local overlay with Podman until all are ready (Debian, as root; BINARIES=target/debug compiles nothing)
	@deploy/setup.sh kubernetes
	@if [ -n "$(BINARIES)" ]; then $(MAKE) --no-print-directory build; fi
	@BINARIES="$(BINARIES)" deploy/test-kubernetes.sh

manifests: ## Regenerate the Kubernetes manifests that are the same for every service (services/services.txt)
	@deploy/manifests.sh

rules: ## Test the alerts, and regenerate them and the recorded ratios for the Prometheus operator
	@deploy/setup.sh rules
	@deploy/check-rules.sh
	@deploy/rules.sh

check-kubernetes: ## Render the manifests and check them
	@deploy/setup.sh kubernetes
	@deploy/check-kubernetes.sh

test-fresh: ## Set up and start the product by the README in bare roots of Debian 12 and 13 (Debian, as root)
	@deploy/test-fresh.sh

test-restore: setup build ## Back up a busy product, restore it to a point in time on fresh servers, and audit it
	@deploy/test-restore.sh

test-standby: ## Lose the first of two machines, promote the second, and make the first its standby
	@deploy/setup.sh run
	@deploy/test-standby.sh

test-secrets: ## Generate secrets, add a new service's database, and replace passwords, on a server of PostgreSQL
	@deploy/setup.sh run
	@deploy/test-secrets.sh

test-tasks: ## Run the tasks of one machine, copy its backups away and back, and deliver an alert
	@deploy/setup.sh test
	@deploy/test-tasks.sh

test-tls: ## Serve a stand-in for the gateway through Caddy, as the profile tls does
	@deploy/setup.sh test
	@deploy/test-tls.sh

test-upgrade: setup web/dist/index.html ## Run the services of the last version with the current ones (REVISION=... selects another)
	@deploy/test-upgrade.sh $(REVISION)

test-cluster: web/dist/index.html ## Lose, freeze and cut machines of a local cluster under load (root; CLUSTER_ARGS=--quick takes five minutes)
	@deploy/setup.sh cluster
	@cargo build --quiet --workspace --bins
	@$(STACK) cluster $(CLUSTER_ARGS)

fmt: setup ## Format the Rust code
	@cargo fmt --all

# Errors only: warnings about the Node.js versions of packages do not matter, because the app runs in the browser.
%/node_modules/.package-lock.json: %/package-lock.json
	@echo "installing the packages of $*: about a minute"
	@cd $* && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund --loglevel=error
	@touch $@

web/dist/index.html: web/node_modules/.package-lock.json $(WEB_SOURCES)
	@echo "building the web application: about half a minute"
	@cd web && npm run --silent build >node_modules/.build.log 2>&1 || { cat node_modules/.build.log; exit 1; }
	@touch $@
