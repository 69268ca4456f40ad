"""Text -> expression and expression -> text: each notation is one file with its reader and its writer.

Reading order: `numerals`, `pasted` and `exponents`; the notations `infix`, `latex`, `polish`, `skeleton`, `dot` and
`tree_json`, with what some of them share in `blocks` and `tree_nodes`; `notations` (the table of all); `pieces`,
`prose`, `composing` and `solutions` (a solution written by a person or a model -> one expression).
"""
