"""Logs as statements: quotes, comments, lines, and what is not closed."""

from __future__ import annotations

import pytest

from phverify.disclosure.log.statements import one_line, split

pytest.importorskip("sqlglot")


def test_statements_and_their_lines() -> None:
    def found(text: str) -> list[tuple[str, int]]:
        return [(s.text, s.line) for s in split(text)]

    assert found("-- c\nSELECT 1;;\n\nSELECT\n 2; select 3") == [
        ("SELECT 1", 2),
        ("SELECT\n 2", 4),
        ("select 3", 5),
    ]
    assert found("SELECT ';\n', 2;\nSELECT E'\\';', 1;SELECT 4") == [
        ("SELECT ';\n', 2", 1),
        ("SELECT E'\\';', 1", 3),
        ("SELECT 4", 3),
    ]
    assert found('/* ; */ SELECT 1; $a$ ; $a$; "a;b"') == [
        ("SELECT 1", 1),
        ("$a$ ; $a$", 1),
        ('"a;b"', 1),
    ]
    assert found("/* open\nSELECT 1;\nSELECT 2;\n") == [
        ("/* open\nSELECT 1", 1),
        ("SELECT 2", 3),
    ]
    assert found("SELECT 'a FROM t;\nSELECT 1;\nSELECT 'b';\n") == [
        ("SELECT 'a FROM t", 1),
        ("SELECT 1", 2),
        ("SELECT 'b'", 3),
    ]
    assert found("it's;\n" * 3) == [("it's", 1), ("it's", 2), ("it's", 3)]
    assert found(" ;\n; -- nothing\n/* nor here */") == []


def test_a_statement_as_one_line() -> None:
    assert (
        one_line("SELECT a -- hi\nFROM  t /* x */\n WHERE b = 'x  -- y'")
        == "SELECT a FROM t WHERE b = 'x  -- y'"
    )
