"""From a trained network to equations, their values and their scores.

Reading order: `beam` (beam search over trees), `answer_model` (how plausible a value is as the answer), `solver` (the
class that users load and call), `scoring` (log-probabilities of given equations), `solver_draft` (a solver as the
draft model of a ranker).
"""
