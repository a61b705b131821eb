#!/usr/bin/env bash
# Builds the fuzz targets as a fuzzing service would, without its container, and checks each binary.
#
#   fuzz/check_build.sh [ENGINE SANITIZER]...   default: libfuzzer address
#     libfuzzer address | libfuzzer undefined | libfuzzer coverage | afl none     into build/contract/ENGINE-SANITIZER
#   fuzz/check_build.sh --built DIR             address, undefined and libFuzzer, from the objects in the build folder of
#                                               the preset `fuzz`, whose flags are given as a service gives its own
#   fuzz/check_build.sh --self-test             plants a fault for each check, and asks that it is caught
#
# One line a check; exit 1 when one fails, 2 when something needed is missing. The flags are the ones that OSS-Fuzz and
# ClusterFuzzLite set, the thresholds those of their own check of a build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. fuzz/check_target.sh

fail() { printf 'check_build.sh: %s\n' "$1" >&2; exit 2; }
usage='expected pairs of libfuzzer address|undefined|coverage, or afl none, or --built DIR, or --self-test'
clang=${CXX:-clang++}
command -v "$clang" >/dev/null || fail "no $clang (Debian: clang libclang-rt-14-dev)"

# Services build with libc++. Debian's libFuzzer itself needs libstdc++ then.
library=() engine_library=""
if "$clang" -stdlib=libc++ -x c++ - -o /dev/null <<<'#include <string>
int main() { return static_cast<int>(std::string("a").size()) - 1; }' 2>/dev/null; then
  library=(-stdlib=libc++) engine_library=-l:libstdc++.so.6
else
  echo "note: built with the compiler's own standard library: no libc++ here (Debian: libc++-dev libc++abi-dev)"
fi

flags() { # ENGINE SANITIZER: those of the service
  local of_sanitizer="" feedback="" undefined
  undefined=array-bounds,bool,builtin,enum,function,integer-divide-by-zero,null,object-size,return
  undefined+=,returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound,vptr
  [[ $1 != libfuzzer ]] || feedback=-fsanitize=fuzzer-no-link
  case $2 in
    address) of_sanitizer="-fsanitize=address -fsanitize-address-use-after-scope" ;;
    undefined) of_sanitizer="-fsanitize=$undefined,unsigned-integer-overflow -fno-sanitize-recover=$undefined" ;;
    coverage) feedback="-fprofile-instr-generate -fcoverage-mapping -pthread -Wno-unused-command-line-argument" ;;
  esac
  echo "-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION" \
    "$of_sanitizer $feedback ${library[*]}"
}
service() { # ENGINE SANITIZER WORK OUT COMMAND...: the command with the environment of the service
  local engine=$1 sanitizer=$2 work=$3 out=$4 cxx=$clang brings="-fsanitize=fuzzer $engine_library"
  shift 4
  if [[ $engine == afl ]]; then
    cxx=afl-clang-fast++ brings=$(find /usr/lib/afl /usr/local/lib/afl -name libAFLDriver.a 2>/dev/null | head -n 1)
    [[ -n $brings ]] && command -v $cxx >/dev/null || fail "no AFL++ here (Debian: afl++)"
  fi
  env CC="${cxx%++}" CXX="$cxx" CFLAGS="$(flags "$engine" "$sanitizer")" CXXFLAGS="$(flags "$engine" "$sanitizer")" \
    LIB_FUZZING_ENGINE="${brings% }" SANITIZER="$sanitizer" FUZZING_ENGINE="$engine" \
    ARCHITECTURE="$(uname -m)" SRC="$(dirname "$PWD")" WORK="$work" OUT="$out" AFL_QUIET=1 "$@"
}

cached() { # DIR NAME: as cmake keeps it
  sed -n "s/^$2:[A-Z]*=//p" "$1/CMakeCache.txt"
}
check_built() { # DIR: nothing but what fuzz/build.sh itself makes is made again
  [[ -f $1/CMakeCache.txt ]] || fail "$1 is no build folder (cmake --preset fuzz makes one in build/fuzz)"
  local work flags
  work=$(cd "$1" && pwd)
  flags=$(cached "$work" CMAKE_CXX_FLAGS)
  also_linked=fmt
  check libfuzzer address,undefined "$work" "$work/out/contract" env CC="${clang%++}" CXX="$clang" CFLAGS="$flags" \
    FMT_DIR="$(cached "$work" fmt_DIR)" \
    CXXFLAGS="$flags" LIB_FUZZING_ENGINE="$(cached "$work" NORMCHECK_FUZZ_ENGINE)" SANITIZER=address \
    FUZZING_ENGINE=libfuzzer ARCHITECTURE="$(uname -m)" SRC="$(dirname "$PWD")" WORK="$work" OUT="$work/out/contract"
  local again
  again=$(sed -n 's/^\[[0-9]*\/[0-9]*\] Building CXX object //p' "$work/out/contract.log" | head -n 3 | tr '\n' ' ')
  verdict objects "$([[ -z $again ]] && echo ok || echo "compiled again: $again")" "none was compiled again"
}
check_build() { # ENGINE SANITIZER
  local work=$PWD/build/contract/$1-$2
  check "$1" "$2" "$work" "$work/out" service "$1" "$2" "$work" "$work/out"
}
check() { # ENGINE SANITIZER WORK OUT COMMAND...: what the command, with fuzz/build.sh behind it, makes
  local engine=$1 sanitizer=$2 work=$3 out=$4 started=$SECONDS
  shift 4
  label=$engine-$sanitizer
  rm -rf "$out"
  mkdir -p "$out"
  if ! "$@" fuzz/build.sh >"$out.log" 2>&1; then
    tail -n 40 "$out.log"
    verdict build bad "fuzz/build.sh failed; all of it: $out.log"
    return
  fi
  verdict build ok "$(tail -n 1 "$out.log"), $((SECONDS - started)) s"
  verdict oracles "$(are_plain "$work/oracles/libnormcheck_oracles.a")" "not instrumented"
  verdict engine "$(has_no_engine "$work/fuzz/make_seeds")" "not linked with what is no target"
  local target
  for target in "$out"/fuzz_*; do
    [[ ! -x $target ]] || check_target "$engine" "$sanitizer" "$target"
  done
}

case ${1:-} in
  --built)
    [[ $# -eq 2 ]] || fail "$usage"
    check_built "$2" ;;
  --self-test)
    [[ $# -eq 1 ]] || fail "$usage"
    . fuzz/check_target_test.sh
    self_test ;;
  *)
    [[ $# -gt 0 ]] || set -- libfuzzer address
    while [[ $# -gt 0 ]]; do
      case "$1 ${2:-}" in
        "libfuzzer address" | "libfuzzer undefined" | "libfuzzer coverage" | "afl none") check_build "$1" "$2" ;;
        *) fail "'$1 ${2:-}': $usage" ;;
      esac
      shift 2
    done ;;
esac
printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
