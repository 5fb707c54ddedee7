# Run after a test program was linked: asks it for its test cases and writes the ctest file of
# them. A test that prints "TEST SKIPPED: " and why is shown as skipped.
# In: PROGRAM, OUTPUT, FOLDER, WORKING_DIRECTORY, TIMEOUT_S, SLOW_TIMEOUT_S.

set(script "")

function(list_tests spec labels timeout_s)
  execute_process(COMMAND ${PROGRAM} ${spec} --list-test-names-only
    WORKING_DIRECTORY ${WORKING_DIRECTORY}
    OUTPUT_VARIABLE names ERROR_VARIABLE errors RESULT_VARIABLE result)
  # Catch2 returns how many it found, at most 255; text instead of a number is a crash.
  if(NOT result MATCHES "^[0-9]+$" OR errors OR (NOT names AND NOT result EQUAL 0))
    message(FATAL_ERROR "${PROGRAM} ${spec} --list-test-names-only: ${result}\n${names}${errors}")
  endif()
  if(names MATCHES "[][;\\\\]")
    # They are list and quoting characters in CMake; such a test would be lost without a word.
    message(FATAL_ERROR "${PROGRAM}: no brackets, semicolons or backslashes in test names:\n${names}")
  endif()
  string(REPLACE "\n" ";" names "${names}")
  foreach(name IN LISTS names)
    if(name STREQUAL "")
      continue()
    endif()
    # A comma would make two patterns of it. A name that matches no test case (an asterisk or a
    # quote in it) must fail: without NoTests, Catch2 calls it a success.
    string(REPLACE "," "\\," pattern "${name}")
    string(APPEND script
      "add_test([==[${FOLDER}.${name}]==] [==[${PROGRAM}]==] [==[${pattern}]==] --warn NoTests)\n"
      "set_tests_properties([==[${FOLDER}.${name}]==] PROPERTIES"
      " WORKING_DIRECTORY [==[${WORKING_DIRECTORY}]==] LABELS \"${labels}\" TIMEOUT ${timeout_s}"
      " SKIP_REGULAR_EXPRESSION \"TEST SKIPPED: \")\n")
  endforeach()
  set(script "${script}" PARENT_SCOPE)
endfunction()

list_tests("~[slow]~[.]" "${FOLDER}" ${TIMEOUT_S})
list_tests("[slow]~[.]" "${FOLDER};slow" ${SLOW_TIMEOUT_S})
file(WRITE ${OUTPUT} "${script}")
