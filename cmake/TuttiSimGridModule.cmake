# tutti-simgrid.so: the part of tutti that needs SimGrid's library. The program loads it when a run
# needs it. The module uses symbols of tutti's own libraries from the program, which is therefore
# linked with the whole of these libraries.

add_library(tutti_simgrid_module MODULE
  $<TARGET_OBJECTS:tutti_simgrid_users> src/simgrid_module_build.cpp)
tutti_link(tutti_simgrid_module PRIVATE tutti_options PkgConfig::SIMGRID fmt::fmt)
tutti_headers(tutti_simgrid_module PRIVATE src/workers)
target_include_directories(tutti_simgrid_module PRIVATE ${PROJECT_BINARY_DIR})
set_target_properties(tutti_simgrid_module PROPERTIES PREFIX "" OUTPUT_NAME tutti-simgrid)
add_dependencies(tutti_simgrid_module tutti_build_id) # tutti_build_id writes build_id.cpp

target_sources(tutti PRIVATE src/simgrid_module.cpp)
tutti_link(tutti PRIVATE tutti_simgrid_callers)
target_link_libraries(tutti PRIVATE ${CMAKE_DL_LIBS})
set(whole "")
foreach(library tutti_sim tutti_platforms tutti_schedules tutti_base)
  string(APPEND whole ",$<TARGET_FILE:${library}>")
endforeach()
target_link_options(tutti PRIVATE "LINKER:--whole-archive${whole},--no-whole-archive")
# With $ORIGIN, a copy of the program finds a copy of the module in the same folder.
set_target_properties(tutti PROPERTIES ENABLE_EXPORTS ON
  BUILD_RPATH "$ORIGIN;${PROJECT_BINARY_DIR}")
# Building only the program must suffice to run and install all of it.
add_dependencies(tutti tutti_simgrid_module tutti_simgrid)
