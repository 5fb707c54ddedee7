// The jobs of a cluster as the user describes them, one on each line:
//   job moe = moe.step on hosts 64..127 start 5ms repeat until training
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace steps {

inline constexpr std::uint32_t kMostRunsOfJob = 100'000;

struct JobRequest {
  std::string name;
  std::string path;        // of the description of its step
  std::uint32_t line = 0;  // in the jobs file
  // Hosts, or nodes of several hosts, in the order of the job's ranks.
  bool on_nodes = false;
  std::vector<std::uint32_t> places;
  std::uint64_t start_ps = 0;  // when the job begins, in picoseconds
  // How often the job carries out its step. With `until`, it does so until that job ends.
  std::uint32_t runs = 1;
  std::optional<std::size_t> until;  // index of another job
};

struct JobFile {
  std::string path;
  std::vector<JobRequest> jobs;
};

// Reads a jobs file. Paths in it are relative to its folder. Throws NotationError, which names the
// line.
[[nodiscard]] JobFile parse_jobs(std::string_view text, const std::string& path);

}}  // namespace tutti::steps
