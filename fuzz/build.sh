#!/usr/bin/env bash
# Builds the fuzz targets by the contract of OSS-Fuzz and ClusterFuzzLite; fuzz/check_build.sh does so anywhere.
#
# The environment says everything, and the flags are taken as they come:
#   CC CXX CFLAGS CXXFLAGS    compilers, optimisation, sanitizer, feedback, standard library
#   LIB_FUZZING_ENGINE        the flag or archive of the engine; on the link line of targets only
#   SANITIZER FUZZING_ENGINE ARCHITECTURE   what these flags amount to
#   SRC WORK OUT              checkouts, scratch, results (this checkout is found from the script's own path)
#   FMT_DIR                   another fmt than its headers alone, which take three times as long to compile
# Results, for each target that fuzz/CMakeLists.txt names and that is no planted defect:
#   NAME  NAME_seed_corpus.zip  NAME.dict  NAME.options   (the last two where fuzz/ has them)
# Needs cmake 3.25, ninja, the headers of fmt, Boost and nlohmann-json (CLI11's to configure), and zlib's archive.
set -euo pipefail

fail() { printf 'build.sh: %s\n' "$1" >&2; exit 2; }
for name in CXX OUT WORK LIB_FUZZING_ENGINE; do
  [[ -n ${!name:-} ]] || fail "$name is not set; to build without a service: fuzz/check_build.sh"
done
case ${ARCHITECTURE:-x86_64} in
  x86_64 | aarch64) ;;
  *) fail "ARCHITECTURE=$ARCHITECTURE: floats are exact only where they are computed in their own precision, so
  x86_64 or aarch64" ;;
esac
case ${SANITIZER:-address} in
  address | undefined | coverage | none) ;;
  # The oracles are never instrumented: what they write would be reported as never written.
  *) fail "SANITIZER=$SANITIZER: expected address, undefined, coverage or none" ;;
esac

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$WORK" "$OUT"

launcher=()
if [[ ${FUZZING_ENGINE:-libfuzzer} == afl ]]; then
  # AFL++ instruments by being the compiler, so no flag keeps it from the oracles; another compiler does. This also
  # keeps out ccache, which does not know the variables that change what afl-clang-fast does.
  cat >"$WORK/launcher.sh" <<'END'
#!/bin/sh
case "$*" in *" -c "*/oracles/*) shift && exec clang++ "$@" ;; esac
exec "$@"
END
  chmod +x "$WORK/launcher.sh"
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER="$WORK/launcher.sh")
fi

# Build type None adds no flags to those given.
cmake -S "$project" -B "$WORK" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="${CXXFLAGS:-}" \
  -DNORMCHECK_TESTS=OFF -DNORMCHECK_FUZZ=ON -DNORMCHECK_FUZZ_ENGINE="${LIB_FUZZING_ENGINE// /;}" \
  -Dfmt_DIR="${FMT_DIR:-$project/fuzz/header_only}" "${launcher[@]}"

mapfile -t targets < <(ninja -C "$WORK" -t targets all |
  sed -n 's,^fuzz/\(fuzz_[a-z0-9_]*\): CXX_EXECUTABLE_LINKER.*,\1,p' | grep -v '_planted$')
[[ ${#targets[@]} -gt 0 ]] || fail "fuzz/CMakeLists.txt names no target"
cmake --build "$WORK" -j "$(nproc)" --target make_seeds "${targets[@]}"

ASAN_OPTIONS=detect_leaks=0 "$WORK/fuzz/make_seeds" "$project/corpus" "$WORK/seeds"

for target in "${targets[@]}"; do
  cp "$WORK/fuzz/$target" "$OUT/"
  for kind in dict options; do
    if [[ -f $project/fuzz/$target.$kind ]]; then cp "$project/fuzz/$target.$kind" "$OUT/"; fi
  done
  seeds=$WORK/seeds/${target#fuzz_}
  if [[ ! -d $seeds ]]; then # not worth a night without fuzzing; check_build.sh fails on it
    echo "build.sh: no seeds for $target"
    continue
  fi
  (cd "$seeds" && find . -type f -printf '%P\n' | LC_ALL=C sort >"$WORK/$target.list" &&
    cmake -E tar cf "$OUT/${target}_seed_corpus.zip" --format=zip --files-from="$WORK/$target.list")
done
printf 'build.sh: %d targets: %s\n' "${#targets[@]}" "${targets[*]}"
