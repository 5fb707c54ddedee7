// Rules with which a site configures a library for its machine. For each number of ranks per host
// and each collective, Site contains a decision, the library's built-in choices to compare with,
// and the sizes at which the library composes a call from parts (see SiteLevel).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/built_in/installed_rules.hpp"
#include "src/experiments/decisions/decision.hpp"
#include "src/experiments/profiles/profile.hpp"
#include "src/rule_files/library_release.hpp"

namespace tutti { inline namespace experiments {

// The sizes from `from_bytes` on, up to the next level. At these sizes, the library either composes
// the call from parts, within nodes and between nodes, or looks up the call in its table for all
// ranks.
struct SiteLevel {
  std::uint64_t from_bytes = 0;  // 0 for the first level
  bool composed = false;
  std::string composition;  // name of the composition in MPICH; "" if there is none
};

// One collective with one number of ranks per host.
struct SitePart {
  std::uint32_t ranks_per_host = 1;
  Decision decision;  // the rules for the library's table for all ranks
  // Like decision.judgement, but with coll/tuned's rules, which also decide about the parts of
  // coll/han's compositions. Empty if the library does not apply rules to the parts of
  // compositions.
  std::optional<Judgement> composed = std::nullopt;
  // Like decision.judgement, but with all files of the site: what the library runs, and how long it
  // takes. This is what a site promises.
  Judgement installed;
  // One list of levels per number of ranks; empty if the library always uses the table for all
  // ranks.
  std::vector<std::vector<SiteLevel>> levels;
  // Cells that keep the library's composition, because a rule for all ranks would be slower.
  std::set<std::pair<std::uint32_t, std::uint64_t>> stays_composed;  // rank index and bytes
};

// A cell of the grid: the library's choice with the rules, and its choice without them.
struct SiteCell {
  std::uint32_t rank_index = 0;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;
  bool composed = false;  // true if, with the rules, the library uses a composition
  std::string rules;      // what the library runs with the rules, in words
  std::string built_in;   // what the library runs without them; "" if unknown
  double calls = 0;       // number of calls in the profile; 0 if there is no profile
  // Times of `rules` and `built_in`; empty if tutti has no equivalent schedule.
  std::optional<double> rules_s;
  std::optional<double> built_in_s;

  // Gain from the rules: 0.5 if the library takes 50 % longer without them.
  [[nodiscard]] std::optional<double> gain() const {
    return built_in_s && rules_s && *rules_s > 0 ? std::optional(*built_in_s / *rules_s - 1)
                                                 : std::nullopt;
  }
};

// A collective and a number of ranks per host for which there are no rules.
struct SiteGap {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks_per_host = 1;
  std::string why;
};

struct Site {
  LibraryRelease release;
  RuleFormat form = RuleFormat::ompi4;
  std::optional<Profile> profile;  // the program whose calls are decided; empty: any calls
  std::vector<SitePart> parts;     // ordered by ranks per host, then by collective
  std::vector<SiteGap> undecided;
  // For each number of ranks per host (the key): requested numbers of ranks for which there are too
  // few hosts.
  std::map<std::uint32_t, std::set<std::uint32_t>> without_room;
};

// The numbers of ranks for which some collective has rules.
struct DecidedRanks {
  std::uint32_t least = 0;
  std::uint32_t most = 0;

  [[nodiscard]] std::string in_words() const;  // "4 to 64 ranks"
};
[[nodiscard]] DecidedRanks decided_ranks(const Site& site);

// Returns the collectives for which rules of this format can be written, in the order of
// kCollectives.
[[nodiscard]] std::vector<Collective> site_collectives(RuleFormat form);

// True if the library also uses the site's table for the parts of its compositions. Open MPI's
// component coll/han does; MPICH always uses the built-in choice for these parts (see
// write_mpich_json.cpp).
[[nodiscard]] bool rules_reach_parts(const LibraryRelease& release);

// Adds the baseline to a decision: what the library does if its table for all ranks has no rule. No
// rule is then slower than the baseline by more than the tolerance. Candidates that call other
// collectives are refused where coll/han would run these calls: their times would be wrong.
void add_baseline(const LibraryRelease& release, const ProblemTemplate& problem_template,
                  Decision& decision);

// Fills in part.composed: times the library's compositions, with the rules applied to their parts.
void judge_composed(const LibraryRelease& release, const ProblemTemplate& problem_template,
                    const InstalledRules& rules, Runner* runner, SitePart& part);

// Fills in part.installed. `rules` are all rules in force for part.ranks_per_host.
void judge_installed(const LibraryRelease& release, const ProblemTemplate& problem_template,
                     const InstalledRules& rules, Runner* runner, SitePart& part);

// Fills in part.levels. In each cell, compares the time of the rule for all ranks with that of the
// library's composition. The latter is the time with the rules or, if this is unknown, the time
// without rules.
void find_levels(const LibraryRelease& release, SitePart& part);

// Returns the part for a collective; there must be one.
[[nodiscard]] SitePart& part_of(Site& site, Collective collective, std::uint32_t ranks_per_host);

// Withdraws the rules that apply to calls of `bytes` bytes on `ranks` ranks. Returns true if there
// were such rules. Afterwards, decide_anew() must be called.
bool take_back_rules_for(Decision& decision, std::uint32_t ranks, std::uint64_t bytes);
// Decides again after rules were withdrawn.
void decide_anew(Site& site, std::uint32_t ranks_per_host);

// Withdraws rules that make the library slower than it is without rules: by more than the tolerance
// in a cell, or on average over the cells of a number of ranks. `rules` are those in force. Returns
// false if there are no such rules. Otherwise, the site must be decided anew, and judged again.
[[nodiscard]] bool take_back_losing(Site& site, std::uint32_t ranks_per_host,
                                    const InstalledRules& rules);

[[nodiscard]] std::vector<SiteCell> cells_of(const SitePart& part);

}}  // namespace tutti::experiments
