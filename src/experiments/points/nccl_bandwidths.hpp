// Checks tables of nccl-tests by their bandwidths: busbw / algbw depends only on the collective and
// the number of ranks (doc/PERFORMANCE.md in their sources), so it shows whether a table measures
// the collective and the number of ranks that the user names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"

namespace tutti { inline namespace experiments {

// A benchmark of nccl-tests.
struct NcclBenchmark {
  std::string_view program;              // "all_reduce", from all_reduce_perf
  std::optional<Collective> collective;  // empty if tutti does not have the collective
  bool reduces = false;
  bool rooted = false;
  enum class Factor : std::uint8_t { one, others_over_all, twice_others_over_all, unknown };
  // busbw / algbw on p ranks: 1, (p - 1) / p, 2 (p - 1) / p.
  Factor factor = Factor::one;
};
[[nodiscard]] const std::vector<NcclBenchmark>& nccl_benchmarks();
// Returns the benchmark whose program is named in `text`, as "./all_reduce_perf", "allreduce" or
// "sendrecv-8gpus.log"; null if none or several are named.
[[nodiscard]] const NcclBenchmark* nccl_benchmark_in(std::string_view text);
[[nodiscard]] const NcclBenchmark& nccl_benchmark_of(Collective collective);

// The bandwidths of a run as nccl-tests prints them, in GB/s. algbw: bytes of the largest buffer of
// a rank per second. busbw: algbw times the benchmark's factor.
struct NcclBandwidths {
  double algbw_gb_per_s = 0;
  double busbw_gb_per_s = 0;
};
// The benchmark's factor must be known, and the time must be above 0.
[[nodiscard]] NcclBandwidths nccl_bandwidths(const NcclBenchmark& benchmark, std::uint32_t ranks,
                                             std::uint64_t bytes, double time_s);

// A row of a table. Texts are the values of columns, as printed; "" if there is no such column.
struct NcclRow {
  std::size_t line = 0;
  std::uint64_t bytes = 0;
  // Elements of a block, of which a rank has one for each rank in collectives that distribute
  // parts of the vector; elements of the vector in other collectives. 0 if unknown.
  std::uint64_t count = 0;
  double time_s = 0;  // of the out-of-place call
  std::string type;   // of the elements
  std::string redop;
  std::string root;
  std::string algbw;
  std::string busbw;
  std::uint32_t element_bytes = 4;
  std::optional<double> in_place_s;  // empty if there is no such time
  std::uint64_t wrong = 0;           // number of wrong results, of both calls
};

// Interval of numbers. Printed numbers are rounded, so quotients of them are known up to an
// interval.
struct NumberInterval {
  double low = 0;
  double high = 0;
  [[nodiscard]] bool holds(double value) const { return low <= value && value <= high; }
};

// The rows of one table.
class NcclTable {
 public:
  // `has_root`: true if the heading has the columns redop and root, as in releases since 2021.
  explicit NcclTable(bool has_root) : has_root_(has_root) {}
  void add(NcclRow row) { rows_.push_back(std::move(row)); }

  // Returns why these rows cannot be of the collective on `ranks` ranks; empty if they can be, or
  // if the rows do not tell. `line` is set to the number of the telling line.
  [[nodiscard]] std::optional<std::string> why_not(Collective collective,
                                                   std::optional<std::uint32_t> ranks,
                                                   std::size_t& line) const;
  // True unless the columns count, redop or root show that this is another benchmark.
  [[nodiscard]] bool may_be(const NcclBenchmark& benchmark) const;
  // Returns the number of ranks that size / count or busbw / algbw tells; empty if they fit several
  // numbers.
  [[nodiscard]] std::optional<std::uint32_t> ranks_from_bandwidths(Collective collective) const;
  [[nodiscard]] const std::vector<NcclRow>& rows() const { return rows_; }

 private:
  // Returns size / count, if it is the same in all rows.
  [[nodiscard]] std::optional<std::uint64_t> blocks() const;
  [[nodiscard]] std::optional<NumberInterval> factor(Collective collective,
                                                     std::size_t& line) const;

  bool has_root_;
  std::vector<NcclRow> rows_;
};

}}  // namespace tutti::experiments
