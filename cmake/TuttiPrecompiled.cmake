# Precompiles the external headers that nearly every source includes. CLI11 and nlohmann/json are
# left out: precompiled or not, they cost g++ seconds for each file, even if the file does not use
# them. -DTUTTI_PRECOMPILED=OFF builds without precompiled headers, which finds missing includes.

option(TUTTI_PRECOMPILED "Parse the headers of libraries once for all sources" ON)

# tutti_precompiled_headers(NAME HEADERS HEADER... LINK LIBRARY...): adds a target NAME that
# precompiles the headers. The libraries provide the include folders.
function(tutti_precompiled_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LINK")
  if(NOT TUTTI_PRECOMPILED)
    return()
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE tutti_options ${arg_LINK})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# tutti_use_precompiled(NAME TARGET...): lets the targets use the headers that NAME has precompiled.
function(tutti_use_precompiled name)
  if(TUTTI_PRECOMPILED)
    foreach(target IN LISTS ARGN)
      target_precompile_headers(${target} REUSE_FROM ${name})
    endforeach()
  endif()
endfunction()

set(tutti_standard_headers <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory>
  <optional> <ostream> <span> <sstream> <string> <string_view> <unordered_map> <utility> <vector>)
tutti_precompiled_headers(tutti_precompiled_library
  HEADERS ${tutti_standard_headers} <fmt/format.h> LINK fmt::fmt)
