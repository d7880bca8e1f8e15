# All tasks of the project. Tasks first install missing packages (Debian 12).
.PHONY: help demo build lab install test unit check bench format tidy docs clean

help:            ## Show these targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: build      ## Build, then run server and sandbox with a test merchant (ARGS="--port 9000" …)
	build/release/finality demo $(ARGS)

build:           ## The release binary: build/release/finality
	@tools/install build
	@tools/build release build/release finality $(notdir $(wildcard build/release/finality-lab))

lab:             ## The second program, for `finality simulate`, `bench` and `history`
	@tools/install build
	@tools/build release build/release finality finality-lab

install:         ## Install the built programs, stripped (PREFIX=/usr/local, DESTDIR=)
	@tools/install-program "$(or $(PREFIX),/usr/local)" "$(DESTDIR)"

test:            ## Unit, table, contract and end-to-end tests
	@tools/install test
	@tools/run-tests test

unit:            ## Only unit, table and contract tests
	@tools/install test
	@tools/run-tests unit

check:           ## Longer tests in parts (PART="tsan fuzz"; PART=list lists them); all parts without PART
	@tools/install dev
	@tools/run-tests check $(PART)

bench: lab       ## Run the benchmarks
	@tools/install dev
	@tools/bench $(ARGS)

format:          ## Format all C++ sources with clang-format
	@tools/install dev
	@git ls-files '*.cpp' '*.h' | xargs clang-format-19 -i

tidy:            ## Run clang-tidy; warnings are errors
	@tools/install dev
	@tools/tidy

docs: lab        ## Generate the pages that come from the program (ARGS=timelines: all recorded timelines)
	@tools/make-docs $(ARGS)

clean:           ## Remove build/
	rm -rf build
