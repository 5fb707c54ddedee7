#include "src/experiments/decisions/rival.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/nearest.hpp"
#include "base/text_lines.hpp"
#include "src/built_in/built_in.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace experiments {

Rival rival_table(std::string name, DecisionTable table, const ProblemTemplate& problem_template) {
  const auto shared = std::make_shared<const DecisionTable>(std::move(table));
  Rival rival;
  rival.name = std::move(name);
  rival.title = shared->name;
  rival.choose = [shared, problem_template](const Problem& problem) {
    RivalChoice chosen;
    const auto found = look_up(*shared, problem.ranks, problem.bytes, problem.element_bytes,
                               nodes_of(problem.ranks, problem_template.ranks_per_host));
    if (!found) {
      chosen.run.refusal = "the table has no rule for this case";
      return chosen;
    }
    chosen.choice = *found->choice;
    chosen.run = table_run(*shared, *found->choice, problem_template, problem);
    return chosen;
  };
  return rival;
}

LibraryCall library_call(const Problem& problem, std::uint32_t ranks_per_host) {
  LibraryCall call;
  call.collective = problem.collective;
  call.ranks = problem.ranks;
  call.ranks_per_node = std::min(ranks_per_host, problem.ranks);
  call.bytes = problem.bytes;
  call.element_bytes = problem.element_bytes;
  return call;
}

RivalChoice built_in_choice(const LibraryVersion& version, const LibraryCall& call,
                            const ProblemTemplate& problem_template, const Problem& problem) {
  const auto decided = built_in_decision(version, call);
  TUTTI_INVARIANT(decided);
  RivalChoice chosen;
  if (decided->choice.algorithm.empty()) {
    // Levels of depth 0 decide about the whole call. The last of them names the algorithm.
    Choice& choice = chosen.choice.emplace();
    for (const LibraryLevel& level : decided->path) {
      choice.library_algorithm = level.depth == 0 ? level.chosen : choice.library_algorithm;
    }
    chosen.run.choice = *chosen.choice;
    chosen.run.refusal = decided->lacking;
    return chosen;
  }
  chosen.choice = decided->choice;
  DecisionTable none;
  none.collective = problem.collective;
  chosen.run = table_run(none, decided->choice, problem_template, problem);
  return chosen;
}

Rival built_in_rival(const LibraryVersion& version, const ProblemTemplate& problem_template,
                     const InstalledRules* rules) {
  return {std::string(version.name), "",
          [&version, problem_template, rules](const Problem& problem) {
            LibraryCall call = library_call(problem, problem_template.ranks_per_host);
            if (rules != nullptr) {
              rules->apply_to(call);
            }
            return built_in_choice(version, call, problem_template, problem);
          },
          "", true};
}

Rival rival_named(const std::string& text, Collective collective,
                  const ProblemTemplate& problem_template) {
  const LibraryVersion* const version = find_library_version(text);
  const auto known = versions_with_decisions();
  if (version != nullptr && std::ranges::find(known, version->name) != known.end()) {
    Rival rival = built_in_rival(*version, problem_template);
    if (version->family == "Open MPI") {
      LibraryCall call;
      call.collective = collective;
      call.ranks = 2 * problem_template.ranks_per_host;
      call.ranks_per_node = problem_template.ranks_per_host;
      const std::string assumed = assumed_of_open_mpi(version->release, call);
      rival.title = assumed.empty() ? "" : "assumed: " + assumed;
    }
    return rival;
  }
  if (version != nullptr || !std::filesystem::exists(text)) {
    const std::string file = nearest_file(text, kRuleFile);
    throw UserError(
        fmt::format("$against '{}': neither a file nor one of these libraries: {}, nccl{}", text,
                    fmt::join(known, ", "),
                    lower_case(text).starts_with("nccl")
                        ? "; did you mean 'nccl'?"
                        : std::string(file.empty() ? did_you_mean_library(text, known) : file)));
  }
  const RuleFile file = read_sound_rules(text);
  Rival rival = rival_table(text, table_of(file, text, collective), problem_template);
  if (file.format == RuleFormat::nccl) {
    rival.nccl_rules = std::make_shared<const DecisionTable>(table_of(file, text, collective));
  }
  if (problem_template.ranks_per_host > 1) {
    rival.before = decided_before(file.format, 0, {&collective, 1});
  }
  return rival;
}

}}  // namespace tutti::experiments
