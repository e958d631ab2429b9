"""``--original`` where tuples were recoded: as Mondrian, ARX and others release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from hypothesis import event, given, settings
from support import tuples_oracle
from support.tuples_oracle import Case, expected

import phverify as ph

CASES = None if settings.get_current_profile_name() == "fuzz" else 300


@(
    settings(deadline=None)
    if CASES is None
    else settings(max_examples=CASES, deadline=None)
)
@given(tuples_oracle.cases())
def test_recodings_by_tuples(tmp_path_factory: Any, case: Case) -> None:
    """The verdict of all models; an error where the release is no sanitization, or the
    class of somebody named is open.
    """
    folder: Path = tmp_path_factory.getbasetemp()
    rules = tuples_oracle.bound(case, folder)
    before, after = pd.DataFrame(case.before), pd.DataFrame(case.shown)
    if not case.identified:
        after = after.drop(columns="who")
    answers = expected(case)
    try:
        report = ph.verify(after, rules, before)
    except ph.InputError as error:
        event(f"error {answers}")
        assert answers in (set(), {"open"}), error
        assert ("is open" in str(error)) == (answers == {"open"}), error
        return
    assert answers == {report.verdict}
    assert report.sanitized is not None
    tupled = report.sanitized.tupled
    event(f"{report.verdict}, by tuples: {tupled is not None}")
    assert (tupled is None) == tuples_oracle.by_columns(case)
    if tupled is not None:
        images: dict[Any, set[Any]] = {}
        for b, a in zip(case.before, case.after, strict=True):
            images.setdefault((b["q"], b["r"]), set()).add((a["q"], a["r"]))
        assert tupled.before == len(images)
        assert tupled.after == len(set().union(*images.values()))
        assert (tupled.alike is None) == all(
            len(found) == 1 for found in images.values()
        )
