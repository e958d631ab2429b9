"""``search``: bad options, targets, hierarchies and policies."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from support.cli_search_cases import (
    ALL,
    COLUMNS,
    HIERARCHIES,
    LINES,
    TABLE,
    Run,
    files,
    policy,
    run,  # noqa: F401
    searched,
)

hunt = importlib.import_module("phverify.generalization.loop")


BAD_OPTIONS = [
    (("--space", "subtree"), "unknown space 'subtree'\n    did you mean 'subtrees'?"),
    (("--objective", "los"), "unknown objective 'los'\n    did you mean 'loss'?"),
    (("--suppress", "1"), "is a share of the records, from 0 to below 1, not 1"),
    (("--suppress", "-1"), "is a share of the records, from 0 to below 1, not -1"),
    (("--suppress", "abc"), "is a number, not 'abc'"),
    (("--suppress", "0,05"), "is a number, not '0,05'"),
    (("--suppress", "nan"), "is a number, not 'nan'"),
    (("--weights", "agee=2"), "'agee' is no quasi-identifier\n    did you mean 'age'?"),
    (("--weights", "age"), "is column=weight, not 'age'"),
    (("--weights", "age=abc"), "is a number, not 'abc'"),
    (("--weights", "age=-1"), "the weight of 'age' is -1, which is below 0"),
    (("--weights", "age=0,zip=0"), "all weights are 0"),
    (("--shuffle", "x"), "--shuffle: is a whole number, not 'x'"),
    (("--budget", "0"), "--budget: is a number of seconds above 0, not '0'"),
    (("--budget", "soon"), "--budget: is a number of seconds above 0, not 'soon'"),
    (
        ("--all-minimal", "--space", "subtrees"),
        "lists level vectors: use space levels, not subtrees",
    ),
    (
        ("--objective", "discernibility", "--space", "subtrees"),
        "discernibility is offered for space levels",
    ),
    (
        ("--objective", "discernibility", "--suppress", "0.1", "--all-minimal"),
        "the least need not be minimal",
    ),
    (("--objective", "entropy", "--space", "intervals"), "levels and subtrees"),
    (("--objective", "ambiguity", "--weights", "age=2"), "takes no weights"),
    (
        ("--charge-withheld", "--space", "subtrees"),
        "withheld records are charged in the space levels",
    ),
    (
        ("--charge-withheld", "--objective", "class-size"),
        "class-size charges withheld records as it is",
    ),
    (
        ("--charge-withheld", "--objective", "height"),
        "a record that is withheld has no height of its own",
    ),
    (
        ("--charge-withheld", "--suppress", "0.1", "--all-minimal"),
        "need not be minimal when withheld records are charged",
    ),
    (("--objective", "height", "--space", "intervals"), "use loss"),
]


@pytest.mark.parametrize(
    ("options", "message"), BAD_OPTIONS, ids=lambda value: " ".join(value)[:40]
)
def test_bad_options(run: Run, options: tuple[str, ...], message: str) -> None:
    code, out, said = searched(run, *options, *ALL)
    assert (code, out) == (2, "")
    assert message in said
    assert files() == set()


BAD_TARGETS = [
    (("--output", "table.csv"), "table.csv is an input, which is never overwritten"),
    (
        ("--output", "./policy.toml"),
        "policy.toml is an input, which is never overwritten",
    ),
    (("--json", "table.csv"), "table.csv is an input, which is never overwritten"),
    (("--output", "nowhere/out.csv"), "the folder nowhere does not exist"),
    (("--certificate", "."), ". is a directory"),
    (
        ("--output", "one", "--certificate", "./one"),
        "one is where --certificate goes, too",
    ),
    (("--json", "one", "--certificate", "one"), "one is where --json goes, too"),
]


@pytest.mark.parametrize(
    ("options", "message"), BAD_TARGETS, ids=lambda value: " ".join(value)[:40]
)
def test_bad_targets(run: Run, options: tuple[str, ...], message: str) -> None:
    code, out, said = searched(run, *options)
    assert (code, out) == (2, "")
    assert message in said
    assert files() == set()
    assert Path("table.csv").read_text(encoding="utf-8") == TABLE


BAD_HIERARCHIES = [
    (
        LINES[:3],
        (
            "the value '13002' of the column 'zip' is not in the hierarchy\n    add a"
            " line for it"
        ),
    ),
    (
        [*LINES[:3], "13002;*"],
        "the path of '13002' has 2 entries, that of '12045' has 3",
    ),
    ([*LINES, "14000;12*;14*"], "'12*' at level 1 lies under '*' and '14*'"),
    ([*LINES, "13002;13*;*"], "the value '13002' occurs on two lines"),
    ([], "the hierarchy is empty"),
]


@pytest.mark.parametrize(
    ("lines", "message"), BAD_HIERARCHIES, ids=lambda value: str(value)[-30:]
)
def test_bad_hierarchy_files(run: Run, lines: list[str], message: str) -> None:
    Path("zip.csv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    policy(hierarchies='age = {intervals = [10]}\nzip = "zip.csv"\n')
    code, out, said = searched(run, *ALL)
    assert (code, out) == (2, "")
    assert f"zip.csv: {message}" in said
    assert files() == set()


BAD_POLICIES = [
    (
        {"hierarchies": 'age = {intervals = [10]}\nzip = "no.csv"\n'},
        "no.csv: there is no such file",
    ),
    (
        {"hierarchies": HIERARCHIES.replace("masking", "maskin")},
        "unknown builder 'maskin'\n    did you mean 'masking'?",
    ),
    (
        {"hierarchies": HIERARCHIES.replace("20", "15")},
        "the width 15 is no larger multiple of 10",
    ),
    ({"rules": 'a = "k_anonimity(2)"\n'}, "unknown criterion 'k_anonimity'"),
    ({"rules": 'a = "l_diversity(ilness, 2)"\n'}, "did you mean 'illness'?"),
    ({"rules": "a = \"@'Zed' illness = flu\"\n"}, "unknown individual 'Zed'"),
    (
        {"rules": 'a = "age >= 65 -> k_anonymity(3)"\n'},
        "policy.toml, rules.a: 'age' is released generalized, where >= has no meaning",
    ),
    ({"columns": COLUMNS.replace('"age"', '"agee"')}, "agee"),
    (
        {
            "columns": (
                COLUMNS.replace('["age", "zip"]', "[]").replace(
                    '["note"]', '["age", "zip", "note"]'
                )
            )
        },
        "quasi-identifiers",
    ),
]


@pytest.mark.parametrize(
    ("changed", "message"), BAD_POLICIES, ids=lambda value: str(value)[-30:]
)
def test_bad_policies(run: Run, changed: dict[str, str], message: str) -> None:
    policy(**changed)
    code, out, said = searched(run, *ALL)
    assert (code, out) == (2, "")
    assert message in said
    assert files() == set()


def test_all_problems_are_told_at_once(run: Run) -> None:
    code, _, said = searched(
        run, "--space", "x", "--objective", "y", "--suppress", "2", "--weights", "z=1"
    )
    assert code == 2
    assert (
        len([line for line in said.splitlines() if line.startswith("phverify: ")]) == 4
    )


@pytest.mark.parametrize("option", [("--suppress", "0.3"), ("--shuffle", "1")])
def test_record_numbers_mean_nothing_once_records_move(
    run: Run, option: tuple[str, str]
) -> None:
    policy('a = "@d3 illness = flu"\n')
    code, _, said = searched(run, *option)
    assert code == 2
    assert "names records by their number (d1, d2, ..) in 'a'" in said
    assert searched(run)[0] == 0


def test_individual_numbers_while_records_may_be_withheld(run: Run) -> None:
    policy('a = "@i3 ~[a1] illness = flu"\n')
    code, _, said = searched(run, "--suppress", "0.3")
    assert code == 2
    assert "name them by their 'person', in quotes" in said
    assert searched(run)[0] == 0


def test_a_budget_that_is_too_small(run: Run) -> None:
    code, out, said = searched(run, "--budget", "1e-9", *ALL)
    assert (code, said) == (3, "")
    assert "not proved to be the least (the budget of 1e-09 s ran out)" in out
    assert files() == {"out.csv", "result.json"}
    assert "nothing is written to proof.json" in out
    assert run("verify", "out.csv", "--original", "table.csv")[0] == 0


@pytest.mark.parametrize("space", ["levels", "subtrees"])
@pytest.mark.parametrize("place", [1, 2])
def test_an_interrupt_keeps_the_best_found(
    run: Run, monkeypatch: pytest.MonkeyPatch, space: str, place: int
) -> None:
    calls, before = [], hunt.LeastSearch._next

    def interrupted(self: Any, choose: Any) -> Any:
        calls.append(choose)
        if len(calls) == place:
            raise KeyboardInterrupt
        return before(self, choose)

    monkeypatch.setattr(hunt.LeastSearch, "_next", interrupted)
    code, out, said = searched(run, "--space", space, *ALL)
    assert (code, said) == (3, "")
    assert "PROVED for the release: 2 rules on 8 rows" in out
    assert "UNDECIDED: loss " in out
    assert "the best found, not proved to be the least (interrupted)" in out
    assert "OPTIMAL" not in out
    assert files() == {"out.csv", "result.json"}
    assert (
        json.loads(Path("result.json").read_text(encoding="utf-8"))["reason"]
        == "interrupted"
    )


def test_an_interrupt_before_the_search_decides_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(
        importlib.import_module("phverify.verbs.search"), "prepared", interrupted
    )
    code, out, said = searched(run, *ALL)
    assert (code, out, said) == (3, "", "phverify: interrupted: nothing was decided\n")
    assert files() == set()
