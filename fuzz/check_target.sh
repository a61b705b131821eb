# What a fuzzing service asks of a binary, one function a question; sourced by fuzz/check_build.sh.
# shellcheck shell=bash
# A question prints "ok", or what is wrong: `verdict` turns that into a line and counts it.

passed=0 failed=0 label=""
verdict() { # CHECK ok|WHAT-IS-WRONG DETAIL: one line
  if [[ $2 == ok ]]; then
    passed=$((passed + 1))
    printf 'ok    %-20s %-16s %s\n' "$label" "$1" "$3"
  else
    failed=$((failed + 1))
    printf 'FAIL  %-20s %-16s %s\n' "$label" "$1" "$([[ $2 == bad ]] && echo "$3" || echo "$2")"
  fi
}

# Instrumented, an oracle is 10 to 35 times slower, and what it computes is not under test.
are_plain() { # ARCHIVE
  local marks
  marks=$(nm -A "$1" | grep -cE ' (__asan_|__ubsan_|__sanitizer_cov|sancov\.|__afl_|__llvm_prof|__profc_)' || true)
  [[ $marks -eq 0 ]] && echo ok || echo "$marks symbols of a sanitizer or of coverage in $(basename "$1")"
}
has_no_engine() { # PROGRAM
  local entries
  entries=$(nm "$1" | grep -cE ' (LLVMFuzzerRunDriver|LLVMFuzzerTestOneInput)$' || true)
  [[ $entries -eq 0 ]] && echo ok || echo "the engine is in $(basename "$1")"
}

# A service runs the binary on a machine with nothing but the C library: it links its own libc++ statically.
also_linked=m # nothing more
links_nothing_else() { # BINARY
  local others
  others=$(objdump -p "$1" | sed -n 's/^ *NEEDED *//p' |
    grep -vE "^(ld-linux.*|lib($also_linked|c|m|dl|rt|pthread|gcc_s|stdc\+\+|c\+\+|c\+\+abi|unwind)\.so\.[0-9]+)\$" | tr '\n' ' ' || true)
  [[ -z $others ]] && echo ok || echo "needs $others"
}

calls() { # BINARY PREFIX: call sites of functions of that prefix
  objdump -d "$1" | grep -cE "(call|bl) .*<$2" || true
}
# A runtime or an engine alone makes up to 200 calls; instrumented code makes the rest.
is_sanitized() { # ENGINE SANITIZER BINARY
  local asan ubsan profiled
  asan=$(calls "$3" __asan) ubsan=$(calls "$3" __ubsan)
  profiled=$(objdump -h "$3" | grep -c __llvm_prf_cnts || true)
  sanitizers="$asan calls to ASan, $ubsan to UBSan, $([[ $profiled -gt 0 ]] && echo profiled || echo 'not profiled')"
  case $2 in
    address) [[ $asan -ge 1000 && $ubsan -le 200 && $profiled -eq 0 ]] ;;
    address,undefined) [[ $asan -ge 1000 && $ubsan -ge 168 && $profiled -eq 0 ]] ;;
    undefined) [[ $asan -eq 0 && $ubsan -ge 168 && $profiled -eq 0 ]] ;;
    coverage) [[ $asan -eq 0 && $ubsan -le 200 && $profiled -gt 0 ]] ;;
    none) [[ $asan -le 200 && $ubsan -le 200 && $profiled -eq 0 ]] ;;
  esac && is=ok || is="not what $2 asks for: $sanitizers"
}

options_of() { # TARGET: flags from NAME.options and NAME.dict, as a service's runner reads them
  if [[ -f $1.options ]]; then
    sed -n '/^\[libfuzzer\]/,/^\[[^l]/s/^ *\([a-z_]*\) *= *\([^ ]*\) *$/-\1=\2/p' "$1.options" | grep -v '^-dict=' || true
  fi
  if [[ -f $1.dict ]]; then echo "-dict=$1.dict"; fi
}

# In an empty folder, with an empty environment: what the build left on this machine is not to be relied on.
alone() { # FOLDER LOG COMMAND...
  local folder=$1 log=$2 status=0
  shift 2
  (cd "$folder" && env -i PATH=/usr/bin:/bin HOME="$folder" NORMCHECK_FINDINGS="$folder/found" \
    UBSAN_OPTIONS=silence_unsigned_overflow=1:print_stacktrace=1 LLVM_PROFILE_FILE="$folder/run.profraw" \
    AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
    timeout 300 "$@") >"$log" 2>&1 || status=$?
  if [[ $status -ne 0 ]]; then
    echo "ended with $status; the log ends: $(tail -n 3 "$log" | tr '\n' ' ')"
  elif grep -q 'runtime error:' "$log"; then
    grep -m 1 'runtime error:' "$log"
  elif [[ -d $folder/found ]]; then
    echo "findings: $(find "$folder/found" -name '*.case' -printf '%f ')"
  else
    echo ok
  fi
}
number() { # PATTERN LOG: the last number that follows
  local line
  line=$(grep -oE "$1 *[0-9]+" "$2" | tail -n 1 || true)
  echo "${line##*[!0-9]}"
}

