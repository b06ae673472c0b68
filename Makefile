# The commands the project keeps true. Each sets up its own virtual environment first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: dream test check e2e bench format clean

# uv where it is on PATH, else venv and pip.
$(READY): pyproject.toml
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv --quiet --allow-existing $(VENV) && uv pip install --quiet --python $(BIN)/python --editable . --group dev; \
	else \
	  $(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev; \
	fi
	@touch $(READY)

dream: $(READY)
	@$(BIN)/python examples/first_dream.py

test: $(READY)
	$(BIN)/python -m pytest -n auto

check: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_house.py tests/test_documents.py -q

e2e: $(READY)
	$(BIN)/python -m pytest -m e2e tests/e2e

bench: $(READY)
	$(BIN)/python -m benchmarks

format: $(READY)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) .e2e .bench .slowwave .mypy_cache .ruff_cache .pytest_cache .hypothesis
