// Checks a site's rules on numbers of ranks that were not decided, but for which the rules decide
// too: those between two decided numbers, and, for Open MPI's coll/han, larger ones, whose parts
// look up the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/built_in/installed_rules.hpp"
#include "src/experiments/decisions/rival.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/experiments/sites/site.hpp"

namespace tutti { inline namespace experiments {

// Returns the numbers of ranks on which the rules for decision.ranks[rank_index] are checked: all
// between this number and the next decided one, if they are few. If the parts of a call look up the
// rules, `ranks_per_host` is above 1, and this number and those between are also taken as numbers
// of nodes: with full nodes, and with one rank on the last node. If the numbers between are many,
// or if this number is the last decided one, only three numbers of nodes are checked: this one, the
// next higher one and the last one. `room` is the number of ranks that fit
// on the platform, if there is a limit.
[[nodiscard]] std::vector<std::uint32_t> ranks_to_check(const Decision& decision,
                                                        std::size_t rank_index,
                                                        std::uint32_t ranks_per_host,
                                                        std::optional<std::uint64_t> room);

class UndecidedRanks {
 public:
  UndecidedRanks(const OpenedMachine& machine, std::optional<std::uint32_t> hosts)
      : machine_(machine), hosts_(hosts) {}

  // Ends rules whose gap to the next number of ranks is too wide to be checked. Ends or withdraws
  // rules of a part with which the library is slower on a checked number of ranks than without
  // rules, by more than the tolerance, or whose times are not known there. `rules` are those in
  // force. Returns true if rules have changed. Repeated calls simulate only what is new.
  [[nodiscard]] bool end_losing(Site& site, std::size_t part,
                                const ProblemTemplate& problem_template,
                                const InstalledRules& rules, Runner* runner);

 private:
  // A schedule that was timed on an undecided number of ranks.
  struct TimedSchedule {
    std::size_t part;
    std::uint32_t ranks;
    std::uint64_t bytes;
    Choice choice;
    std::optional<RangedTime> time;
  };
  // A call that the library runs in another way with the rules than without them.
  struct ChangedCall {
    std::uint32_t ranks;
    std::uint64_t bytes;
    RivalChoice with;
    RivalChoice without;
  };

  [[nodiscard]] std::vector<ChangedCall> changed_calls(const Site& site, std::size_t part,
                                                       const ProblemTemplate& problem_template,
                                                       const InstalledRules& rules) const;
  [[nodiscard]] const TimedSchedule* find(std::size_t part, const ChangedCall& call,
                                          const RivalChoice& chosen) const;
  void time(const Site& site, std::size_t part, const std::vector<ChangedCall>& calls,
            Runner* runner);

  const OpenedMachine& machine_;
  std::optional<std::uint32_t> hosts_;
  std::vector<TimedSchedule> timed_;
};

}}  // namespace tutti::experiments
