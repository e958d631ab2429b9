"""phverify proves that a data release keeps its privacy promises, or shows the leak."""

import sys

try:
    from phverify.api import __version__, verify
    from phverify.audit.rendering import AuditReport
    from phverify.audit.run import audit
    from phverify.check.entry import check
    from phverify.check.result import CheckResult
    from phverify.compare.lint import Finding, Lint, lint
    from phverify.compare.result import Comparison
    from phverify.compare.run import compare
    from phverify.errors import Defect, InputError, PhverifyError, Problem
    from phverify.evidence.assess import RiskReport
    from phverify.evidence.methods import Judgement
    from phverify.evidence.run import Reidentification, reidentify
    from phverify.policy.model import Policy
    from phverify.proofs.make import certify
    from phverify.report.notebook import Report
    from phverify.search.rendering import SearchResult
    from phverify.search.run import search
    from phverify.verdict import Fact, Failing, RuleResult, Witness
except KeyboardInterrupt:
    if sys.orig_argv[1:3] == ["-m", "phverify"] or sys.argv[0].endswith("phverify"):  # the command, not a library
        sys.exit(130)
    raise

__all__ = [
    "AuditReport",
    "CheckResult",
    "Comparison",
    "Defect",
    "Fact",
    "Failing",
    "Finding",
    "InputError",
    "Judgement",
    "Lint",
    "PhverifyError",
    "Policy",
    "Problem",
    "Reidentification",
    "Report",
    "RiskReport",
    "RuleResult",
    "SearchResult",
    "Witness",
    "__version__",
    "audit",
    "certify",
    "check",
    "compare",
    "lint",
    "reidentify",
    "search",
    "verify",
]
