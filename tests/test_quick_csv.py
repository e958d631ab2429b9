"""The quick reader of CSV and the plain one: where the quick one has an answer it is
the plain one's.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.so_many import so_many

from phverify.errors import InputError
from phverify.microdata import quick_csv, read
from phverify.microdata.files import TableFile
from phverify.microdata.table import Label

Cells = dict[str, list[Label]]


@pytest.fixture(autouse=True)
def any_size(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(quick_csv, "SMALL", 0)
    monkeypatch.setattr(quick_csv, "TINY", 0)
    yield


def plainly(content: bytes) -> Cells | None:
    """What the plain reader alone reads; None where it refuses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read, "quick_columns", lambda *given: None)
        try:
            table = read.from_csv(TableFile("t.csv", content))
        except InputError:
            return None
    return {name: column.cells() for name, column in table.columns.items()}


def quickly(content: bytes) -> Cells | None:
    """What the quick reader alone reads; None where it leaves it to the other."""
    answers = []

    def watched(*given: object) -> object:
        answers.append(quick_csv.quick_columns(*given))  # type: ignore[arg-type]
        return answers[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read, "quick_columns", watched)
        try:
            read.from_csv(TableFile("t.csv", content))
        except InputError:
            assert not answers or answers[0] is None, content
            return None
    if answers[0] is None:
        return None
    for column in answers[0].values():
        assert sorted(set(column.codes.tolist())) == [*range(len(column.labels))]
        assert len(set(column.labels)) == len(column.labels)
    return {name: column.cells() for name, column in answers[0].items()}


PIECES = [
    *("a", "b", "é", "0", "1.5", " ", "NULL", "nan", "NA", "\u2028", "\ufeff", "\\", "'", "#"),
    *('"', '""', '"""', ",", ";", "\t", "|", "\n", "\n\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\0"),
    *(',"', '",', '"\n', '\n"', ',"x"', ',""', 'x"y', '"x,y"', '"x\ny"', '"x\r\ny"'),
]  # fmt: skip
ODD = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
HEADERS = [
    "a,b\n",
    "a,b,c\r\n",
    '"a",b\n',
    "a;b\n",
    "\ufeffa\tb\n",
    "a\n",
    '"a\nb",c\n',
    "a|b|c\n",
]


@so_many(750, fuzz=6000)
@given(st.sampled_from(HEADERS), ODD)
@example("a,b\n", '"x""y",1\n')
@example("a,b\n", '"",""\n\n1,2')
@example("a,b\n", '1,"2" \n')
@example("a,b\n", '1,"2"x"3"\n')
@example("a,b\n", "\ufeff1,2\n")
@example("a,b\n", "1,2\n3\n")
@example("a,b\n", "1,2\n \n")
@example("a\n", "1\n\n2\n")
@example("a,b\r\n", "1,2\n\r\n3,4")
@example("a,b\n", '1,"a\n\n\r\nb"\r\n')
@example("a,b\n", '1,"""')
@example("a,b\n", '""",",1')
def test_odd_texts(header: str, body: str) -> None:
    content = (header + body).encode()
    found = quickly(content)
    if found is not None:
        assert found == plainly(content)


@so_many(300, fuzz=2400)
@given(st.sampled_from(["a,b\n", ""]), st.binary(max_size=40))
@example("a,b\n", b"\xff,1\n")
@example("a,b\n", b"\xed\xa0\x80,1\n")
@example("a,b\n", b"\xc0\x80,1\n")
@example("", b"PK\x03\x04,b\n1,2\n")
def test_random_bytes(header: str, body: bytes) -> None:
    content = header.encode() + body
    found = quickly(content)
    if found is not None:
        assert found == plainly(content)


FIELDS = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=5
) | st.sampled_from(["", " ", "a,b", 'say "hi"', "two\nlines", "\r\n", "NULL", "0"])


@so_many(200, fuzz=1600)
@given(
    st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=7),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
)
def test_what_the_csv_module_writes_is_read_quickly(
    rows: list[tuple[str, str]], separator: str, newline: str, quoting: int, mark: bool
) -> None:
    buffer = io.StringIO(newline="")
    writer = csv.writer(
        buffer, delimiter=separator, lineterminator=newline, quoting=quoting
    )  # type: ignore[call-overload]
    writer.writerows([("first", "second"), *rows])
    content = ("\ufeff" if mark else "").encode() + buffer.getvalue().encode()
    expected = {
        "first": [one or None for one, _ in rows],
        "second": [two or None for _, two in rows],
    }
    found = quickly(content)
    below = content.partition(newline.encode())[2]
    if not below.startswith(b"\xef\xbb\xbf"):
        # There is nothing odd in these texts that would need the plain reader.
        assert found == expected
    assert plainly(content) == expected


def test_rows_over_many_blocks(tmp_path: Path) -> None:
    lines = [
        f'{number % 97},"text {number}\nand ""more"" {number % 1009}",é'
        for number in range(60_000)
    ]
    content = ("a,b,c\n" + "\n".join(lines)).encode()
    assert len(content) > 1 << 20
    found = quickly(content)
    assert found is not None
    assert found == plainly(content)


def test_a_cell_that_is_too_long_is_left_to_the_plain_reader() -> None:
    content = b"a,b\n" + b"x" * 131_073 + b",1\n"
    assert quickly(content) is None
    assert plainly(content) is None


def test_small_files_load_no_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert quick_csv.SMALL == 1 << 20
    assert (
        quick_csv.quick_columns(TableFile("t", b"a,b\n1,2\n"), ",", ["a", "b"]) is None
    )


@pytest.mark.parametrize("ending", ["1\n", '1,"2\n', "1,2,3\n", "\xff,2\n"])
def test_what_is_wrong_is_said_with_its_line(ending: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 30_000 + ending.encode("latin1"))
    with pytest.raises(InputError, match=r"30002|well-formed"):
        read.read(path)
