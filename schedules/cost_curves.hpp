// What operations cost where one line per kind does not fit: pieces of lines over the bytes moved,
// as they are measured on a real machine.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedules/schedule.hpp"

namespace tutti {

// From `from_bytes` on, up to the next piece: fixed_s + bytes * s_per_byte.
struct CostPiece {
  std::uint64_t from_bytes = 0;
  double fixed_s = 0;
  double s_per_byte = 0;

  [[nodiscard]] double seconds(std::uint64_t bytes) const {
    return fixed_s + static_cast<double>(bytes) * s_per_byte;
  }
  friend bool operator==(const CostPiece&, const CostPiece&) = default;
};

// Ascending in from_bytes; the first piece holds below its own start too. Empty: unknown.
struct CostCurve {
  std::vector<CostPiece> pieces;

  [[nodiscard]] bool empty() const { return pieces.empty(); }
  // Not empty.
  [[nodiscard]] const CostPiece& at(std::uint64_t bytes) const;
  friend bool operator==(const CostCurve&, const CostCurve&) = default;
};

// Of messages between two ranks: those that go alone, and those of an exchange, in which an end
// that sends receives in the same round. Where the cores of the ranks copy the data themselves, as
// in shared memory, an exchange takes up to twice as long.
struct MessageCurves {
  CostCurve one_way;
  CostCurve exchange;
};

struct CostCurves {
  MessageCurves within_node;
  MessageCurves between_nodes;  // empty: as within
  CostCurve reduce;
  CostCurve copy;

  // Of a reduction or a copy.
  [[nodiscard]] double local_s(const Op& op) const {
    const CostCurve& curve = op.kind() == OpKind::reduce ? reduce : copy;
    return op.bytes() == 0 || curve.empty() ? 0 : curve.at(op.bytes()).seconds(op.bytes());
  }
};

// The piece that each message is priced by, by operation; null for local operations. `same_node`
// says whether two ranks share a node. A message is part of an exchange if its sender receives, or
// its receiver sends, another one of the same level and segment.
[[nodiscard]] std::vector<const CostPiece*> message_pieces(
    const Schedule& schedule, const CostCurves& curves,
    const std::function<bool(Rank, Rank)>& same_node);

}  // namespace tutti
