"""From a trained network to equations, their values and their scores.

Reading order: `beam` (beam search over trees), `answer_model` (how plausible a value is as the answer),
`equation_model` (how plausible an equation is for the words), `second_opinions` (both together), `solver` (the class
that users load and call), `scoring` (log-probabilities of given equations), `ensemble` (several solvers as one),
`solver_draft` (a solver as the draft model of a ranker).
"""
