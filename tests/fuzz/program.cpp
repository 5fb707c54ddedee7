// libFuzzer target: no text may crash the reader of programs, the code that evaluates programs, or
// code that uses the resulting schedules. README.md says how to run this target.
#include "schedules/notation/program/program.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "schedules/algorithm.hpp"
#include "schedules/notation/parse.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/verify/verify.hpp"

namespace {

constexpr tutti::ProgramLimits kLimits{
    .operations = 2000, .steps = 20'000, .memory_bytes = 1U << 20U, .nesting = 50};
// Schedules with more blocks or scratch slots than this are neither printed nor proved.
constexpr std::uint32_t kMostBlocks = 256;
constexpr std::uint32_t kMostSlots = 64;

std::string printed(const tutti::Schedule& schedule) {
  std::ostringstream out;
  print_notation(schedule, "fuzz", out);
  return out.str();
}

void require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  }
}

void look_at(const tutti::Schedule& schedule) {
  if (schedule.blocks() > kMostBlocks || schedule.scratch_slots() > kMostSlots) {
    return;
  }
  const std::string once = printed(schedule);
  const tutti::ParsedSchedule read = tutti::parse_notation(once, "printed");
  require(printed(read.schedule) == once, "a program's schedule is read back differently");
  tutti::VerifyOptions options;
  options.search_budget = 10'000;
  static_cast<void>(tutti::verify(schedule, options));
}

void check_error(const tutti::NotationError& error) {
  const std::string_view what = error.what();
  require(what.starts_with("fuzz:"),
          "a printed schedule is refused, or the error names another file");
  require(what.find('\n') == std::string_view::npos, "an error has more than one line");
  require(error.excerpt().empty() || error.excerpt().ends_with("^\n"),
          "the excerpt of an error has no caret");
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
    check_error(error);
  } catch (const tutti::UserError&) {  // the program refuses this problem
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const tutti::Program program(text, "fuzz", kLimits);
    evaluate(program, 1, 3);
    evaluate(program, 4, 16);
    evaluate(program, 5, 13);
  } catch (const tutti::NotationError& error) {
    check_error(error);
  }
  return 0;
}
