"""How the site is built: ``make docs``.

The source is the repository, so that links between its pages work here as they do where
it is browsed.
"""

from phverify.version import __version__

project = "phverify"
author = "The phverify developers"
copyright = author
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
include_patterns = [
    "docs/**",
    "encodings/*.md",
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"),
]
exclude_patterns = ["docs/pictures/README.md"]
root_doc = "docs/index"
html_theme = "furo"
html_static_path = ["style"]
html_css_files = ["narrow.css"]
html_title = f"phverify {version}"
# Each heading is a place that a link may name, as on the servers that show Markdown.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
# A language that nothing colours is shown as it is.
suppress_warnings = ["misc.highlighting_failure"]
