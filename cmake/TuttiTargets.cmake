# Compile options of all targets, and functions with which the top CMakeLists.txt adds a library for
# each folder of sources.

add_library(tutti_options INTERFACE)
target_compile_features(tutti_options INTERFACE cxx_std_20)
# Warnings apply only to this build, not to users of the libraries.
target_compile_options(tutti_options INTERFACE "$<BUILD_INTERFACE:-Wall;-Wextra;-Wconversion>")
# In a batch of sources, clang's -Wshadow also warns of names that two of the sources use.
if(NOT (TUTTI_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang"))
  target_compile_options(tutti_options INTERFACE "$<BUILD_INTERFACE:-Wshadow>")
endif()
target_compile_definitions(tutti_options INTERFACE
  TUTTI_WITH_SIMGRID=$<BOOL:${TUTTI_WITH_SIMGRID}>
  TUTTI_VERSION="${PROJECT_VERSION}")
if(TUTTI_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Makes g++ collect garbage less often, which takes 10 % less time and about 200 MB more memory
  # per batch.
  target_compile_options(tutti_options INTERFACE
    $<BUILD_INTERFACE:$<$<CONFIG:Release>:--param=ggc-min-heapsize=600000>>)
endif()
if(TUTTI_SANITIZE)
  target_compile_options(tutti_options INTERFACE
    -fsanitize=${TUTTI_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # Coverage instrumentation for libFuzzer, so that one build serves tests and fuzz targets.
    $<$<CXX_COMPILER_ID:Clang>:-fsanitize=fuzzer-no-link>)
  target_link_options(tutti_options INTERFACE -fsanitize=${TUTTI_SANITIZE})
endif()

# tutti_sources(VAR FOLDER [WITHOUT FOLDER...]): sets VAR to the list of all *.cpp below FOLDER,
# except those below the other folders, which are relative to FOLDER.
function(tutti_sources variable folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "WITHOUT")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  foreach(without IN LISTS arg_WITHOUT)
    file(GLOB_RECURSE others CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/${without}/*.cpp)
    list(REMOVE_ITEM files ${others})
  endforeach()
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()

# tutti_embed(OUTPUT NAMESPACE FUNCTION HEADER FILE...): writes OUTPUT, a source file in the build
# folder, with a function that returns the texts of these files by name.
function(tutti_embed output namespace function header)
  set(script ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/${output}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${ARGN}" -DFUNCTION=${function} -DHEADER=${header}
      -DNAMESPACE=${namespace} -DOUTPUT=${PROJECT_BINARY_DIR}/${output} -P ${script}
    DEPENDS ${ARGN} ${script}
    COMMENT "Writing ${output}" VERBATIM)
endfunction()

# tutti_link(TARGET SCOPE LIBRARY...): like target_link_libraries(), but a name that is not a target
# is an error rather than -lNAME.
function(tutti_link target scope)
  foreach(library IN LISTS ARGN)
    if(NOT TARGET ${library})
      message(FATAL_ERROR "${target} links ${library}, which does not exist")
    endif()
    target_link_libraries(${target} ${scope} ${library})
  endforeach()
endfunction()

# tutti_headers(TARGET SCOPE FOLDER [WITHOUT FOLDER...]): lets the target include "FOLDER/...", and
# nothing else of the tree. The include directory is a folder in the build tree that contains only a
# symbolic link to FOLDER.
function(tutti_headers target scope folder)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "WITHOUT")
  set(root ${PROJECT_BINARY_DIR}/layers/${target})
  file(REMOVE_RECURSE ${root})
  if(arg_WITHOUT)
    file(GLOB entries LIST_DIRECTORIES true CONFIGURE_DEPENDS
      RELATIVE ${PROJECT_SOURCE_DIR}/${folder} ${PROJECT_SOURCE_DIR}/${folder}/*)
    list(REMOVE_ITEM entries ${arg_WITHOUT})
    list(TRANSFORM entries PREPEND ${folder}/)
  else()
    set(entries ${folder})
  endif()
  foreach(entry IN LISTS entries)
    cmake_path(GET entry PARENT_PATH parent)
    file(MAKE_DIRECTORY ${root}/${parent})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${entry} ${root}/${entry} SYMBOLIC)
  endforeach()
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${root}>)
endfunction()

# tutti_source_options(OPTIONS FOLDER [ONLY REGEX] [EXCEPT REGEX]): adds compile options to the sources
# below FOLDER whose paths match ONLY and do not match EXCEPT.
function(tutti_source_options options folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "ONLY;EXCEPT" "")
  tutti_sources(sources ${folder})
  if(arg_ONLY)
    list(FILTER sources INCLUDE REGEX "${arg_ONLY}")
  endif()
  if(arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCEPT}")
  endif()
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${options}")
endfunction()

# tutti_find_json(VARIABLE FILE): sets VARIABLE to TRUE if FILE, relative to the root, includes all of
# nlohmann/json, directly or through headers of the project.
function(tutti_find_json variable file)
  get_property(found GLOBAL PROPERTY "tutti_json ${file}")
  if("${found}" STREQUAL "")
    set_property(GLOBAL PROPERTY "tutti_json ${file}" FALSE) # for headers that include each other
    set(found FALSE)
    file(STRINGS ${PROJECT_SOURCE_DIR}/${file} lines REGEX "^#include ")
    foreach(line IN LISTS lines)
      if(line MATCHES "<nlohmann/json.hpp>")
        set(found TRUE)
      elseif(line MATCHES "\"(.+)\"")
        set(header ${CMAKE_MATCH_1})
        if(EXISTS ${PROJECT_SOURCE_DIR}/${header})
          tutti_find_json(found ${header})
        endif()
      endif()
      if(found)
        break()
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY "tutti_json ${file}" ${found})
  endif()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# tutti_batches(TARGET NAME [PER_BATCH COUNT] [ALONE REGEX] SOURCES FILE...): with TUTTI_UNITY,
# replaces the target's sources by batches, files that include up to COUNT sources each; the default
# is 16. Sources of a batch have the same compile options. Those that include nlohmann/json, which
# takes the compiler a second or two, share as few batches as possible. Neighbouring files of a
# folder, whose local functions may have the same names, go to different batches. Sources that match
# REGEX, are generated, or have definitions of their own stay separate. A batch names its sources
# relative to the root, so that it is the same in every clone, and ccache can reuse it.
function(tutti_batches target name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PER_BATCH;ALONE" "SOURCES")
  if(NOT TUTTI_UNITY)
    return()
  endif()
  if(NOT arg_PER_BATCH)
    set(arg_PER_BATCH 16)
  endif()
  set(dealt ${arg_SOURCES})
  list(FILTER dealt EXCLUDE REGEX "^${PROJECT_BINARY_DIR}/")
  if(arg_ALONE)
    list(FILTER dealt EXCLUDE REGEX "${arg_ALONE}")
  endif()
  set(groups "")
  foreach(source IN LISTS dealt)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    if(definitions)
      list(REMOVE_ITEM dealt ${source})
      continue()
    endif()
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(NOT options)
      set(options "")
    endif()
    string(MAKE_C_IDENTIFIER "group ${options}" group)
    list(APPEND groups ${group})
    set(options_${group} "${options}")
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE from_root)
    tutti_find_json(json ${from_root})
    list(APPEND sources_${group}_${json} ${from_root})
  endforeach()
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${dealt})
  list(REMOVE_DUPLICATES groups)
  set(first 0)
  foreach(group IN LISTS groups)
    list(LENGTH sources_${group}_TRUE with_json)
    list(LENGTH sources_${group}_FALSE files)
    math(EXPR files "${files} + ${with_json}")
    math(EXPR count "(${files} + ${arg_PER_BATCH} - 1) / ${arg_PER_BATCH}")
    math(EXPR size "(${files} + ${count} - 1) / ${count}")
    math(EXPR json_count "(${with_json} + ${size} - 1) / ${size}")
    math(EXPR last "${first} + ${count} - 1")
    foreach(batch RANGE ${first} ${last})
      set(batch_${batch} "")
    endforeach()
    set(batch ${first})
    foreach(from_root IN LISTS sources_${group}_TRUE)
      list(APPEND batch_${batch} ${from_root})
      math(EXPR batch "${first} + (${batch} - ${first} + 1) % ${json_count}")
    endforeach()
    foreach(from_root IN LISTS sources_${group}_FALSE)
      list(LENGTH batch_${batch} full)
      while(full GREATER_EQUAL size)
        math(EXPR batch "${first} + (${batch} - ${first} + 1) % ${count}")
        list(LENGTH batch_${batch} full)
      endwhile()
      list(APPEND batch_${batch} ${from_root})
      math(EXPR batch "${first} + (${batch} - ${first} + 1) % ${count}")
    endforeach()
    foreach(batch RANGE ${first} ${last})
      list(TRANSFORM batch_${batch} REPLACE "(.+)" "#include \"\\1\"\n")
      list(JOIN batch_${batch} "" content)
      set(file ${PROJECT_BINARY_DIR}/batches/${target}/${name}_${batch}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT "${content}" @ONLY)
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${options_${group}}")
      list(APPEND sources ${file})
    endforeach()
    math(EXPR first "${last} + 1")
  endforeach()
  set_property(TARGET ${target} PROPERTY SOURCES ${sources})
endfunction()

# tutti_library(NAME SOURCES FILE... [LINK LIBRARY...] [PRIVATE_LINK LIBRARY...]): adds a static
# library.
function(tutti_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;PRIVATE_LINK")
  add_library(${name} STATIC ${arg_SOURCES})
  tutti_link(${name} PUBLIC tutti_options ${arg_LINK})
  tutti_link(${name} PRIVATE ${arg_PRIVATE_LINK})
endfunction()

# tutti_layer(NAME FOLDER [WITHOUT FOLDER...] [MORE_SOURCES FILE...] [PER_BATCH COUNT]
# LINK LIBRARY... [PRIVATE_LINK LIBRARY...]): adds a library of all sources in a folder. The library, and every
# target that links it, can include headers from this folder and from the folders of the libraries
# that it links. Any other include does not compile. A new source file needs no change in CMake
# files.
function(tutti_layer name folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PER_BATCH" "WITHOUT;MORE_SOURCES;LINK;PRIVATE_LINK")
  tutti_sources(sources ${folder} WITHOUT ${arg_WITHOUT})
  tutti_library(${name} SOURCES ${sources} ${arg_MORE_SOURCES}
    LINK ${arg_LINK} PRIVATE_LINK ${arg_PRIVATE_LINK})
  tutti_headers(${name} PUBLIC ${folder} WITHOUT ${arg_WITHOUT})
  tutti_batches(${name} ${name} PER_BATCH "${arg_PER_BATCH}" SOURCES ${sources})
  set(${name}_sources "${sources};${arg_MORE_SOURCES}" PARENT_SCOPE)
  set(${name}_per_batch "${arg_PER_BATCH}" PARENT_SCOPE)
endfunction()
