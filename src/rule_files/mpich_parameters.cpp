// Source: parse_container_params() in src/mpi/coll/src/csel_container.c, and
// get_tree_type_from_string_with_topo() in coll_impl.c, at v4.3.2.
#include "src/rule_files/mpich_parameters.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>

#include "base/nearest.hpp"
#include "src/rule_files/mpich_tree.hpp"

namespace tutti {

namespace {

// A parameter, and what is written where a choice does not say it: how messages are posted, which
// is no matter of who sends what.
struct Parameter {
  std::string_view name;
  std::string_view otherwise = "";
  bool needed = true;
};
constexpr Parameter kK{"k"};
constexpr Parameter kTreeType{"tree_type"};
constexpr Parameter kChunk{"chunk_size"};
constexpr Parameter kNonBlocking{"is_non_blocking", "1"};
constexpr Parameter kPrePosted{"recv_pre_posted", "0"};
constexpr Parameter kOneReceive{"single_phase_recv", "0"};
constexpr Parameter kBuffers{"buffer_per_child", "0"};
// Of trees by the topology.
constexpr Parameter kOverhead{"topo_overhead", "", false};
constexpr Parameter kDiffGroups{"topo_diff_groups", "", false};
constexpr Parameter kDiffSwitches{"topo_diff_switches", "", false};
constexpr Parameter kSameSwitches{"topo_same_switches", "", false};

constexpr std::array kRadix{kK};
constexpr std::array kExchange{kK, kOneReceive};
constexpr std::array kTree{kTreeType,     kK,           kNonBlocking, kOverhead, kDiffGroups,
                           kDiffSwitches, kSameSwitches};
constexpr std::array kPipelinedTree{kTreeType, kK, kNonBlocking, kChunk, kPrePosted};
constexpr std::array kReducingTree{kTreeType, kK,          kBuffers,      kChunk,
                                   kOverhead, kDiffGroups, kDiffSwitches, kSameSwitches};

std::span<const Parameter> parameters_named(std::string_view algorithm) {
  constexpr std::array kOfRadix{"MPIR_Allreduce_intra_recursive_multiplying",
                                "MPIR_Allgather_intra_k_brucks", "MPIR_Alltoall_intra_k_brucks",
                                "MPIR_Barrier_intra_k_dissemination", "MPIR_Barrier_intra_recexch"};
  constexpr std::array kOfExchange{
      "MPIR_Allreduce_intra_recexch", "MPIR_Allreduce_intra_k_reduce_scatter_allgather",
      "MPIR_Allgather_intra_recexch_doubling", "MPIR_Allgather_intra_recexch_halving"};
  if (std::find(kOfRadix.begin(), kOfRadix.end(), algorithm) != kOfRadix.end()) {
    return kRadix;
  }
  if (std::find(kOfExchange.begin(), kOfExchange.end(), algorithm) != kOfExchange.end()) {
    return kExchange;
  }
  if (algorithm == "MPIR_Bcast_intra_tree") {
    return kTree;
  }
  if (algorithm == "MPIR_Bcast_intra_pipelined_tree") {
    return kPipelinedTree;
  }
  if (algorithm == "MPIR_Allreduce_intra_tree") {
    return kReducingTree;
  }
  return {};
}

// 0 for what is no number: that is what atoi makes of it.
std::int64_t number_in(const JsonLine& member, std::string_view digits, RuleFile& file) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0 ||
      number > std::numeric_limits<std::int32_t>::max()) {
    file.error(member.line,
               fmt::format("'{}': accepted is a whole number up to 2147483647", member.key));
    return 0;
  }
  return number;
}

void check_k(const JsonLine& leaf, const MpichParameters& found, RuleFile& file) {
  const bool one_will_do = found.tree == "kary";
  if (found.k < (one_will_do ? 1 : 2)) {
    file.error(leaf.line, fmt::format("'{}' with k={}: at least {} is needed", leaf.key, found.k,
                                      one_will_do ? 1 : 2));
  }
}

}  // namespace

MpichParameters read_mpich_parameters(const JsonLine& leaf, std::string_view algorithm,
                                      RuleFile& file) {
  const std::span<const Parameter> known = parameters_named(algorithm);
  std::vector<std::string> names;
  for (const Parameter& each : known) {
    names.emplace_back(each.name);
  }
  MpichParameters found;
  std::vector<std::string> seen;
  for (const JsonLine& member : leaf.children) {
    std::string key = member.key;
    std::erase(key, ' ');
    const std::size_t sign = std::min(key.find('='), key.size());
    const std::string_view name = std::string_view(key).substr(0, sign);
    if (std::find(names.begin(), names.end(), name) == names.end() || sign == key.size()) {
      file.warn(
          member.line,
          fmt::format("'{}' is nothing that MPICH gives {}; it goes on without a word{}",
                      member.key, algorithm,
                      names.empty() ? "" : fmt::format("; it knows {}", fmt::join(names, ", "))));
      continue;
    }
    seen.emplace_back(name);
    const std::string_view value = std::string_view(key).substr(sign + 1);
    if (name == kTreeType.name) {
      found.tree = value;
      constexpr std::array kTrees{"kary",           "knomial_1",        "knomial_2",
                                  "topology_aware", "topology_aware_k", "topology_wave"};
      if (std::find(kTrees.begin(), kTrees.end(), value) == kTrees.end()) {
        file.error(member.line, fmt::format("'{}': MPICH takes what is none of {} for kary",
                                            member.key, fmt::join(kTrees, ", ")));
        found.tree = "kary";
      }
      continue;
    }
    const std::int64_t number = number_in(member, value, file);
    if (name == kK.name) {
      found.k = number;
    } else if (name == kChunk.name) {
      found.chunk_bytes = static_cast<std::uint64_t>(number);
    }
  }
  std::vector<std::string> missing;
  for (const Parameter& each : known) {
    if (each.needed && std::find(seen.begin(), seen.end(), each.name) == seen.end()) {
      missing.push_back(fmt::format("{}=", each.name));
    }
  }
  if (!missing.empty()) {
    file.error(leaf.line,
               fmt::format("'{}' lacks {}: MPICH then takes what happens to stand in its memory",
                           leaf.key, fmt::join(missing, ", ")));
  }
  const bool has_k = std::find(seen.begin(), seen.end(), kK.name) != seen.end();
  if (has_k) {
    check_k(leaf, found, file);
  }
  return found;
}

nlohmann::ordered_json mpich_leaf_for(const LibraryAlgorithm& algorithm, const Choice& choice) {
  nlohmann::ordered_json json = mpich_leaf(std::string(algorithm.name));
  nlohmann::ordered_json& children = json.front();
  for (const Parameter& each : parameters_named(algorithm.name)) {
    std::string value(each.otherwise);
    if (each.name == kK.name) {
      value = fmt::format("{}", parameters_of(algorithm, choice).fan);
    } else if (each.name == kTreeType.name) {
      value = choice.options.text(Option::tree);
    } else if (each.name == kChunk.name) {
      value = fmt::format("{}", choice.segment_bytes);
    }
    if (each.needed) {
      children[fmt::format("{}={}", each.name, value)] = nlohmann::ordered_json::object();
    }
  }
  return json;
}

}  // namespace tutti
