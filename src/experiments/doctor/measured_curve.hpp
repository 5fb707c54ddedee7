// Measured times of one call over its sizes, as read from an output of a benchmark, with everything
// that the output says about the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "src/experiments/doctor/log_facts.hpp"
#include "src/experiments/points/benchmark_point.hpp"
#include "src/experiments/points/nccl_bandwidths.hpp"
#include "src/experiments/points/pair_tables.hpp"

namespace tutti { inline namespace experiments {

struct CurveRow {
  std::size_t line = 0;
  std::uint64_t bytes = 0;           // size of the largest buffer of a rank
  double time_s = 0;                 // median, if the file has several times
  std::optional<double> in_place_s;  // time of the in-place call
  // Largest of several times of the same run over the smallest; empty if there is only one.
  std::optional<double> spread;
  std::uint64_t wrong = 0;  // number of wrong results
};

// Why the bandwidths that a table prints cannot be those of the run.
enum class CurveFault : std::uint8_t {
  none,
  one_rank,       // a single rank, which sends nothing
  separate_runs,  // each process ran the benchmark alone
  wrong_factor,   // busbw / algbw does not fit the collective and the number of ranks
};

struct MeasuredCurve {
  std::string file;
  std::size_t line = 0;  // of the first row
  bool is_nccl = false;  // of nccl-tests or rccl-tests
  bool is_mpi = false;   // of a benchmark of MPI; neither for comma-separated values
  // The benchmark that sends messages between pairs of ranks; the collective has no meaning then.
  std::optional<PairRun> pair;
  Collective collective = Collective::allreduce;  // alltoallv for sendrecv
  // The algorithm that the file or the user names; null: the library's own choice.
  const Algorithm* algorithm = nullptr;
  std::string algorithm_text;  // with its options; "" if the library chose
  std::vector<std::string> algorithm_options;
  std::uint32_t ranks = 1;
  std::uint32_t element_bytes = 4;
  // Type of the elements and operator, if the table has several: "int8 sum"; "" otherwise.
  std::string elements;
  std::optional<std::uint32_t> nodes;
  std::vector<std::string> hosts;  // names of the nodes, each once; empty if unknown
  std::string device;              // the GPU as its driver names it; "" if unknown
  bool is_average = false;         // the times are means over the ranks
  LogFacts log;
  std::vector<CurveRow> rows;  // sizes ascend, and no size occurs twice
  CurveFault fault = CurveFault::none;
  std::string fault_text;      // a sentence
  std::size_t fault_line = 0;  // 0 if the fault is not one of a line

  [[nodiscard]] std::string call() const;  // "allreduce", "sendrecv", "osu_bw"
  [[nodiscard]] const NcclBenchmark& benchmark() const;
  // Returns the bandwidths of a time, as nccl-tests prints them. If nccl-tests does not have the
  // collective, both are bytes per second. Between pairs of ranks, algbw is the bandwidth that the
  // benchmark prints, and busbw is that of all pairs in one direction.
  [[nodiscard]] NcclBandwidths bandwidths(std::uint64_t bytes, double time_s) const;
  [[nodiscard]] double busbw(const CurveRow& row) const {
    return bandwidths(row.bytes, row.time_s).busbw_gb_per_s;
  }
  // Returns what busbw() is called: "busbw", or "in one direction" between pairs of ranks.
  [[nodiscard]] std::string_view rate_name() const { return pair ? "in one direction" : "busbw"; }
};

// Facts about the files that the user names.
struct CurveDefaults {
  std::optional<Collective> collective;  // used if a file does not name it
  std::optional<std::uint32_t> ranks;
  std::optional<std::uint32_t> nodes;
};

// Reads all curves of a file: one for each call, number of ranks and algorithm. `notes` receives
// what the user should know about the file. Throws UserError, which names the file, if it has no
// measured times, or does not say what was measured.
[[nodiscard]] std::vector<MeasuredCurve> read_curves(const std::string& path,
                                                     const CurveDefaults& defaults,
                                                     std::vector<std::string>& notes);

}}  // namespace tutti::experiments
