"""phverify proves that a data release keeps its privacy promises, or shows the leak.

What is named here is loaded when it is first used: ``import phverify`` costs nothing.
"""

from importlib import import_module

from phverify.version import __version__

# Type checkers take it for true; to load ``typing`` for it would take its time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from phverify.comparison.findings import Lint, LintFinding
    from phverify.comparison.lint import lint
    from phverify.comparison.result import Comparison
    from phverify.comparison.run import compare
    from phverify.disclosure.result import AuditReport
    from phverify.errors import Defect, InputError, PhverifyError, Problem
    from phverify.generalization.result import SearchResult
    from phverify.linkage.methods.soundness import Judgement
    from phverify.linkage.result import Reidentification
    from phverify.linkage.risk.assess import RiskReport
    from phverify.measurement.result import Measurement
    from phverify.mechanisms.result import MechanismReport
    from phverify.microdata.formats import NamedTable
    from phverify.policy.model import Policy
    from phverify.proposal.result import PolicyProposal
    from phverify.recoding.result import RecodingResult, Standing
    from phverify.utility.result import DataComparison
    from phverify.verbs.anonymize import anonymize
    from phverify.verbs.audit import audit
    from phverify.verbs.certify import certify
    from phverify.verbs.check import check
    from phverify.verbs.check_frame import NotProved, check_frame, pandera_check
    from phverify.verbs.check_result import CheckResult
    from phverify.verbs.compare_data import compare_data
    from phverify.verbs.measure import measure
    from phverify.verbs.mechanism import mechanism
    from phverify.verbs.propose import propose
    from phverify.verbs.read import read
    from phverify.verbs.reidentify import reidentify
    from phverify.verbs.search import search
    from phverify.verbs.tradeoff import tradeoff
    from phverify.verbs.tradeoff_result import Tradeoff, TradeoffPoint
    from phverify.verbs.verify import verify
    from phverify.verification.result import Fact, Failing, Report, RuleResult, Witness

__all__ = [
    "AuditReport",
    "CheckResult",
    "Comparison",
    "DataComparison",
    "Defect",
    "Fact",
    "Failing",
    "InputError",
    "Judgement",
    "Lint",
    "LintFinding",
    "Measurement",
    "MechanismReport",
    "NamedTable",
    "NotProved",
    "PhverifyError",
    "Policy",
    "PolicyProposal",
    "Problem",
    "RecodingResult",
    "Reidentification",
    "Report",
    "RiskReport",
    "RuleResult",
    "SearchResult",
    "Standing",
    "Tradeoff",
    "TradeoffPoint",
    "Witness",
    "__version__",
    "anonymize",
    "audit",
    "certify",
    "check",
    "check_frame",
    "compare",
    "compare_data",
    "lint",
    "measure",
    "mechanism",
    "pandera_check",
    "propose",
    "read",
    "reidentify",
    "search",
    "tradeoff",
    "verify",
]

_HOMES = {
    "comparison.findings": ("Lint", "LintFinding"),
    "comparison.lint": ("lint",),
    "comparison.result": ("Comparison",),
    "comparison.run": ("compare",),
    "disclosure.result": ("AuditReport",),
    "errors": ("Defect", "InputError", "PhverifyError", "Problem"),
    "generalization.result": ("SearchResult",),
    "linkage.methods.soundness": ("Judgement",),
    "linkage.result": ("Reidentification",),
    "linkage.risk.assess": ("RiskReport",),
    "measurement.result": ("Measurement",),
    "mechanisms.result": ("MechanismReport",),
    "microdata.formats": ("NamedTable",),
    "policy.model": ("Policy",),
    "proposal.result": ("PolicyProposal",),
    "recoding.result": ("RecodingResult", "Standing"),
    "utility.result": ("DataComparison",),
    "verbs.audit": ("audit",),
    "verbs.certify": ("certify",),
    "verbs.check": ("check",),
    "verbs.check_frame": ("NotProved", "check_frame", "pandera_check"),
    "verbs.check_result": ("CheckResult",),
    "verbs.compare_data": ("compare_data",),
    "verbs.measure": ("measure",),
    "verbs.mechanism": ("mechanism",),
    "verbs.propose": ("propose",),
    "verbs.read": ("read",),
    "verbs.reidentify": ("reidentify",),
    "verbs.search": ("search",),
    "verbs.anonymize": ("anonymize",),
    "verbs.tradeoff": ("tradeoff",),
    "verbs.tradeoff_result": ("Tradeoff", "TradeoffPoint"),
    "verbs.verify": ("verify",),
    "verification.result": ("Fact", "Failing", "Report", "RuleResult", "Witness"),
}
"""Where the names are that are loaded on first use; a test holds it to the imports."""


def __getattr__(name: str) -> object:
    """Load the module of a public name (PEP 562), once."""
    for home, names in _HOMES.items():
        if name in names:
            public: object = getattr(import_module(f"phverify.{home}"), name)
            globals()[name] = public
            return public
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
