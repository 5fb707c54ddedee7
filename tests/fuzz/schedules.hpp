// Code shared by the fuzz targets that read schedules and programs.
#pragma once

#include <sstream>
#include <string>

#include "schedules/notation/parse.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace fuzz {

inline std::string printed(const tutti::Schedule& schedule, std::string_view algorithm) {
  std::ostringstream out;
  print_notation(schedule, algorithm, out);
  return out.str();
}

inline void prove(const tutti::Schedule& schedule, std::uint64_t search_budget) {
  tutti::VerifyOptions options;
  options.search_budget = search_budget;
  static_cast<void>(tutti::verify(schedule, options));
}

// Checks the error of a text that is named "fuzz".
inline void check_error(const tutti::NotationError& error) {
  const std::string_view what = error.what();
  require(what.starts_with("fuzz:"),
          "a printed schedule is refused, or the error names another file");
  require(what.find('\n') == std::string_view::npos, "an error has more than one line");
  require(error.excerpt().empty() || error.excerpt().ends_with("^\n"),
          "the excerpt of an error has no caret");
}

}  // namespace fuzz
