# What tells two builds of tutti apart whose results may differ: a hash of the sources that compute
# them, of the compiler and its options, and of SimGrid. It is the same on every machine and in every
# folder, is made anew when one of these sources has changed, and is compiled into one small library.

set(build_id_files "")
foreach(folder base schedules platforms cost_models sim simulation src)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
    ${folder}/*.cpp ${folder}/*.hpp ${folder}/*.def)
  list(APPEND build_id_files ${files})
endforeach()
# What runs on real MPI depends on more: of tutti-mpi all sources count.
set(mpi_build_id_files ${build_id_files})
# What runs on real MPI, decides which cells are wanted, carries them about, or puts results in words
# changes no result. What is not named here counts.
list(FILTER build_id_files EXCLUDE REGEX
  "^base/(human|printable|file_text)\\.|^sim/mpi/|^src/(commands|formats|mpi|report|rule_files|workers)/")
list(FILTER build_id_files EXCLUDE REGEX
  "^src/experiments/(decisions/|proof_cells|validation|measured_run|run_failures)")
list(FILTER build_id_files EXCLUDE REGEX
  "^src/experiments/sweep/[^/]*(database|query|run_cells|store|claims|row_check|wave)[^/]*$")
list(SORT build_id_files)

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set(build_id_seed "${PROJECT_VERSION}|${CMAKE_CXX_COMPILER_ID}|${CMAKE_CXX_COMPILER_VERSION}|\
${CMAKE_SYSTEM_PROCESSOR}|${CMAKE_CXX_FLAGS}|${CMAKE_CXX_FLAGS_${build_type}}|${TUTTI_LTO}|\
${TUTTI_SANITIZE}|${TUTTI_WITH_SIMGRID}|${SIMGRID_VERSION}")

# tutti_build_id(NAME FILE...): the library tutti_NAME, whose version_and_build() is of these sources.
function(tutti_build_id name)
  set(files ${ARGN})
  list(SORT files)
  set(list ${PROJECT_BINARY_DIR}/${name}_files.txt)
  list(JOIN files "\n" lines)
  file(CONFIGURE OUTPUT ${list} CONTENT "${lines}\n" @ONLY)
  list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
  set(source ${PROJECT_BINARY_DIR}/${name}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DFILES=${list}
      "-DSEED=${build_id_seed}" -DVERSION=${PROJECT_VERSION} -DOUTPUT=${source}
      -P ${PROJECT_SOURCE_DIR}/cmake/WriteBuildId.cmake
    DEPENDS ${paths} ${list} ${PROJECT_SOURCE_DIR}/cmake/WriteBuildId.cmake
    COMMENT "Hashing the sources that compute results" VERBATIM)
  tutti_library(tutti_${name} SOURCES ${source})
  tutti_headers(tutti_${name} PUBLIC src/workers)
endfunction()
tutti_build_id(build_id ${build_id_files})
tutti_build_id(mpi_build_id ${mpi_build_id_files})
