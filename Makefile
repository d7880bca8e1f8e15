# Everything there is to do, one word each. Whatever is missing on the machine is installed first (Debian 12).
.PHONY: help demo build test unit check bench format tidy docs clean

help:            ## Show these words
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

unit:            ## Unit, table and contract tests alone
	@tools/install test
	@tools/run-tests unit

check:           ## What takes longer, in parts (PART="tsan fuzz"; PART=list names them); without PART all of them
	@tools/install dev
	@tools/run-tests check $(PART)

bench: build     ## Measure on this machine
	@tools/install dev
	@tools/bench $(ARGS)

format:          ## Format all C++ as .clang-format says
	@tools/install dev
	@git ls-files '*.cpp' '*.h' | xargs clang-format-19 -i

tidy:            ## clang-tidy, warnings are errors
	@tools/install dev
	@tools/tidy

docs: build      ## Write the pages that are made from the program
	@tools/make-docs

clean:           ## Remove what was built
	rm -rf build
