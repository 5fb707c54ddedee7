#include "schedules/patterns/vector_cut.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace schedules {

VectorCut::VectorCut(std::vector<std::uint64_t> piece_offsets)
    : piece_offsets_(std::move(piece_offsets)) {}

// Does not store the first and the last bound of `layout`. They are the ends of the run, which
// covers its pieces even if these pieces are empty.
std::uint32_t VectorCut::add_run(const BlockLayout& layout, std::uint32_t first_piece,
                                 std::uint32_t end_piece) {
  TUTTI_INVARIANT(layout.bytes() == piece_offsets_[end_piece] - piece_offsets_[first_piece]);
  Run run{first_piece, end_piece, {}, {}};
  run.bounds.reserve(layout.blocks());
  std::uint32_t piece = first_piece;
  // The bound at the start of the first piece exists already.
  PlacedBound last{first_piece, 0, 0};
  std::uint64_t last_offset = piece_offsets_[first_piece];
  for (std::uint32_t block = 1; block < layout.blocks(); ++block) {
    const std::uint64_t offset = piece_offsets_[first_piece] + layout.offset_bytes(block);
    const auto next_begins_here = [&] {
      return piece + 1 < end_piece && piece_offsets_[piece + 1] == offset;
    };
    PlacedBound bound = last;
    if (offset != last_offset) {
      while (piece + 1 < end_piece && piece_offsets_[piece + 1] < offset) {
        ++piece;
      }
      piece += next_begins_here() ? 1 : 0;
      bound = {piece, offset - piece_offsets_[piece], 0};
    } else if (next_begins_here()) {  // both the piece and the block are empty
      bound = {++piece, 0, 0};
    } else {
      ++bound.repeated;
    }
    last_offset = offset;
    run.bounds.push_back(bound);
    last = bound;
  }
  runs_.push_back(std::move(run));
  return static_cast<std::uint32_t>(runs_.size() - 1);
}

void VectorCut::settle(std::uint32_t together) {
  // For each offset in a piece at which a run has a bound: the largest number of equal bounds that
  // a single run has there. There is an empty block between two equal bounds.
  using LocalBounds = std::map<std::uint64_t, std::uint32_t>;
  const auto pieces = static_cast<std::uint32_t>(piece_offsets_.size() - 1);
  std::vector<LocalBounds> local(pieces);
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    local[piece][0] = 1;  // the start of the piece; its end is the start of the next piece
  }
  for (const Run& run : runs_) {
    for (const PlacedBound& bound : run.bounds) {
      std::uint32_t& times = local[bound.piece][bound.local_offset];
      times = std::max(times, bound.repeated + 1);
    }
  }
  // For each piece, the first block at each local offset.
  std::vector<std::map<std::uint64_t, std::uint32_t>> first(pieces);
  std::vector<std::uint32_t> blocks(pieces);
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    for (const auto& [offset, times] : local[piece]) {
      first[piece][offset] = blocks[piece];
      blocks[piece] += times;
    }
  }
  // Largest number of blocks of a rank; all ranks must have this number.
  std::uint32_t most = 0;
  for (std::uint32_t begin = 0; together != 0 && begin < pieces; begin += together) {
    const auto at = blocks.begin() + begin;
    most = std::max(most, std::accumulate(at, at + together, 0U));
  }
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    first_block_.push_back(static_cast<std::uint32_t>(offsets_.size()));
    for (const auto& [offset, times] : local[piece]) {
      offsets_.insert(offsets_.end(), times, piece_offsets_[piece] + offset);
    }
    if (together != 0 && (piece + 1) % together == 0) {
      const std::size_t wanted = std::size_t{most} * ((piece + 1) / together);
      offsets_.resize(wanted, piece_offsets_[piece + 1]);
    }
  }
  first_block_.push_back(static_cast<std::uint32_t>(offsets_.size()));
  offsets_.push_back(piece_offsets_.back());
  for (Run& run : runs_) {
    run.places.reserve(run.bounds.size() + 2);
    run.places.push_back(first_block_[run.first_piece]);
    for (const PlacedBound& bound : run.bounds) {
      run.places.push_back(first_block_[bound.piece] + first[bound.piece][bound.local_offset] +
                           bound.repeated);
    }
    run.places.push_back(first_block_[run.end_piece]);
    run.bounds = {};
  }
}

BlockLayout VectorCut::layout(std::uint32_t element_bytes) const {
  // If a block ends inside an element, the layout counts single bytes.
  const bool whole = std::all_of(offsets_.begin(), offsets_.end(),
                                 [&](std::uint64_t offset) { return offset % element_bytes == 0; });
  const std::uint32_t unit_bytes = whole ? element_bytes : 1;
  std::vector<std::uint64_t> units;
  units.reserve(offsets_.size());
  for (std::size_t bound = 1; bound < offsets_.size(); ++bound) {
    units.push_back((offsets_[bound] - offsets_[bound - 1]) / unit_bytes);
  }
  return BlockLayout::irregular(units, unit_bytes);
}

OwnedPlaces VectorCut::places_of(const std::vector<Pieces>& pieces_of_block) const {
  OwnedPlaces places;
  bool in_order = true;
  std::optional<std::uint32_t> next;
  for (const Pieces& pieces : pieces_of_block) {
    std::vector<std::uint32_t>& list = places.lists.emplace_back();
    places.some_empty = places.some_empty || pieces.empty();
    for (const std::uint32_t piece : pieces) {
      in_order = in_order && (!next || *next == piece);
      next = piece + 1;
      for (std::uint32_t b = first_block_[piece]; b < first_block_[piece + 1]; ++b) {
        list.push_back(b);
      }
    }
  }
  if (in_order && !places.some_empty && !places.lists.empty()) {
    for (const std::vector<std::uint32_t>& list : places.lists) {
      places.bounds.push_back(list.front());
    }
    places.bounds.push_back(places.lists.back().back() + 1);
  }
  return places;
}

PlacedMove place_move(const Schedule& part, OpId id, const BlockPlaces& places,
                      std::vector<BlockPair>& pairs) {
  const Op& op = part.op(id);
  const Payload& payload = part.payload(id);
  const std::uint32_t blocks = part.blocks();
  PlacedMove move;
  if (places.bounds != nullptr && !op.pooled() && payload.from.contiguous()) {
    const std::vector<std::uint32_t>& bounds = *places.bounds;
    const std::uint32_t first = payload.from.first % blocks;
    const std::uint32_t end = first + payload.from.count;
    if (first == payload.into_first % blocks && end <= blocks) {
      return {bounds[first], bounds[end] - bounds[first], payload.from.first / blocks,
              payload.into_first / blocks};
    }
  }
  pairs.clear();
  for_each_block_pair(part, id, [&](std::uint32_t read, std::uint32_t written) {
    move.from_slot = read / blocks;
    move.into_slot = written / blocks;
    read %= blocks;
    written %= blocks;
    const std::uint32_t count = places.count(read);
    // A block of the part is a run of blocks of the whole. It can move only to the place of a run
    // of the same length.
    if (read != written && count != places.count(written)) {
      throw UnservedProblem("one of its parts exchanges blocks of different sizes");
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      pairs.push_back({places.at(read, i), places.at(written, i)});
    }
  });
  return move;
}

}}  // namespace tutti::schedules
