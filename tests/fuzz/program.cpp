// libFuzzer target: no text may crash the reader of programs, the code that evaluates programs, or
// code that uses the resulting schedules. README.md says how to run this target.
#include "schedules/notation/program/program.hpp"

#include "schedules/algorithm.hpp"
#include "tests/fuzz/schedules.hpp"

namespace {

constexpr tutti::ProgramLimits kLimits{
    .operations = 2000, .steps = 20'000, .memory_bytes = 1U << 20U, .nesting = 50};
// Schedules with more blocks or scratch slots than this are neither printed nor proved.
constexpr std::uint32_t kMostBlocks = 256;
constexpr std::uint32_t kMostSlots = 64;

void look_at(const tutti::Schedule& schedule) {
  if (schedule.blocks() > kMostBlocks || schedule.scratch_slots() > kMostSlots) {
    return;
  }
  const std::string once = fuzz::printed(schedule, "fuzz");
  const tutti::ParsedSchedule read = tutti::parse_notation(once, "printed");
  fuzz::require(fuzz::printed(read.schedule, "fuzz") == once,
                "a program's schedule is read back differently");
  fuzz::prove(schedule, 10'000);
}

void evaluate(const tutti::Program& program, std::uint32_t ranks, std::uint64_t elements) {
  tutti::Problem problem;
  problem.collective = program.collective();
  problem.ranks = ranks;
  problem.root = tutti::has_root(problem.collective) ? ranks / 2 : 0;
  problem.bytes = problem.collective == tutti::Collective::barrier ? 0 : 8 * elements;
  problem.segment_bytes = 16;
  problem.tree = ranks % 2 == 0 ? tutti::Tree::binary : tutti::Tree::binomial;
  try {
    look_at(program.schedule(problem));
  } catch (const tutti::NotationError& error) {
    fuzz::check_error(error);
  } catch (const tutti::UserError&) {  // the program refuses this problem
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  try {
    const tutti::Program program(text, "fuzz", kLimits);
    evaluate(program, 1, 3);
    evaluate(program, 4, 16);
    evaluate(program, 5, 13);
  } catch (const tutti::NotationError& error) {
    fuzz::check_error(error);
  }
  return 0;
}
