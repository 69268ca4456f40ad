"""From lessons to a trained model folder; an interrupted run resumes with the same result, bit for bit.

Reading order: `objective` (loss and learning rate), `precision` (bfloat16), `lesson_sources` (what each step learns
from), `state` (weights, optimizer and checkpoint), `distributed` and `interrupts` (several processes, Ctrl-C),
`model_folder` (which run owns a folder), `loop` (the training loop), `teaching` (label file or gold -> lessons),
`draft_training` (draft models for the rankers), `tensorboard` (optional curves).
"""
