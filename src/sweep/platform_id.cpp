#include <fmt/format.h>
#include <pugixml.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "schedules/error.hpp"
#include "src/sweep/cell.hpp"
#include "src/sweep/sha256.hpp"

namespace tutti {

namespace {

namespace fs = std::filesystem;

// Attributes with which a SimGrid platform names further files: profiles and traces of hosts and
// links, and <include file="">, <trace file="">.
constexpr std::array kFileAttributes{"file",       "availability_file", "speed_file",
                                     "state_file", "bandwidth_file",    "latency_file"};

class NamedFiles : public pugi::xml_tree_walker {
 public:
  bool for_each(pugi::xml_node& node) override {
    for (const char* attribute : kFileAttributes) {
      if (const auto value = node.attribute(attribute)) {
        names.emplace_back(value.value());
      }
    }
    return true;
  }
  std::vector<std::string> names;
};

std::string contents(std::string_view option, const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || stream.bad()) {
    throw UserError(
        fmt::format("{} '{}': cannot read it: {}", option, file.string(), std::strerror(errno)));
  }
  return text;
}

void add_file(std::string_view option, const fs::path& file, Sha256& hash,
              std::set<fs::path>& seen) {
  if (!seen.insert(fs::weakly_canonical(file)).second) {
    return;
  }
  const std::string text = contents(option, file);
  hash.add(text);
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size())) {
    return;  // a profile, or what loading the platform will complain about
  }
  NamedFiles named;
  document.traverse(named);
  for (const std::string& name : named.names) {
    // SimGrid looks beside the platform and in the working directory.
    for (const fs::path& candidate : {file.parent_path() / name, fs::path(name)}) {
      std::error_code error;
      if (fs::is_regular_file(candidate, error)) {
        add_file(option, candidate, hash, seen);
        break;
      }
    }
  }
}

std::string hash_of(std::string_view option, const std::string& file) {
  Sha256 hash;
  std::set<fs::path> seen;
  add_file(option, file, hash, seen);
  return hash.hex();
}

}  // namespace

const std::string& PlatformIds::of(const Machine& machine) {
  const Crossbar& crossbar = machine.source.crossbar;
  const std::string name = machine.built_in()
                               ? fmt::format("crossbar:{},bw={}Bps,lat={}s,speed={}f",
                                             crossbar.hosts, crossbar.bandwidth_bytes_per_s,
                                             crossbar.latency_s, crossbar.speed_flops_per_s)
                               : machine.source.file;
  const auto [at, added] = known_.try_emplace(name + '\n' + machine.parameters_file, name);
  if (added) {
    std::string& id = at->second;
    if (!machine.built_in()) {
      id = "sha256:" + hash_of("--platform", machine.source.file);
    }
    if (!machine.parameters_file.empty()) {
      id += ",parameters=sha256:" + hash_of("--parameters", machine.parameters_file);
    }
  }
  return at->second;
}

}  // namespace tutti
