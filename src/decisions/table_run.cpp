#include "src/decisions/table_run.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "schedules/error.hpp"
#include "schedules/registry.hpp"

namespace tutti {

namespace {

RunOutcome outcome_of(const Choice& choice, const ProblemOptions& options, const Problem& problem) {
  const Algorithm& algorithm =
      algorithm_named(fmt::format("{}/{}", name(problem.collective), choice.algorithm));
  Contender contender{&algorithm, options.applicable_to(algorithm), in_words(choice)};
  ProblemOptions& own = contender.options;
  own.ranks = std::to_string(problem.ranks);
  own.bytes = std::to_string(problem.bytes);
  const auto set = [](OptionText& option, const std::string& value) {
    option = value.empty() ? std::nullopt : OptionText(value);
  };
  set(own.tree, choice.tree);
  set(own.skips, choice.skips);
  set(own.fold, choice.fold);
  own.segment.reset();
  if ((algorithm.options & static_cast<unsigned>(Option::segment)) != 0 && problem.bytes > 0) {
    // Uncut is one segment as long as the vector; so is one that is longer.
    const std::uint64_t segment = choice.segment_bytes == 0 ? problem.bytes : choice.segment_bytes;
    own.segment = std::to_string(std::min(segment, problem.bytes));
  }
  return first_look(contender, own);
}

}  // namespace

TableRun table_run(const DecisionTable& table, const Choice& choice, const ProblemOptions& options,
                   const Problem& problem) {
  TableRun run;
  run.choice = choice;
  // As many times as there are substitutes: one may need another.
  for (std::size_t tries = 0; tries <= table.substitutes.size(); ++tries) {
    if (run.choice.algorithm.empty()) {
      if (run.refusal.empty()) {
        run.refusal = fmt::format("tutti has no {} like the library's {}", name(table.collective),
                                  run.choice.library_algorithm);
      }
      return run;
    }
    RunOutcome outcome = outcome_of(run.choice, options, problem);
    if (outcome.refusal.empty()) {
      run.outcome = std::move(outcome);
      return run;
    }
    if (run.refusal.empty()) {
      run.refusal = outcome.refusal;
    }
    const auto substitute = std::find_if(
        table.substitutes.begin(), table.substitutes.end(),
        [&](const Substitute& each) { return each.algorithm == run.choice.algorithm; });
    if (substitute == table.substitutes.end()) {
      return run;
    }
    run.choice = substitute->instead;
  }
  return run;
}

Problem plain_problem(Collective collective, const ProblemOptions& options) {
  Algorithm any{};
  any.collective = collective;
  const Problem problem = options.problem(any);
  if (problem.bytes % problem.element_bytes != 0) {
    throw UserError(fmt::format("-n/--bytes '{}': not a whole number of {}-byte elements",
                                options.bytes.value_or("0"), problem.element_bytes));
  }
  return problem;
}

void add_plain_options(CLI::App& app, ProblemOptions& options) {
  constexpr const char* kGroup = "What to run";
  app.add_option("-p,--ranks", options.ranks, "Number of ranks")->type_name("COUNT")->group(kGroup);
  app.add_option("-n,--bytes", options.bytes,
                 "Bytes in the largest buffer that any rank holds: 1000, 64K = 64KiB, 1MiB")
      ->type_name("SIZE")
      ->group(kGroup);
  app.add_option("--elem-bytes", options.element_bytes, "Bytes of an element [8]")
      ->type_name("SIZE")
      ->group(kGroup);
}

}  // namespace tutti
