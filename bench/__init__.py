"""Benchmarks of `make bench`. Each subject is a module whose function measure(run) adds rows to the table of
results."""
