// Runs the code of a program for one problem.
#pragma once

#include <string_view>

#include "schedules/notation/program/code.hpp"
#include "schedules/notation/program/program.hpp"

namespace tutti { inline namespace schedules { namespace program {

// The text and the names of a program, for error messages.
struct Source {
  std::string_view text;
  std::string_view file;
  // The name of the algorithm, with its collective.
  std::string_view algorithm;
};

[[nodiscard]] Schedule evaluate(const CompiledCode& code, const Source& source,
                                const Problem& problem, Detail detail, const ProgramLimits& limits);

}}}  // namespace tutti::schedules::program
