// SimGrid's library depends on dozens of others, and few commands need it. Therefore the program
// does not link the code that uses SimGrid. This code is a module, which is opened in the process
// that runs SimGrid.
#include <fmt/format.h>

#include <dlfcn.h>

#include "base/error.hpp"
#include "sim/simgrid/simgrid_maker.hpp"
#include "src/workers/build_id.hpp"

namespace tutti { inline namespace sim {

namespace {

// The dynamic linker finds it through the program's runpath: in the program's folder in a build, in
// lib/tutti of an installation.
constexpr const char* kModule = "tutti-simgrid.so";

// Name of the module's function that returns the build of tutti to which the module belongs.
constexpr const char* kModuleBuild = "simgrid_module_build";

[[noreturn]] void refuse(std::string_view why) {
  throw UserError(fmt::format(
      "this platform and engine need SimGrid, but {} cannot be used: {}; reinstall "
      "tutti, or use $engine=flow on a platform with one <cluster> or one zone with routes",
      kModule, why));
}

void* found(void* module, const char* name) {
  void* const there = dlsym(module, name);
  if (there == nullptr) {
    refuse(fmt::format("it has no {}", name));
  }
  return there;
}

}  // namespace

std::unique_ptr<SimGridSide> load_simgrid_side(const SimGridConfig& config, ParentLink& parent) {
  // RTLD_LOCAL hides the module's symbols: SimGrid's library exports MPI_Init and the rest of MPI.
  void* const module = dlopen(kModule, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    const char* const why = dlerror();
    refuse(why != nullptr ? why : "the reason is not known");
  }
  const auto build = reinterpret_cast<const char* (*)()>(found(module, kModuleBuild));
  if (build() != version_and_build()) {
    refuse(fmt::format("its build is {}, but the program's build is {}", build(),
                       version_and_build()));
  }
  const auto make = reinterpret_cast<decltype(&make_simgrid_side)>(found(module, kSimGridMaker));
  return std::unique_ptr<SimGridSide>(make(config, parent));
}

}}  // namespace tutti::sim
