// Template for all problems of a request: everything but the algorithm, the number of ranks and the
// number of bytes.
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

namespace tutti { inline namespace requests {

struct ProblemTemplate {
  std::uint32_t element_bytes = Problem{}.element_bytes;
  std::optional<Rank> root;
  GivenOptions options;
  std::optional<double> block_skew;
  std::optional<PairSizes> pair_sizes;
  bool best_segment = false;  // true for --segment auto: the caller must find the best size
  // True if `search` is one of the values of --skips: the caller must find the best skips.
  bool search_skips = false;
  // Replaces --groups host, switch or group in a problem by the groups of ranks that share a host,
  // switch or group of the machine. Null if there is no machine.
  std::function<void(Problem&)> place_groups;
  // Number of ranks on each host. Unless --groups is given, a node of the problem has the same
  // number of ranks.
  std::uint32_t ranks_per_host = 1;
  // Options that the user gave, as the user wrote them, for error messages and headings.
  std::vector<GivenOption> given_options;
  std::optional<std::string> bytes_text;  // text of -n, if it is a single size
  // The first option that the user gave and that only programs in tutti's notation take: "--limit
  // 'steps=3'".
  std::optional<std::string> only_for_programs;

  // Returns one problem. If `bytes` is empty, the block sizes in the options determine the total.
  // Throws UserError for options that contradict each other, and for a given option that the
  // algorithm does not take.
  [[nodiscard]] Problem problem(const Algorithm& algorithm, std::uint32_t ranks,
                                std::optional<std::uint64_t> bytes) const;
  // Returns a copy without the options that `algorithm` does not take. Commands for several
  // algorithms use this copy, so that an option such as --fold does not exclude the algorithms that
  // do not take it. Keeps the block sizes, because the problem would be a different one without
  // them.
  [[nodiscard]] ProblemTemplate applicable_to(const Algorithm& algorithm) const;
  // Returns why the algorithm cannot have the block sizes that the user gave; nothing if it can.
  // Commands for several algorithms name the algorithm with this reason, and use the others.
  [[nodiscard]] std::optional<std::string> why_not_these_blocks(const Algorithm& algorithm,
                                                                std::uint32_t ranks) const;
  // Returns the problem of an algorithm that cannot have the block sizes: one of the same total,
  // split evenly.
  [[nodiscard]] Problem even_problem(const Algorithm& algorithm, std::uint32_t ranks,
                                     std::optional<std::uint64_t> bytes) const;

  // Returns the values of an option that has several values; null if the option has one value, or
  // none. Commands compare these values as they compare algorithms: each value is simulated
  // separately. An option with several values is not in `options`.
  [[nodiscard]] const std::vector<Problem>* several(Option option) const;
  void give_several(Option option, std::vector<Problem> values);
  // give() sets an option to the value that it has in `from`; drop() removes an option.
  void give(Option option, const Problem& from);
  void drop(Option option);
  // Returns the size for error messages: as the user wrote it if -n is a single size, otherwise as
  // the number `bytes`.
  [[nodiscard]] std::string in_words(std::uint64_t bytes) const;

 private:
  std::vector<std::pair<Option, std::vector<Problem>>> several_;

  [[nodiscard]] bool gives_blocks() const {
    return block_skew || pair_sizes || options.has(Option::block_sizes);
  }
  void put_blocks(Problem& problem, std::optional<std::uint64_t> bytes) const;
  void put_pair_sizes(Problem& problem, std::optional<std::uint64_t> bytes) const;
};

// Throws a UserError: the algorithm does not take the option, which is `field` in messages.
[[noreturn]] void refuse_untaken(const Algorithm& algorithm, std::string_view field);

}}  // namespace tutti::requests
