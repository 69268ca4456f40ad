"""Files on disk: records as JSON, sidecars that record how files were made, locked folders, and names of files.

Reading order: `whole_files`, `json_files` and `json_lines` (content), `provenance` and `run_origin` (sidecars),
`folder_lock` and `claims` (one run per folder), `run_files` (names).
"""
