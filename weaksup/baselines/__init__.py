"""The weakly supervised baselines that the ComSearch paper compares with: `lbf` and `warm`, see `run.run_baseline`.

They share the solvers, the corpora, the oracle and the evaluation with the pipeline; what differs is where the
equations come from.  Neither searches: they find what their own model happens to come near to.
"""
