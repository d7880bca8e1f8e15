# All tasks of the project. Tasks first install missing packages (Debian 12).
.PHONY: help demo build test unit check bench format tidy docs clean

help:            ## Show these targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: build      ## Build, then run server and sandbox with a test merchant (ARGS="--port 9000" …)
	build/release/finality demo $(ARGS)

build:           ## The release binary: build/release/finality
	@tools/install build
	@cmake --preset release >build-release.log 2>&1 || { cat build-release.log; exit 1; }
	@rm -f build-release.log
	@cmake --build build/release --target finality

test:            ## Unit, table, contract and end-to-end tests
	@tools/install test
	@tools/run-tests test

unit:            ## Only unit, table and contract tests
	@tools/install test
	@tools/run-tests unit

check:           ## Longer tests in parts (PART="tsan fuzz"; PART=list lists them); all parts without PART
	@tools/install dev
	@tools/run-tests check $(PART)

bench: build     ## Run the benchmarks
	@tools/install dev
	@tools/bench $(ARGS)

format:          ## Format all C++ sources with clang-format
	@tools/install dev
	@git ls-files '*.cpp' '*.h' | xargs clang-format-19 -i

tidy:            ## Run clang-tidy; warnings are errors
	@tools/install dev
	@tools/tidy

docs: build      ## Generate the pages that come from the program
	@tools/make-docs

clean:           ## Remove build/
	rm -rf build
