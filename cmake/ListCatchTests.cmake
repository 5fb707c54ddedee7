# Runs after a test program has been linked: lists its test cases and writes them to a ctest file. A
# test that prints "TEST SKIPPED: " and a reason counts as skipped. Input: PROGRAM, OUTPUT, FOLDER,
# WORKING_DIRECTORY, TIMEOUT_S, SLOW_TIMEOUT_S.

set(script "")

function(list_tests spec labels timeout_s)
  execute_process(COMMAND ${PROGRAM} ${spec} --list-test-names-only
    WORKING_DIRECTORY ${WORKING_DIRECTORY}
    OUTPUT_VARIABLE names ERROR_VARIABLE errors RESULT_VARIABLE result)
  # Catch2 returns the number of tests, at most 255. Text in place of a number means a crash.
  if(NOT result MATCHES "^[0-9]+$" OR errors OR (NOT names AND NOT result EQUAL 0))
    message(FATAL_ERROR "${PROGRAM} ${spec} --list-test-names-only: ${result}\n${names}${errors}")
  endif()
  if(names MATCHES "[][;\\\\]")
    # CMake uses these characters for lists and quoting, and would silently drop such a test.
    message(FATAL_ERROR "${PROGRAM}: no brackets, semicolons or backslashes in test names:\n${names}")
  endif()
  string(REPLACE "\n" ";" names "${names}")
  foreach(name IN LISTS names)
    if(name STREQUAL "")
      continue()
    endif()
    # Catch2 would split a pattern at a comma. --warn NoTests makes a name that matches no test case
    # (because it contains an asterisk or a quote) fail; otherwise Catch2 reports success.
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
