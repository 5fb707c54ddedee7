// Template for all problems of a request: a problem without the algorithm, the number of ranks and
// the bytes.
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
  bool best_segment = false;  // --segment auto: the caller finds the size
  // Replaces --groups host, switch and group by groups of ranks. Null if there is no machine to
  // define them.
  std::function<void(Problem&)> place_groups;
  std::uint32_t ranks_per_host = 1;  // also the number of ranks of a node, unless --groups is given
  // Options that the user gave, as written, for error messages and headings.
  std::vector<SaidOption> said;
  std::optional<std::string> bytes_text;  // text of -n, if it is one size
  // The first given option that only programs take: "--limit 'steps=3'".
  std::optional<std::string> only_for_programs;

  // Returns one problem. Without `bytes`, the given block sizes determine the total. Throws
  // UserError for options that contradict each other, and for a given option that the algorithm
  // does not take.
  [[nodiscard]] Problem problem(const Algorithm& algorithm, std::uint32_t ranks,
                                std::optional<std::uint64_t> bytes) const;
  // Returns a copy without the options that `algorithm` does not take. Commands for several
  // algorithms use it, so that an option such as --fold does not exclude the algorithms without it.
  // Block sizes stay, since without them the problem would be a different one.
  [[nodiscard]] ProblemTemplate applicable_to(const Algorithm& algorithm) const;

  // Returns the values of an option that has several; null if it has one value, or none. Each value
  // makes a separate contender. As long as it has several values, the option counts as not given.
  [[nodiscard]] const std::vector<Problem>* several(Option option) const;
  void give_several(Option option, std::vector<Problem> values);
  // give() sets an option to the value in `from`, and drop() removes it.
  void give(Option option, const Problem& from);
  void drop(Option option);
  // Returns a size as the user wrote it, if a single one was given; otherwise the number.
  [[nodiscard]] std::string in_words(std::uint64_t bytes) const;

 private:
  std::vector<std::pair<Option, std::vector<Problem>>> several_;

  void put_blocks(Problem& problem, std::optional<std::uint64_t> bytes) const;
  void put_pair_sizes(Problem& problem, std::optional<std::uint64_t> bytes) const;
};

// Throws UserError, which says that the algorithm does not take this option.
[[noreturn]] void refuse_untaken(const Algorithm& algorithm, std::string_view flag);

}  // namespace tutti::inline requests
