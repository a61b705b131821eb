# Runs a fuzz target in an empty folder and checks how it ended: clean, with a failure said in words, or with a
# finding whose case replays.
# EXECUTABLE, ARGUMENTS (split at |), OUT (emptied; `corpus` and `found` are made in it), EXPECT.
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/corpus ${OUT}/found)
string(REPLACE "|" ";" arguments "${ARGUMENTS}")
set(ENV{NORMCHECK_FINDINGS} ${OUT}/found)

function(run result_variable log)
  execute_process(COMMAND ${EXECUTABLE} ${ARGN} WORKING_DIRECTORY ${OUT} RESULT_VARIABLE result
                  OUTPUT_FILE ${OUT}/${log} ERROR_FILE ${OUT}/${log})
  set(${result_variable} "${result}" PARENT_SCOPE)
endfunction()

run(result log.txt ${arguments})
file(READ ${OUT}/log.txt log)
file(GLOB cases ${OUT}/found/*.case)

if(EXPECT STREQUAL "clean")
  # A heartbeat: what ran nothing is not clean.
  if(NOT result STREQUAL "0" OR cases OR NOT log MATCHES "Done [0-9]+ runs|[1-9][0-9]* inputs replayed")
    message(FATAL_ERROR "expected a clean run; ended with '${result}', findings: '${cases}'\n${log}")
  endif()
  string(REGEX MATCH "Done [^\n]*|[^\n]*inputs replayed[^\n]*" heartbeat "${log}")
  message(STATUS "${heartbeat}")
  return()
endif()

if(result STREQUAL "0" OR NOT log MATCHES "FAIL[^\n]*")
  message(FATAL_ERROR "the planted defect was not found; ended with '${result}'\n${log}")
endif()
if(EXPECT STREQUAL "failure")
  message(STATUS "found: ${CMAKE_MATCH_0}")
  return()
endif()
if(NOT cases)
  message(FATAL_ERROR "the planted defect was found, but no case was written\n${log}")
endif()
list(GET cases 0 first)
run(again replay.txt ${first})
file(READ ${OUT}/replay.txt replay)
if(again STREQUAL "0" OR NOT replay MATCHES "FAIL")
  message(FATAL_ERROR "${first} does not replay; ended with '${again}'\n${replay}")
endif()
string(REGEX MATCH "FAIL.*replay [^\n]*" text "${replay}")
message(STATUS "found, and found again by its case:\n${text}")
