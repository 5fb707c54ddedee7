// What operations cost on a machine that was measured, where one line per kind does not fit.
//
// A price is a line over the bytes moved, by pieces: an MPI library changes its protocol with the
// size of a message. How much a byte costs depends, beyond a certain size, on where data are: a
// schedule that touches more than a cache holds pays more for each byte, however small its
// messages.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

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

// What a byte costs where each rank works on so much data.
struct MemoryPoint {
  double working_set_bytes = 0;
  double s_per_byte = 0;
  friend bool operator==(const MemoryPoint&, const MemoryPoint&) = default;
};

struct CostCurve {
  // Where all data are in the nearest caches. Ascending in from_bytes; the first piece holds below
  // its own start too. Empty: unknown.
  std::vector<CostPiece> pieces;
  // Ascending in working_set_bytes; between two of them s_per_byte is linear in the logarithm of
  // the working set, and behind the last it stays. A byte costs this or what its piece says,
  // whichever is more. Empty: what its piece says.
  std::vector<MemoryPoint> memory;

  [[nodiscard]] bool empty() const { return pieces.empty(); }
  // The line for an operation of so many bytes; what it begins at is that of the piece. Not empty.
  [[nodiscard]] CostPiece at(std::uint64_t bytes, double working_set_bytes) const;
  friend bool operator==(const CostCurve&, const CostCurve&) = default;
};

// Messages between two ranks go alone, or are part of an exchange, in which an end
// that sends receives in the same round. Where the cores of the ranks copy the data themselves, as
// in shared memory, an exchange takes up to twice as long.
struct MessageCurves {
  CostCurve one_way;
  CostCurve exchange;
  // The receiver's core moves the data: it cannot reduce or copy meanwhile.
  bool by_core = false;
};

struct CostCurves {
  MessageCurves within_node;
  MessageCurves between_nodes;  // empty: as within
  CostCurve reduce;             // of data just received, into data that no other rank has read
  CostCurve reduce_sent;        // into data that were just sent; empty: as `reduce`
  CostCurve copy;
  double start_s = 0;  // from the moment that ranks are ready to when their first operation starts
};

// What each operation of a schedule costs.
struct OpPrices {
  std::vector<CostPiece> lines;  // by operation
  // By operation: a message that the receiver's core moves. Empty: none.
  std::vector<bool> by_core;

  // What an operation takes by itself.
  [[nodiscard]] double seconds(OpId id, const Op& op) const {
    return op.bytes() == 0 && !op.is_comm() ? 0 : lines[id].seconds(op.bytes());
  }
};

// `same_node` says whether two ranks share a node. A message is part of an exchange if its sender
// receives, or its receiver sends, another one of the same level and segment; a reduction is into
// sent data if the last message that its rank sent before it, of the same level and segment, read
// what it writes. The working set is that of one rank: input, work and scratch.
[[nodiscard]] OpPrices prices_of(const Schedule& schedule, const CostCurves& curves,
                                 const std::function<bool(Rank, Rank)>& same_node);

[[nodiscard]] double working_set_bytes(const Schedule& schedule);

}  // namespace tutti::inline schedules
