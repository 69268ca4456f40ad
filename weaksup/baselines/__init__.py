"""The weakly supervised baselines that the ComSearch paper compares with: LBF and WARM.

To the pipeline they are arms like the rankers.  Neither searches: their own model proposes equations while it learns.
Reading order: `table` (the baselines by name), `unlabelled` (problems without equations), `sampling` (trees drawn from
a solver), `fixing` (trees of the wrong value repaired), `finds` (found equations -> labels), `lbf`, `warm`.
"""
