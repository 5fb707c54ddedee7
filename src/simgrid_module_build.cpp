// In the module with SimGrid: of which build of tutti it is a part. The program has the same
// function under the name that this one must not have here.
#define version_and_build version_and_build_of_module
#include "build_id.cpp"

extern "C" const char* simgrid_module_build();

const char* simgrid_module_build() { return tutti::version_and_build_of_module().data(); }
