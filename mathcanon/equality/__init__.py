"""Whether two expressions are equal as rational functions, decided by the cheapest method that suffices.

Reading order: `fingerprints` (random evaluation), `polynomial` (exact ratios of polynomials), `kronecker` (proof by one
evaluation), `domain` (where one side is undefined), `normal_form` (one text per function), `verdict` (the decision).
"""