check_target() { # ENGINE SANITIZER BINARY
  local engine=$1 sanitizer=$2 name dir is sanitizers="" runs counters seeds=0 options=()
  name=$(basename "$3")
  label=$engine-$sanitizer/${name#fuzz_}
  dir=$(mktemp -d)
  cp "$3" "$dir/" && mkdir "$dir/seeds" "$dir/empty" "$dir/few"
  for kind in dict options; do [[ ! -f $3.$kind ]] || cp "$3.$kind" "$dir/"; done
  [[ $engine != libfuzzer ]] || mapfile -t options < <(options_of "$dir/$name")

  verdict links "$(links_nothing_else "$3")" "the C and C++ libraries only"
  is_sanitized "$engine" "$sanitizer" "$3"
  verdict sanitizer "$is" "$sanitizers"

  if [[ -f $3_seed_corpus.zip ]]; then (cd "$dir/seeds" && cmake -E tar xf "$3_seed_corpus.zip"); fi
  seeds=$(find "$dir/seeds" -type f | wc -l)
  find "$dir/seeds" -type f | LC_ALL=C sort | sed -n 1,8p | xargs -r cp -t "$dir/few"

  if [[ $engine == libfuzzer ]]; then
    is=$(alone "$dir" "$dir/seeds.log" "$dir/$name" "${options[@]}" -runs=0 seeds)
    runs=$(number 'Done' "$dir/seeds.log")
  else
    is=$(alone "$dir" "$dir/seeds.log" "$dir/$name" "$dir"/seeds/*)
    runs=$(grep -c 'Execution successful' "$dir/seeds.log" || true)
  fi
  [[ $seeds -gt 0 ]] || is="no seeds in ${name}_seed_corpus.zip"
  [[ $is != ok || ${runs:-0} -ge $seeds ]] || is="only ${runs:-0} of $seeds seeds were run"
  verdict seeds "$is" "$seeds replay clean"

  if [[ $sanitizer == coverage ]]; then # has no feedback to fuzz by: a service replays its corpus with it
    is=$(covered "$dir" "$name") && verdict coverage ok "$is" || verdict coverage bad "$is"
    rm -rf "$dir"
    return
  elif [[ $engine == libfuzzer ]]; then
    is=$(alone "$dir/empty" "$dir/run.log" "$dir/$name" "${options[@]}" -seed=1 -runs=$((seeds + 500)) . ../seeds)
    runs=$(number 'Done' "$dir/run.log") counters=$(number 'modules? +\(' "$dir/run.log")
  else
    is=$(alone "$dir/empty" "$dir/run.log" afl-fuzz -i ../few -o out -E 500 -- "$dir/$name")
    runs=$(sed -n 's/^execs_done *: *//p' "$dir/empty/out/default/fuzzer_stats" 2>/dev/null || true)
    counters=$(AFL_DUMP_MAP_SIZE=1 "$dir/$name" 2>/dev/null | tail -n 1 || true)
  fi
  [[ $is != ok || ${runs:-0} -ge 500 ]] || is="only ${runs:-0} executions"
  verdict runs "$is" "${runs:-0} executions, from another folder"

  [[ ${counters:-0} =~ ^[0-9]+$ && ${counters:-0} -gt 100 ]] && is=ok || is="${counters:-0} counters, expected over 100"
  verdict counters "$is" "${counters:-0}"
  rm -rf "$dir"
}

covered() { # FOLDER TARGET: lines of the project that the seeds reach; fails where there are none
  local tools lines
  tools=$(dirname "$("${CXX:-clang++}" -print-prog-name=llvm-profdata)")
  [[ -x $tools/llvm-profdata ]] || { echo "no llvm-profdata beside the compiler (Debian: llvm-14)"; return 1; }
  "$tools/llvm-profdata" merge -o "$1/seeds.profdata" "$1/run.profraw" || { echo "no profile was written"; return 1; }
  lines=$("$tools/llvm-cov" export --summary-only -instr-profile="$1/seeds.profdata" "$1/$2" 2>/dev/null |
    grep -oE '"lines":\{"count":[0-9]+,"covered":[0-9]+' | tail -n 1 | grep -oE '[0-9]+$' || true)
  echo "the seeds reach ${lines:-0} lines"
  [[ ${lines:-0} -gt 100 ]]
}
