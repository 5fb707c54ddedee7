// libFuzzer target: no text may crash the reader of MSCCL, or code that uses an accepted file. If
// an accepted file is proved, what the writer makes of it must be proved, too.
#include "src/interchange/msccl.hpp"

#include "tests/fuzz/schedules.hpp"

namespace {

bool is_small(const tutti::Schedule& schedule) {
  return std::uint64_t{schedule.ranks()} * schedule.blocks() * (3 + schedule.scratch_slots()) <
         1U << 20U;
}

bool proved(const tutti::Schedule& schedule, bool work_starts_undefined) {
  tutti::VerifyOptions options;
  options.search_budget = 100'000;
  options.work_starts_undefined = work_starts_undefined;
  return tutti::verify(schedule, options).proved();
}

void check(const tutti::Schedule& schedule, bool out_of_place) {
  if (!is_small(schedule) || !proved(schedule, out_of_place)) {
    return;
  }
  std::ostringstream out;
  try {
    write_msccl(schedule, "fuzz", out);
  } catch (const tutti::UserError&) {
    return;  // more steps than the executor takes, for example
  }
  const tutti::Problem& problem = schedule.problem();
  const tutti::MscclAlgorithm again =
      tutti::read_msccl(out.str(), "written", {problem.bytes, problem.element_bytes, problem.root});
  fuzz::require(again.out_of_place && proved(*again.out_of_place, true),
                "a written file is not proved");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  static_cast<void>(tutti::is_msccl(text));
  fuzz::may_refuse([&] {
    const tutti::MscclAlgorithm read = tutti::read_msccl(text, "fuzz", {});
    if (read.out_of_place) {
      check(*read.out_of_place, true);
    }
    if (read.in_place) {
      check(*read.in_place, false);
    }
  });
  return 0;
}
