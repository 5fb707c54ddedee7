// Formats the size of a collective call: the vector, and the block of each rank. Tables of calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/collective.hpp"
#include "src/formats/text_table.hpp"

namespace tutti { inline namespace formats {

// True if benchmarks report the size of a block: what a rank sends to, or receives from, each other
// rank. OSU's and Intel's benchmarks do so for all collectives whose ranks own parts, except
// reduce_scatter.
[[nodiscard]] bool benchmarks_count_blocks(Collective collective);

// Returns the size of the vector as text: "64 KiB", or "64 KiB (64 bytes for each rank)" if every
// rank owns a part of the vector.
[[nodiscard]] std::string call_size(Collective collective, std::uint64_t bytes,
                                    std::uint32_t ranks);
// Like call_size(), with the size that OSU's benchmark of the collective reports: "64 KiB (64 bytes
// for each rank; osu_alltoall calls this 64)".
[[nodiscard]] std::string call_size_and_benchmark(Collective collective, std::uint64_t bytes,
                                                  std::uint32_t ranks);
// Returns the number of ranks and the size as text: "p = 4, n = 64 KiB"; for a barrier, "p = 4".
[[nodiscard]] std::string ranks_and_size(Collective collective, std::uint64_t bytes,
                                         std::uint32_t ranks);

// A table with a line for each call of a collective. Its first columns are the number of ranks p
// and, if the collective has them, the size n, the block size and, if `benchmark` is true, the size
// that OSU's benchmark reports. The columns that are passed to the constructor follow; `cells` and
// `styled` refer to these columns.
class CallTable {
 public:
  CallTable(Collective collective, std::vector<TableColumn> columns, bool benchmark = false);
  void add(std::uint32_t ranks, std::uint64_t bytes, std::vector<std::string> cells,
           Style style = Style::plain, std::size_t styled = 0);
  void print(std::ostream& out) const { table_.print(out, 2); }

 private:
  Collective collective_;
  Table table_;
};

}}  // namespace tutti::formats
