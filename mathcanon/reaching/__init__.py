"""Numbers and a target -> every expression that uses each number once and has the target's value.

Reading order: `program` (what to evaluate), `scan` (compiled evaluation), `number_table` (inputs as arrays), `trace`
(hits -> steps), `shapes` (steps -> expressions), `texts` (steps -> text), `collector` (hits checked, each once), `hits`
(many problems at once), `numbers_to_target` (the API).
"""
