"""What a column's name says: words that stand for identities, for what others know of
people, and for what is confidential.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

WORDS = {
    "identifier": (
        "id ids uuid guid key name names forename firstname lastname surname fullname"
        " username user login email mail phone telephone mobile fax ssn nino passport"
        " licence license mrn account iban card ip mac url device serial vin plate"
        " photo person patient-id customer-id employee-id social-security"
        " medical-record credit-card national-id first-name last-name street address"
        " vorname nachname nom prenom nombre apellido adresse telefon"
    ),
    "quasi": (
        "age birth born dob birthday birthdate sex gender race ethnicity ethnic zip"
        " zipcode zip-code postcode post-code postal postal-code plz city town village"
        " county district state region province country nationality citizenship native"
        " marital marital-status married civil-status family relationship household"
        " children education degree school graduation occupation job profession"
        " employer workclass industry language height weight veteran admission"
        " discharge visit death date year month hospital ward alter geschlecht"
        " geburtsdatum beruf familienstand sexe naissance edad sexo"
    ),
    "sensitive": (
        "diagnosis diagnoses disease illness condition health health-status icd symptom"
        " treatment therapy drug medication medicine procedure hiv cancer tumor tumour"
        " blood blood-pressure blood-type genetic gene allergy cholesterol"
        " glucose result test-result disability pregnancy income salary salary-class"
        " wage wages earnings pay compensation debt credit loan balance score grade"
        " rating religion"
        " belief politics political party union orientation sexual-orientation crime"
        " offence offense conviction arrest vote diagnose krankheit einkommen gehalt"
        " maladie revenu salaire enfermedad ingresos"
    ),
}
"""Words by the role that they speak for; a hyphen joins words that stand together."""
CODES = {"zip", "zipcode", "postcode", "post-code", "postal", "plz"}
"""Of what has such a name the first characters say more or less where somebody is."""


def words_of(name: str) -> list[str]:
    """The words of a column's name, in small letters: ``maritalStatus`` has two."""
    pieces = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return [piece.lower() for piece in pieces]


def clues(name: str) -> dict[str, str]:
    """By role the longest words of the name that speak for it, as they are listed."""
    phrases = [*_phrases(words_of(name))]
    spoken: dict[str, str] = {}
    for role, listed in WORDS.items():
        known = set(listed.split())
        matching = [phrase for phrase in phrases if phrase in known]
        if matching:
            spoken[role] = max(matching, key=_length)
    return spoken


def _length(phrase: str) -> int:
    return phrase.count("-")


def _phrases(words: list[str]) -> Iterator[str]:
    """Each word, and each two that stand together."""
    yield from words
    for first, second in pairwise(words):
        yield f"{first}-{second}"


def is_code(name: str) -> bool:
    """Whether the name is one of codes whose first characters are an area."""
    phrases = _phrases(words_of(name))
    return not CODES.isdisjoint(phrases)
