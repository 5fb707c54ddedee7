// Says how often each rule of a rule file was used in a run of a program, and what ran instead.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/experiments/ran/run_log.hpp"
#include "src/rule_files/decision_table.hpp"
#include "src/rule_files/library_release.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace experiments {

struct CallsAndWhy {
  double calls = 0;
  std::string why;
};

struct RuleUse {
  Collective collective = Collective::allreduce;
  std::size_t line = 0;
  std::string conditions;  // of the rule and of the rules around it, for users
  Choice choice;
  double used = 0;
  std::vector<CallsAndWhy> others;  // calls that meet the conditions, but for which it was not used
  std::vector<CallsAndWhy> unknown;  // calls that meet the conditions, and may have used it or not
  // Says why the log cannot show how often the rule was used; empty if it can.
  std::string why_unknown;
};

struct CallsWithoutRule {
  Collective collective = Collective::allreduce;
  double calls = 0;
  std::string what;  // the calls and, if it is known, what ran: "2 ranks, 1 KiB"
};

struct RuleUses {
  std::vector<RuleUse> rules;  // in the order of the file
  std::vector<CallsWithoutRule> without_rule;
  // True if counters of algorithms, and not calls, show what ran.
  bool by_counters = false;
  std::vector<std::string> notes;  // what ran each collective, and what was assumed
};

// True if rules of this format name algorithms of a library, which a run can show.
[[nodiscard]] bool run_shows(RuleFormat format);

// `path` is the name of a rule file, `text` its text, and `file` its meaning.
// run_shows(file.format) must be true. `han` has the tables of the rules for coll/han that the run
// loaded too; empty if there are none. `release` is the library's release; throws UserError if it
// is empty and the log is one of Open MPI, or if the log is of another library than the rules.
[[nodiscard]] RuleUses rules_ran(const std::string& path, std::string_view text,
                                 const RuleFile& file, std::span<const DecisionTable> han,
                                 const RunLog& log, const std::optional<LibraryRelease>& release);

}}  // namespace tutti::experiments
