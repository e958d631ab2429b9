"""What the tests of audit distances have in common."""

from __future__ import annotations

from phverify.disclosure.facts.distances import (
    Columns,
    Nominal,
    Numerval,
    Row,
    Taxoral,
)
from phverify.disclosure.facts.taxonomy import from_edges

AILMENTS = from_edges(
    [
        ("Ailment", "Heart-Disease"),
        ("Ailment", "Cancer"),
        ("Ailment", "Viral-Infection"),
        ("Viral-Infection", "Flu"),
        ("Viral-Infection", "CoVid"),
    ]
)


HOSPITAL = Columns(
    {
        "Name": Nominal(),
        "Age": Numerval(),
        "Gender": Nominal(),
        "Dept": Nominal(),
        "Ailment": Taxoral(AILMENTS),
    }
)


# Lines 2, 4 and 5 of the hospital's public record.  Its table is lost in our copy of
# the paper: the intervals are chosen such that l4 and l5 share one point of 20, as
# Example 4 needs.
L2: Row = {"Age": (40, 50), "Gender": "M", "Dept": "Chemistry", "Ailment": "Cancer"}


L4: Row = {
    "Age": (50, 59),
    "Gender": "M",
    "Dept": "Maths",
    "Ailment": "Viral-Infection",
}


L5: Row = {
    "Age": (40, 50),
    "Gender": "M",
    "Dept": "Physics",
    "Ailment": "Viral-Infection",
}


JOHN: Row = {"Name": "John", "Age": 46, "Gender": "M", "Dept": "#", "Ailment": "CoVid"}
