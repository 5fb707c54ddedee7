#include <fmt/ostream.h>

#include <algorithm>

#include "base/error.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/open_mpi/collectives.hpp"
#include "src/rule_files/open_mpi/files.hpp"
#include "src/rule_files/rule_size.hpp"

namespace tutti { inline namespace rule_files {

namespace {

// The first communicator size in a file is at most this number. Open MPI uses the rules of the
// first size for smaller communicators too, and looks up no rules for fewer than 2 ranks.
constexpr std::uint32_t kFewestRanks = 2;

void write_classic_collective(const RulesToWrite& rules, RuleFormat version, std::ostream& out) {
  const auto id = ompi_collective_id(name(rules.collective));
  TUTTI_INVARIANT(id.has_value());
  const std::vector<RankStep> steps = steps_in_form(rules, version);
  fmt::print(out, "{} # {}\n{} # communicator sizes\n", *id, name(rules.collective), steps.size());
  for (const RankStep& step : steps) {
    const bool first = &step == &steps.front();
    fmt::print(out, "{} # ranks and more\n{} # message sizes\n",
               first ? std::min(step.from_ranks, kFewestRanks) : step.from_ranks,
               step.sizes.size());
    for (const SizeStep& size : step.sizes) {
      const LibraryAlgorithm& algorithm =
          library_algorithm_for(version, rules.collective, size.choice);
      const RuleParameters parameters = parameters_of(algorithm, size.choice);
      fmt::print(out, "{} {} {} {}", size.from_bytes, algorithm.id, parameters.fan,
                 size.choice.segment_bytes);
      if (parameters.requests > 0) {
        fmt::print(out, " {}", parameters.requests);
      }
      fmt::print(out, " # {}{}\n", algorithm.name,
                 size.why.empty() ? "" : fmt::format(": {}", size.why));
    }
  }
}

}  // namespace

void write_ompi_classic(std::span<const RulesToWrite> all, RuleFormat version, std::ostream& out) {
  if (version == RuleFormat::ompi5) {
    out << "rule-file-version-2\n";
  }
  write_head(all, version, out);
  fmt::print(out, "{} # collective{}\n", all.size(), all.size() == 1 ? "" : "s");
  for (const RulesToWrite& rules : all) {
    write_classic_collective(rules, version, out);
  }
}

}}  // namespace tutti::rule_files
