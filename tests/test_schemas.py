"""The published schemas of answers, and answers of every verb against them.

The whole of the tests holds each ``--json`` against its schema (``conftest``); here are
the schemas themselves, and forms that no other test asks for.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.schemas import schemas, validated
from test_pages_verify import secret_files

import phverify as ph
from phverify.cli.arguments.parser import VERBS
from phverify.cli.main import main

EXAMPLES = Path(ph.__file__).parent / "examples"
HOSPITAL = EXAMPLES / "hospital"
POLICY = ("--policy", str(HOSPITAL / "policy.toml"))
RELEASE = str(HOSPITAL / "release.csv")
ORIGINAL = str(HOSPITAL / "original.csv")
COMMANDS = {
    "verify": ("verify", RELEASE, *POLICY, "--original", ORIGINAL),
    "verify redacted": ("verify", RELEASE, *POLICY, "--original", ORIGINAL, "--redact"),
    "verify proved": ("verify", str(HOSPITAL / "repaired.csv"), *POLICY),
    "verify undecided": ("verify", RELEASE, *POLICY, "--budget", "1e-9"),
    "measure": ("measure", RELEASE, *POLICY),
    "search": ("search", ORIGINAL, *POLICY),
    "search redacted": ("search", ORIGINAL, *POLICY, "--redact", "--all-minimal"),
    "search explained": ("search", ORIGINAL, *POLICY, "--explain"),
    "compare": ("compare", "l_diversity(s, 2)", "k_anonymity(3)", "--equivalent"),
    "compare data": ("compare-data", ORIGINAL, RELEASE, *POLICY),
    "compare data redacted": ("compare-data", ORIGINAL, RELEASE, "--redact"),
    "lint": ("lint", str(HOSPITAL / "policy.toml")),
    "reidentify": ("reidentify", ORIGINAL, RELEASE, *POLICY),
    "reidentify redacted": ("reidentify", ORIGINAL, RELEASE, *POLICY, "--redact"),
    "method": (
        *("reidentify", ORIGINAL, RELEASE, *POLICY),
        *("--method", str(HOSPITAL / "links.csv")),
    ),
    "audit": ("audit", "--demo", "bank"),
    "audit redacted": ("audit", "--demo", "bank", "--redact"),
    "init": ("init", ORIGINAL, "--yes", "--output", "policy.toml"),
    "mechanism": ("mechanism", "--demo"),
    "mechanism bounded": ("mechanism", "--demo", "--epsilon", "1"),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The answer to each command, as its file has it."""
    folder = tmp_path_factory.mktemp("answers")
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        # Queries of undecided rules are saved where one stands.
        patch.chdir(folder)
        for number, (name, command) in enumerate(COMMANDS.items()):
            file = folder / f"{number}.json"
            assert main([*command, "--json", str(file)]) in (0, 1, 3), name
            found[name] = json.loads(file.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_answers_have_the_form_that_they_name(
    name: str, answers: dict[str, Any]
) -> None:
    validated(answers[name])
    assert answers[name]["evidence"]["command"][1] == COMMANDS[name][0]


def changed(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An answer with one thing wrong."""
    for key in schemas()[data["schema"]]["required"]:
        yield {name: value for name, value in data.items() if name != key}
    yield {**data, "more": 1}
    yield {**data, "schema": "verify-2.json"}
    if "verdict" in data:
        yield {**data, "verdict": "PROVED"}
    for key in ("rules", "measured", "steps", "attackers"):
        if isinstance(data.get(key), list):
            wrong = copy.deepcopy(data)
            wrong[key][0]["more"] = 1
            yield wrong


@pytest.mark.parametrize("name", ["verify", "measure", "search", "audit", "reidentify"])
def test_another_form_is_refused(name: str, answers: dict[str, Any]) -> None:
    for wrong in changed(answers[name]):
        with pytest.raises((AssertionError, KeyError)):
            validated(wrong)


def test_a_proved_rule_has_no_witness(answers: dict[str, Any]) -> None:
    rules = copy.deepcopy(answers["verify"]["rules"])
    assert {rule["verdict"] for rule in rules} == {"proved", "refuted"}
    for rule in rules:
        rule["verdict"] = "proved"
    with pytest.raises(AssertionError):
        validated({**answers["verify"], "rules": rules})


def test_forms_that_only_options_ask_for(tmp_path: Path) -> None:
    release, policy = secret_files(tmp_path)
    for redact in (False, True):
        report = ph.verify(release, policy, portrait=True, failing=True, redact=redact)
        assert {"portrait", "failing_rows"} < set(report.to_dict())
        validated(report.to_dict())
        validated(ph.measure(release, policy, redact=redact).to_dict())


def test_what_check_found(tmp_path: Path) -> None:
    certificate = tmp_path / "certificate.json"
    command = ["verify", RELEASE, *POLICY, "--certificate", str(certificate)]
    assert main(command) == 1
    for release, verdict in ((RELEASE, "accepted"), (ORIGINAL, "refused")):
        found = ph.check(certificate, release=release)
        assert found.verdict == verdict
        validated(found.to_dict())


@pytest.mark.parametrize("name", schemas())
def test_schemas_are_schemas(name: str) -> None:
    schema = schemas()[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == name
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """All objects of a schema, wherever they are."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for key, value in schema.items():
            if key not in ("if", "then", "else"):
                yield from objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects(value)


@pytest.mark.parametrize("name", schemas())
def test_every_property_is_described_and_no_other_is_allowed(name: str) -> None:
    for schema in objects(schemas()[name]):
        if schema.get("additionalProperties") is None:
            continue
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) <= set(schema["properties"])
        for key, one in schema["properties"].items():
            assert one.get("description") or "$ref" in one, key


def test_every_verb_has_a_schema() -> None:
    for verb in VERBS:
        if verb not in ("demo", "completion"):
            assert f"{verb}-1.json" in schemas(), verb
