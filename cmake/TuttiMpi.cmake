# Builds tutti-mpi for each MPI library found. MPI does not define a binary interface, so every
# source that includes mpi.h is compiled once per library. These programs must not link SimGrid,
# whose library defines a second MPI_Init.
#
# The program for Debian's Open MPI is tutti-mpi, the one for Debian's MPICH is tutti-mpi-mpich. If
# only one of these two libraries is installed, or only another MPI library that CMake finds, the
# program for this library is tutti-mpi.

tutti_layer(tutti_mpi_plan sim/mpi/plan LINK tutti_sim)
tutti_sources(mpi_sources sim/mpi WITHOUT plan)
tutti_sources(mpi_cli_sources src/mpi)

# Names of the programs built. TUTTI_MPIEXEC_<name> is the command that starts the program <name>.
set(TUTTI_MPI_PROGRAMS "")

# tutti_mpi_program(PROGRAM MPI_TARGET MPIEXEC): builds PROGRAM with the MPI library MPI_TARGET.
# MPIEXEC is the command that starts the program.
function(tutti_mpi_program program mpi mpiexec)
  string(REPLACE "-" "_" library ${program})
  tutti_library(${library}_engine SOURCES ${mpi_sources}
    LINK tutti_mpi_plan fmt::fmt ${mpi})
  tutti_headers(${library}_engine PUBLIC sim/mpi WITHOUT plan)
  # Disables the C++ bindings of MPI-2, which would require another library.
  target_compile_definitions(${library}_engine PUBLIC OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX
    TUTTI_UNDER_SMPI=0)
  tutti_batches(${library}_engine mpi_engine SOURCES ${mpi_sources})
  add_executable(${program} ${mpi_cli_sources})
  tutti_batches(${program} mpi_cli SOURCES ${mpi_cli_sources})
  tutti_link(${program} PRIVATE ${library}_engine tutti_requests tutti_build_id)
  tutti_headers(${program} PRIVATE src/mpi)
  # Optional, because scripts/tutti builds only tutti.
  install(TARGETS ${program} OPTIONAL)
  install(CODE "if(NOT EXISTS \"$<TARGET_FILE:${program}>\")
  message(STATUS \"Not installed, because it is not built: ${program} (cmake --build ${PROJECT_BINARY_DIR})\")
endif()")
  set(TUTTI_MPI_PROGRAMS ${TUTTI_MPI_PROGRAMS} ${program} PARENT_SCOPE)
  set(TUTTI_MPIEXEC_${program} ${mpiexec} PARENT_SCOPE)
endfunction()

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(OMPI QUIET IMPORTED_TARGET ompi)
  pkg_check_modules(MPICH QUIET IMPORTED_TARGET mpich)
endif()
if(OMPI_FOUND)
  find_program(TUTTI_OMPI_EXEC NAMES mpirun.openmpi mpirun)
  tutti_mpi_program(tutti-mpi PkgConfig::OMPI "${TUTTI_OMPI_EXEC}")
endif()
# With sanitizers, one MPI library is enough: tutti's own code is the same for both.
if(MPICH_FOUND AND NOT (TUTTI_SANITIZE AND OMPI_FOUND))
  find_program(TUTTI_MPICH_EXEC NAMES mpiexec.hydra mpirun.mpich mpirun)
  if(OMPI_FOUND)
    set(mpich_program tutti-mpi-mpich)
  else()
    set(mpich_program tutti-mpi)
  endif()
  tutti_mpi_program(${mpich_program} PkgConfig::MPICH "${TUTTI_MPICH_EXEC}")
endif()
if(NOT TUTTI_MPI_PROGRAMS)
  if(TUTTI_WITH_MPI STREQUAL "AUTO")
    find_package(MPI 3.0 QUIET COMPONENTS CXX)
  else()
    find_package(MPI 3.0 REQUIRED COMPONENTS CXX)
  endif()
  if(MPI_CXX_FOUND)
    tutti_mpi_program(tutti-mpi MPI::MPI_CXX "${MPIEXEC_EXECUTABLE}")
  endif()
endif()
if(NOT TUTTI_MPI_PROGRAMS)
  message(STATUS "tutti-mpi: not built, because no MPI library was found (Debian: libopenmpi-dev, libmpich-dev)")
endif()

# The same program for SMPI, SimGrid's implementation of MPI: smpirun runs it on a simulated
# network, which gives an independent estimate of the time of a schedule. smpirun loads it as a
# library once per rank, so it is a module that contains all of its sources. It is built only by the
# test that uses it.
find_program(TUTTI_SMPIRUN smpirun)
find_path(TUTTI_SMPI_INCLUDE_DIR smpi.h PATH_SUFFIXES smpi)
if(TUTTI_WITH_SIMGRID AND TUTTI_SMPIRUN AND TUTTI_SMPI_INCLUDE_DIR)
  set(smpi_layers tutti_base tutti_schedules tutti_platforms tutti_cost_models tutti_sim
    tutti_simgrid_callers tutti_simulation tutti_formats tutti_interchange tutti_requests
    tutti_mpi_plan)
  set(smpi_sources ${mpi_sources} ${mpi_cli_sources} ${PROJECT_BINARY_DIR}/build_id.cpp)
  foreach(layer IN LISTS smpi_layers)
    list(APPEND smpi_sources ${${layer}_sources})
  endforeach()
  add_library(tutti-mpi-smpi MODULE EXCLUDE_FROM_ALL ${smpi_sources})
  # The compile commands are not exported, because other targets compile these sources too, and
  # clang-tidy checks a source once per compile command.
  set_target_properties(tutti-mpi-smpi PROPERTIES PREFIX "" EXPORT_COMPILE_COMMANDS OFF)
  target_include_directories(tutti-mpi-smpi SYSTEM PRIVATE ${TUTTI_SMPI_INCLUDE_DIR})
  target_compile_definitions(tutti-mpi-smpi PRIVATE TUTTI_UNDER_SMPI=1)
  tutti_link(tutti-mpi-smpi PRIVATE tutti_options PkgConfig::SIMGRID Boost::headers fmt::fmt
    pugixml::pugixml protobuf::libprotobuf-lite CLI11::CLI11 nlohmann_json::nlohmann_json ZLIB::ZLIB)
  target_include_directories(tutti-mpi-smpi SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/proto)
  target_include_directories(tutti-mpi-smpi PRIVATE ${PROJECT_SOURCE_DIR})
  foreach(layer IN LISTS smpi_layers)
    tutti_batches(tutti-mpi-smpi ${layer} PER_BATCH "${${layer}_per_batch}" SOURCES ${${layer}_sources})
  endforeach()
  tutti_batches(tutti-mpi-smpi mpi_engine SOURCES ${mpi_sources})
  tutti_batches(tutti-mpi-smpi mpi_cli SOURCES ${mpi_cli_sources})
endif()
