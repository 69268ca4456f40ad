"""The names of all files in run folders and model folders.

A run folder, of `mwp-weak pipeline` or `mwp-weak baseline`:

    config.toml              all settings, merged
    candidates.jsonl         candidates of the train part
    candidates.valid.jsonl   candidates of the valid part, on which the ranker em tempers its draft model
    labels.draft.jsonl       labels that the draft model was trained on
    draft/                   the draft models: `single` of basic and beam, `round-1`, ... of em
    labels.jsonl             the pseudo labels
    generator/               the model that found the labels of the baseline warm
    solver/                  the trained solver
    metrics.json             every number of the run; no times, so that a resumed run gives the same bytes
    times.json               seconds of each step
    made.json                date, command, versions and machine settings of the run
    predictions.jsonl        the solver's prediction for each problem of the test part, judged
    examples.jsonl           a sample of train problems with their labels, for the report
    examples.test.jsonl      a sample of test problems with their predictions, for the report
    report.html
    ablation/ARM/            the same files of the other arms

A model folder:

    config.json              the settings of the network and of its training
    vocabulary.json          words, operators and constants
    model.safetensors        the weights
    answers.safetensors      the answer model, if there is one
    equations.safetensors    the equation model, if there is one
    encoder/                 configuration and tokenizer of a pretrained encoder, if there is one
    checkpoint.safetensors   the state of an unfinished training run
    metrics.jsonl            one line per validation
    times.jsonl              the time of each validation
    run.json                 the corpus, split and labels that it was trained on
"""

from __future__ import annotations

__all__ = [
    "ABLATION",
    "ANSWERS",
    "CANDIDATES",
    "CHECKPOINT",
    "CONFIG",
    "DRAFT",
    "DRAFT_LABELS",
    "ENCODER",
    "ENCODER_FILES",
    "EQUATIONS",
    "EXAMPLES",
    "GENERATOR",
    "LABELS",
    "MADE",
    "METRICS",
    "MODEL_CONFIG",
    "MODEL_FILES",
    "ORIGIN",
    "PREDICTIONS",
    "REPORT",
    "SOLVER",
    "TEST_EXAMPLES",
    "TIMES",
    "TRAINING_ROWS",
    "TRAINING_TIMES",
    "VALID_CANDIDATES",
    "VOCABULARY",
    "WEIGHTS",
]

CONFIG, CANDIDATES, VALID_CANDIDATES = "config.toml", "candidates.jsonl", "candidates.valid.jsonl"
DRAFT_LABELS, DRAFT, LABELS, GENERATOR, SOLVER = "labels.draft.jsonl", "draft", "labels.jsonl", "generator", "solver"
METRICS, TIMES, EXAMPLES, REPORT, ABLATION = "metrics.json", "times.json", "examples.jsonl", "report.html", "ablation"
MADE, PREDICTIONS, TEST_EXAMPLES = "made.json", "predictions.jsonl", "examples.test.jsonl"

MODEL_CONFIG, VOCABULARY, WEIGHTS = "config.json", "vocabulary.json", "model.safetensors"
ANSWERS, EQUATIONS, CHECKPOINT = "answers.safetensors", "equations.safetensors", "checkpoint.safetensors"
ENCODER, ENCODER_FILES = "encoder", ("config.json", "tokenizer.json", "tokenizer_config.json")
TRAINING_ROWS, TRAINING_TIMES, ORIGIN = "metrics.jsonl", "times.jsonl", "run.json"

#: All files that a model folder may contain, in the order of deletion: as long as the config is there, the others are
#: known to belong to a model.
MODEL_FILES = (
    *(f"{ENCODER}/{name}" for name in ENCODER_FILES),
    *(ANSWERS, EQUATIONS, WEIGHTS, CHECKPOINT, TRAINING_ROWS, TRAINING_TIMES, ORIGIN, VOCABULARY, MODEL_CONFIG),
)
