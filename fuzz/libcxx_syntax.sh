#!/bin/sh
# Reads the sources of fuzz targets, and every header they may include, under libc++:
# `libcxx_syntax.sh CLANG ROOT SOURCE...`; 77 means skipped. What is behind the headers takes five times as long,
# and fuzz/check_build.sh builds it with libc++.
clang=$1 root=$2
shift 2
read_source() { "$clang" -stdlib=libc++ -std=c++20 -fsyntax-only '-DNORMCHECK_TARGET=""' -I "$root" -x c++ "$1"; }
[ -n "$clang" ] && command -v "$clang" >/dev/null || { echo "skipped: no clang++"; exit 77; }
printf '#include <version>\n#ifndef _LIBCPP_VERSION\n#error not libc++\n#endif\n' | read_source - 2>/dev/null ||
  { echo "skipped: no libc++ headers (Debian: libc++-dev)"; exit 77; }
headers=$(cd "$root" && find corpus impl oracles props/shrink.h props/oracle_pair.h props/any_form.h fuzz -name night -prune -o \
  -name '*.h' -print | LC_ALL=C sort)
echo "$headers" | sed 's/.*/#include "&"/' | read_source - || { echo "a header does not compile under libc++"; exit 1; }
for source in "$@"; do
  read_source "$source" || { echo "$source does not compile under libc++"; exit 1; }
done
echo "$(echo "$headers" | wc -l) headers and $# sources read under libc++"
