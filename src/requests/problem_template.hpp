// What all runs of a request have in common: all of a problem but the algorithm, its ranks and its
// bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/options/given_options.hpp"
#include "src/requests/pair_sizes.hpp"
#include "src/requests/problem_options.hpp"

namespace tutti::inline requests {

struct ProblemTemplate {
  std::uint32_t element_bytes = Problem{}.element_bytes;
  std::optional<Rank> root;
  GivenOptions options;
  std::optional<double> block_skew;
  std::optional<PairSizes> pair_sizes;
  bool best_segment = false;  // --segment auto: the caller looks for the size
  // Knows what --groups host, switch and group are; null where there is no machine to say so.
  std::function<void(Problem&)> place_groups;
  std::uint32_t ranks_per_host = 1;  // also the ranks of a node, where nothing else is said
  // What the user wrote, for messages and headings, and whether it was given at all.
  std::vector<SaidOption> said;
  std::optional<std::string> bytes_text;         // where one size was given
  std::optional<std::string> only_for_programs;  // "--limit 'steps=3'"

  // One problem. Without `bytes` the sizes of blocks say how many. Throws UserError for what does
  // not go together, and for an option that was given and that the algorithm does not take.
  [[nodiscard]] Problem problem(const Algorithm& algorithm, std::uint32_t ranks,
                                std::optional<std::uint64_t> bytes) const;
  // Without what `algorithm` does not take, for commands over several algorithms: none of them
  // should be refused because only some take --fold. Sizes of blocks stay, since without them it
  // would be another problem.
  [[nodiscard]] ProblemTemplate applicable_to(const Algorithm& algorithm) const;

  // The values of an option that has several: each makes a contender of its own, and until then the
  // option counts as not given. Null where it has one value, or none.
  [[nodiscard]] const std::vector<Problem>* several(Option option) const;
  void give_several(Option option, std::vector<Problem> values);
  // The value that `from` has, and none.
  void give(Option option, const Problem& from);
  void drop(Option option);
  // A size as the user wrote it, if there was one alone.
  [[nodiscard]] std::string in_words(std::uint64_t bytes) const;

 private:
  std::vector<std::pair<Option, std::vector<Problem>>> several_;

  void put_blocks(Problem& problem, std::optional<std::uint64_t> bytes) const;
  void put_pair_sizes(Problem& problem, std::optional<std::uint64_t> bytes) const;
};

// Throws UserError: the algorithm takes no such option.
[[noreturn]] void refuse_untaken(const Algorithm& algorithm, std::string_view flag);

}  // namespace tutti::inline requests
