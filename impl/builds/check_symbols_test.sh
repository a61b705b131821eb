#!/usr/bin/env bash
# check_symbols.sh finds what was planted in leaky.cpp, and nothing else: check_symbols_test.sh OBJECT
set -euo pipefail
check=$(dirname "${BASH_SOURCE[0]}")/check_symbols.sh
failed=0

status=0
output=$("$check" normcheck_leaky "$1") || status=$?
printf '%s\n' "$output"
[[ $status -eq 1 ]] || { echo "ended with $status, expected 1"; failed=1; }
for leak in 'std_like::total<float>' 'std_like::total<double>' 'std_like::constants' 'leaked('; do
  grep -q "^shared: .*$leak" <<<"$output" || { echo "not found: $leak"; failed=1; }
done
! grep -q '^shared: .*kept' <<<"$output" || { echo "taken for a leak: kept, which is in the namespace"; failed=1; }

# Under a namespace that is not the object's, what belongs is a leak too; an object that is not there is no pass.
output=$("$check" normcheck_other "$1" || true)
grep -q '^shared: .*kept' <<<"$output" || { echo "the namespace is not looked at"; failed=1; }
status=0
"$check" normcheck_leaky "$1.missing.o" >/dev/null 2>&1 || status=$?
[[ $status -eq 2 ]] || { echo "an object that is missing ended with $status, expected 2"; failed=1; }
[[ $failed -eq 0 ]] && echo "4 planted leaks found"
