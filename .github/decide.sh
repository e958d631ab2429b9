#!/usr/bin/env bash
# What action.yml runs.  A verdict is good only where a JUnit file of this very run says
# so: an exit code of 0 alone may be that of --help.
set -uo pipefail

refuse() {
  echo "phverify: $1" >&2
  echo "verdict=input" >> "${GITHUB_OUTPUT:-/dev/null}"
  exit 2
}

# A name that begins with - would be read as an option.
for given in "${RELEASE:-}" "${POLICY:-}" "${ORIGINAL:-}" "${JUNIT:-}" "${SARIF:-}"; do
  case $given in -*) refuse "$given: the name of a file cannot begin with - here (write ./$given)" ;; esac
done
if [ -z "${POLICY:-}" ]; then refuse "policy: is empty"; fi

case ${VERB:-verify} in
  verify)
    if [ -z "${RELEASE:-}" ]; then
      refuse "release: is empty, and nothing can be proved of it (verb: lint examines the policy alone)"
    fi
    command=(phverify verify "$RELEASE" --policy "$POLICY")
    if [ -n "${ORIGINAL:-}" ]; then command+=(--original "$ORIGINAL"); fi
    good=proved bad=refuted
    ;;
  lint)
    if [ -n "${RELEASE:-}" ]; then refuse "release: verb lint examines the policy alone (verb: verify decides)"; fi
    command=(phverify lint "$POLICY")
    if [ -n "${ORIGINAL:-}" ]; then command+=(--table "$ORIGINAL"); fi
    good=clean bad=findings
    ;;
  *) refuse "verb: is verify or lint, not $VERB" ;;
esac
if [ "${VALUES:-hide}" != show ]; then command+=(--redact); fi

while IFS= read -r argument || [ -n "$argument" ]; do
  argument=${argument%$'\r'}
  case $argument in
    "") ;;
    -h | --h | --he | --hel | --help) refuse "arguments: $argument decides nothing" ;;
    --) refuse "arguments: -- ends the options, and others follow" ;;
    *) command+=("$argument") ;;
  esac
done <<< "${ARGUMENTS:-}"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Behind all arguments: the file that is read here is the one that is written.
said=${JUNIT:-$folder/phverify.xml}
command+=(--junit "$said")
if [ -n "${SARIF:-}" ]; then command+=(--sarif "$SARIF"); fi
touch "$folder/before"

"${command[@]}"
code=$?
case $code in
  0) verdict=$good ;;
  1) verdict=$bad ;;
  2) verdict=input ;;
  3) verdict=undecided ;;
  *) verdict=defect ;;
esac
if [ $code -eq 0 ]; then
  if ! [ "$said" -nt "$folder/before" ] || ! grep -q '<testsuite .*tests="[1-9][0-9]*" failures="0" errors="0"' "$said"; then
    echo "phverify: the exit code is 0, and $said does not say that all passed: nothing is proved" >&2
    verdict=input code=2
  fi
fi
echo "verdict=$verdict" >> "${GITHUB_OUTPUT:-/dev/null}"
exit $code
