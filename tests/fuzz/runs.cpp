// libFuzzer target: no text may crash the reader of runs for `tutti validate`. The algorithm of an
// accepted run must either solve or refuse the problem of the run.
#include "src/experiments/points/measured_run.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint32_t kFewRanks = 16;
  constexpr std::uint64_t kFewBytes = 4096;
  fuzz::may_refuse([&] {
    const tutti::MeasuredRuns runs = tutti::parse_measured_runs(fuzz::text_of(data, size));
    for (const tutti::MeasuredRun& run : runs.runs) {
      fuzz::require(run.low_s <= run.median_s && run.median_s <= run.high_s,
                    "the times of a run are out of order");
      if (run.problem.ranks <= kFewRanks && run.problem.bytes <= kFewBytes) {
        (void)make_schedule(*run.algorithm, run.problem);
      }
    }
  });
  return 0;
}
