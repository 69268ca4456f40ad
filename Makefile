# Everything runs in .venv, which is made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# What runs a second time without the compiled core.
BOTH_WAYS := mathcanon tests/mathcanon tests/cli/test_canon.py tests/cli/test_canon_grade.py

.PHONY: demo test slow lint bench docs clean

$(INSTALLED): setup.py setup.cfg pyproject.toml constraints.txt $(wildcard mathcanon/csrc/*.c mathcanon/csrc/*.h)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[test,docs]"
	touch $@

demo: $(INSTALLED)
	$(BIN)/mwp-canon equivalent "a-b+c" "a+c-b"
	$(BIN)/mwp-canon count 6
	$(BIN)/mwp-canon reach 24 4 7 8 8
	rm -rf build/demo
	$(BIN)/mwp-weak pipeline --out build/demo
	@echo "Done. Open build/demo/report.html in a browser: what was searched, chosen and learnt, problem by problem."

test: $(INSTALLED)
	$(BIN)/python -m pytest -m "not slow" -n auto -q
	MATHCANON_PURE=1 $(BIN)/python -m pytest -m "not slow" -n auto -q $(BOTH_WAYS)

slow: $(INSTALLED)
	$(BIN)/python -m pytest -m slow -q

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[bench]"
	$(BIN)/python benchmarks/run.py

docs: $(INSTALLED)
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html

clean:
	rm -rf $(VENV) build dist *.egg-info docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis
