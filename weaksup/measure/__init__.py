"""Comparison with gold: how good candidates, labels, posteriors and the predictions of solvers are.

Reading order: `foreign_labels` (what can be scored), `judge` (right or wrong), `shares`, `sizes` and `score`
(candidates and labels), `answers` (solvers), `calibration` (posteriors), `metrics` (all numbers of a run), `cases`
(single problems).
"""
