// Measured costs of operations, for machines on which the cost of an operation is not one linear
// function of its bytes.
//
// A cost is a piecewise linear function of the bytes moved, because an MPI library changes its
// protocol with the message size. It also depends on the size of all data that a rank touches: if
// these data do not fit into a cache, each byte costs more, however small the messages are.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// The cost of operations of at least `from_bytes` bytes, up to the start of the next piece: fixed_s
// + bytes * s_per_byte.
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
  // Costs if all data are in the nearest caches, sorted by from_bytes. The first piece is also used
  // for fewer bytes than its from_bytes. Empty if the costs are unknown.
  std::vector<CostPiece> pieces;
  // Cost of a byte by working set, sorted by working_set_bytes. Between two points, s_per_byte is
  // linear in the logarithm of the working set; after the last point it is constant. The cost of a
  // byte is the larger of this s_per_byte and that of the piece. If `memory` is empty, only the
  // piece counts.
  std::vector<MemoryPoint> memory;

  [[nodiscard]] bool empty() const { return pieces.empty(); }
  // Returns the piece for an operation of `bytes` bytes. If s_per_byte is larger for the working
  // set than for the piece, the returned piece has the larger value. The curve must not be empty.
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
  // If empty, within_node applies to these messages, too.
  MessageCurves between_nodes;
  // Cost of a reduction of received data into data that the rank has not sent at the level and
  // segment of the reduction.
  CostCurve reduce;
  // Cost of a reduction into data that the rank has sent at the level and segment of the reduction.
  // If empty, `reduce` applies.
  CostCurve reduce_sent;
  CostCurve copy;
  // Seconds between the moment when the ranks are ready and the start of their first operation.
  double start_s = 0;
};

// The costs of all operations of a schedule.
struct OpPrices {
  // One linear cost function per operation.
  std::vector<CostPiece> lines;
  // One value per operation: true for a message that the receiver's core moves. Empty if there is
  // no such message.
  std::vector<bool> by_core;

  // Duration of an operation that does not wait for anything.
  [[nodiscard]] double seconds(OpId id, const Op& op) const {
    return op.bytes() == 0 && !op.is_comm() ? 0 : lines[id].seconds(op.bytes());
  }
};

// Returns the cost of each operation. `same_node` returns true if two ranks share a node. A message
// is part of an exchange if its sender receives, or its receiver sends, another message of the same
// level and segment. A reduction costs `reduce_sent` if its rank has already sent, at the same
// level and segment, the data that the reduction overwrites. The working set consists of the input,
// work and scratch buffers of one rank.
[[nodiscard]] OpPrices prices_of(const Schedule& schedule, const CostCurves& curves,
                                 const std::function<bool(Rank, Rank)>& same_node);

[[nodiscard]] double working_set_bytes(const Schedule& schedule);

}}  // namespace tutti::schedules
