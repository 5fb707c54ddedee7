// Träff's pipelines on a circulant graph, from all roots at once. The block of each rank is cut
// into S pieces. The round-optimal broadcast of circulant_pipeline.hpp distributes these pieces
// from that rank as the root. In a round all ranks use the same skip, so each sends one message and
// receives one. A message has at most one piece of each block, and so at most n/S bytes, where n is
// the size of the whole vector, whatever the sizes of the blocks. The number of rounds is S - 1 +
// ceil(lg p), the minimum.
//
// In reverse, the same messages are p reductions at once: a reduce-scatter.
//
// Source: Träff, "Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast,
// All-Broadcast, Reduction and All-Reduction", arXiv 2407.18004.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/circulant_pipeline.hpp"

namespace tutti { inline namespace schedules {

class CirculantPieces {
 public:
  CirculantPieces(std::uint32_t ranks, std::uint32_t count)
      : pipeline_(ranks, count), count_(count) {}

  [[nodiscard]] std::uint32_t rounds() const { return pipeline_.rounds(); }

  // Selects a round of the broadcasts. The functions below refer to this round.
  void go_to(std::uint32_t round);
  // above() and below() return the rank that is one skip above or below `rank`, modulo p.
  [[nodiscard]] Rank above(Rank rank) const { return moved(rank, skip_); }
  [[nodiscard]] Rank below(Rank rank) const { return moved(rank, pipeline_.ranks() - skip_); }
  // Returns the pieces that `to` receives from the rank below it. Both members of a pair are the
  // number of the same block. The span is valid until the next call.
  [[nodiscard]] std::span<const BlockPair> received_by(Rank to);

 private:
  struct Piece {
    // Distance from the root of the piece's broadcast to the receiver, in rank numbers modulo p.
    std::uint32_t distance;
    std::uint32_t number;
  };

  [[nodiscard]] Rank moved(Rank rank, std::uint32_t by) const {
    const std::uint32_t p = pipeline_.ranks();
    return rank + by < p ? rank + by : rank + by - p;
  }

  CirculantPipeline pipeline_;
  std::uint32_t count_;
  std::uint32_t skip_ = 0;
  std::vector<Piece> pieces_;
  std::vector<BlockPair> pairs_;
};

// Returns S, the number of pieces per block. --segment sets the size of a piece. By default, equal
// blocks have one piece, and blocks of given sizes are cut into as many pieces as
// circulant_pipeline_layout() would cut the whole vector into blocks.
[[nodiscard]] std::uint64_t circulant_pieces(const Problem& problem);
// Returns a layout in which piece i of rank r's block is block r * S + i.
[[nodiscard]] BlockLayout layout_in_circulant_pieces(const Problem& problem);
// Implements Algorithm::refusal. kCirculantPipelineLimits lists the cases.
[[nodiscard]] std::optional<Sentence> refuse_circulant_pieces(const Problem& problem);

}}  // namespace tutti::schedules
