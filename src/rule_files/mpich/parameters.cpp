// Source: parse_container_params() in src/mpi/coll/src/csel_container.c, and
// get_tree_type_from_string() in coll_impl.c, at v4.0.2, v4.1.3, v4.2.3 and v4.3.2; for 5.1,
// dump_MPII_Csel_parse_container() in maint/gen_coll.py at 7322c639.
#include "src/rule_files/mpich/parameters.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/text_lines.hpp"
#include "src/rule_files/mpich/names.hpp"
#include "src/rule_files/mpich/tree.hpp"

namespace tutti { inline namespace rule_files {

namespace {

// A parameter of an algorithm. If tutti's choice does not determine the value, the value
// `otherwise` is written; this is harmless, because such a parameter only affects how messages are
// posted, and not which ranks exchange them.
struct Parameter {
  std::string_view name;
  std::string_view otherwise = "";
  bool needed = true;  // true if MPICH uses uninitialized memory when the parameter is missing
  int since = 0;       // the first release that reads the parameter
  bool number = true;  // true if the value is a number
};
constexpr Parameter kK{"k"};
constexpr Parameter kTreeType{"tree_type", "", true, 0, false};
constexpr Parameter kChunk{"chunk_size"};
constexpr std::array kParameters{
    kK,
    kTreeType,
    kChunk,
    Parameter{"is_non_blocking", "1"},
    Parameter{"recv_pre_posted", "0"},
    Parameter{"single_phase_recv", "0"},
    Parameter{"buffer_per_child", "0"},
    Parameter{"scatterv_k"},
    Parameter{"allgatherv_k"},
    Parameter{"ccl", "", true, 500, false},
    Parameter{"buffer_per_phase"},
    Parameter{"batch_size"},
    Parameter{"bblock"},
    // Parameters of topology-aware trees.
    Parameter{"topo_overhead", "", false, 403},
    Parameter{"topo_diff_groups", "", false, 403},
    Parameter{"topo_diff_switches", "", false, 403},
    Parameter{"topo_same_switches", "", false, 403},
};

// First release in which rules name trees by words; in rules for earlier releases, trees have
// numbers.
constexpr int kTreesByName = 403;
constexpr std::array<std::string_view, 3> kTrees{"kary", "knomial_1", "knomial_2"};

std::vector<Parameter> parameters_named(std::string_view algorithm, int release) {
  std::vector<Parameter> found;
  const MpichName* const name = find_mpich_name(MpichLevel::coll, algorithm, release);
  if (name == nullptr) {
    return found;
  }
  for (const std::string_view each : name->parameter_names()) {
    const auto known = std::find_if(kParameters.begin(), kParameters.end(),
                                    [&](const Parameter& other) { return other.name == each; });
    TUTTI_INVARIANT(known != kParameters.end());
    if (known->since <= release) {
      found.push_back(*known);
    }
  }
  return found;
}

// Returns the type of tree that the release uses for the value of tree_type.
std::string read_tree(const JsonLine& member, std::string_view value, int release, RuleFile& file) {
  if (release >= kTreesByName) {
    if (std::find(kTrees.begin(), kTrees.end(), value) != kTrees.end()) {
      return std::string(value);
    }
    file.error(member.line, fmt::format("'{}': MPICH reads anything but {} as kary", member.key,
                                        fmt::join(kTrees, ", ")));
    return "kary";
  }
  for (std::size_t i = 0; i < kTrees.size(); ++i) {
    if (value == std::to_string(i)) {
      return std::string(kTrees[i]);
    }
  }
  file.error(member.line, fmt::format("'{}': before 4.3, MPICH expects a number (0 for kary, 1 for "
                                      "knomial_1, 2 for knomial_2), and reads words as 0",
                                      member.key));
  return "kary";
}

std::string tree_value(std::string_view tree, int release) {
  const auto found = std::find(kTrees.begin(), kTrees.end(), tree);
  TUTTI_INVARIANT(found != kTrees.end());
  return release >= kTreesByName ? std::string(tree) : std::to_string(found - kTrees.begin());
}

// Parses a number. Reports an invalid number and returns 0 for it, as atoi() does for text.
std::int64_t number_in(const JsonLine& member, std::string_view digits, RuleFile& file) {
  const auto number = parsed_number<std::int64_t>(digits);
  if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max()) {
    file.error(member.line,
               fmt::format("'{}': must be a whole number up to 2147483647", member.key));
    return 0;
  }
  return *number;
}

void check_k(const JsonLine& leaf, const MpichParameters& found, RuleFile& file) {
  const bool one_will_do = found.tree == "kary";
  if (found.k < (one_will_do ? 1 : 2)) {
    file.error(leaf.line, fmt::format("'{}' with k={}: k must be at least {}", leaf.key, found.k,
                                      one_will_do ? 1 : 2));
  }
}

}  // namespace

MpichParameters read_mpich_parameters(const JsonLine& leaf, std::string_view algorithm, int release,
                                      RuleFile& file) {
  const std::vector<Parameter> known = parameters_named(algorithm, release);
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
    const auto parameter = std::find_if(known.begin(), known.end(),
                                        [&](const Parameter& each) { return each.name == name; });
    if (parameter == known.end() || sign == key.size()) {
      file.warn(
          member.line,
          fmt::format("'{}' is not a parameter of {}; MPICH silently ignores it{}", member.key,
                      algorithm,
                      names.empty() ? "" : fmt::format("; expected {}", fmt::join(names, ", "))));
      continue;
    }
    seen.emplace_back(name);
    const std::string_view value = std::string_view(key).substr(sign + 1);
    if (name == kTreeType.name) {
      found.tree = read_tree(member, value, release, file);
      continue;
    }
    if (!parameter->number) {
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
               fmt::format("'{}' lacks {}: {}", leaf.key, fmt::join(missing, ", "),
                           release >= kNamedTrees ? "every program then aborts in MPI_Init"
                                                  : "MPICH then uses uninitialized memory"));
  }
  if (std::find(seen.begin(), seen.end(), kK.name) != seen.end()) {
    check_k(leaf, found, file);
  }
  return found;
}

nlohmann::ordered_json mpich_leaf_for(const LibraryAlgorithm& algorithm, const Choice& choice,
                                      int release) {
  nlohmann::ordered_json json = mpich_leaf(std::string(algorithm.name));
  nlohmann::ordered_json& children = json.front();
  for (const Parameter& each : parameters_named(algorithm.name, release)) {
    std::string value(each.otherwise);
    if (each.name == kK.name) {
      value = fmt::format("{}", parameters_of(algorithm, choice).fan);
    } else if (each.name == kTreeType.name) {
      value = tree_value(choice.options.text(Option::tree), release);
    } else if (each.name == kChunk.name) {
      value = fmt::format("{}", choice.segment_bytes);
    }
    if (each.needed) {
      children[fmt::format("{}={}", each.name, value)] = nlohmann::ordered_json::object();
    }
  }
  return json;
}

}}  // namespace tutti::rule_files
