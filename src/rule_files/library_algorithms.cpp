#include "src/rule_files/library_algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "schedules/registry.hpp"
#include "src/rule_files/library_rows.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

namespace {

using enum Collective;

}  // namespace

std::span<const LibraryAlgorithm> library_algorithms(RuleFormat format) {
  const RuleForm& form = rule_form(format);
  return form.names_algorithms ? rows_of_library(form.family) : std::span<const LibraryAlgorithm>();
}

namespace {

template <typename Matches>
const LibraryAlgorithm* find(RuleFormat format, Collective collective, Matches&& matches) {
  const auto all = library_algorithms(format);
  const int release = rule_form(format).first_release;
  const auto found = std::find_if(all.begin(), all.end(), [&](const LibraryAlgorithm& each) {
    return each.collective == collective && each.in_release(release) && matches(each);
  });
  return found == all.end() ? nullptr : &*found;
}

// Sets an option to a value from the table, unless the value is empty.
void give(Choice& choice, Option option, std::string_view text, Collective collective) {
  if (!text.empty()) {
    choice.options.parse(option_type(option), option_type(option).flag(), text, collective);
  }
}

// True if the number of requests in a rule sets tutti's --throttle.
bool tells_requests(const LibraryAlgorithm& algorithm) {
  return algorithm.name == "linear_sync" && algorithm.collective == alltoall;
}

// Returns the default radix of tutti's equivalent; null if there is no equivalent, or if the
// equivalent has no default radix.
const DefaultedNumber* own_radix(const LibraryAlgorithm& algorithm) {
  const Algorithm* const ours = find_algorithm(algorithm.collective, algorithm.ours);
  return ours == nullptr ? nullptr : defaulted_number(*ours, Option::radix);
}
std::uint32_t radix_of(const LibraryAlgorithm& algorithm, const Problem& values) {
  const DefaultedNumber* const own = own_radix(algorithm);
  return own == nullptr ? values.radix : own->of(values);
}

bool is_tree_of(const LibraryAlgorithm& algorithm, std::string_view tree) {
  constexpr std::array kOfMpich{"kary", "knomial_1", "knomial_2"};
  return algorithm.tells_tree ? std::find(kOfMpich.begin(), kOfMpich.end(), tree) != kOfMpich.end()
                              : algorithm.tree == tree;
}

// True if a rule for the algorithm can set the radix and the throttle that `values` contains, or if
// the library uses this radix and throttle anyway.
bool takes_parameters(const LibraryAlgorithm& algorithm, const Problem& values) {
  if (!tells_requests(algorithm) && values.throttle != algorithm.throttle) {
    return false;
  }
  if (algorithm.name == "chain") {
    return values.radix > 1 && values.radix <= kMostChains;
  }
  if (algorithm.fan_is_radix) {
    return radix_of(algorithm, values) >= static_cast<std::uint32_t>(algorithm.fan);
  }
  const DefaultedNumber* const own = own_radix(algorithm);
  return values.radix == 0 || (own != nullptr && own->is_redundant(values));
}

}  // namespace

bool rules_name(RuleFormat format, Collective collective) {
  return std::ranges::any_of(library_algorithms(format), [&](const LibraryAlgorithm& each) {
    const Algorithm* const ours = find_algorithm(collective, each.ours);
    return each.collective == collective && each.in_release(rule_form(format).first_release) &&
           ours != nullptr && each.exported && (each.segments || !takes(*ours, Option::segment));
  });
}

bool has_form_of(RuleFormat format, Collective collective, std::string_view name) {
  return std::ranges::any_of(library_algorithms(format), [&](const LibraryAlgorithm& each) {
    return each.collective == collective && (each.ours == name || each.name == name);
  });
}

const LibraryAlgorithm* find_by_id(RuleFormat format, Collective collective, long id) {
  return find(format, collective, [id](const LibraryAlgorithm& each) { return each.id == id; });
}

const LibraryAlgorithm* find_by_name(RuleFormat format, Collective collective,
                                     std::string_view name) {
  return find(format, collective,
              [name](const LibraryAlgorithm& each) { return each.name == name; });
}

const LibraryAlgorithm* find_for(RuleFormat format, Collective collective, const Choice& choice) {
  return find(format, collective, [&](const LibraryAlgorithm& each) {
    const GivenOptions& options = choice.options;
    if ((options.has(Option::cuts) && options.text(Option::cuts) != cuts_of(format)) ||
        options.values().skips != Skips{} || !each.exported ||
        !takes_parameters(each, options.values())) {
      return false;
    }
    // Rules in the format ompi4 cannot set the number of requests.
    if (format == RuleFormat::ompi4 && parameters_of(each, choice).requests > 0) {
      return false;
    }
    const Fold fold = options.values().fold;
    return each.ours == choice.algorithm && is_tree_of(each, options.text(Option::tree)) &&
           each.fold == (fold == Fold::neighbours ? "" : name(fold)) &&
           each.parts == options.text(Option::parts) &&
           (choice.segment_bytes == 0 || each.segments || rule_form(format).cuts_as_it_likes);
  });
}

bool is_library_form(Collective collective, std::string_view algorithm) {
  constexpr std::array<std::pair<Collective, std::string_view>, 7> kForms{
      {{allreduce, "reduce_scatter_allgather"},
       {allreduce, "tree"},
       {reduce, "reduce_scatter_gather"},
       {allgather, "bruck_mirrored"},
       {alltoall, "pairwise_exchange"},
       {alltoall, "pairwise_replace"},
       {alltoall, "scattered"}}};
  return std::find(kForms.begin(), kForms.end(), std::pair{collective, algorithm}) != kForms.end();
}

