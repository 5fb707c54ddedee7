// Source: MPICH v4.0.2, v4.1, v4.2.0 and v4.3.0: maint/tuning/coll/mpir/generic.json, the built-in
// tree, as src/mpi/coll/src/csel.c prunes it for a communicator and searches it in a call. The
// names of functions are those that maint/gen_coll.py generates. The tables in src/built_in/tables
// contain the part of the tree for intra-communicators, predefined operators, and calls that are
// not in place.
#include "src/built_in/mpich/selection.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "src/built_in/built_in_tables.hpp"
#include "src/rule_files/mpich_names.hpp"

namespace tutti::inline built_in {

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

std::string in_librarys_words(Collective collective, const Choice& choice) {
  const bool any_group = collective == Collective::gatherv || collective == Collective::scatterv;
  std::string text = fmt::format("MPIR_{}_{}_{}", mpich_name(name(collective)),
                                 any_group ? "allcomm" : "intra", library_name(choice));
  if (choice.options.has(Option::radix)) {
    text += fmt::format(", k={}", choice.options.text(Option::radix));
  }
  if (choice.options.has(Option::throttle)) {
    text += fmt::format(", {} at a time", choice.options.text(Option::throttle));
  }
  return text;
}

}  // namespace

LibraryDecision mpir_decision(int release, const PartCall& call) {
  const CollTable found = table_of(release, call.collective);
  const auto chosen = look_up(*found.table, call.ranks, call.bytes, call.element_bytes);
  TUTTI_INVARIANT(chosen);
  LibraryDecision decision;
  decision.choice = *chosen->choice;
  decision.path.push_back({call.depth, "Coll", call.whom,
                           fmt::format("maint/tuning/coll/mpir/generic.json ({}, line {})",
                                       found.file, chosen->path.back()->line),
                           conditions_of(*chosen, *found.table),
                           in_librarys_words(call.collective, decision.choice)});
  return decision;
}

}  // namespace tutti::inline built_in
