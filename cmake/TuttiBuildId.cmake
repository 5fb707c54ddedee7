# What tells two builds of tutti apart whose results may differ: a hash of the sources that compute
# them, of the compiler and its options, and of SimGrid. It is the same on every machine and in every
# folder, is made anew when one of these sources has changed, and is compiled into one small library.

set(build_id_files "")
foreach(folder schedules platforms cost_models sim src)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
    ${folder}/*.cpp ${folder}/*.hpp ${folder}/*.def)
  list(APPEND build_id_files ${files})
endforeach()
# What runs on real MPI, decides which cells are wanted, carries them about, or puts results in words
# changes no result. What is not named here counts.
list(FILTER build_id_files EXCLUDE REGEX "^sim/mpi/|^src/(mpi|decisions|rule_files)/")
list(FILTER build_id_files EXCLUDE REGEX "^src/sweep/(mpi/|[^/]*(database|query|run_cells|socket|store|channel|pool|workers|claims)[^/]*$)")
list(FILTER build_id_files EXCLUDE REGEX
  "^src/([^/]*(_text|_json|csv)|csv_lines|choose|cli|command|compare|decide|human|lint|list|measured_run|output_file|platform|progress|proof_cells|query|schedule_export|self_description|show|simulate|text_table|validate|validation|verify)\\.[ch]pp$")
list(SORT build_id_files)

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set(build_id_seed "${PROJECT_VERSION}|${CMAKE_CXX_COMPILER_ID}|${CMAKE_CXX_COMPILER_VERSION}|\
${CMAKE_SYSTEM_PROCESSOR}|${CMAKE_CXX_FLAGS}|${CMAKE_CXX_FLAGS_${build_type}}|${TUTTI_LTO}|\
${TUTTI_SANITIZE}|${TUTTI_WITH_SIMGRID}|${SIMGRID_VERSION}")

set(build_id_list ${PROJECT_BINARY_DIR}/build_id_files.txt)
list(JOIN build_id_files "\n" build_id_lines)
file(CONFIGURE OUTPUT ${build_id_list} CONTENT "${build_id_lines}\n" @ONLY)
list(TRANSFORM build_id_files PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE build_id_paths)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/build_id.cpp
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DFILES=${build_id_list}
    "-DSEED=${build_id_seed}" -DVERSION=${PROJECT_VERSION}
    -DOUTPUT=${PROJECT_BINARY_DIR}/build_id.cpp -P ${PROJECT_SOURCE_DIR}/cmake/WriteBuildId.cmake
  DEPENDS ${build_id_paths} ${build_id_list} ${PROJECT_SOURCE_DIR}/cmake/WriteBuildId.cmake
  COMMENT "Hashing the sources that compute results" VERBATIM)
tutti_library(tutti_build_id SOURCES ${PROJECT_BINARY_DIR}/build_id.cpp)
