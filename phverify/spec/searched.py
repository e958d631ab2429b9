"""What is verified about the certificate of a search: nobody is asked again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from phverify.spec import form, released
from phverify.spec.source import Plain


def lines(claimed: Plain, options: Mapping[str, str | None]) -> Iterator[str]:
    """The lines that the checker says.  Raises Refused for files that it cannot read,
    or at the first claim that does not hold.
    """
    files = {}
    for name in ("table", "policy", "release"):
        path = options[name]
        if path:
            files[name] = Path(path)
    sample = None
    if "sample" in claimed:
        from phverify.spec.sampling import claimed_sample

        sample = claimed_sample(claimed)
    given = released.from_files(files, sample=sample)
    if claimed["kind"] == form.KIND:
        from phverify.spec import minimal

        return minimal.check(claimed, given, minimal.Judges())
    from phverify.spec import recoded

    return recoded.check(claimed, given)
