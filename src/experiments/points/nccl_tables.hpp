// The tables of an output of nccl-tests, with what the lines above them say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/experiments/points/nccl_bandwidths.hpp"
#include "src/experiments/points/point_text.hpp"

namespace tutti { inline namespace experiments {

struct NcclTestsTable {
  explicit NcclTestsTable(bool has_root) : bandwidths(has_root) {}

  std::size_t line = 0;  // of the heading
  // From the lines that name the ranks. If NCCL_TESTS_SPLIT splits them into groups, which run the
  // benchmark at the same time, the ranks and hosts are those of group 0.
  std::optional<std::uint32_t> ranks;
  // Number of lines that name rank 0. If there are several, each process ran the benchmark alone.
  std::size_t first_ranks = 0;
  std::vector<std::string> hosts;        // names of the hosts, each once
  std::string device;                    // the GPU of the last rank; "" if unknown
  const NcclBenchmark* named = nullptr;  // null if no line names the benchmark
  std::size_t mixed_line = 0;  // line of the first row of mixed tables (see TableRows); 0 if none
  NcclTable bandwidths;        // the rows
};

// True if a line has the names of the columns.
[[nodiscard]] bool is_nccl_heading(std::string_view line);
// Returns the tables, also those without rows. Throws UserError for invalid values.
[[nodiscard]] std::vector<NcclTestsTable> nccl_tests_tables(const PointsText& file);

}}  // namespace tutti::experiments
