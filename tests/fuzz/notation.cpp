// libFuzzer target: no text may crash the reader of the notation, or code that uses an accepted
// schedule. README.md says how to run this target.
#include "tests/fuzz/schedules.hpp"

namespace {

// These limits are small, so that time and memory are in proportion to the text.
constexpr tutti::ParseLimits kLimits{
    .ranks = 64, .blocks = 256, .slots = 64, .block_runs = 1U << 16U, .dependencies = 1U << 14U};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  try {
    const tutti::ParsedSchedule parsed = parse_notation(text, "fuzz", kLimits);
    const std::string once = fuzz::printed(parsed.schedule, parsed.algorithm);
    const tutti::ParsedSchedule again = parse_notation(once, "printed", kLimits);
    fuzz::require(fuzz::printed(again.schedule, again.algorithm) == once,
                  "a printed schedule is read back differently");
    fuzz::prove(parsed.schedule, 100'000);
  } catch (const tutti::NotationError& error) {
    fuzz::check_error(error);
  }
  return 0;
}
