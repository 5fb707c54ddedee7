// libFuzzer target: no text may crash the reader of measured times for `tutti decide --by
// measured`.
#include "schedules/registry.hpp"
#include "src/experiments/decisions/measured.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

tutti::Decision wanted() {
  tutti::Decision decision;
  decision.collective = tutti::Collective::allreduce;
  for (const char* name : {"ring", "recursive_doubling"}) {
    tutti::Candidate candidate;
    candidate.contender.algorithm = tutti::find_algorithm(decision.collective, name);
    candidate.choice.algorithm = name;
    decision.candidates.push_back(candidate);
  }
  tutti::RankDecision ranks;
  ranks.ranks = 4;
  for (const std::uint64_t bytes : {64U, 4096U}) {
    tutti::TimedCell cell;
    cell.bytes = bytes;
    ranks.cells.push_back(cell);
  }
  decision.decisions.push_back(ranks);
  return decision;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse([&] {
    tutti::Decision decision = wanted();
    tutti::fill_in_measured_text(fuzz::text_of(data, size), "fuzz", decision);
    for (const tutti::TimedCell& cell : decision.decisions.front().cells) {
      for (const tutti::CandidateTime& time : cell.times) {
        fuzz::require(!time.timed() || time.seconds >= 0, "a measured time is negative");
      }
    }
  });
  return 0;
}
