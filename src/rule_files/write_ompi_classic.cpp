#include <fmt/ostream.h>

#include "base/error.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/ompi_collectives.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti {

// Open MPI looks up n for every collective that tutti has: count times type size, for allgather,
// alltoall, gather, scatter times the ranks, for reduce_scatter the sum of the counts
// (coll_tuned_decision_dynamic.c, the same in 4.1, 5.0 and main). A barrier looks up 0.
void write_ompi_classic(const RulesToWrite& rules, RuleFormat version, std::ostream& out) {
  const auto id = ompi_collective_id(name(rules.collective));
  TUTTI_INVARIANT(id.has_value());
  if (version == RuleFormat::ompi5) {
    out << "rule-file-version-2\n";
  }
  fmt::print(out, "# {}\n", rules.made_by);
  fmt::print(out, "1 # collective\n{} # {}\n{} # communicator sizes\n", *id, name(rules.collective),
             rules.steps.size());
  for (const RankStep& step : rules.steps) {
    fmt::print(out, "{} # ranks and more\n{} # message sizes\n", step.from_ranks,
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

}  // namespace tutti
