// Part of the SimGrid module: returns the build of tutti to which the module belongs. The function
// is renamed here because the program defines a function of the same name.
#define version_and_build version_and_build_of_module
#include "build_id.cpp"

extern "C" const char* simgrid_module_build();

const char* simgrid_module_build() { return tutti::version_and_build_of_module().data(); }
