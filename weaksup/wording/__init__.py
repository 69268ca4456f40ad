"""Which words go with which equation: features of texts and of equations, and a log-linear model over both.

Reading order: `readings` (equations as programs), `compiling` and `equation_loops` (what an equation does with each
quantity), `text_features` (what the text says of each quantity), `log_linear` and `learning_loops` (the model).
Nothing here needs torch.
"""
