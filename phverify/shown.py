"""Who shows answers: the one place that knows of reports below them.

Answers know nothing of reports, and reports read answers.
"""

SHOWN_BY = "phverify.report.answers"
"""The module that is what ``phverify.result.Reports`` asks for, loaded on first use."""
