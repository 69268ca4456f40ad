"""From problems to candidates: every equation that gives the answer, within a search plan.

Reading order: `plans` (which numbers to combine), `operands` (the choices of a stage), `batch` (many problems at once),
`executors` (worker processes or Dask), `search_corpus` (a resumable search of a whole corpus).
"""
