# The same commands at home and in continuous integration. Every target first installs what it needs; a step whose inputs
# have not changed is not run again (deploy/step.py). `make help` lists them.

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory --no-builtin-rules

PYTHON ?= python3
VENV := .venv/bin
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
GOLANGCI_LINT_VERSION := 2.12.2
CACHE := $(or $(LEADLINE_CACHE_DIR),$(if $(filter 0,$(shell id -u)),/var/cache/leadline,$(HOME)/.cache/leadline))
GOLANGCI_LINT := $(CACHE)/bin/golangci-lint-$(GOLANGCI_LINT_VERSION)

# Our Go version is the one that is installed; nothing fetches another.
export GOTOOLCHAIN := local
# Passed on to tests and benches, which unpack the same servers.
export LEADLINE_CACHE_DIR := $(CACHE)

STEP = @$(PYTHON) deploy/step.py

.PHONY: help run check test test-all bench build fix schema lock chromium clean preflight venv agent ui node-modules golangci-lint \
	fix-go check-python check-types check-imports check-ui check-go test-python test-go test-ui

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' Makefile | awk -F '\t' '{printf "  make %-10s %s\n", $$1, $$2}'

run: preflight venv ## set up and start everything on this machine; Ctrl-C stops it
	@exec $(VENV)/python -m deploy.run

check: preflight venv node-modules golangci-lint ## all linters and type checkers, two at a time
	@$(MAKE) -j2 --keep-going --output-sync=target check-types check-go check-ui check-python check-imports

test: preflight venv node-modules ## unit and service tests against real servers
	@$(MAKE) test-python test-go test-ui

test-all: preflight build ## every test lane, one after another, ending with one line of counts
	@exec $(VENV)/python .ci/lanes.py

bench: preflight build ## measure, as JSON lines; ONLY=name runs the benches whose name begins so
	@exec $(VENV)/python -m deploy.bench

build: preflight ## .venv, bin/leadline-agent and the built UI
	@$(MAKE) -j2 venv agent ui

fix: venv node-modules golangci-lint ## format, and apply the safe fixes of the linters
	$(VENV)/ruff check --fix --quiet backend deploy .ci || true
	$(VENV)/ruff format --quiet backend deploy .ci
	npm run --silent fix
	@$(MAKE) fix-go

schema: venv node-modules ## write docs/openapi.yaml and the UI's types from it
	@mkdir -p .cache
	$(VENV)/python -m backend schema > .cache/openapi.yaml
	mv .cache/openapi.yaml docs/openapi.yaml
	npm run --silent schema

lock: venv ## write requirements.lock anew from pyproject.toml
	$(PYTHON) deploy/venv.py lock

clean: ## remove what was built; keeps .data and the shared cache
	rm -rf .venv .cache bin frontend/dist node_modules frontend/node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# --- what the targets above are made of ---

preflight:
	@$(PYTHON) deploy/preflight.py

venv:
	$(STEP) "Python packages" --inputs requirements.lock deploy/venv.py --outputs .venv/bin/granian -- $(PYTHON) deploy/venv.py

agent:
	$(STEP) "leadline-agent" --inputs agents/go.mod agents/go.sum agents/cmd agents/internal --outputs bin/leadline-agent -- \
		sh -c 'umask 022; cd agents && CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION)" -o ../bin/leadline-agent ./cmd/leadline-agent'

# Not `npm ci`: it refuses a lock file without the binaries of other systems, which not every registry carries. This keeps to
# the lock's versions and hashes all the same, and leaves the file alone.
node-modules:
	$(STEP) "Node packages" --inputs package.json package-lock.json frontend/package.json .npmrc --outputs node_modules/.package-lock.json -- \
		npm install --no-save --prefer-offline --no-audit --no-fund

ui: node-modules
	$(STEP) "user interface" --inputs frontend/src frontend/public frontend/index.html frontend/package.json frontend/vite.config.ts $(wildcard frontend/tsconfig*.json) package-lock.json \
		--outputs frontend/dist/index.html -- \
		sh -c 'umask 022; npm run --silent build'

golangci-lint:
	$(STEP) "golangci-lint" --outputs $(GOLANGCI_LINT) -- \
		sh -c 'mkdir -p $(CACHE)/bin && GOBIN=$(CACHE)/bin/.new CGO_ENABLED=0 go install -ldflags "-s -w" github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(GOLANGCI_LINT_VERSION) && mv $(CACHE)/bin/.new/golangci-lint $(GOLANGCI_LINT) && rmdir $(CACHE)/bin/.new'

chromium: ## install Chromium for the end-to-end tests (needs root)
	@command -v chromium >/dev/null || (apt-get update -q && apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core)

fix-go: golangci-lint
	cd agents && $(GOLANGCI_LINT) fmt ./...

check-python:
	$(VENV)/ruff check backend deploy .ci
	$(VENV)/ruff format --check backend deploy .ci

check-types:
	$(VENV)/mypy

check-imports:
	$(VENV)/lint-imports
	$(VENV)/deptry .

check-ui:
	npm run --silent check

check-go:
	cd agents && go vet ./... && $(GOLANGCI_LINT) run ./...

test-python:
	$(VENV)/python -m pytest -q -n 2 -m "not stack" backend deploy

test-go:
	$(VENV)/python -m deploy.databases -- go -C agents test ./...

test-ui:
	npm run --silent test
