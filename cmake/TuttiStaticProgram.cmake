# Links the program tutti with static libraries (fmt, protobuf, pugixml, SQLite, C++ runtime), and
# at fixed addresses. A short command otherwise spends more than half of its instructions on finding
# the symbols of shared libraries. Does nothing if one of these static libraries is missing, or with
# sanitizers, whose runtimes expect the shared C++ library.
#
# All of the C++ libraries are static, or none is: a shared fmt would load a second copy of the C++
# runtime. The program exports the symbols of its copy, so that the SimGrid module, and the shared
# C++ library that the module loads, use this copy as well. Exceptions of the module thus reach the
# program.

if(TUTTI_SANITIZE OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()

include(CheckLinkerFlag)
set(static_runtime -static-libstdc++ -static-libgcc -no-pie)
check_linker_flag(CXX "${static_runtime}" TUTTI_STATIC_RUNTIME)
# The static library must belong to the shared one, so only the shared one's folder is searched.
get_target_property(sqlite SQLite::SQLite3 IMPORTED_LOCATION)
cmake_path(GET sqlite PARENT_PATH sqlite_folder)
find_library(TUTTI_STATIC_SQLITE libsqlite3.a PATHS ${sqlite_folder} NO_DEFAULT_PATH)
get_target_property(protobuf protobuf::libprotobuf-lite IMPORTED_LOCATION_RELEASE)
cmake_path(GET protobuf PARENT_PATH protobuf_folder)
find_library(TUTTI_STATIC_PROTOBUF libprotobuf-lite.a PATHS ${protobuf_folder} NO_DEFAULT_PATH)
# Debian has no static fmt. src/static_fmt.cpp, which is written for fmt 9, takes its place.
if(TUTTI_STATIC_RUNTIME AND TUTTI_STATIC_SQLITE AND TUTTI_STATIC_PROTOBUF AND TARGET pugixml::static
    AND fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  target_sources(tutti PRIVATE src/static_fmt.cpp)
  # The linker reads the static libraries first. With --as-needed, it then drops the shared ones
  # that the layers link.
  target_link_options(tutti PRIVATE ${static_runtime} LINKER:--as-needed
    LINKER:--whole-archive,${TUTTI_STATIC_SQLITE},${TUTTI_STATIC_PROTOBUF},$<TARGET_FILE:pugixml::static>,--no-whole-archive)
else()
  message(STATUS "tutti is linked with shared libraries, which makes its start slower")
endif()
