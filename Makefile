# `make` prints what there is.

browser_tests := $(wildcard tests/browser/*.test.mjs)
shell_scripts := scripts/fuzz scripts/setup scripts/wasm scripts/wasm-toolchain scripts/run scripts/sqlx-prepare .ci/run

.DEFAULT_GOAL := help
.PHONY: help setup build run test check fuzz bench bench-portal soak screenshots clean

help: ## Print this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

setup: ## Install what is missing (Debian packages, TensorRT-RTX in .venv); asks for nothing when all is there
	@scripts/setup

build: setup ## Build the portal's wasm and all programs
	@scripts/wasm
	@cargo build

run: build ## Start the portal with a demo at http://127.0.0.1:8780; Ctrl-C stops it
	@scripts/run

# One line a step: a step that fails ends it, and the browser tests close the output. `cargo test` builds the programs as
# well, since their packages have tests that run them; a `cargo build` before it would compile half the tree twice.
test: ## Run every test: units, end to end with real TensorRT-RTX, the portal in Chromium
	@scripts/setup --tests
	@scripts/wasm
	cargo test
	node --test $(browser_tests)

check: setup ## Check without starting anything: format, lints, unit tests, wasm, licences, query data
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --lib --bins
	scripts/wasm check
	scripts/licences
	scripts/sqlx-prepare --check
	@if command -v shellcheck >/dev/null; then shellcheck -x $(shell_scripts); \
	else echo 'shellcheck is not installed: the scripts were not looked at'; fi

fuzz: setup ## Fuzz every parser under libFuzzer, a minute each (scripts/fuzz SECONDS TARGET... for others)
	@scripts/fuzz

# Everything that measures is compiled by one command: a choice of packages would choose other features, and compile anew.
bench: setup ## Measure: criterion, watching, appends beside raw SQLite, 100 cancels from click to answer, a deep audit
	cargo build --release --bins --bench '*'
	cargo bench --bench '*'
	target/release/acta-bench-cancel
	target/release/acta-bench-audit

bench-portal: setup ## Measure every page at 20 users beside 1,000 and 50,000 runs, by release builds (some minutes)
	cargo build --release --bins --bench '*'
	target/release/acta-bench-portal

soak: ## The crash tests at length: every call of an append, 200 power cuts, 200 kill -9 and an hour of load (ACTA_SOAK, ACTA_SOAK_SECONDS)
	@scripts/setup --tests
	cargo build -p acta-server -p acta-ingest
	ACTA_SOAK=$${ACTA_SOAK:-200} ACTA_SOAK_SECONDS=$${ACTA_SOAK_SECONDS:-3600} \
		cargo test -p acta-tests --test it -- --test-threads=1 --nocapture fault:: power:: crash::kill_9

screenshots: ## Take pictures of every page of the running portal into target/screenshots
	@scripts/setup --tests
	@node tests/browser/screenshots.mjs

clean: ## Remove what was built and installed here; the demo's ledger in var/ stays
	cargo clean
	rm -rf .venv tests/browser/node_modules
