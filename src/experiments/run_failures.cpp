#include "src/experiments/run_failures.hpp"

#include <fmt/format.h>

#include <ostream>

#include "base/human.hpp"
#include "src/requests/command_line.hpp"

namespace tutti {

void report_failures(std::span<const RunOutcome* const> failed, std::ostream& err) {
  if (failed.empty()) {
    return;
  }
  const RunOutcome& first = *failed.front();
  err << fmt::format("tutti: {} failed, first of all {} with -p {} -n {}: {}\n",
                     counted(failed.size(), "run"), first.algorithm->full_name(),
                     first.problem.ranks, first.problem.bytes, one_line(first.refusal));
}

}  // namespace tutti
