"""Measures this machine: `make bench`. One file per subject; a subject is a function measure(run) that adds rows."""
