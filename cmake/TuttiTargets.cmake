# Helpers for the top CMakeLists.txt: what is common to all our targets, and targets that appear
# as soon as their folder holds a source file.

# What every target of ours compiles with.
add_library(tutti_base INTERFACE)
target_include_directories(tutti_base INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/tutti>)
target_compile_features(tutti_base INTERFACE cxx_std_20)
# Whoever uses the libraries has warnings of their own.
target_compile_options(tutti_base INTERFACE
  "$<BUILD_INTERFACE:-Wall;-Wextra;-Wconversion;-Wshadow>")
target_compile_definitions(tutti_base INTERFACE
  TUTTI_WITH_SIMGRID=$<BOOL:${TUTTI_WITH_SIMGRID}>
  TUTTI_VERSION="${PROJECT_VERSION}")
if(TUTTI_SANITIZE)
  target_compile_options(tutti_base INTERFACE
    -fsanitize=${TUTTI_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tutti_base INTERFACE -fsanitize=${TUTTI_SANITIZE})
endif()

# tutti_sources(VAR FOLDER [INCLUDE REGEX] [EXCLUDE REGEX]): all *.cpp below FOLDER, relative to
# the top; the expressions see the relative path.
function(tutti_sources variable folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "INCLUDE;EXCLUDE" "")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  if(arg_INCLUDE)
    list(FILTER files INCLUDE REGEX "${arg_INCLUDE}")
  endif()
  if(arg_EXCLUDE)
    list(FILTER files EXCLUDE REGEX "${arg_EXCLUDE}")
  endif()
  list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/)
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()

# tutti_link(TARGET SCOPE LIBRARY...): links those that exist. A layer without a source file has
# no target yet; an unknown name would go to the linker as -lNAME.
function(tutti_link target scope)
  foreach(library IN LISTS ARGN)
    if(TARGET ${library})
      target_link_libraries(${target} ${scope} ${library})
    endif()
  endforeach()
endfunction()

# tutti_library(NAME SOURCES FILE... LINK LIBRARY... [PRIVATE_LINK LIBRARY...]): a static library,
# or nothing while there are no sources.
function(tutti_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;PRIVATE_LINK")
  if(NOT arg_SOURCES)
    return()
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  tutti_link(${name} PUBLIC tutti_base ${arg_LINK})
  tutti_link(${name} PRIVATE ${arg_PRIVATE_LINK})
endfunction()