std::vector<Substitute> library_substitutes(RuleFormat format, Collective collective) {
  const std::string_view cuts = cuts_of(format);
  if (cuts != name(Cuts::open_mpi)) {
    return {};
  }
  const auto instead = [&](const char* algorithm, bool cut = false) {
    Choice choice;
    choice.algorithm = algorithm;
    if (cut) {
      give(choice, Option::cuts, cuts, collective);
    }
    return choice;
  };
  switch (collective) {
    case allreduce:
      return {{"ring", instead("recursive_doubling")},
              {"segmented_ring", instead("ring")},
              {"rabenseifner", instead("basic_linear")}};
    case reduce:
      return {{"rabenseifner", instead("linear")}};
    case bcast: {
      Choice chain = instead("pipeline", true);
      give(chain, Option::tree, "chain", collective);
      return {{"split_binary_tree", chain},
              {"scatter_allgather", instead("linear")},
              {"scatter_doubling", instead("linear")}};
    }
    case allgather:
      return {{"recursive_doubling", instead("bruck_mirrored")},
              {"neighbor_exchange", instead("ring")}};
    case allgatherv:
      return {{"neighbor_exchange", instead("ring")}};
    default:
      return {};
  }
}

std::string_view cuts_of(RuleFormat format) { return rule_form(format).cuts; }

const LibraryAlgorithm& library_algorithm_for(RuleFormat format, Collective collective,
                                              const Choice& choice) {
  // For algorithm 0, "ignore", Open MPI uses its built-in decision.
  if (choice.left_to_library) {
    static const LibraryAlgorithm ignore = [] {
      LibraryAlgorithm row;
      row.name = "ignore";
      return row;
    }();
    return ignore;
  }
  const LibraryAlgorithm* found = find_for(format, collective, choice);
  TUTTI_INVARIANT(found != nullptr);
  return *found;
}

Choice choice_of(RuleFormat format, const LibraryAlgorithm& algorithm, std::uint64_t segment_bytes,
                 std::int64_t fan, std::int64_t requests, std::string_view tree) {
  Choice choice;
  if (!tree.empty() && !is_tree_of(algorithm, tree)) {
    choice.library_algorithm = fmt::format("{} with the tree {}", algorithm.name, tree);
    return choice;
  }
  if (algorithm.fan > 0 && (algorithm.fan_is_radix ? fan < algorithm.fan : fan != algorithm.fan)) {
    choice.library_algorithm = fmt::format("{} with fan-out {}", algorithm.name, fan);
    return choice;
  }
  choice.algorithm = algorithm.ours;
  choice.library_algorithm = algorithm.name;
  give(choice, Option::tree, tree.empty() ? algorithm.tree : tree, algorithm.collective);
  choice.segment_bytes = algorithm.segments ? segment_bytes : 0;
  give(choice, Option::fold, algorithm.fold, algorithm.collective);
  give(choice, Option::parts, algorithm.parts, algorithm.collective);
  Problem numbers;
  if (algorithm.fan_is_radix && fan > (algorithm.tells_tree ? 0 : 1)) {
    const std::int64_t most =
        algorithm.name == "chain" ? kMostChains : std::numeric_limits<std::int32_t>::max();
    numbers.radix = static_cast<std::uint32_t>(std::min(fan, most));
    choice.options.give(Option::radix, numbers);
  }
  if (tells_requests(algorithm) && requests > 0) {
    numbers.throttle = static_cast<std::uint32_t>(std::min<std::int64_t>(requests, kMostRanks));
  } else {
    numbers.throttle = algorithm.throttle;
  }
  if (numbers.throttle > 0) {
    choice.options.give(Option::throttle, numbers);
  }
  choice.served = algorithm.name == "two_proc"   ? ServedRanks::two
                  : algorithm.powers_of_two_only ? ServedRanks::powers_of_two
                                                 : ServedRanks::any;
  const Algorithm* ours = find_algorithm(algorithm.collective, choice.algorithm);
  if (ours != nullptr && takes(*ours, Option::cuts)) {
    give(choice, Option::cuts, cuts_of(format), algorithm.collective);
  }
  return choice;
}

namespace {

// Returns what NCCL's rules set beside the algorithm: ", ll, 8 channels", or ", ll" if the library
// chooses the number of channels; "" for other libraries.
std::string protocol_in_words(const Choice& choice) {
  return choice.protocol.empty()
             ? ""
             : fmt::format(", {}{}", choice.protocol,
                           choice.channels == 0 ? "" : ", " + counted(choice.channels, "channel"));
}

}  // namespace

std::string library_in_words(const Choice& choice) {
  return choice.library_algorithm + protocol_in_words(choice);
}

std::string in_both_words(RuleFormat format, Collective collective, const Choice& choice) {
  if (choice.library_algorithm.empty() || choice.algorithm.empty()) {
    return in_words(choice) + protocol_in_words(choice);
  }
  const LibraryAlgorithm* const known = find_by_name(format, collective, choice.library_algorithm);
  const std::string theirs = known != nullptr && known->id > 0
                                 ? fmt::format("{} {}", known->id, known->name)
                                 : choice.library_algorithm;
  Choice ours = choice;
  ours.options.drop(Option::cuts);
  ours.options.drop(Option::parts);
  if (ours.algorithm == ours.library_algorithm) {
    ours.algorithm = theirs;
    return in_words(ours) + protocol_in_words(choice);
  }
  return fmt::format("{}{} ({})", theirs, protocol_in_words(choice), in_words(ours));
}

RuleParameters parameters_of(const LibraryAlgorithm& algorithm, const Choice& choice) {
  const Problem& values = choice.options.values();
  return {algorithm.fan_is_radix ? radix_of(algorithm, values)
                                 : static_cast<std::uint32_t>(algorithm.fan),
          tells_requests(algorithm) ? values.throttle : 0};
}

}}  // namespace tutti::rule_files
