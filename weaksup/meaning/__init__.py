"""What the equations of a problem mean: when two are the same function, and how one is written.

Reading order: `operand_names`, `value_level` and `mentioned_level` (comparing equations), `writing` (the equations of
labels), `kinds` (of quantities).
"""
