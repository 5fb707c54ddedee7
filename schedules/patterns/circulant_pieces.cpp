#include "schedules/patterns/circulant_pieces.hpp"

#include <algorithm>

#include "schedules/patterns/block_parts.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti { inline namespace schedules {

void CirculantPieces::go_to(std::uint32_t round) {
  skip_ = pipeline_.skip(round);
  pieces_.clear();
  for (std::uint32_t distance = pipeline_.ranks() - 1; distance > 0; --distance) {
    if (const auto piece = pipeline_.received(round, distance)) {
      pieces_.push_back({distance, *piece});
    }
  }
}

std::span<const BlockPair> CirculantPieces::received_by(Rank to) {
  const std::uint32_t p = pipeline_.ranks();
  pairs_.resize(pieces_.size());
  std::transform(pieces_.begin(), pieces_.end(), pairs_.begin(), [&](const Piece& piece) {
    const Rank root = to - piece.distance + (to >= piece.distance ? 0 : p);
    const std::uint32_t block = root * count_ + piece.number;
    return BlockPair{block, block};
  });
  return pairs_;
}

std::uint64_t circulant_pieces(const Problem& problem) {
  if (problem.segment_bytes == 0) {
    return problem.block_bytes.empty() ? 1 : circulant_pipeline_blocks(problem, problem.elements());
  }
  const BlockLayout blocks = block_per_rank(problem);
  std::uint64_t longest = 0;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    longest = std::max(longest, blocks.size_bytes(rank) / problem.element_bytes);
  }
  return segment_count(longest, segment_elements(problem, 0));
}

BlockLayout layout_in_circulant_pieces(const Problem& problem) {
  return layout_in_parts(problem, static_cast<std::uint32_t>(circulant_pieces(problem)));
}

std::optional<Sentence> refuse_circulant_pieces(const Problem& problem) {
  if (problem.segment_bytes > problem.bytes) {
    return sentence("a segment of {} bytes is larger than the vector of {} bytes",
                    problem.segment_bytes, problem.bytes);
  }
  const std::uint64_t most = kMaxSegment / problem.ranks;
  if (const std::uint64_t count = circulant_pieces(problem); count > most) {
    return sentence(
        "segments of {} bytes cut the blocks into {} pieces, more than {}; use a larger $segment",
        problem.segment_bytes, count, most);
  }
  return std::nullopt;
}

}}  // namespace tutti::schedules
