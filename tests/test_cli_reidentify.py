"""``phverify reidentify`` as a user meets it: text, JSON, exit codes, bad input, and
the same from Python.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

from support.cli_reidentify_cases import (
    PEOPLE,
    POLICY,
    SHOWN,
    TOWN,
    Run,
    of,
    run,  # noqa: F401
)

import phverify as ph

HOSPITAL = ["original.csv", "release.csv", "--policy", "policy.toml"]


def test_the_hospital(run: Run) -> None:
    """Its cells are labels of its hierarchies."""
    code, out, _ = run(HOSPITAL)
    assert code == 0
    lines = out.splitlines()
    assert lines[:3] == [
        "release.csv: 8 records, linked with 8 of original.csv",
        "  true records by the order of the rows, as the policy says",
        "",
    ]
    assert (
        "Whoever knows birth, zip can expect to link 4 of 8 records correctly (50%)."
        in lines
    )
    assert (
        "Nobody is singled out: every record has at least 2 candidates, no original is"
        " given more than 1/2." in lines
    )
    assert "No combination of attributes leaves one candidate." in lines
    assert "  0  1  12.5%  ##                    nothing" in lines
    assert "  2  4    50%  ##########            birth, zip" in lines
    assert "  d1 (from i1): 2 candidates, the likeliest with 1/2" in lines


def test_attackers_of_the_policy_and_who_is_singled_out(run: Run) -> None:
    code, out, _ = run(TOWN)
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "attacker fewest highest bits correct >= 0.05 >= 0.09 >= 0.2 knows" in lines
    assert "a1 2 1/2 1.39 2.33 38.9% 100% 100% 100% age, zip" in lines
    assert "landlord 5 1/5 2.37 1.17 19.4% 100% 100% 83.3% zip" in lines
    assert "colleague 2 1/2 1.39 2.33 38.9% 100% 100% 100% age, zip" in lines
    assert "d6 (from Fay): 3 candidates, the likeliest with 1/3" not in lines


def test_attackers_asked_for(run: Run) -> None:
    code, out, _ = run(
        TOWN,
        "--attacker",
        "age",
        "--attacker",
        "landlord",
        "--attacker",
        "age,job",
        "--json",
        "-",
    )
    data = json.loads(out)
    assert code == 0
    assert [found["knows"] for found in data["attackers"]] == [
        ["age"],
        ["zip"],
        ["age", "job"],
    ]
    last = data["attackers"][2]
    assert (last["fewest_candidates"], last["singled_out"], last["highest"]) == (
        1,
        4,
        "1",
    )
    assert last["expected_correct"] == "5"
    assert [last["outcomes"][k]["candidates"] for k in last["of_record"]] == [
        2,
        2,
        1,
        1,
        1,
        1,
    ]


def test_one_candidate_left(run: Run) -> None:
    Path("shown.csv").write_text(
        SHOWN.replace("20-29,104**,nurse", "29,104**,nurse"), encoding="utf-8"
    )
    code, out, _ = run(TOWN)
    assert code == 0
    assert "1 record can come from one original only." in out
    assert "The smallest combinations that leave one candidate:\n  age  1  d3\n" in out
    assert "  d3 (from Cem): the only candidate\n" in out


def test_thresholds(run: Run) -> None:
    _, out, _ = run(
        TOWN,
        "--threshold",
        "1/3",
        "--threshold",
        "0.5",
        "--attacker",
        "colleague",
        "--json",
        "-",
    )
    assert json.loads(out)["attackers"][0]["at_or_above"] == {"1/3": 6, "1/2": 2}


def test_a_bet_in_the_policy_is_a_threshold(run: Run) -> None:
    Path("town.toml").write_text(
        POLICY + '[rules]\nr = "forall i: pignistic(i, a1) <= 0.4"\n', encoding="utf-8"
    )
    data = json.loads(run(TOWN, "--json", "-")[1])
    assert "2/5" in data["thresholds"]
    assert "2/5" in data["attackers"][0]["at_or_above"]


def test_the_risk_is_what_the_policy_rule_bounds(run: Run) -> None:
    """pignistic(i, a) is the pignistic probability that the report gives agent a (its
    highest is that of a class).
    """
    columns = {"quasi": ["birth", "zip"], "identifier": "person"}
    for agent, knows in (("a1", ["birth", "zip"]), ("friend", ["zip"])):
        agents = {} if agent == "a1" else {agent: knows}
        found = ph.reidentify(
            "original.csv", "release.csv", of(columns, agents, "true"), [agent]
        )
        assert found.risk is not None
        highest = found.risk.attacker(agent).outcomes.highest
        for bound, verdict in (
            (highest, "proved"),
            (highest - Fraction(1, 1000), "refuted"),
        ):
            rule = f"forall i: pignistic(i, {agent}) <= {bound}"
            assert (
                ph.verify(
                    "release.csv", of(columns, agents, rule), "original.csv"
                ).verdict
                == verdict
            )


def test_redacted_text_names_nobody(run: Run) -> None:
    Path("shown.csv").write_text(
        SHOWN.replace("20-29,104**,nurse", "29,104**,nurse"), encoding="utf-8"
    )
    code, out, _ = run(TOWN, "--redact")
    assert code == 0
    assert "1 record can come from one original only." in out
    assert not any(
        name in out for name in ("Ann", "Bob", "Cem", "Dan", "Eve", "Fay", "d3", "d6")
    )
    data = json.loads(run(TOWN, "--redact", "--json", "-")[1])
    assert "Cem" not in str(data)
    assert data["singled_out"]["linkage"]["combinations"][0] == {
        "attributes": ["age"],
        "records": 1,
    }


def test_json_to_a_file(run: Run) -> None:
    code, out, _ = run(HOSPITAL, "--json", "out.json")
    assert code == 0
    assert "can expect to link" in out
    data = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert data["truth"] == "order"
    assert [point["expected_correct"] for point in data["subsets"]] == [
        "1",
        "4",
        "3",
        "4",
    ]
    assert data["attackers"][0]["outcomes"][0]["nonspecificity"] == "1 ln(2)"
    assert data["attackers"][0]["figures"]["marketer"] == "1/2"


def test_names_cannot_pass_for_verdicts(run: Run) -> None:
    Path("people.csv").write_text(
        PEOPLE.replace("Fay", '"F\nSOUND: all"'), encoding="utf-8"
    )
    _, out, _ = run(TOWN, links="record,original,probability\nd6,Ann,1\n")
    assert not any(line.startswith("SOUND") for line in out.splitlines())
