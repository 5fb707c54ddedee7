#include <fmt/format.h>

#include <vector>

#include "base/file_text.hpp"
#include "platforms/platform_files.hpp"
#include "src/experiments/sweep/cell.hpp"
#include "src/experiments/sweep/hash.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline experiments {

namespace {

// Returns "xxh128:" and the hash of the concatenated files.
std::string hash_of_files(const std::vector<std::string>& files, const InputKind& kind) {
  std::string text;
  for (const std::string& file : files) {
    text += FileText(file, kind).view();
  }
  return fmt::format("{}:{}", kHashName, hash_of(text));
}

}  // namespace

const std::string& PlatformIds::of(const Machine& machine) {
  const Crossbar& crossbar = machine.spec.source.crossbar;
  const std::string name = machine.built_in()
                               ? fmt::format("crossbar:{},bw={}Bps,lat={}s,speed={}f",
                                             crossbar.hosts, crossbar.bandwidth_bytes_per_s,
                                             crossbar.latency_s, crossbar.speed_flops_per_s)
                               : machine.spec.source.file;
  const auto [at, added] = known_.try_emplace(name + '\0' + machine.spec.parameters, name);
  if (added) {
    std::string& id = at->second;
    if (!machine.built_in()) {
      id = hash_of_files(platform_files(machine.spec.source.file), kPlatformFile);
    }
    if (!machine.spec.parameters.empty()) {
      id += ",parameters=" + hash_of_files({machine.spec.parameters}, kParametersFile);
    }
  }
  return at->second;
}

}  // namespace tutti::inline experiments
