# Two types of one name in one program: of what both instantiate, a vector of them, the linker keeps
# one definition for both, and no compiler says a word. GCC sees it (-Wodr) when it reads all of a
# program for link-time optimisation. So with TUTTI_CHECK_TYPES each object has that form beside its
# machine code, at about a tenth more work for the compiler, and the target check_types reads each
# program as a whole. Nothing is optimised or generated then, and programs are linked as ever.

option(TUTTI_CHECK_TYPES "Compile so that the target check_types can compare types of one name" OFF)
if(NOT TUTTI_CHECK_TYPES)
  return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "TUTTI_CHECK_TYPES needs g++")
endif()
target_compile_options(tutti_options INTERFACE $<BUILD_INTERFACE:-flto;-ffat-lto-objects>)
target_link_options(tutti_options INTERFACE $<BUILD_INTERFACE:-fno-lto>)
add_custom_target(check_types)

# tutti_layers_of(VAR TARGET): which of our libraries the target links, directly or not.
function(tutti_layers_of variable target)
  set(found "")
  set(todo ${target})
  while(todo)
    list(POP_FRONT todo next)
    get_target_property(type ${next} TYPE)
    get_target_property(links ${next} INTERFACE_LINK_LIBRARIES)
    if(next STREQUAL target)
      get_target_property(links ${next} LINK_LIBRARIES)
    elseif(type STREQUAL "STATIC_LIBRARY")
      list(APPEND found ${next})
    endif()
    foreach(link IN LISTS links)
      if(link MATCHES "^tutti_" AND TARGET ${link} AND NOT link IN_LIST found AND NOT link IN_LIST todo)
        list(APPEND todo ${link})
      endif()
    endforeach()
  endwhile()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# tutti_check_types(NAME TARGET...): the objects of these targets, which are parts of one program.
function(tutti_check_types name)
  set(objects "")
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endif()
  endforeach()
  set(checked ${PROJECT_BINARY_DIR}/check_types/${name})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/check_types)
  add_custom_command(OUTPUT ${checked}
    COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -flto -flinker-output=rel
      -Werror=odr -Werror=lto-type-mismatch ${objects} -o ${checked}.o
    COMMAND ${CMAKE_COMMAND} -E rm ${checked}.o
    COMMAND ${CMAKE_COMMAND} -E touch ${checked}
    DEPENDS ${objects}
    COMMENT "Comparing types of one name in ${name}" VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_target(check_types_${name} DEPENDS ${checked})
  add_dependencies(check_types check_types_${name})
endfunction()
