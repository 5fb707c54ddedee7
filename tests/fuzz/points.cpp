// libFuzzer target: no text may crash the readers of measured points. An accepted point must have a
// valid time, and its algorithm must either solve or refuse its problem.
#include "src/experiments/points/benchmark_point.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint32_t kFewRanks = 16;
  constexpr std::uint64_t kFewBytes = 4096;
  tutti::PointDefaults defaults;
  defaults.ranks = 8;
  const std::string text = fuzz::text_of(data, size);
  for (const char* algorithm :
       {"allreduce/ring", "allgather/ring", "bcast/pipeline --segment 64"}) {
    std::vector<tutti::BenchmarkPoint> points;
    std::vector<std::string> notes;
    fuzz::may_refuse(
        [&] { points = tutti::parse_points(text, "points", defaults, algorithm, notes); });
    for (const tutti::BenchmarkPoint& point : points) {
      fuzz::require(point.measured_s > 0 && point.measured_s < 1e6,
                    "the time of a point is invalid");
      fuzz::require(!point.cell.empty(), "a point has no cell");
      if (point.algorithm == nullptr || point.ranks > kFewRanks || point.bytes > kFewBytes) {
        continue;
      }
      fuzz::may_refuse(
          [&] { (void)make_schedule(*point.algorithm, tutti::problem_of(point, {})); });
    }
  }
  return 0;
}
