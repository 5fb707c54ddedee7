#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "base/error.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/open_mpi/collectives.hpp"
#include "src/rule_files/open_mpi/han_rules.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr int kWholeCommunicator = 2;

void write_size(const HanSize& size, Collective collective, int release, std::ostream& out) {
  TUTTI_INVARIANT(han_component(size.component, release));
  TUTTI_INVARIANT(size.component == "han" || han_lets_go(collective, release));
  const auto algorithms = han_algorithms(collective, release);
  TUTTI_INVARIANT(size.algorithm.empty() ||
                  (size.component == "han" && std::find(algorithms.begin(), algorithms.end(),
                                                        size.algorithm) != algorithms.end()));
  fmt::print(out, "{} {}{}{}\n", size.from_bytes, size.component,
             size.algorithm.empty() ? "" : " @" + size.algorithm,
             size.why.empty() ? "" : " # " + size.why);
}

}  // namespace

void write_han_rules(const HanRulesToWrite& rules, std::ostream& out) {
  write_head(rules.made_by, RuleFormat::han, rules.release, {}, out);
  fmt::print(out, "{} # collectives\n", rules.collectives.size());
  TUTTI_INVARIANT(!rules.collectives.empty());
  for (const HanCollective& collective : rules.collectives) {
    TUTTI_INVARIANT(han_has(collective.collective, rules.release));
    const auto id = ompi_collective_id(name(collective.collective));
    TUTTI_INVARIANT(id.has_value());
    TUTTI_INVARIANT(!collective.ranks.empty() && collective.ranks.front().from_ranks == 1);
    fmt::print(out, "{} # {}\n1 # level\n{} # all ranks\n{} # communicator sizes\n", *id,
               name(collective.collective), kWholeCommunicator, collective.ranks.size());
    for (const HanRanks& ranks : collective.ranks) {
      TUTTI_INVARIANT(!ranks.sizes.empty() && ranks.sizes.front().from_bytes == 0);
      fmt::print(out, "{} # ranks and more\n{} # message sizes\n", ranks.from_ranks,
                 ranks.sizes.size());
      for (const HanSize& size : ranks.sizes) {
        write_size(size, collective.collective, rules.release, out);
      }
    }
  }
}

HanRulesToWrite all_to_tuned(int release, std::string made_by) {
  HanRulesToWrite rules;
  rules.release = release;
  rules.made_by = std::move(made_by);
  for (const Collective collective : kCollectives) {
    if (han_has(collective, release) && han_lets_go(collective, release)) {
      rules.collectives.push_back({collective, {HanRanks{1, {HanSize{}}}}});
    }
  }
  return rules;
}

}}  // namespace tutti::rule_files
