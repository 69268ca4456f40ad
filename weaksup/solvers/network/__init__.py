"""The networks: torch modules that assign a probability to each tree of a batch, and the files that hold their weights.

Reading order: `dropout`, `gru_layer`, `encoder` (reads the text), `pretrained` (reads it with a model of transformers),
`graph_encoder` (reads the graphs of G2T), `tree_decoder` (writes the tree), `gts` and `g2t` (the two solvers),
`model_files` (saving and loading).
"""
