// Proves many schedules at once. Each cell is an algorithm with one number of ranks, size and root.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/messages.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/verify/verify.hpp"

namespace tutti { inline namespace experiments {

struct ProofCell {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  // Why the algorithm does not support the user's problem, if that is known without a schedule.
  // `problem` is then another one, for the report.
  std::optional<std::string> refusal = {};
};

// The longest chain of messages in a schedule, and the rounds that the data of its operations need.
struct MessageChain {
  // Largest number of messages of which each waits for the one before.
  std::uint32_t messages = 0;
  // Number of rounds in which the same messages fit if an operation waits only for those that touch
  // the same blocks, and each rank sends one message and receives one message in a round. The order
  // of the operations is that of their ids, so another order may need fewer rounds.
  std::uint32_t rounds_for_data = 0;

  // True if the chain is so much longer than the data need that it is probably a mistake. Rounds,
  // in which each message waits for those of the round before, never are.
  [[nodiscard]] bool is_needless() const {
    return messages >= 2 * rounds_for_data && messages >= rounds_for_data + 4;
  }
};

// The schedule must have payload, and must be proved: where the order of two operations that touch
// the same blocks is not fixed, it is that of their ids.
[[nodiscard]] MessageChain message_chain(const Schedule& schedule);

struct ProofOutcome {
  std::optional<std::string> refusal;  // why the algorithm does not support the problem
  // Result of the proof; unset if there is a refusal. If all blocks have the same size, the result
  // also says whether the closed form of the algorithm's time, if there is one, is correct.
  Verdict verdict;
  // Set for a program that is proved, unless it is a barrier, whose messages have no data.
  std::optional<MessageChain> chain = {};
};

[[nodiscard]] ProofOutcome prove(const ProofCell& cell);

// Proves the schedules of all cells in parallel, on all processors. The outcomes are in the order
// of `cells`. Calls progress(number of cells done) from the calling thread, about ten times a
// second. If proofs of a program throw NotationError, throws the one with the fewest ranks.
[[nodiscard]] std::vector<ProofOutcome> prove_all(const std::vector<ProofCell>& cells,
                                                  const std::function<void(std::size_t)>& progress);

// Tries to prove that the program of each cell is correct. Returns true if all programs are
// correct. For each cell whose problem the program refuses, calls refused(index, reason) instead,
// with the index of the cell in `cells`. At the first incorrect program, prints the reason on `err`
// and returns false. If `with_blocks` is true, a schedule whose messages have no blocks counts as
// incorrect, because it must not be ranked among schedules that are proved.
bool prove_programs(const std::vector<ProofCell>& cells, Messages& messages,
                    const std::function<void(std::size_t, const std::string&)>& refused,
                    bool with_blocks = false);

}}  // namespace tutti::experiments
