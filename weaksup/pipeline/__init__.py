"""The whole method in one call: search, rank, train, evaluate, report.  Every step leaves a file in the run folder.

Reading order: `config` (the settings of a run), `timed_step` (what a step is), `steps` (what each step reads and
writes), `run` (the steps in order, for every arm, seed and fold).
"""
