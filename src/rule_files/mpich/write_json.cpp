#include "src/rule_files/mpich/write_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/error.hpp"
#include "src/formats/json_text.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/mpich/compositions.hpp"
#include "src/rule_files/mpich/names.hpp"
#include "src/rule_files/mpich/parameters.hpp"
#include "src/rule_files/mpich/tree.hpp"
#include "src/rule_files/rule_form.hpp"
#include "src/rule_files/rule_size.hpp"

namespace tutti { inline namespace rule_files {

namespace {

using Json = nlohmann::ordered_json;

// Adds conditions to a leaf, so that calls for which MPICH's algorithm would fail an assertion or
// give a wrong result use another algorithm.
Json guarded(Collective collective, const LibraryAlgorithm& what, const Choice& choice,
             int release) {
  Json leaf = mpich_leaf_for(what, choice, release);
  const std::string algorithm(what.name);
  const auto when = [](const char* yes, const Json& then, const char* no, const Json& otherwise) {
    Json json = Json::object();
    json[yes] = then;
    json[no] = otherwise;
    return json;
  };
  switch (collective) {
    case Collective::allreduce:
    case Collective::reduce:
      if (algorithm.find("reduce_scatter") != std::string::npos) {
        const Json otherwise = mpich_leaf(collective == Collective::allreduce
                                              ? "MPIR_Allreduce_intra_recursive_doubling"
                                              : "MPIR_Reduce_intra_binomial");
        return when("is_op_built_in=yes", when("count<pow2", otherwise, "count=any", leaf),
                    "is_op_built_in=no", otherwise);
      }
      return leaf;
    case Collective::allgather:
      return algorithm.ends_with("recursive_doubling")
                 ? when("comm_size=pow2", leaf, "comm_size=any",
                        mpich_leaf("MPIR_Allgather_intra_brucks"))
                 : leaf;
    default:
      return leaf;
  }
}

// Wraps `tree` in conditions on the call, so that `tree` applies only in the usual case.
Json in_the_usual_case(Collective collective, Json tree) {
  Json json = Json::object();
  if (collective == Collective::alltoall) {
    json["is_sendbuf_inplace=yes"] = mpich_leaf("MPIR_Alltoall_intra_pairwise_sendrecv_replace");
    json["is_sendbuf_inplace=no"] = std::move(tree);
    return json;
  }
  if (collective == Collective::reduce_scatter) {
    json["is_commutative=yes"] = std::move(tree);
    json["is_commutative=no"] =
        mpich_built_in("reduce_scatter", 400)["comm_type=intra"]["is_commutative=no"];
    return json;
  }
  return tree;
}

// Returns the subtree under "comm_type=intra". `built_in` is MPICH's built-in subtree in this
// place.
Json tree_of(const RulesToWrite& rules, RuleFormat version, int release, const Json& built_in) {
  const std::vector<RankStep> steps = steps_in_form(rules, version);
  const std::string size(rule_size(version, rules.collective) == RuleSize::block
                             ? "avg_msg_size"
                             : mpich_size(rules.collective));
  const auto tree_of_sizes = [&](const std::vector<SizeStep>& sizes) {
    // Normally, the conditions on sizes are all inside the conditions of in_the_usual_case(). But
    // if a choice is left to the library, its leaf is the built-in subtree, which already contains
    // such conditions. in_the_usual_case() is then applied to each of the other leaves instead.
    const bool apart = std::ranges::any_of(
        sizes, [](const SizeStep& each) { return each.choice.left_to_library; });
    const auto leaf = [&](const Choice& choice) {
      if (choice.left_to_library) {
        return built_in;
      }
      Json what =
          guarded(rules.collective, library_algorithm_for(version, rules.collective, choice),
                  choice, release);
      return apart ? in_the_usual_case(rules.collective, std::move(what)) : what;
    };
    Json json = mpich_steps(sizes, &SizeStep::from_bytes, size,
                            [&](const SizeStep& each) { return leaf(each.choice); });
    return apart ? json : in_the_usual_case(rules.collective, std::move(json));
  };
  if (steps.empty()) {
    return built_in;
  }
  return mpich_steps(steps, &RankStep::from_ranks, "comm_size",
                     [&](const RankStep& each) { return tree_of_sizes(each.sizes); });
}

// Returns the subtree of one collective, with conditions on the number of ranks per node. The
// communicators that a composition creates (the ranks of a node, or one rank of each node) keep the
// built-in subtree.
Json tree_of_nodes(std::span<const RulesToWrite> rules, RuleFormat version, int release,
                   const Json& built_in) {
  if (!rules.front().ranks_per_node) {
    TUTTI_INVARIANT(rules.size() == 1);
    return tree_of(rules.front(), version, release, built_in);
  }
  Json json = Json::object();
  if (composed_by_nodes(rules.front().collective)) {
    json["comm_hierarchy=node"] = built_in;
    json["comm_hierarchy=node_roots"] = built_in;
  }
  std::uint32_t before = 0;
  for (const RulesToWrite& each : rules) {
    TUTTI_INVARIANT(each.ranks_per_node && *each.ranks_per_node > before);
    before = *each.ranks_per_node;
    json[fmt::format("comm_avg_ppn<={}", *each.ranks_per_node)] =
        tree_of(each, version, release, built_in);
  }
  // Releases before 4.2 do not know comm_avg_ppn=any.
  json["comm_size=any"] = built_in;
  return json;
}

// Converts a condition of a tree of MPICH 5.0 to the condition of MPICH 5.1 with the same meaning.
std::string named_condition(const std::string& condition) {
  static const std::map<std::string, std::string, std::less<>> kSame{
      {"comm_size=pow2", "pof2"},
      {"count<pow2", "!count_ge_pof2"},
      {"is_op_built_in=yes", "builtin_op"},
      {"is_op_built_in=no", "!builtin_op"},
      {"is_commutative=yes", "commutative"},
      {"is_commutative=no", "!commutative"},
      {"is_sendbuf_inplace=yes", "inplace"},
      {"is_sendbuf_inplace=no", "!inplace"},
      {"is_block_regular=yes", "block_regular"},
      {"is_block_regular=no", "!block_regular"}};
  const auto same = kSame.find(condition);
  if (same != kSame.end()) {
    return same->second;
  }
  TUTTI_INVARIANT(condition.ends_with("=any") || condition.find("<=") != condition.npos);
  return condition.ends_with("=any") ? "any" : condition;
}

Json as_named_tree(const Json& tree) {
  if (tree.size() == 1 && tree.begin().key().starts_with("algorithm=")) {
    return tree;
  }
  Json json = Json::object();
  for (auto each = tree.begin(); each != tree.end(); ++each) {
    // The second of two opposite conditions always holds where it is reached.
    const bool last = std::next(each) == tree.end();
    json[last ? "any" : named_condition(each.key())] = as_named_tree(each.value());
  }
  return json;
}

}  // namespace

void write_mpich_named_trees(std::span<const RulesToWrite> all, std::ostream& out) {
  Json file = Json::object();
  for (const RulesToWrite& rules : all) {
    TUTTI_INVARIANT(!rules.ranks_per_node);
    if (!rules.steps.empty()) {
      file[fmt::format("name={}-intra-auto", name(rules.collective))] =
          as_named_tree(tree_of(rules, RuleFormat::mpich51, kNamedTrees, {}));
    }
  }
  write_mpich_text(file, out);
}

// For gather and scatter, MPICH's size is not in bytes; for a barrier, MPICH has no size (csel.c at
// v4.0.2).
std::string_view mpich_size(Collective collective) {
  const bool average = collective == Collective::allreduce || collective == Collective::bcast ||
                       collective == Collective::reduce;
  return average ? "avg_msg_size" : "total_msg_size";
}

// MPICH maps the file into memory and reads it as a null-terminated string. If a file fills its
// last page completely, no null byte follows it, so this function appends another line end.
void write_mpich_text(const nlohmann::ordered_json& file, std::ostream& out) {
  std::string text = json_text(file, 2) + '\n';
  constexpr std::size_t kPage = 4096;
  if (text.size() % kPage == 0) {
    text += '\n';
  }
  out << text;
}

void write_mpich_json(std::span<const RulesToWrite> all, RuleFormat version, std::ostream& out) {
  const int release = rule_form(version).first_release;
  Json file = Json::object();
  for (const std::string_view collective : mpich_collectives()) {
    Json& tree = file[fmt::format("collective={}", collective)];
    tree = mpich_built_in(collective, release);
    const auto is_its_own = [&](const RulesToWrite& each) {
      return collective == name(each.collective);
    };
    const auto first = std::ranges::find_if(all, is_its_own);
    const auto end = std::find_if_not(first, all.end(), is_its_own);
    TUTTI_INVARIANT(std::none_of(end, all.end(), is_its_own));
    if (first != end) {
      // The built-in tree of gatherv, scatterv and exscan is a single leaf, for intra- and
      // inter-communicators.
      const auto intra = tree.find("comm_type=intra");
      Json& own = intra == tree.end() ? tree : *intra;
      own = tree_of_nodes({first, end}, version, release, Json(own));
    }
  }
  write_mpich_text(file, out);
}

}}  // namespace tutti::rule_files
