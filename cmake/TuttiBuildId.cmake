# The build id: a hash of the sources, the compiler with its options, and SimGrid's version. It does
# not depend on the machine or the folder. It is recomputed when a source changes, and compiled into
# a separate small library. All workers of a sweep must have the same build id. If another build has
# made the results in a database, they are checked before they are used.

set(build_id_files "")
foreach(folder base schedules platforms cost_models sim src)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
    ${folder}/*.cpp ${folder}/*.hpp ${folder}/*.def)
  list(APPEND build_id_files ${files})
endforeach()
list(SORT build_id_files)

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set(build_id_seed "${PROJECT_VERSION}|${CMAKE_CXX_COMPILER_ID}|${CMAKE_CXX_COMPILER_VERSION}|\
${CMAKE_SYSTEM_PROCESSOR}|${CMAKE_CXX_FLAGS}|${CMAKE_CXX_FLAGS_${build_type}}|${TUTTI_LTO}|\
${TUTTI_SANITIZE}|${TUTTI_WITH_SIMGRID}|${SIMGRID_VERSION}")

set(build_id_list ${PROJECT_BINARY_DIR}/build_id_files.txt)
list(JOIN build_id_files "\n" build_id_lines)
file(CONFIGURE OUTPUT ${build_id_list} CONTENT "${build_id_lines}\n" @ONLY)
list(TRANSFORM build_id_files PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE build_id_paths)
set(build_id_source ${PROJECT_BINARY_DIR}/build_id.cpp)
add_custom_command(OUTPUT ${build_id_source}
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DFILES=${build_id_list}
    "-DSEED=${build_id_seed}" -DVERSION=${PROJECT_VERSION} -DOUTPUT=${build_id_source}
    -P ${PROJECT_SOURCE_DIR}/cmake/WriteBuildId.cmake
  DEPENDS ${build_id_paths} ${build_id_list} ${PROJECT_SOURCE_DIR}/cmake/WriteBuildId.cmake
  COMMENT "Hashing the sources" VERBATIM)
tutti_library(tutti_build_id SOURCES ${build_id_source})
tutti_headers(tutti_build_id PUBLIC src/workers)
