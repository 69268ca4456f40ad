"""Solvers: networks that read a word problem and write its equation as a tree (GTS and G2T).

Reading order: `table` (the solvers by name), `presets` (their settings), `data` (problems -> tensors), `network`
(tensors -> probabilities of trees), `decoding` (a trained network -> equations), `training` (lessons -> a model).
`table` and `presets` do not import torch.
"""
