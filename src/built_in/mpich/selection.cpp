// Source: MPICH v4.0.2, v4.1, v4.2.0 and v4.3.0: maint/tuning/coll/mpir/generic.json, the built-in
// tree, as src/mpi/coll/src/csel.c prunes it for a communicator and searches it in a call. The
// names of functions are those that maint/gen_coll.py generates. The tables in src/built_in/tables
// contain the part of the tree for intra-communicators, predefined operators, and calls that are
// not in place.
#include "src/built_in/mpich/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "src/built_in/built_in_tables.hpp"
#include "src/rule_files/mpich/names.hpp"
#include "src/rule_files/rule_checks.hpp"

namespace tutti { inline namespace built_in {

namespace {

// The files with tables, in the order in which they are searched. MPICH 4.0 has no use for the
// first one.
constexpr std::array<std::string_view, 3> kFiles{"mpich_4.1.json", "mpich_4.0.json",
                                                 "mpich_others.json"};

struct CollTable {
  std::string_view file;
  const DecisionTable* table = nullptr;
};

CollTable table_of(int release, Collective collective) {
  for (const std::string_view file : std::span(kFiles).subspan(release > kFirst ? 0 : 1)) {
    if (const DecisionTable* table = built_in_table(file, collective)) {
      return {file, table};
    }
  }
  throw InvariantError(fmt::format("MPICH has no table for {}", name(collective)));
}

std::string library_name_of(Collective collective, const Choice& choice) {
  const bool any_group = collective == Collective::gatherv || collective == Collective::scatterv;
  std::string text(library_name(choice));
  if (!text.starts_with("MPIR_")) {  // the built-in tables leave out what all names share
    text = fmt::format("MPIR_{}_{}_{}", mpich_name(name(collective)),
                       any_group ? "allcomm" : "intra", text);
  }
  if (choice.options.has(Option::radix)) {
    text += fmt::format(", k={}", choice.options.text(Option::radix));
  }
  if (choice.options.has(Option::throttle)) {
    text += fmt::format(", {} at a time", choice.options.text(Option::throttle));
  }
  return text;
}

// Returns the number that MPICH compares in conditions on "count". Source: get_count() of csel.c.
std::uint64_t count_of(const PartCall& call) {
  using enum Collective;
  const std::uint64_t elements = call.bytes / call.element_bytes;
  return call.collective == allgather || call.collective == reduce_scatter_block
             ? elements / call.ranks
             : elements;
}

LibraryDecision decided_by_file(const PartCall& call, const SiteChoice& site) {
  LibraryDecision decision;
  const auto say = [&](std::string chosen) {
    decision.path.push_back(
        {call.depth, "Coll", call.whom, site.where, site.because, std::move(chosen)});
  };
  if (!site.choice) {
    say("nothing: MPICH ends the program");
    decision.lacking =
        fmt::format("no rule of {} holds, so that MPICH ends the program", site.where);
    return decision;
  }
  say(library_name_of(call.collective, *site.choice));
  if (site.choice->algorithm.empty()) {
    decision.lacking = fmt::format("tutti has no {} equivalent to {}", name(call.collective),
                                   site.choice->library_algorithm);
  } else if (const auto why = why_unserved(*site.choice, call.ranks)) {
    decision.lacking = *why;
  } else {
    decision.choice = *site.choice;
  }
  return decision;
}

// Returns true if MPICH's built-in tree chooses an algorithm that splits the call by nodes. The
// built-in compositions never ask for such calls, so that the tables leave them out.
bool built_in_smp(const PartCall& call) {
  return call.hierarchy == MpichHierarchy::parent &&
         (call.collective == Collective::barrier || call.collective == Collective::scan);
}

}  // namespace

std::optional<SiteChoice> site_choice(std::span<const MpichSiteFile> files, MpichLevel level,
                                      const PartCall& call) {
  const auto file = std::ranges::find_if(
      files, [&](const MpichSiteFile& each) { return each.what.level() == level; });
  if (file == files.end()) {
    return std::nullopt;
  }
  const auto table =
      file->table_for({call.collective, call.hierarchy, call.ranks, call.nodes, count_of(call)});
  if (!table) {
    return SiteChoice{file->path, fmt::format("the file has no {}", name(call.collective)), {}};
  }
  const auto chosen = look_up(*table, call.ranks, call.bytes, call.element_bytes);
  if (!chosen) {
    return SiteChoice{file->path, "no rule of the file holds", {}};
  }
  return SiteChoice{fmt::format("{}, line {}", user_text(file->path), chosen->path.back()->line),
                    conditions_of(*chosen, *table), *chosen->choice};
}

LibraryDecision mpir_decision(int release, const PartCall& call,
                              std::span<const MpichSiteFile> files) {
  if (const auto site = site_choice(files, MpichLevel::coll, call)) {
    return decided_by_file(call, *site);
  }
  if (built_in_smp(call)) {
    Choice smp;
    smp.library_algorithm = "smp";
    const std::string chosen = library_name_of(call.collective, smp);
    return {{{call.depth, "Coll", call.whom, "maint/tuning/coll/mpir/generic.json",
              "several ranks on a node", chosen}},
            {},
            fmt::format("tutti has no {} equivalent to {}", name(call.collective), chosen)};
  }
  const CollTable found = table_of(release, call.collective);
  const auto chosen = look_up(*found.table, call.ranks, call.bytes, call.element_bytes);
  TUTTI_INVARIANT(chosen);
  LibraryDecision decision;
  decision.choice = *chosen->choice;
  decision.path.push_back({call.depth, "Coll", call.whom,
                           fmt::format("maint/tuning/coll/mpir/generic.json ({}, line {})",
                                       found.file, chosen->path.back()->line),
                           conditions_of(*chosen, *found.table),
                           library_name_of(call.collective, decision.choice)});
  return decision;
}

}}  // namespace tutti::built_in
