// Rules for all that a library lets a site decide: for each number of ranks on a host and each
// collective a decision, what the library has built in, and which of its levels is to decide.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/experiments/decisions/decision.hpp"
#include "src/rule_files/library_release.hpp"

namespace tutti::inline experiments {

// From so many bytes on: whether the library goes on putting the call together of parts, on nodes
// and between them, or asks the table for all ranks.
struct SiteLevel {
  std::uint64_t from_bytes = 0;  // of the first one 0
  bool composed = false;
  std::string composition;  // MPICH's own name of it; "" where it has none
};

// One collective with one number of ranks on a host.
struct SitePart {
  std::uint32_t ranks_per_host = 1;
  Decision decision;  // of the table
  // As its judgement, but of a composition's parts decided by the rules of the site; nothing where
  // these do not reach them.
  std::optional<Judgement> composed = std::nullopt;
  // By number of ranks; empty where no level is asked before the table.
  std::vector<std::vector<SiteLevel>> levels;
  // Cells that keep the library's composition, since every rule for all ranks would be slower.
  std::set<std::pair<std::uint32_t, std::uint64_t>> stays_composed;  // rank index and bytes
};

// What the rules do in a cell of the grid, beside what the library does without them.
struct SiteCell {
  std::uint32_t rank_index = 0;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;
  bool composed = false;  // with the rules, by the library's composition
  std::string rules;      // what they run, in words
  std::string built_in;   // likewise; "" where it is not known
  // Nothing where no schedule is known to be the same.
  std::optional<double> rules_s;
  std::optional<double> built_in_s;

  // 0.5: what is built in takes half as long again.
  [[nodiscard]] std::optional<double> gain() const {
    return built_in_s && rules_s && *rules_s > 0 ? std::optional(*built_in_s / *rules_s - 1)
                                                 : std::nullopt;
  }
};

// What has no rule.
struct SiteUndecided {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks_per_host = 1;
  std::string why;
};

struct Site {
  LibraryRelease release;
  RuleFormat form = RuleFormat::ompi4;
  std::vector<SitePart> parts;  // by ranks on a host, then by collective
  std::vector<SiteUndecided> undecided;
  // By ranks on a host: numbers of ranks that were asked for, and that its hosts do not hold.
  std::map<std::uint32_t, std::set<std::uint32_t>> without_room;
};

// Collectives that rules of the form can be written for, in their order.
[[nodiscard]] std::vector<Collective> site_collectives(RuleFormat form);

// Whether the parts of a composition of the library ask the site's table too: those of coll/han do,
// those of MPICH keep to what is built in (write_mpich_json.cpp).
[[nodiscard]] bool rules_reach_parts(const LibraryRelease& release);

// Makes what the library does with its table for all ranks, and no rule in it, the baseline of the
// decision: no rule is then slower than that by more than the tolerance.
void add_baseline(const LibraryRelease& release, const ProblemTemplate& asked, Decision& decision);

// The table of the library for so many ranks on a host, of all collectives decided so far; for
// libraries that have a table for each such number.
[[nodiscard]] std::vector<DecisionTable> rules_in_force(const Site& site,
                                                        std::uint32_t ranks_per_host);

// Times what the library puts together where the rules serve its parts. They must be those of as
// many ranks on a host, of all collectives.
void judge_composed(const LibraryRelease& release, const ProblemTemplate& asked,
                    std::span<const DecisionTable> rules, Runner* runner, SitePart& part);

// Fills in the levels: what the table takes in a cell against what the library puts together there,
// or, where no time of that is known with the rules, against what it puts together without.
void find_levels(const LibraryRelease& release, SitePart& part);

// Takes back the rules that make the library slower than it is by itself: in a cell by more than
// the tolerance, or for a number of ranks in the mean. `rules` as of judge_composed(). False where
// there are none; else the composed cells and the levels are to be found anew.
[[nodiscard]] bool take_back_losing(Site& site, std::uint32_t ranks_per_host,
                                    std::span<const DecisionTable> rules);

[[nodiscard]] std::vector<SiteCell> cells_of(const SitePart& part);

}  // namespace tutti::inline experiments
