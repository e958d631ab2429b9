# make demo   sets everything up and shows verify, search, audit and reidentify on examples
# make test   sets everything up and runs all checks and tests
# make test-spark  the tests of Spark on a cluster of this machine; installs pyspark (half a gigabyte) and Java first
# make test-pages  opens each report in Chromium; installs Chromium, Playwright and axe-core first
# make test-dbt    the example project of dbt, in an environment of its own
# make pictures  draws the pictures of pages in docs/pictures anew, to be looked at; two minutes
# make fuzz   the property tests with many more cases, and three fuzzers from a fixed seed
# make fuzz-some  half a minute of each fuzzer
# make mutants  a sampled mutation run: does a test fail where the program is wrong in one place?
# make bench  the benchmarks, with the tools they compare with
# make docs   the documentation as a site, in build/docs/html
# make checker  phverify-check.pyz: the checker of certificates alone, for a bare Python
# make encodings  writes the files below encodings/ again

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
FUZZ_SECONDS ?= 600
FUZZ_SEED ?= 20261122
MUTANTS ?= 48
# Debian and Ubuntu keep venv in a package of its own.
APT = apt-get update -qq && apt-get install -y -qq python3-venv
CHROMIUM = apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core
JAVA = apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless

.PHONY: demo test test-spark test-pages test-dbt dbt pictures docs browser check machine-code bytecode checker fuzz fuzz-some mutants bench encodings clean

demo: $(VENV)/ready
	@$(BIN)/phverify demo

# While one core compiles what searches run, the other one has mypy read, and then the bytecode of all tests written, once for
# both. Tests start hundreds of processes: each would compile the whole package again where nothing is to be kept, as containers
# often say.
test: $(VENV)/ready-test
	@$(MAKE) --no-print-directory -j $(JOBS) machine-code check bytecode
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

machine-code: $(VENV)/ready-test
	@$(BIN)/python -c "from phverify.disclosure.classes.crossed import warm_up; warm_up()"
	@$(BIN)/python -c "from phverify.recoding.warm import warm_up; warm_up()"

# Whatever is wrong with a test file, pytest itself says afterwards.
bytecode: $(VENV)/ready-test
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --collect-only -q >/dev/null || true

# Not a part of test: to download and build pyspark takes longer than some of its users have. Where it is installed, test runs these, too.
test-spark: $(VENV)/ready-spark
	@command -v java >/dev/null || { $(JAVA); } || { echo "Spark needs Java 17 or newer, and it could not be installed" >&2; exit 1; }
	$(BIN)/python -m pytest -p no:xdist -rs tests/test_spark.py tests/test_spark_cluster.py

# Chromium is a hundred megabytes. Where all is installed, test runs these, too.
test-pages: browser
	$(BIN)/python -m pytest -p no:xdist -rs tests/test_pages_browser.py

test-dbt: dbt
	$(BIN)/python -m pytest -p no:xdist -rs tests/test_dbt.py

dbt: $(VENV)/ready-test .venv-dbt/ready

# From 1.11 on dbt brings a parser that is not on the package index.
.venv-dbt/ready: pyproject.toml
	@$(PYTHON) -m venv .venv-dbt
	@.venv-dbt/bin/python -m pip install -q --disable-pip-version-check -e . 'dbt-core>=1.10,<1.11' 'dbt-duckdb>=1.9,<1.11' && touch $@

pictures: browser
	$(BIN)/python tests/pictures.py

browser: $(VENV)/ready-pages
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || { $(CHROMIUM); } || { echo "Pages are looked at in Chromium, and it could not be installed" >&2; exit 1; }

# Every warning is an error: a link that leads nowhere, a name that is documented and is not there.
docs: $(VENV)/ready-docs
	$(BIN)/python docs/generate.py
	$(BIN)/python -m sphinx -q -W --keep-going -c docs -d build/docs/trees . build/docs/html
	@echo "open build/docs/html/docs/index.html"

check: $(VENV)/ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

checker:
	@$(PYTHON) -P phverify/spec/bundle.py phverify-check.pyz

