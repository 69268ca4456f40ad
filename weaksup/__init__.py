"""Math-word-problem solvers from answers alone: corpora, search for candidate equations, labels, oracle.

One file per arrow: corpus file -> Problem -> Candidates -> Labels -> Solver -> metrics -> report.
"""
