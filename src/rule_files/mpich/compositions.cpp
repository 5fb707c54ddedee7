// Source of the built-in compositions: maint/tuning/coll/ch4/generic.json and posix_generic.json at
// v4.0.2 to v4.3.2. These releases differ only in the compositions of alltoall and allgather.
#include "src/rule_files/mpich/compositions.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "src/rule_files/mpich/tree.hpp"
#include "src/rule_files/mpich/write_json.hpp"

namespace tutti { inline namespace rule_files {

namespace {

using enum Collective;
using Json = nlohmann::ordered_json;

Json leaf(std::string_view composition) {
  return {{fmt::format("composition={}", composition), Json::object()}};
}

std::string composition(Collective collective, std::string_view letter) {
  return fmt::format("MPIDI_{}_intra_composition_{}", mpich_name(name(collective)), letter);
}

Json lettered(Collective collective, std::string_view letter) {
  return leaf(composition(collective, letter));
}

// Returns a tree that uses `tree` for operators that commute, and the flat composition for all
// other operators.
Json if_commutes(Collective collective, Json tree, int release) {
  const bool reduces = collective == reduce || collective == allreduce;
  if (!reduces || tree == leaf(flat_composition(collective, release))) {
    return tree;
  }
  Json json = Json::object();
  json["is_commutative=yes"] = std::move(tree);
  json["is_commutative=no"] = leaf(flat_composition(collective, release));
  return json;
}

// Returns MPICH's built-in choice for communicators that span several nodes, at least one of which
// has several ranks.
Json built_in_parent(Collective collective, int release) {
  const auto letter = [&](const char* which) { return lettered(collective, which); };
  Json json = Json::object();
  switch (collective) {
    case bcast:
      json["comm_size<8"] = letter("alpha");
      json["comm_size=pow2"] = {{"avg_msg_size<12288", letter("alpha")},
                                {"avg_msg_size<524288", letter("beta")},
                                {"avg_msg_size=any", letter("gamma")}};
      json["comm_size=any"] = {{"avg_msg_size<12288", letter("alpha")},
                               {"avg_msg_size=any", letter("gamma")}};
      return json;
    case reduce:
      json["avg_msg_size<=2048"] = letter("beta");
      json["avg_msg_size=any"] = letter("alpha");
      return if_commutes(collective, std::move(json), release);
    case allreduce:
      return if_commutes(collective, letter("alpha"), release);
    case barrier:
      return letter("alpha");
    default:
      return leaf(flat_composition(collective, release));
  }
}

// Returns a tree with `parent` as the choice for communicators that span several nodes, at least
// one of which has several ranks, and with the built-in choices for all other communicators.
Json around(Collective collective, Json parent, int release) {
  Json flat = leaf(flat_composition(collective, release));
  Json json = Json::object();
  if (collective == scan) {
    json["is_node_consecutive=yes"] = lettered(scan, "alpha");
    json["is_node_consecutive=no"] = flat;
    return json;
  }
  if (collective == exscan) {
    return flat;
  }
  if (parent == flat) {
    json = flat;
  } else {
    json["comm_hierarchy=parent"] = std::move(parent);
    json["comm_hierarchy=any"] = flat;
  }
  if (collective == allreduce) {
    Json sizes = Json::object();
    sizes["comm_size=node_comm_size"] = lettered(collective, "gamma");
    sizes["comm_size=any"] = std::move(json);
    json = std::move(sizes);
  }
  return {{"comm_type=intra", std::move(json)}};
}

Json tree_of_sizes(const std::vector<CompositionSize>& sizes, Collective collective, int release) {
  const auto has = compositions_of(collective, release);
  const bool has_size =
      collective != barrier && collective != gather && collective != scatter && collective != scan;
  TUTTI_INVARIANT(sizes.size() == 1 || (!sizes.empty() && has_size));
  return mpich_steps(sizes, &CompositionSize::from_bytes, mpich_size(collective),
                     [&](const CompositionSize& size) {
                       TUTTI_INVARIANT(std::ranges::find(has, size.composition) != has.end());
                       return leaf(size.composition);
                     });
}

Json tree_of_ranks(const std::vector<CompositionRanks>& ranks, Collective collective, int release) {
  TUTTI_INVARIANT(!ranks.empty());
  return mpich_steps(
      ranks, &CompositionRanks::from_ranks, "comm_size", [&](const CompositionRanks& each) {
        if (each.sizes.empty()) {
          return collective == scan ? around(scan, {}, release)
                                    : built_in_parent(collective, release);
        }
        return if_commutes(collective, tree_of_sizes(each.sizes, collective, release), release);
      });
}

// Returns a tree that chooses by the average number of ranks per node. Its last condition is
// comm_size=any, because releases before 4.2 do not know comm_avg_ppn=any.
Json tree_of_nodes(const CompositionRules& rules, int release) {
  TUTTI_INVARIANT(!rules.nodes.empty() && !rules.nodes.back().ranks_per_node);
  Json json = Json::object();
  for (const CompositionNodes& nodes : rules.nodes) {
    Json ranks = tree_of_ranks(nodes.ranks, rules.collective, release);
    if (rules.nodes.size() == 1) {
      return ranks;
    }
    json[nodes.ranks_per_node ? fmt::format("comm_avg_ppn<={}", *nodes.ranks_per_node)
                              : "comm_size=any"] = std::move(ranks);
  }
  return json;
}

constexpr std::array kHaveCompositions{
    bcast,    allreduce, reduce,    barrier,   gather,     gatherv,        scatter,
    scatterv, alltoall,  alltoallv, allgather, allgatherv, reduce_scatter, reduce_scatter_block,
    scan,     exscan};

}  // namespace

std::vector<std::string_view> compositions_of(Collective collective, int release) {
  std::vector<std::string_view> found;
  for (const MpichName& each : mpich_names()) {
    if (each.level == MpichLevel::composition && each.in(release) &&
        each.collective() == name(collective)) {
      found.push_back(each.name);
    }
  }
  return found;
}

std::string_view flat_composition(Collective collective, int release) {
  const bool late = release > 400 && (collective == alltoall || collective == allgather);
  const char* letter =
      collective == bcast || collective == reduce                                      ? "gamma"
      : collective == allreduce || collective == barrier || collective == scan || late ? "beta"
                                                                                       : "alpha";
  const MpichName* const found =
      find_mpich_name(MpichLevel::composition, composition(collective, letter), kLastPlainTree);
  TUTTI_INVARIANT(found != nullptr && found->in(release));
  return found->name;
}

bool composed_by_nodes(Collective collective) {
  return collective == bcast || collective == reduce || collective == allreduce ||
         collective == barrier || collective == scan;
}

void write_compositions(const CompositionsToWrite& rules, std::ostream& out) {
  Json file = Json::object();
  for (const Collective collective : kHaveCompositions) {
    const auto given =
        std::find_if(rules.collectives.begin(), rules.collectives.end(),
                     [&](const CompositionRules& each) { return each.collective == collective; });
    Json parent = given == rules.collectives.end() ? built_in_parent(collective, rules.release)
                                                   : tree_of_nodes(*given, rules.release);
    Json tree = around(collective, parent, rules.release);
    if (collective == scan && given != rules.collectives.end()) {
      tree = std::move(parent);
    }
    file[fmt::format("collective={}", name(collective))] = std::move(tree);
  }
  file["collective=alltoallw"] = {
      {"comm_type=intra", leaf("MPIDI_Alltoallw_intra_composition_alpha")}};
  write_mpich_text(file, out);
}

CompositionsToWrite all_flat(int release) {
  CompositionsToWrite rules;
  rules.release = release;
  for (const Collective collective : kHaveCompositions) {
    if (composed_by_nodes(collective)) {
      const std::string flat(flat_composition(collective, release));
      rules.collectives.push_back(
          {collective, {CompositionNodes{std::nullopt, {CompositionRanks{0, {{0, flat}}}}}}});
    }
  }
  return rules;
}

void write_posix_rules(std::span<const Collective> kept, std::ostream& out) {
  Json file = Json::object();
  for (const Collective collective : kept) {
    const std::string algorithm =
        fmt::format("MPIDI_POSIX_mpi_{}_release_gather", name(collective));
    TUTTI_INVARIANT(find_mpich_name(MpichLevel::posix, algorithm, kLastPlainTree) != nullptr);
    Json tree = mpich_leaf(algorithm);
    if (collective == reduce || collective == allreduce) {
      tree = {{"is_commutative=yes", std::move(tree)}};
    }
    file[fmt::format("collective={}", name(collective))] = {
        {"comm_type=intra", {{"is_multi_threaded=no", std::move(tree)}}}};
  }
  write_mpich_text(file, out);
}

}}  // namespace tutti::rule_files
