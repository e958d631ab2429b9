"""phverify proves that a data release keeps its privacy promises, or shows the leak."""

from phverify.api import __version__, verify
from phverify.check.run import CheckResult, check
from phverify.errors import Defect, InputError, PhverifyError, Problem
from phverify.policy.model import Policy
from phverify.report.notebook import Report
from phverify.search.rendering import SearchResult
from phverify.search.run import search
from phverify.verdict import Fact, Failing, RuleResult, Witness

__all__ = [
    "CheckResult",
    "Defect",
    "Fact",
    "Failing",
    "InputError",
    "PhverifyError",
    "Policy",
    "Problem",
    "Report",
    "RuleResult",
    "SearchResult",
    "Witness",
    "__version__",
    "check",
    "search",
    "verify",
]
