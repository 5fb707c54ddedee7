// SimGrid's library draws in dozens of others, and few commands need any of it. So the program does
// not link what uses it: that is a module, opened in the process that runs SimGrid, when it does.
#include <fmt/format.h>

#include <dlfcn.h>

#include "base/error.hpp"
#include "sim/simgrid/simgrid_maker.hpp"
#include "src/workers/build_id.hpp"

namespace tutti::inline sim {

namespace {

// Found where the program's runpath says: beside it in a build folder, in lib/tutti of an install.
constexpr const char* kModule = "tutti-simgrid.so";

// What the module is called that this program was built with.
constexpr const char* kModuleBuild = "simgrid_module_build";

[[noreturn]] void refuse(std::string_view why) {
  throw UserError(
      fmt::format("this platform and engine need SimGrid, and {} cannot be used: {}; install tutti "
                  "anew, or take --engine flow on a platform of one <cluster>",
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
  // Nobody else sees its names: SimGrid's library exports MPI_Init and the rest of MPI.
  void* const module = dlopen(kModule, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    const char* const why = dlerror();
    refuse(why != nullptr ? why : "nobody knows why");
  }
  const auto build = reinterpret_cast<const char* (*)()>(found(module, kModuleBuild));
  if (build() != version_and_build()) {
    refuse(fmt::format("it is of another build, {}, than the program, {}", build(),
                       version_and_build()));
  }
  const auto make = reinterpret_cast<decltype(&make_simgrid_side)>(found(module, kSimGridMaker));
  return std::unique_ptr<SimGridSide>(make(config, parent));
}

}  // namespace tutti::inline sim
