// Measured costs of operations, for machines on which one straight line per kind of operation does
// not fit.
//
// A price is a piecewise linear function of the bytes moved, because an MPI library changes its
// protocol with the message size. Beyond a certain size, the cost of a byte depends on where the
// data are: a schedule that touches more data than a cache holds pays more for each byte, however
// small its messages are.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

// The cost of operations of `from_bytes` bytes or more, up to the next piece: fixed_s + bytes *
// s_per_byte.
struct CostPiece {
  std::uint64_t from_bytes = 0;
  double fixed_s = 0;
  double s_per_byte = 0;

  [[nodiscard]] double seconds(std::uint64_t bytes) const {
    return fixed_s + static_cast<double>(bytes) * s_per_byte;
  }
  friend bool operator==(const CostPiece&, const CostPiece&) = default;
};

// The cost of a byte if each rank works on `working_set_bytes` of data.
struct MemoryPoint {
  double working_set_bytes = 0;
  double s_per_byte = 0;
  friend bool operator==(const MemoryPoint&, const MemoryPoint&) = default;
};

struct CostCurve {
  // Costs if all data are in the nearest caches. Ascending in from_bytes; the first piece also
  // holds below its own start. Empty: unknown.
  std::vector<CostPiece> pieces;
  // Ascending in working_set_bytes. Between two points, s_per_byte is linear in the logarithm of
  // the working set; after the last point it is constant. A byte costs this or the s_per_byte of
  // its piece, whichever is more. Empty: only the piece counts.
  std::vector<MemoryPoint> memory;

  [[nodiscard]] bool empty() const { return pieces.empty(); }
  // The line for an operation of `bytes` bytes: its piece, with s_per_byte raised to that of the
  // working set if this is more. The curve must not be empty.
  [[nodiscard]] CostPiece at(std::uint64_t bytes, double working_set_bytes) const;
  friend bool operator==(const CostCurve&, const CostCurve&) = default;
};

// Costs of messages between two ranks. A message goes alone (`one_way`), or it is part of an
// exchange, in which a rank that sends also receives in the same round. If the ranks' cores copy
// the data themselves, as in shared memory, an exchange takes up to twice as long.
struct MessageCurves {
  CostCurve one_way;
  CostCurve exchange;
  // True if the receiver's core moves the data; it cannot reduce or copy meanwhile.
  bool by_core = false;
};

struct CostCurves {
  MessageCurves within_node;
  MessageCurves between_nodes;  // empty: same as within_node
  CostCurve reduce;             // of data just received, into data that no other rank has read
  CostCurve reduce_sent;        // into data that were just sent; empty: same as `reduce`
  CostCurve copy;
  double start_s = 0;  // from when the ranks are ready until their first operation starts
};

// The costs of all operations of a schedule.
struct OpPrices {
  std::vector<CostPiece> lines;  // by operation
  // By operation: true for a message that the receiver's core moves. Empty: no such message.
  std::vector<bool> by_core;

  // Duration of an operation that does not wait for anything.
  [[nodiscard]] double seconds(OpId id, const Op& op) const {
    return op.bytes() == 0 && !op.is_comm() ? 0 : lines[id].seconds(op.bytes());
  }
};

// Returns the cost of each operation. `same_node` tells if two ranks share a node. A message is
// part of an exchange if its sender receives, or its receiver sends, another message of the same
// level and segment. A reduction costs `reduce_sent` if its rank has already sent, at the same
// level and segment, the data that the reduction overwrites. The working set is that of one rank:
// input, work and scratch.
[[nodiscard]] OpPrices prices_of(const Schedule& schedule, const CostCurves& curves,
                                 const std::function<bool(Rank, Rank)>& same_node);

[[nodiscard]] double working_set_bytes(const Schedule& schedule);

}  // namespace tutti::inline schedules
