"""What certificates of searches share: their form, and the files they are about.

The files are named by SHA-256.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from phverify.spec.certificate import Claims, require_unchanged, whose
from phverify.spec.data import Data, Refused
from phverify.spec.released import Given
from phverify.spec.source import File, Plain, content_of, number

FILES = ("table", "policy", "release")
OTHERS = "the certificate is about other rules than the policy's"


def intact(
    claimed: Plain, files: Mapping[str, File], shaped: Callable[[Any], None]
) -> Iterator[str]:
    """That the certificate of a search has its form, and was not changed.

    Says whose the policy is.  Raises Refused.
    """
    if "policy" in files:
        yield whose(files["policy"])
    else:
        yield "the policy is the one given, in memory"
    shaped(dict(claimed))
    require_unchanged(claimed)
    yield "the digest fits"


def same_sample(claimed: Plain, given: Given) -> None:
    """Raises Refused unless the rows at hand are those that a certificate is about."""
    if given.sample is None and "sample" not in claimed:
        return
    # Few certificates are about a sample.
    from phverify.spec.sampling import claimed_sample

    if claimed_sample(claimed) != given.sample:
        raise Refused("the certificate is about another sample of the table")


def same_rules(claimed: Mapping[str, str], given: Given) -> None:
    """Raises Refused unless the rules that a certificate is about are the policy's,
    however each is written.
    """
    same_names(claimed, given)
    for name, rule in given.policy.rules.items():
        if not _same(claimed[name], rule, given.data):
            raise Refused(OTHERS)


def _same(text: str, other: str, data: Data) -> bool:
    """Whether two texts are one rule: 0.4 is 2/5, and what is left out has its default.

    Raises Refused for a text that is no formula.
    """
    if text == other:
        return True
    # Few certificates are written otherwise than their policy.
    from phverify.spec.rules import looked_up, parsed

    formulas = [parsed(text), parsed(other)]
    try:
        one, another = [looked_up(formula, data, in_rule=True) for formula in formulas]
    except Refused:
        # What has no meaning here is like nothing else.
        return False
    return one == another


def same_names(claimed: Iterable[str], given: Given) -> None:
    """Raises Refused unless each rule of the policy is named once, in any order."""
    if sorted(claimed) != sorted(given.policy.rules):
        raise Refused(OTHERS)


def all_proved(judged: Claims, released: Plain, given: Given) -> list[str]:
    """That the released table satisfies the policy, a line for each rule.

    Raises Refused.  All rules are checked before one is said to hold.
    """
    rules = released["rules"]
    # The policy's rules, each once: none is left out, none is another's.
    same_names([one["name"] for one in rules], given)
    for one in rules:
        if one["verdict"] != "proved":
            why = one.get("reason", one["verdict"])
            raise Refused(
                f"nothing shows that the released table satisfies {one['name']}: {why}"
            )
    return [f"  {judged.rule(one)}" for one in rules]


def exact(text: str) -> Fraction:
    """A number in lowest terms: there is one way to write it.  Raises Refused."""
    value = number(text)
    if str(value) != text:
        raise Refused(f"{text} is not written in lowest terms")
    return value


def sha256(path: File) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal digits.  Raises Refused when the
    file cannot be read.
    """
    content = content_of(path)
    return hashlib.sha256(content).hexdigest()


def same_files(said: Mapping[str, str | None], given: Given) -> Iterator[str]:
    """Which of the files at hand are those that the certificate names.

    Raises Refused when one is another file.
    """
    named = [name for name in FILES if said[name] is not None and name in given.files]
    for name in named:
        file = given.files[name]
        if sha256(file) != said[name]:
            raise Refused(
                f"{file} is not the {name} that the certificate names (its"
                " SHA-256 differs)"
            )
    if named:
        yield f"the files are those named by SHA-256: {', '.join(named)}"
    if said["release"] is not None and "release" not in given.files:
        yield (
            f"the released file has SHA-256 {said['release']}: with --release FILE it"
            " is compared"
        )
