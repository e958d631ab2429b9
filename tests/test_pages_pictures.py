"""The pictures of pages: each is there, told of, and small."""

from __future__ import annotations

import re

from pictures import FOLDER, PICTURES
from support.shown_pages import PAGES

LARGEST = 150_000


def test_each_picture_is_there_and_told_of() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    told = re.findall(r"!\[\]\(([\w-]+)\.png\)", text)
    assert told == list(PICTURES)
    assert {one.name for one in FOLDER.iterdir()} == {
        "README.md",
        *(f"{name}.png" for name in PICTURES),
    }
    for name in PICTURES:
        content = (FOLDER / f"{name}.png").read_bytes()
        assert content.startswith(b"\x89PNG") and len(content) < LARGEST, name


def test_pictures_are_of_pages_that_are_tested() -> None:
    pages = {picture.page for picture in PICTURES.values()}
    assert pages - {"salaries"} <= set(PAGES)
    assert {picture.scheme for picture in PICTURES.values()} == {"light", "dark"}
