#!/usr/bin/env bash
# Fails on any symbol of a build with flags of its own that another object could share, and names it.
#
#   check_symbols.sh NAMESPACE OBJECT... [NAMESPACE OBJECT...]...
#
# Of two weak symbols of one name the linker keeps one, so a function compiled with -mfma or -ffast-math could
# take the place of the judge's. A symbol is the build's own if NAMESPACE is a part of its name, or if it is
# the entry point, normcheck_build_*. Sanitizers and profiles add marks beside each symbol; they hold no code.
set -euo pipefail
[[ $# -ge 2 ]] || { echo "usage: check_symbols.sh NAMESPACE OBJECT... (see the file's first lines)" >&2; exit 2; }

namespace="" read_objects=0 symbols=0 weak=0 leaks=0
read_object() { # OBJECT
  local listing name kind rest own=${#namespace}$namespace # as a mangled name spells it: 13normcheck_fma
  [[ -n $namespace ]] || { echo "check_symbols.sh: $1 has no namespace before it" >&2; exit 2; }
  listing=$(nm --extern-only --defined-only --format=posix "$1") ||
    { echo "check_symbols.sh: nm cannot read $1" >&2; exit 2; }
  read_objects=$((read_objects + 1))
  while read -r name kind rest; do
    [[ -n $name ]] || continue
    symbols=$((symbols + 1))
    case $kind in [WVu]) weak=$((weak + 1)) ;; esac
    case $name in
      *"$own"* | normcheck_build_*) ;;
      __odr_asan* | __asan_* | __llvm_* | __prof[cdn]_* | __sancov_* | __start_* | __stop_*) ;;
      *)
        leaks=$((leaks + 1))
        name=$(c++filt "$name" 2>/dev/null || echo "$name")
        printf 'shared: %s %s in %s, outside of %s\n' "$kind" "$name" "$(basename "$1")" "$namespace"
        ;;
    esac
  done <<<"$listing"
}

for argument; do
  case $argument in
    *.o | *.obj) read_object "$argument" ;;
    *) namespace=$argument ;;
  esac
done
printf '%d objects, %d symbols, %d of them weak: %d shared\n' "$read_objects" "$symbols" "$weak" "$leaks"
[[ $read_objects -gt 0 && $symbols -gt 0 && $leaks -eq 0 ]]
