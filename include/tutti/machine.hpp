// The machine on which a schedule runs.
//
//     tutti::Machine machine{.platform = "fat_tree.xml", .ranks_per_host = 2};
//     machine.ports = tutti::kUnlimitedPorts;
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tutti/version.hpp"

TUTTI_BEGIN

inline constexpr std::uint32_t kUnlimitedPorts = 0;

// How ranks are placed on hosts. Ranks use the first hosts that the platform file lists.
enum class Placement : std::uint8_t {
  block,   // consecutive ranks on the same host
  cyclic,  // rank r on host r mod (number of hosts used)
};

struct Machine {
  // Path of a SimGrid platform file in XML. If empty, the platform is a crossbar with as many hosts
  // as needed, and the next three members describe it.
  std::string platform;
  double latency_s = 2e-6;
  double bandwidth_bytes_per_s = 1.25e9;  // 10 Gb/s
  double speed_flops_per_s = 1e9;         // reducing one element counts as one operation

  std::uint32_t ranks_per_host = 1;
  Placement placement = Placement::block;
  // Names of the hosts on which ranks 0, 1, ... run, as in the platform file; must have at least as
  // many entries as there are ranks. If the list is empty, ranks_per_host and placement determine
  // the hosts; otherwise, these two members must have their default values.
  std::vector<std::string> host_of_rank = {};

  // Name of the engine that computes the times. "flow": simulates every message on the network,
  // with link sharing, as SimGrid does; "critical-path": uses only alpha, beta and gamma;
  // "simgrid": SimGrid itself, if the program links tutti::simgrid; "auto": flow where it is exact,
  // else simgrid.
  std::string engine = "auto";
  // Number of messages that a rank may send at a time, and also the number that it may receive at a
  // time; kUnlimitedPorts: no limit.
  std::uint32_t ports = 1;
  // Size of the largest eager message, one that is sent without waiting for its receiver. If unset,
  // no message is eager.
  std::optional<std::uint64_t> eager_bytes;

  // If set, each of the next three members replaces the value that follows from the platform.
  std::optional<double> alpha_s;           // start-up time of a message
  std::optional<double> beta_s_per_byte;   // time per byte sent
  std::optional<double> gamma_s_per_byte;  // time per byte reduced
  double copy_s_per_byte = 0;              // time per byte copied within a rank
};

// A machine whose files have been read, and which many runs can share. Copies share the content of
// the files.
class OpenMachine {
 public:
  // Opens a machine. Throws Error if a value is invalid, or if the platform cannot be read.
  explicit OpenMachine(const Machine& machine);
  // Opens the machine that the options of 'tutti simulate' under "Machine", and --ranks-per-host,
  // describe: {"--platform", "fat_tree.xml", "--ports", "unlimited"}.
  explicit OpenMachine(const std::vector<std::string>& options);

  // Warnings about the machine, such as that its parameters fit badly.
  [[nodiscard]] const std::vector<std::string>& warnings() const;

  // Implementation; for use within the library only.
  struct Inside;
  [[nodiscard]] const Inside& inside() const { return *inside_; }

 private:
  std::shared_ptr<const Inside> inside_;
};

TUTTI_END
