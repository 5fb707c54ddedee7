// A cell of a sweep is a case. This file defines two forms of a cell: a line of JSON, which is sent
// to the process that runs the cell, and a key in a database.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/requests/parameters.hpp"
#include "src/requests/schedule_file.hpp"
#include "src/simulation/case.hpp"

namespace tutti { inline namespace formats {
struct DocumentType;
}}  // namespace tutti::formats

namespace tutti { inline namespace experiments {

// Returns the name of the platform file, or the figures of a crossbar.
[[nodiscard]] std::string platform_text(const MachineSpec& spec);

// Returns the id of a platform. An id begins with "xxh128:" and the hash of the platform file, or
// with the figures of a crossbar. If the user gave a --parameters file, the hash of this file
// follows. A platform file that names other files (profiles, parts to include) is hashed together
// with these files. Throws UserError for a file that cannot be read.
[[nodiscard]] std::string platform_id(const MachineSpec& spec);
// Throws UserError unless the platform of the spec has the id `id`.
void check_platform_id(const MachineSpec& spec, const std::string& id);

// Returns the ids of platforms. Reads each file only once.
class PlatformIds {
 public:
  [[nodiscard]] const std::string& of(const Machine& machine);

 private:
  std::map<std::string, std::string> known_;
};

// All that a result depends on except the schedule, whose fingerprint is known only once the
// schedule is made. Two cells with the same key and fingerprint have exactly the same result. The
// members have the names of the database's columns.
struct CellKey {
  // Version of the engine: engine_version() of src/simulation/engines/engine_type.hpp.
  std::string version;
  std::string collective;
  std::string algorithm;  // for a program: the name in its header
  // Options that the algorithm takes, as on the command line. For a program, also a hash that
  // identifies the program.
  std::string options;
  std::int64_t root = 0;
  std::int64_t ranks = 0;
  std::int64_t bytes = 0;
  std::int64_t element_bytes = 0;
  std::string platform_id;
  // Name of the engine, or "both" if flow is compared with simgrid. The use of symmetry follows
  // unless it is automatic: "flow, symmetry off".
  std::string engine;
  std::string network_model;  // "" if the engine has no network
  std::int64_t ports = 0;     // 0: unlimited
  std::int64_t ranks_per_host = 0;
  std::string placement;
  // Prices that replace those of the platform, and the size up to which messages are eager:
  // "alpha=2e-06,eager=4096"; "" if there are none.
  std::string prices;

  friend auto operator<=>(const CellKey&, const CellKey&) = default;
};

// Calls visit(name, value) for each column of a key (const or not). This is the only list of these
// columns.
template <typename Key, typename Visit>
void for_each_column(Key& key, Visit&& visit) {
  visit("version", key.version);
  visit("collective", key.collective);
  visit("algorithm", key.algorithm);
  visit("options", key.options);
  visit("root", key.root);
  visit("ranks", key.ranks);
  visit("bytes", key.bytes);
  visit("element_bytes", key.element_bytes);
  visit("platform_id", key.platform_id);
  visit("engine", key.engine);
  visit("network_model", key.network_model);
  visit("ports", key.ports);
  visit("ranks_per_host", key.ranks_per_host);
  visit("placement", key.placement);
  visit("prices", key.prices);
}

// Returns the machine's spec, with the engine that was chosen for the machine and the machine's
// price of copies.
[[nodiscard]] MachineSpec settled_spec(const Machine& machine);
// Returns the hash of a program. A program with other values of its parameters counts as another
// program.
[[nodiscard]] std::string program_hash(const Program& program, const Problem& problem);
[[nodiscard]] CellKey key_of(const Case& cell, const std::string& platform_id);

// Returns a cell's machine as JSON. Numbers are written so that reading them gives the same
// doubles. Files are named by their absolute paths.
[[nodiscard]] std::string machine_text(const Machine& machine, const std::string& platform_id);
// Returns a cell as one line of JSON with the schema tutti-cell/1. `machine` is the machine_text()
// of the cell's machine, which many cells share.
[[nodiscard]] std::string to_line(const Case& cell, const std::string& machine);

// The document tutti-cell/1.
[[nodiscard]] const DocumentType& cell_document();

struct ReceivedCell {
  std::unique_ptr<const Machine> machine;
  Case cell;  // its machine is `machine`
  std::string platform_id;
};
// Reads cells. Keeps the files that cells name, because cells point to them. A platform or
// parameters file that no longer has the id in the cell is read again, because a worker may outlive
// many changes of the file.
class CellReader {
 public:
  // Throws UserError for an invalid line, for a cell of another build of tutti, and for a file that
  // does not match its hash in the cell. Does not check the id of a crossbar without files.
  [[nodiscard]] ReceivedCell read(const std::string& line);

 private:
  struct FilesWithId {
    std::string id;
    MachineFiles files;
  };

  const MachineFiles& files_of(const MachineSpec& spec, const std::string& id);
  // `full_name` is the name of the algorithm in the cell: "allreduce/mine".
  const Algorithm& program(const nlohmann::json& named, const std::string& full_name);

  // Key: platform_text(), the network model, and the path of the --parameters file.
  std::map<std::array<std::string, 3>, FilesWithId> files_;
  std::vector<std::unique_ptr<ProgramFile>> programs_;
};

}}  // namespace tutti::experiments
