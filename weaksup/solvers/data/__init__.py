"""From problems and equations to the index tensors that a network reads.

Reading order: `trees` (an equation as a prefix sequence), `vocabulary` (words and tokens as numbers), `graphs` (the
graphs of G2T), `groups` (published cells for those graphs), `batches` (examples -> tensors), `lessons` (problems with
equations -> examples).
"""
