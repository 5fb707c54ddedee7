// Träff's pipelines on a circulant graph: a vector in S blocks reaches all ranks in S - 1 + q
// rounds, q = ceil(lg p), the fewest that there can be, for any p and S.
//
// The skips are p halved q times, rounded up: s_q = p, ..., s_1 = 2, s_0 = 1. In round i each rank
// r receives from r - s_k and sends to r + s_k, k = i mod q. Of every q blocks in turn a rank
// receives each once; which one in which round, the receive schedule says. What a rank sends is
// what its receiver expects. Ranks count from the root.
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

namespace tutti::inline schedules {

class CirculantPipeline {
 public:
  CirculantPipeline(std::uint32_t ranks, std::uint32_t blocks);

  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  // S - 1 + q; none for one rank.
  [[nodiscard]] std::uint32_t rounds() const { return q_ == 0 ? 0 : blocks_ - 1 + q_; }
  [[nodiscard]] std::uint32_t skip(std::uint32_t round) const { return skips_[turn(round)]; }

  // The block that relative rank `to` >= 1 receives in `round` from `to` - skip(round), or none.
  [[nodiscard]] std::optional<std::uint32_t> received(std::uint32_t round, std::uint32_t to) const {
    const std::uint32_t i = round + idle_;
    // Of each q rounds, blocks are told from the first that they are about.
    const std::int64_t block =
        std::int64_t{received_[std::size_t{to} * q_ + i % q_]} + std::int64_t{i - i % q_} - idle_;
    if (block < 0) {
      return std::nullopt;
    }
    return block < blocks_ ? static_cast<std::uint32_t>(block) : blocks_ - 1;
  }

  // Calls visit(from, to, block) for each message of `round`, of relative ranks.
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
  std::uint32_t idle_ = 0;  // rounds left out at the start, so that the last one is the q-th of q
  std::vector<std::uint32_t> skips_;   // s_0 to s_q
  std::vector<std::int8_t> received_;  // by rank, then by k; negative: of the q blocks before
};

// s_0 = 1 to s_q = p.
[[nodiscard]] std::vector<std::uint32_t> circulant_halves(std::uint32_t ranks);
// Which block rank `rank` receives in rounds k = 0 to q - 1, by Träff's search.
void find_received(const std::vector<std::uint32_t>& skips, Rank rank, std::int8_t* received);

// From the root to all, each block in a message of its own.
void emit_circulant_bcast(Rounds& rounds, const CirculantPipeline& pipeline, Rank root);
// The same backwards: partial sums from all to the root. For operators that commute, but between
// two ranks.
void emit_circulant_reduce(Rounds& rounds, const CirculantPipeline& pipeline, Rank root);

// The blocks of a vector: of --segment bytes; or of equal size, as many as are best where starting
// a message takes as long as kBytesPerStart bytes: sqrt(bytes (q - 1) / kBytesPerStart).
[[nodiscard]] BlockLayout circulant_pipeline_layout(const Problem& problem);
// The same blocks, of a vector of so many elements; at least one.
[[nodiscard]] std::uint64_t circulant_pipeline_blocks(const Problem& problem,
                                                      std::uint64_t elements);
// As on the crossbar that is made where no platform is named.
inline constexpr double kBytesPerStart = 2500;

// For Algorithm::refusal.
[[nodiscard]] std::optional<Sentence> refuse_circulant_pipeline(const Problem& problem);
inline constexpr std::array<std::string_view, 2> kCirculantPipelineLimits{
    "more segments than labels count", "a $segment larger than the vector"};

}  // namespace tutti::inline schedules
