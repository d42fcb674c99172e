# `make` without a target lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

# `make module PATH=host/owner/tasker` hides the PATH by which recipes find programs, so put back
# the one that make was started with.
ifeq ($(origin PATH),command line)
MODULE := $(PATH)
override PATH := $(shell /bin/bash scripts/path-of $$PPID)
endif

# The version of a tagged commit, otherwise the one in the source. `make build VERSION=1.2.3` sets
# it by hand.
VERSION ?= $(shell git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null | sed 's/^v//')
VERSION_VAR := tasker/internal/app.Version
LDFLAGS := -s -w $(if $(VERSION),-X $(VERSION_VAR)=$(VERSION))

# -buildvcs=false: the version is stamped above, and a checkout that belongs to another user still
# builds.
BUILD_FLAGS := -buildvcs=false -ldflags '$(LDFLAGS)'

# No C and no paths of this machine anywhere: releases are built without them, and with one setting
# for everything each package compiles once, for other checkouts too. The user's own GOFLAGS stay.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath $(filter-out -trimpath,$(shell go env GOFLAGS 2>/dev/null))

# PORT is for `make run`; unset: 7777, or the next free one. ARGS go to the tests or benchmarks:
# make test ARGS='-run Claim'.
PORT ?=
ARGS ?=
FUZZTIME ?= 30s
GOVULNCHECK ?= v1.3.0
# Where the archives of `make dist` will be published, for the Homebrew formula.
DIST_URL ?=

.PHONY: help
help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## Serve a demo plan from a scratch database, and say what to try next
	@scripts/progress ./cmd/tasker go build -v $(BUILD_FLAGS) -o bin/tasker ./cmd/tasker
	@scripts/progress ./test/shop/demo go build -v -buildvcs=false -o .cache/demo ./test/shop/demo
	@PORT=$(PORT) scripts/run-demo bin/tasker .cache/demo

.PHONY: test
test: ## Install whatever the tests need, then run all of them
	@TASKER_TEST_FSYNC=off scripts/test-env scripts/test $(ARGS)

.PHONY: test-long
test-long: ## Run what takes an hour: many more histories, fuzzing, the tests under load
	@TASKER_TEST_FSYNC=off scripts/test-env scripts/test-long

.PHONY: test-agents
test-agents: ## Install the agents' own programs, and run them against a scripted model on this machine
	@scripts/test-agents

# FIELD is the directory of the agent to run the field kit on, and PLAN the plan that it gets there;
# `make field PLAN=?` lists them.
FIELD ?= .cache/field
PLAN ?=

.PHONY: field
field: build ## Set up a directory where your own agent works through a plan, and record what it does
	@go build -buildvcs=false -o .cache/field-kit ./test/field
	@.cache/field-kit prepare $(FIELD) '$(PLAN)'

.PHONY: field-report
field-report: ## Print what the agent in that directory did, what it cost, what it closed wrongly and what it overclaimed
	@go build -buildvcs=false -o .cache/field-kit ./test/field
	@.cache/field-kit report $(FIELD)

.PHONY: bench
bench: ## Run the benchmarks and print them as ratios
	@scripts/test-env go run -buildvcs=false ./bench $(ARGS)

.PHONY: screenshots
screenshots: ## Capture every page of the web view at four widths, light and dark, in .cache/screenshots
	@mkdir -p .cache/screenshots
	@TASKER_SCREENSHOTS=$(CURDIR)/.cache/screenshots scripts/test-env go test -count=1 -run Screenshots ./test/browser
	@ls .cache/screenshots

.PHONY: fuzz
fuzz: ## Run every fuzz target for 30 seconds (FUZZTIME)
	@scripts/fuzz $(FUZZTIME)

.PHONY: lint
lint: .cache/golangci-lint .cache/deadcode ## Check formatting, go.mod, go vet, golangci-lint and dead code
	@scripts/gofmt-check
	go mod tidy -diff
	go vet ./...
	.cache/golangci-lint run ./...
	@scripts/deadcode .cache/deadcode

.PHONY: sizes
sizes: build ## Print what is large (packages, files, interfaces, lines, the program), and how much code a claim and a close go through
	@go test -count=1 -run '^TestSizes$$' -v ./internal/arch | sed -n 's/^ *sizes_test.go:[0-9]*: //p'
	@echo "the program has $$(stat -c %s bin/tasker 2>/dev/null || stat -f %z bin/tasker) bytes"
	@scripts/ways

.PHONY: build
build: ## Build bin/tasker
	go build $(BUILD_FLAGS) -o bin/tasker ./cmd/tasker

# PREFIX=/usr/local installs below it; without, the program goes where `go install` puts programs.
PREFIX ?=

.PHONY: install
install: build ## Install tasker with its manual and completions, and say where (PREFIX=/usr/local for everybody)
	@PREFIX='$(PREFIX)' scripts/install '$(VERSION)'

.PHONY: uninstall
uninstall: ## Remove what `make install` installed, with the same PREFIX
	@PREFIX='$(PREFIX)' scripts/install --remove

# MAN is the directory that the pages go to.
MAN ?= dist/man

.PHONY: man
man: ## Write the pages of the manual into dist/man
	@go run -buildvcs=false ./packaging/dist man '$(VERSION)' '$(MAN)'
	@echo "$(MAN): $$(ls '$(MAN)' | wc -l) pages; man -l $(MAN)/tasker.1"

.PHONY: dist
dist: changelog ## Build the release in dist: binaries, checksums, packages, bill of materials (ARGS='linux/amd64' for one)
	@DIST_URL='$(DIST_URL)' go run -buildvcs=false ./packaging/dist all '$(VERSION)' dist $(ARGS)
	@cat dist/SHA256SUMS

.PHONY: changelog
changelog: ## Write CHANGELOG.md from the directory changelog
	@go run -buildvcs=false ./packaging/dist changelog CHANGELOG.md

# DB is a copy of the vulnerability database: https://go.dev/doc/security/vuln/database
.PHONY: vuln
vuln: ## Look for known vulnerabilities: make vuln DB=DIR
	@[[ -n '$(DB)' ]] || { echo "make vuln needs DB=DIR, a copy of the Go vulnerability database" >&2; exit 2; }
	@go run -buildvcs=false golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK) -db "file://$(abspath $(DB))" ./...

.PHONY: module
module: ## Give the module another path: make module PATH=host/owner/tasker
	@scripts/module '$(MODULE)'

# The linters have their own module, so that their dependencies never decide the versions of what we
# ship.
.cache/golangci-lint: tools/go.mod tools/go.sum
	@mkdir -p .cache
	cd tools && go build -buildvcs=false -o ../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

.cache/deadcode: tools/go.mod tools/go.sum
	@mkdir -p .cache
	cd tools && go build -buildvcs=false -o ../$@ golang.org/x/tools/cmd/deadcode
