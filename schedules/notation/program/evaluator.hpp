// Runs the code of a program for one problem.
#pragma once

#include <string_view>

#include "schedules/notation/program/code.hpp"
#include "schedules/notation/program/program.hpp"

namespace tutti::inline schedules::program {

// The program as error messages name it.
struct Source {
  std::string_view text;
  std::string_view file;
  std::string_view algorithm;  // with its collective
};

[[nodiscard]] Schedule evaluate(const CompiledCode& code, const Source& source,
                                const Problem& problem, Detail detail, const ProgramLimits& limits);

}  // namespace tutti::inline schedules::program
