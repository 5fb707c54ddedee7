# The public library tutti::tutti, with only the headers of include/tutti. All layers that it needs
# are in one archive, so that the names of the layers are not visible outside.

include(GNUInstallDirs)

tutti_sources(public_sources src/public_api)
set(public_layers tutti_base tutti_schedules tutti_platforms tutti_cost_models tutti_sim
  ${simgrid_callers} tutti_simulation tutti_search tutti_formats tutti_interchange tutti_requests tutti_build_id tutti_workers
  tutti_rule_files tutti_built_in tutti_experiments tutti_steps tutti_output tutti_pictures tutti_page
  tutti_commands)
add_library(tutti_api OBJECT ${public_sources})
tutti_link(tutti_api PRIVATE tutti_commands)
tutti_batches(tutti_api tutti_api SOURCES ${public_sources})
target_compile_definitions(tutti_api PRIVATE TUTTI_INSIDE)
target_include_directories(tutti_api PRIVATE ${PROJECT_SOURCE_DIR}/include)
tutti_headers(tutti_api PRIVATE src/public_api)

list(TRANSFORM public_layers REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE public_objects)
add_library(tutti_public STATIC $<TARGET_OBJECTS:tutti_api> ${public_objects})
set_target_properties(tutti_public PROPERTIES OUTPUT_NAME tutti EXPORT_NAME tutti
  LINKER_LANGUAGE CXX)
target_compile_features(tutti_public INTERFACE cxx_std_20)
target_include_directories(tutti_public INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
tutti_link(tutti_public PRIVATE fmt::fmt pugixml::pugixml protobuf::libprotobuf-lite
  SQLite::SQLite3 ZLIB::ZLIB)
set(public_libraries tutti_public)

# Additional library for engines and platform files that need SimGrid.
if(TUTTI_WITH_SIMGRID)
  add_library(tutti_public_simgrid STATIC $<TARGET_OBJECTS:tutti_simgrid_users>
    $<TARGET_OBJECTS:tutti_simgrid>)
  set_target_properties(tutti_public_simgrid PROPERTIES OUTPUT_NAME tutti_public_simgrid
    EXPORT_NAME simgrid LINKER_LANGUAGE CXX)
  tutti_link(tutti_public_simgrid PUBLIC tutti_public)
  tutti_link(tutti_public_simgrid PRIVATE PkgConfig::SIMGRID)
  target_link_options(tutti_public_simgrid INTERFACE LINKER:--undefined=tutti_simgrid_is_linked)
  list(APPEND public_libraries tutti_public_simgrid)
endif()
