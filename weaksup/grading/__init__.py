"""Grading of the solutions in a JSON Lines file, for `mwp-canon grade`.

Reading order: `graded_records` (lines -> graded records), `graded_file` (a resumable output file), `disagreements` (an
HTML page of the disagreements with gold).
"""
