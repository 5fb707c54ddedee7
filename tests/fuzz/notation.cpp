// libFuzzer target: no text may crash the reader of the notation, or code that uses an accepted
// schedule. README.md says how to run this target.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "schedules/notation/parse.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/verify/verify.hpp"

namespace {

// These limits are small, so that time and memory are in proportion to the text.
constexpr tutti::ParseLimits kLimits{
    .ranks = 64, .blocks = 256, .slots = 64, .block_runs = 1U << 16U, .dependencies = 1U << 14U};

std::string printed(const tutti::ParsedSchedule& parsed) {
  std::ostringstream out;
  print_notation(parsed.schedule, parsed.algorithm, out);
  return out.str();
}

void require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const tutti::ParsedSchedule parsed = parse_notation(text, "fuzz", kLimits);
    const std::string once = printed(parsed);
    const std::string twice = printed(tutti::parse_notation(once, "printed", kLimits));
    require(once == twice, "a printed schedule is read back differently");
    tutti::VerifyOptions options;
    options.search_budget = 100'000;
    static_cast<void>(tutti::verify(parsed.schedule, options));
  } catch (const tutti::NotationError& error) {
    const std::string_view what = error.what();
    require(what.starts_with("fuzz:"),
            "a printed schedule is refused, or the error names another file");
    require(what.find('\n') == std::string_view::npos, "an error has more than one line");
    require(error.excerpt().empty() || error.excerpt().ends_with("^\n"),
            "the excerpt of an error has no caret");
  }
  return 0;
}
