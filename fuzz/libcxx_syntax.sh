#!/bin/sh
# Reads every source of a list under libc++: `libcxx_syntax.sh CLANG INCLUDE_ROOT LIST`; 77 means skipped.
clang=$1 root=$2 list=$3
[ -n "$clang" ] && command -v "$clang" >/dev/null || { echo "skipped: no clang++"; exit 77; }
printf '#include <version>\n#ifndef _LIBCPP_VERSION\n#error not libc++\n#endif\n' |
  "$clang" -stdlib=libc++ -std=c++20 -fsyntax-only -x c++ - 2>/dev/null ||
  { echo "skipped: no libc++ headers (Debian: libc++-dev)"; exit 77; }
xargs -P 2 -n 4 "$clang" -stdlib=libc++ -std=c++20 -fsyntax-only -I "$root" <"$list" ||
  { echo "a source does not compile under libc++"; exit 1; }
echo "$(wc -l <"$list") sources read under libc++"
