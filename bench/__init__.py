"""Benchmarks of this machine (`make bench`). Each file is a subject with a function measure(run) that adds rows."""
