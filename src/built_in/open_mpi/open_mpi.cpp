// Selects the component of Open MPI that runs a call, and returns its decision. Includes the
// components of a default build that are enabled by default. coll/hcoll, coll/ucc and coll/portals4
// are left out because they need other libraries. coll/acoll, coll/xhc, coll/sm and coll/adapt are
// left out because their priority is 0.
//
// Source: the priorities in ompi/mca/coll/*/coll_*_component.c at v4.1.8, v5.0.9 and main of August
// 2026 (8efebee7). Source for the conditions under which coll/han passes a call on to another
// component: coll_han_module.c (comm_query), coll_han_subcomms.c (one rank on each node), and
// are_ppn_imbalanced in han's collectives.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "schedules/options/parts.hpp"
#include "schedules/patterns/composition.hpp"
#include "src/built_in/built_in.hpp"
#include "src/built_in/open_mpi/han.hpp"
#include "src/built_in/open_mpi/on_communicator.hpp"
#include "src/rule_files/open_mpi/han_rules.hpp"

namespace tutti { inline namespace built_in {

namespace {

constexpr int kFirstWithHan = 500;

// True if coll/han runs the collective only if a rank can map the memory of others on its node.
bool needs_mapping(Collective collective) {
  return collective == Collective::alltoall || collective == Collective::alltoallv;
}

// Returns the reason why coll/han does not run the call; empty if it runs the call.
std::string why_not_han(int release, const LibraryCall& call) {
  if (call.table_alone) {
    return "coll/han's rules name coll/tuned";
  }
  if (release < kFirstWithHan) {
    return "coll/han has priority 0";
  }
  if (!han_has(call.collective, release)) {
    return fmt::format("coll/han (priority 35) has no {}", name(call.collective));
  }
  if (call.nodes() == 1) {
    return "coll/han (priority 35) does not support communicators on one node";
  }
  if (call.ranks_per_node == 1) {
    return "coll/han (priority 35) passes calls on if every node has one rank";
  }
  if (needs_mapping(call.collective) && !call.xpmem) {
    return "coll/han (priority 35) passes calls on if a rank cannot map another's memory; this is "
           "assumed here, because mapping needs XPMEM";
  }
  if (han_wants_even_nodes(call.collective) && call.ranks % call.ranks_per_node != 0) {
    return fmt::format("coll/han (priority 35) passes {} on if nodes have unequal numbers of ranks",
                       name(call.collective));
  }
  return "";
}

// The rule of the site's file for coll/han that holds for a call.
struct HanRule {
  std::string place;      // "han.conf, line 4"; empty if no rule holds
  std::string component;  // "han", "tuned", ...; "han" if no rule holds
  std::string algorithm;  // algorithm of coll/han; empty if the rule names none, or the default
};

HanRule han_rule(const LibraryCall& call) {
  constexpr std::string_view kHan = "han";
  constexpr std::string_view kNames = "han @";
  const auto table = std::ranges::find(call.han_rules, call.collective, &DecisionTable::collective);
  if (table == call.han_rules.end()) {
    return {"", std::string(kHan), ""};
  }
  const auto chosen = look_up(*table, call.ranks, call.bytes, call.element_bytes);
  if (!chosen) {
    return {"", std::string(kHan), ""};
  }
  HanRule rule{place_of(*chosen, *table), chosen->choice->library_algorithm, ""};
  if (rule.component.starts_with(kNames)) {
    rule.algorithm = rule.component.substr(kNames.size());
    rule.component = kHan;
    if (rule.algorithm == "default" || rule.algorithm == han_default(call.collective)) {
      rule.algorithm.clear();
    }
  } else if (rule.component == kHanParameters) {
    rule.component = kHan;
  }
  return rule;
}

// Returns a text that describes the rule by which the site's file for coll/han assigns the call to
// another component; empty if there is no such rule.
std::string given_away(const LibraryCall& call) {
  const HanRule rule = han_rule(call);
  return rule.component == "han" ? "" : fmt::format("{}, names {}", rule.place, rule.component);
}

LibraryLevel component(const LibraryCall& call, std::size_t depth, std::string because,
                       std::string chosen) {
  return {depth,
          "coll framework",
          depth == 0 ? "" : fmt::format("all ranks, {}", name(call.collective)),
          "coll_base_comm_select.c, by priority",
          std::move(because),
          std::move(chosen)};
}

// Returns the decision for a rule that names a component, or an algorithm of coll/han, whose
// messages tutti does not know.
LibraryDecision unknown_component(const LibraryCall& call, std::size_t depth, const HanRule& rule) {
  const std::string named = fmt::format("coll/{}{}{}", rule.component,
                                        rule.algorithm.empty() ? "" : "'s ", rule.algorithm);
  return {{component(call, depth, fmt::format("{}, names it", rule.place), named)},
          {},
          fmt::format("tutti has no {} equivalent to that of {}", name(call.collective), named)};
}

LibraryDecision decide(int release, const LibraryCall& call, std::size_t depth);

// Returns why --parts cannot express a call that an algorithm makes; empty if it can.
std::string why_no_part(const LibraryDecision& made, bool han) {
  if (han) {
    return "coll/han's";
  }
  if (made.choice.algorithm.empty()) {
    return "not in tutti";
  }
  for (const OptionType* type : choice_options()) {
    if (made.choice.options.has(type->option) && type->option != Option::tree &&
        type->option != Option::cuts) {
      return type->option == Option::radix
                 ? "in several chains"
                 : fmt::format("with {} {}", type->flag(), made.choice.options.text(type->option));
    }
  }
  return "";
}

OnePart part_of(const Choice& choice, std::uint64_t bytes) {
  OnePart part{.algorithm = choice.algorithm};
  if (choice.segment_bytes < bytes) {  // one segment means no segmentation
    part.segment_bytes = choice.segment_bytes;
  }
  if (choice.options.has(Option::tree)) {
    part.tree = choice.options.values().tree;
  }
  return part;
}

// Sets the option --parts of a choice to parts that a site's rules select.
void give_parts(const LibraryCall& call, const std::array<OnePart, 2>& parts, Choice& choice) {
  Problem values = choice.options.values();
  values.parts = {TwoParts::Kind::chosen, parts};
  choice.options.give(Option::parts, values);
  if (!parts_take_cuts(values.parts, call.collective)) {
    choice.options.drop(Option::cuts);
  }
}

// Some algorithms call other collectives on their communicator. Adds the decisions for these calls.
void add_called(int release, const LibraryCall& call, std::size_t depth,
                LibraryDecision& decision) {
  if (!decision.choice.options.has(Option::parts)) {
    return;
  }
  std::array<OnePart, 2> parts;
  bool by_rules = false;  // true if the parts are not those of "--parts open_mpi"
  const auto collectives = collectives_of_parts(call.collective);
  for (const std::size_t at : {0U, 1U}) {
    const Collective each = collectives[at];
    LibraryCall called = call;
    called.table_alone = false;
    // Open MPI calls scatterv here, because blocks may be unequal (coll_base_reduce_scatter.c,
    // ..._intra_nonoverlapping). tutti's scatter supports unequal blocks.
    called.collective = call.collective == Collective::reduce_scatter && each == Collective::scatter
                            ? Collective::scatterv
                            : each;
    LibraryDecision made = decide(release, called, depth + 1);
    const bool han = why_not_han(release, called).empty() && given_away(called).empty();
    for (LibraryLevel& level : made.path) {
      by_rules = by_rules || level.rule;
      decision.path.push_back(std::move(level));
    }
    const std::string why = why_no_part(made, han);
    if (decision.lacking.empty() && !why.empty()) {
      decision.lacking = fmt::format(
          "the {} that the algorithm calls is {}, which --parts cannot express", name(each), why);
    } else if (why.empty()) {
      parts[at] = part_of(made.choice, call.bytes);
    }
  }
  if (!decision.lacking.empty()) {
    decision.choice = {};
  } else if (by_rules) {
    give_parts(call, parts, decision.choice);
  }
}

LibraryDecision decide(int release, const LibraryCall& call, std::size_t depth) {
  if (call.ranks == 1) {
    return {{component(call, depth, "coll/self has priority 75 on one rank", "coll/self")},
            {},
            "one rank has nothing to send"};
  }
  std::string not_han = why_not_han(release, call);
  std::string simple_by;  // the rule that names coll/han's algorithm "simple"
  LibraryDecision decision;
  if (not_han.empty()) {
    const HanRule rule = han_rule(call);
    not_han = given_away(call);
    const bool adapts = rule.component == "adapt" && (call.collective == Collective::bcast ||
                                                      call.collective == Collective::reduce);
    const bool simple = rule.algorithm == "simple" && has_simple(call.collective);
    if (rule.component == "basic" || adapts || (!rule.algorithm.empty() && !simple)) {
      return unknown_component(call, depth, rule);
    }
    if (not_han.empty() && needs_mapping(call.collective)) {
      return {{component(call, depth,
                         fmt::format("coll/han has priority 35, coll/tuned 30; {} nodes, and ranks "
                                     "map each other's memory (--xpmem)",
                                     call.nodes()),
                         "coll/han's smsc")},
              {},
              fmt::format("tutti has no {} equivalent to coll/han's, which reads the memory of "
                          "other ranks of the node",
                          name(call.collective))};
    }
    simple_by = simple ? rule.place : "";
  }
  if (not_han.empty()) {
    decision = han_decision(release, call, simple_by);
    for (LibraryLevel& level : decision.path) {
      level.depth += depth;
    }
    decision.path.insert(
        decision.path.begin(),
        component(call, depth,
                  fmt::format("coll/han has priority 35, coll/tuned 30; {} nodes", call.nodes()),
                  "coll/han"));
    return decision;
  }
  CommunicatorCall whole;
  whole.release = release;
  whole.collective = call.collective;
  whole.ranks = call.ranks;
  whole.bytes = call.bytes;
  whole.element_bytes = call.element_bytes;
  whole.depth = depth;
  whole.rules = call.rules;
  if (tuned_has(call.collective, call.rules)) {
    decision = tuned_decision(whole);
    decision.path.insert(
        decision.path.begin(),
        component(call, depth, fmt::format("coll/tuned has priority 30; {}", not_han),
                  "coll/tuned"));
    add_called(release, call, depth, decision);
  } else {
    const bool by_rules =
        call.collective == Collective::scan || call.collective == Collective::exscan;
    decision = basic_decision(whole);
    decision.path.insert(
        decision.path.begin(),
        component(call, depth,
                  fmt::format("coll/basic has priority 10; coll/tuned (priority 30) {} {}{}; {}",
                              by_rules ? "runs" : "has no", name(call.collective),
                              by_rules ? " only where a rule exists" : "", not_han),
                  "coll/basic"));
  }
  return decision;
}

}  // namespace

std::string assumed_of_open_mpi(int release, const LibraryCall& call) {
  LibraryCall mapped = call;
  mapped.xpmem = true;
  return !call.xpmem && needs_mapping(call.collective) && call.ranks > 1 &&
                 why_not_han(release, mapped).empty() && given_away(mapped).empty()
             ? fmt::format(
                   "ranks of a node cannot map each other's memory; where XPMEM is "
                   "installed, coll/han runs {} (choose --xpmem)",
                   name(call.collective))
             : "";
}

LibraryDecision open_mpi_decision(const LibraryVersion& version, const LibraryCall& call) {
  LibraryDecision decision = decide(version.release, call, 0);
  decision.assumed = assumed_of_open_mpi(version.release, call);
  return decision;
}

}}  // namespace tutti::built_in
