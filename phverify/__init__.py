"""phverify proves that a data release keeps its privacy promises, or shows the leak."""

import sys

try:
    from phverify.comparison.findings import Lint
    from phverify.comparison.findings import LintFinding as Finding
    from phverify.comparison.lint import lint
    from phverify.comparison.result import Comparison
    from phverify.comparison.run import compare
    from phverify.disclosure.result import AuditReport
    from phverify.errors import Defect, InputError, PhverifyError, Problem
    from phverify.generalization.result import SearchResult
    from phverify.linkage.methods.soundness import Judgement
    from phverify.linkage.result import Reidentification
    from phverify.linkage.risk.assess import RiskReport
    from phverify.mechanisms.result import MechanismReport
    from phverify.policy.model import Policy
    from phverify.verbs.audit import audit
    from phverify.verbs.certify import certify
    from phverify.verbs.check import check
    from phverify.verbs.check_result import CheckResult
    from phverify.verbs.mechanism import mechanism
    from phverify.verbs.reidentify import reidentify
    from phverify.verbs.search import search
    from phverify.verbs.verify import verify
    from phverify.verification.result import Fact, Failing, Report, RuleResult, Witness
    from phverify.version import __version__
except KeyboardInterrupt:
    if sys.orig_argv[1:3] == ["-m", "phverify"] or sys.argv[0].endswith(
        "phverify"
    ):  # the command, not a library
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
    "MechanismReport",
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
    "mechanism",
    "reidentify",
    "search",
    "verify",
]
