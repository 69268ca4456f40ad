"""The tables of the ComSearch paper, one command each: what is run, what is read from it, what is written.

place.py      where runs are kept
runs.py       every run: which `mwp-weak` commands make it
runner.py     starts what is missing
run_queue.py  every run that is missing, in an order of value, one on each core
origin.py     which code and machine made the figures
folders.py    how the runs were made: commands, settings, times
figures.py    what they measured: figures by name
records.py    both of a run, from its folder or as recorded earlier
cells.py      a table with the paper's figures beside ours, as JSON and as Markdown
tables.py     which tables there are, which runs each needs; their rows are in search_tables.py, label_tables.py,
              answer_tables.py
chart.py      the picture of the oracle test
command.py    the command line
"""
