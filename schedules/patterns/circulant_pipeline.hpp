// Träff's pipelines on a circulant graph: a vector of S blocks reaches all ranks in S - 1 + q
// rounds, q = ceil(lg p). This is the minimum for any p and S.
//
// The skips are the results of halving p q times, rounded up each time: s_q = p, ..., s_1 = 2, s_0
// = 1. In round i, with k = i mod q, each rank r receives from r - s_k and sends to r + s_k. In any
// q consecutive rounds a rank receives q different blocks. The receive schedule determines which
// block a rank receives in each round; the sender sends the block that its receiver expects. Ranks
// are numbered relative to the root.
//
// Source: Träff, "Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast,
// All-Broadcast, Reduction and All-Reduction", arXiv 2407.18004; "(Poly)Logarithmic Time
// Construction of Round-optimal n-Block Broadcast Schedules", arXiv 2205.10072.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sentence.hpp"
#include "schedules/block_layout.hpp"
#include "schedules/op.hpp"
#include "schedules/patterns/rounds.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

class CirculantPipeline {
 public:
  CirculantPipeline(std::uint32_t ranks, std::uint32_t blocks);

  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  // Number of rounds: S - 1 + q, or 0 for a single rank.
  [[nodiscard]] std::uint32_t rounds() const { return q_ == 0 ? 0 : blocks_ - 1 + q_; }
  [[nodiscard]] std::uint32_t skip(std::uint32_t round) const { return skips_[turn(round)]; }

  // Returns the block that relative rank `to` >= 1 receives in `round` from `to` - skip(round), if
  // any.
  [[nodiscard]] std::optional<std::uint32_t> received(std::uint32_t round, std::uint32_t to) const {
    const std::uint32_t i = round + idle_;
    // Block numbers in received_ are relative to the current group of q rounds.
    const std::int64_t block =
        std::int64_t{received_[std::size_t{to} * q_ + i % q_]} + std::int64_t{i - i % q_} - idle_;
    if (block < 0) {
      return std::nullopt;
    }
    return block < blocks_ ? static_cast<std::uint32_t>(block) : blocks_ - 1;
  }

  // Calls visit(from, to, block) for each message of `round`, with relative ranks.
  template <typename Visit>
  void for_each_message(std::uint32_t round, Visit&& visit) const {
    const std::uint32_t p = ranks_;
    const std::uint32_t back = p - skip(round);
    for (std::uint32_t to = 1; to < p; ++to) {
      if (const auto block = received(round, to)) {
        visit(to + back < p ? to + back : to + back - p, to, *block);
      }
    }
  }

 private:
  [[nodiscard]] std::uint32_t turn(std::uint32_t round) const { return (round + idle_) % q_; }

  std::uint32_t ranks_;
  std::uint32_t blocks_;
  std::uint32_t q_ = 0;
  // Number of rounds left out at the start, so that the last round completes a group of q rounds.
  std::uint32_t idle_ = 0;
  // The skips s_0 to s_q.
  std::vector<std::uint32_t> skips_;
  // The receive schedule, by rank and then by k. Negative numbers are blocks of the previous group
  // of rounds.
  std::vector<std::int8_t> received_;
};

// Returns the skips s_0 = 1 to s_q = p.
[[nodiscard]] std::vector<std::uint32_t> circulant_halves(std::uint32_t ranks);
// Finds with Träff's search which block rank `rank` receives in each round k = 0 to q - 1, and
// stores its number in received[k].
void find_received(const std::vector<std::uint32_t>& skips, Rank rank, std::int8_t* received);

// Broadcasts from the root to all ranks, with one block per message.
void emit_circulant_bcast(Rounds& rounds, const CirculantPipeline& pipeline, Rank root);
// Reduces the vectors of all ranks to the root, with the messages of emit_circulant_bcast() in
// reverse. The operator must commute if there are more than two ranks.
void emit_circulant_reduce(Rounds& rounds, const CirculantPipeline& pipeline, Rank root);

// Cuts the vector into blocks of --segment bytes. By default, cuts the vector into sqrt(bytes (q -
// 1) / kBytesPerStart) equal blocks. This number is optimal if starting a message takes as long as
// sending kBytesPerStart bytes.
[[nodiscard]] BlockLayout circulant_pipeline_layout(const Problem& problem);
// Returns the number of blocks into which circulant_pipeline_layout() cuts `elements` elements; at
// least one.
[[nodiscard]] std::uint64_t circulant_pipeline_blocks(const Problem& problem,
                                                      std::uint64_t elements);
// Number of bytes that a link of the default crossbar transfers in the time that starting a message
// takes. The default crossbar is the platform that is used if none is named.
inline constexpr double kBytesPerStart = 2500;

// Implements Algorithm::refusal.
[[nodiscard]] std::optional<Sentence> refuse_circulant_pipeline(const Problem& problem);
inline constexpr std::array<std::string_view, 2> kCirculantPipelineLimits{
    "more segments than can be numbered", "a $segment larger than the vector"};

}}  // namespace tutti::schedules