fuzz: $(VENV)/ready-test
	HYPOTHESIS_PROFILE=fuzz $(BIN)/python -m pytest -n $(JOBS) tests/test_agreement.py tests/test_search.py tests/test_closure.py \
		tests/test_certificate.py tests/test_compare.py tests/test_compare_values.py tests/test_compare_matrix.py tests/test_compare_formulas.py \
		tests/test_theorems.py \
		tests/test_check_*.py tests/test_minimality.py tests/test_audit_*.py tests/test_reidentify_*.py \
		tests/test_criteria.py tests/test_new_criteria.py tests/test_certificate_criteria*.py tests/test_definition.py \
		tests/test_semantics.py tests/test_smt.py tests/test_one_language.py tests/test_never_known.py \
		tests/test_original_random.py tests/test_original_built.py tests/test_original_tuples.py tests/test_original_withheld.py tests/test_forged*.py \
		tests/test_odd_cells.py tests/test_pages_reidentify.py tests/test_theorems_engine.py
	HYPOTHESIS_PROFILE=more $(BIN)/python -m pytest -n $(JOBS) tests/test_tuples_*.py tests/test_*counted*.py tests/test_witness_random.py \
		tests/test_reference_original.py tests/test_engines.py tests/test_frames.py tests/test_tables*.py tests/test_sanitization.py \
		tests/test_hierarchies*.py tests/test_histogram_columns.py tests/test_quick_csv.py tests/test_rows_of_files.py \
		tests/test_measure.py tests/test_english.py tests/test_init.py tests/test_tradeoff*.py \
		tests/test_closure_*.py tests/test_pignistic.py tests/test_evidence_*.py tests/test_parser.py tests/test_misspelt.py \
		tests/test_certificate_more.py tests/test_certificate_reading.py tests/test_certificate_tables.py tests/test_coding.py \
		tests/test_compare_data*.py tests/test_charged_*.py tests/test_encodings.py tests/test_minimality_claims.py tests/test_sampling.py tests/test_search_*.py \
		tests/test_subscripts.py tests/test_terminal.py tests/test_one_way.py tests/test_bad_input.py tests/test_release_files.py tests/test_audit_whole_rows.py \
		tests/test_cli_dltts.py tests/test_types_released.py tests/test_gates.py tests/test_histories.py tests/test_kept_answers.py \
		tests/test_quotient_coarser.py tests/test_interrupts_told.py
	$(BIN)/python tests/fuzz.py $(FUZZ_SECONDS) $(FUZZ_SEED)

# The tools that the benchmarks compare with pin older libraries, so they get an environment of their own.
bench:
	@test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python -m pip install -q --disable-pip-version-check -e '.[bench]'
	.venv-bench/bin/python benchmarks/verify.py
	.venv-bench/bin/python benchmarks/search.py
	.venv-bench/bin/python benchmarks/never_worse.py
	.venv-bench/bin/python benchmarks/reidentify.py
	.venv-bench/bin/python benchmarks/audit.py
	.venv-bench/bin/python benchmarks/algorithms.py
	.venv-bench/bin/python benchmarks/tuples.py
	.venv-bench/bin/python benchmarks/scale.py

fuzz-some: $(VENV)/ready-test
	$(BIN)/python tests/fuzz.py 30 $(FUZZ_SEED)

mutants: $(VENV)/ready-test
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[mutants]'
	$(BIN)/python tests/mutants.py $(MUTANTS) $(FUZZ_SEED)

encodings: $(VENV)/ready-test
	$(BIN)/python encodings/generate.py
	$(BIN)/python encodings/theorems/generate.py

$(BIN)/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'phverify needs Python 3.11 or newer')"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); $(APT) && $(PYTHON) -m venv $(VENV); }

$(VENV)/ready-pages: $(VENV)/ready-test
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[test,pages]' && $(BIN)/python tests/support/axe.py $(VENV)/axe && touch $@

$(VENV)/ready: $(BIN)/python pyproject.toml
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e . && touch $@

# Bytecode of all that is installed takes half a minute to write, and few of it is ever imported: what is, is compiled then.
$(VENV)/ready-test: $(BIN)/python pyproject.toml
	@$(BIN)/python -m pip install -q --no-compile --disable-pip-version-check -e '.[test]' && { $(BIN)/python tests/support/schemas_of_gates.py $(VENV)/schemas || echo "no schemas of JUnit and SARIF: gates are not held to them here"; } && touch $@ $(VENV)/ready

$(VENV)/ready-docs: $(VENV)/ready-test
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[test,docs]' && touch $@

$(VENV)/ready-spark: $(VENV)/ready-test
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[test,spark]' && touch $@

clean:
	rm -rf $(VENV) .venv-bench .venv-dbt .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info build dist
