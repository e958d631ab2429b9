"""phverify proves that a data release keeps its privacy promises, or shows the leak."""

from phverify.api import __version__, verify
from phverify.check.entry import check
from phverify.check.result import CheckResult
from phverify.compare.lint import Finding, Lint, lint
from phverify.compare.result import Comparison
from phverify.compare.run import compare
from phverify.errors import Defect, InputError, PhverifyError, Problem
from phverify.policy.model import Policy
from phverify.proofs.make import certify
from phverify.report.notebook import Report
from phverify.search.rendering import SearchResult
from phverify.search.run import search
from phverify.verdict import Fact, Failing, RuleResult, Witness

__all__ = [
    "CheckResult",
    "Comparison",
    "Defect",
    "Fact",
    "Failing",
    "Finding",
    "InputError",
    "Lint",
    "PhverifyError",
    "Policy",
    "Problem",
    "Report",
    "RuleResult",
    "SearchResult",
    "Witness",
    "__version__",
    "certify",
    "check",
    "compare",
    "lint",
    "search",
    "verify",
]
