# Plants a fault for each check of fuzz/check_target.sh and asks that this check, and no other, catches it.
# shellcheck shell=bash

# Enough branches for 100 counters, enough loads for 1000 calls to ASan, enough sums for 168 to UBSan.
work_source() {
  local i
  echo 'extern volatile int sink[1024]; volatile int sink[1024];'
  for i in $(seq 400); do
    printf 'static __attribute__((noinline)) void f%d(int* p, int i) { if (p[i %% 8] == %d) sink[%d] = p[(i + 1) %% 8] + %d; }\n' \
      "$i" "$i" "$i" "$i"
  done
  printf 'void work(int* p, int i) {\n'
  for i in $(seq 400); do printf '  f%d(p, i);\n' "$i"; done
  printf '}\n'
}
compile() { # FLAGS OBJECT SOURCE
  # shellcheck disable=SC2086 # flags are words
  "$clang" $1 -w -c -o "$2" "$3"
}
plant() { # NAME FLAGS STATEMENT [LINK-FLAGS]: a target that runs the statement, with seeds "a" and "b"
  local common
  common=$here/work-$(cksum <<<"$2" | tr -d ' ').o
  [[ -f $common ]] || compile "$2" "$common" "$here/work.cpp"
  cat >"$here/$1.cpp" <<END
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
void work(int* p, int i);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  int p[8] = {};
  for (std::size_t i = 0; i < size && i < 8; ++i) p[i] = data[i];
  $3
  work(p, static_cast<int>(size % 100));
  return 0;
}
END
  compile "$2" "$here/$1.o" "$here/$1.cpp"
  # shellcheck disable=SC2086
  "$clang" $2 ${4:-} -w -o "$here/$1" "$here/$1.o" "$common" -fsanitize=fuzzer $engine_library
  (cd "$here" && cmake -E tar cf "$1_seed_corpus.zip" --format=zip a b)
}
expect() { # TARGET ENGINE SANITIZER CHECK-THAT-FAILS|none
  local said caught
  said=$(check_target "$2" "$3" "$here/$1")
  caught=$(sed -n 's/^FAIL *[^ ]* *\([a-z]*\) .*/\1/p' <<<"$said" | tr '\n' ' ')
  label=self-test
  if [[ ${caught% } == "${4/none/}" ]]; then
    verdict "$1" ok "checked as $3: caught by ${4/none/nothing, as it should be}"
  else
    verdict "$1" bad "checked as $3: expected '$4', caught by '${caught% }'"
    printf '%s\n' "$said"
  fi
}

self_test() {
  local here address undefined
  here=$(mktemp -d)
  # shellcheck disable=SC2064 # the folder's name now
  trap "rm -rf '$here'" EXIT
  work_source >"$here/work.cpp"
  printf a >"$here/a"
  printf b >"$here/b"
  address=$(flags libfuzzer address) undefined=$(flags libfuzzer undefined)

  plant fuzz_right "$address" ""
  expect fuzz_right libfuzzer address none
  expect fuzz_right libfuzzer undefined sanitizer
  plant fuzz_undefined "$undefined" ""
  expect fuzz_undefined libfuzzer undefined none
  expect fuzz_undefined libfuzzer address sanitizer
  plant fuzz_covered "$(flags libfuzzer coverage)" ""
  expect fuzz_covered libfuzzer coverage none
  expect fuzz_covered libfuzzer address "sanitizer runs counters" # libFuzzer refuses what has no counters
  plant fuzz_no_sanitizer "-O1 -fsanitize=fuzzer-no-link ${library[*]}" ""
  expect fuzz_no_sanitizer libfuzzer address sanitizer
  plant fuzz_no_feedback "${address/-fsanitize=fuzzer-no-link/}" ""
  expect fuzz_no_feedback libfuzzer address "runs counters"
  plant fuzz_library "$address" "" "-Wl,--no-as-needed -lfmt"
  expect fuzz_library libfuzzer address links
  plant fuzz_bad_seed "$address" "if (size == 1 && data[0] == 'b') abort();"
  expect fuzz_bad_seed libfuzzer address "seeds runs" # the run starts from the seeds
  plant fuzz_no_seeds "$address" ""
  rm "$here/fuzz_no_seeds_seed_corpus.zip"
  expect fuzz_no_seeds libfuzzer address seeds
  plant fuzz_bound_to_folder "$address" "if (std::fopen(\"seeds/a\", \"r\") == nullptr) abort();"
  expect fuzz_bound_to_folder libfuzzer address runs
  plant fuzz_bound_to_environment "$address" "if (std::getenv(\"SRC\") == nullptr) abort();"
  SRC=$PWD expect fuzz_bound_to_environment libfuzzer address "seeds runs"
  plant fuzz_undefined_sum "$undefined" "p[0] = 2147483647; p[0] += static_cast<int>(size);"
  expect fuzz_undefined_sum libfuzzer undefined "seeds runs"

  ar rc "$here/oracles.a" "$here/fuzz_right.o"
  label=self-test
  verdict oracles "$([[ $(are_plain "$here/oracles.a") != ok ]] && echo ok || echo bad)" "instrumented: caught"
  verdict engine "$([[ $(has_no_engine "$here/fuzz_right") != ok ]] && echo ok || echo bad)" "linked with the engine: caught"
}
