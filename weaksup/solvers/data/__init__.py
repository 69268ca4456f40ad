"""From problems and equations to the index tensors that a network reads.

Reading order: `trees` (an equation as a prefix sequence), `vocabulary` (words and tokens as numbers), `graphs` (the
graphs of G2T), `groups` (published cells for those graphs), `pieces` (the word pieces of a pretrained encoder),
`batches` (examples -> tensors), `lessons` (problems with equations -> examples).
"""
