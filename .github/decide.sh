#!/usr/bin/env bash
# What action.yml runs: verify where there is a release, lint where there is none.
set -uo pipefail
if [ -n "${RELEASE:-}" ]; then
  command=(phverify verify "$RELEASE" --policy "$POLICY")
  if [ -n "${ORIGINAL:-}" ]; then command+=(--original "$ORIGINAL"); fi
  if [ "${VALUES:-hide}" != show ]; then command+=(--redact); fi
else
  command=(phverify lint "$POLICY")
fi
if [ -n "${JUNIT:-}" ]; then command+=(--junit "$JUNIT"); fi
if [ -n "${SARIF:-}" ]; then command+=(--sarif "$SARIF"); fi
while IFS= read -r argument; do
  if [ -n "$argument" ]; then command+=("$argument"); fi
done <<< "${ARGUMENTS:-}"
"${command[@]}"
code=$?
case $code in
  0) verdict=proved ;;
  1) verdict=refuted ;;
  2) verdict=input ;;
  3) verdict=undecided ;;
  *) verdict=defect ;;
esac
echo "verdict=$verdict" >> "${GITHUB_OUTPUT:-/dev/null}"
exit $code
