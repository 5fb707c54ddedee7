// The vocabulary of a schedule: ranks, operations, and the blocks that an operation touches.
//
// An operation has 20 bytes and its payload another 20. Operations and payloads are stored in
// separate arrays, so that a run that needs only times has no payloads.
#pragma once

#include <compare>
#include <cstdint>

namespace tutti { inline namespace schedules {

using Rank = std::uint32_t;
// Position of an operation in the schedule. An operation depends only on operations with smaller
// ids.
using OpId = std::uint32_t;

inline constexpr OpId kNoOp = 0xffffffffU;

enum class OpKind : std::uint8_t {
  // A message: moves blocks of a buffer at rank src to blocks of a buffer at rank dst.
  comm,
  // Combines blocks of one buffer into blocks of another buffer at the same rank.
  reduce,
  // Moves blocks at one rank. Takes no time unless the user sets a cost for copies.
  copy,
};

// The buffers of a rank. In every collective but alltoall, `work` starts with the contents of
// `input`, as with MPI_IN_PLACE or after the initial copy of an MPI collective. At the end, `work`
// has the result. `input` is never written. `scratch` starts undefined.
enum class Buffer : std::uint8_t { input, work, scratch };

// Tells which operand of the operator the incoming data are: the result is `from op into` if they
// are the left operand, `into op from` if they are the right operand.
enum class Operand : std::uint8_t { left, right };

// A set of `count` blocks. It consists of runs of `run` consecutive blocks. The first run starts at
// block `first`. Each following run starts `stride` blocks after the start of the previous run,
// modulo the number of blocks of the schedule. The last run may be shorter. {first, count} alone is
// one contiguous run, which may wrap around.
struct BlockSet {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t run = 0;     // 0: all `count` blocks are one run
  std::uint32_t stride = 0;  // 0 when run is 0

  [[nodiscard]] constexpr bool contiguous() const { return run == 0; }
  friend constexpr bool operator==(const BlockSet&, const BlockSet&) = default;
};

// A place that holds blocks. `scratch` may have several slots, each as long as the vector: one for
// every message in flight. `input` and `work` have slot 0 only.
struct Place {
  Buffer buffer = Buffer::work;
  std::uint32_t slot = 0;

  friend constexpr bool operator==(const Place&, const Place&) = default;
};

inline constexpr Place kInput{Buffer::input, 0};
inline constexpr Place kWork{Buffer::work, 0};
inline constexpr Place kScratch{Buffer::scratch, 0};

// Level and segment of an operation, as in Req(<level,segment>,{src,dst}) of the notation.
struct Label {
  std::uint32_t level = 0;
  std::uint32_t segment = 0;

  friend constexpr auto operator<=>(const Label&, const Label&) = default;
};

inline constexpr std::uint32_t kMaxLevel = (1U << 24U) - 1;
inline constexpr std::uint32_t kMaxSegment = (1U << 20U) - 1;
inline constexpr std::uint64_t kMaxMessageBytes = (std::uint64_t{1} << 44U) - 1;  // 16 TiB

// The cores and the network interfaces that an operation uses at its ranks, by number. A core does
// one calculation at a time. An interface sends, and receives, RunSetup::ports messages at a time.
// With message parameters, a core at each end also handles a message. A message that is moved by
// the receiver's core holds that core.
struct Units {
  std::uint8_t src_core = 0;
  std::uint8_t dst_core = 0;  // of a calculation: equal to src_core
  std::uint8_t src_nic = 0;   // 0 in a calculation
  std::uint8_t dst_nic = 0;

  friend constexpr bool operator==(const Units&, const Units&) = default;
};

// One operation. For a reduce or copy, src and dst are both the rank that does the operation.
class Op {
 public:
  constexpr Op() = default;
  constexpr Op(OpKind kind, Rank src, Rank dst, std::uint64_t bytes, Label label, Buffer from,
               Buffer into, Operand from_is, bool pooled)
      : src_(src),
        dst_(dst),
        bytes_low_(static_cast<std::uint32_t>(bytes)),
        level_and_flags_(
            label.level | static_cast<std::uint32_t>(kind) << 24U |
            static_cast<std::uint32_t>(from) << 26U | static_cast<std::uint32_t>(into) << 28U |
            static_cast<std::uint32_t>(from_is) << 30U | static_cast<std::uint32_t>(pooled) << 31U),
        segment_and_bytes_high_(label.segment | static_cast<std::uint32_t>(bytes >> 32U) << 20U) {}

  [[nodiscard]] constexpr OpKind kind() const {
    return static_cast<OpKind>(level_and_flags_ >> 24U & 3U);
  }
  [[nodiscard]] constexpr bool is_comm() const { return kind() == OpKind::comm; }
  [[nodiscard]] constexpr Rank src() const { return src_; }
  [[nodiscard]] constexpr Rank dst() const { return dst_; }
  // The rank that does a reduce or copy.
  [[nodiscard]] constexpr Rank rank() const { return dst_; }
  [[nodiscard]] constexpr std::uint64_t bytes() const {
    return bytes_low_ | std::uint64_t{segment_and_bytes_high_ >> 20U} << 32U;
  }
  [[nodiscard]] constexpr Label label() const {
    return {level_and_flags_ & kMaxLevel, segment_and_bytes_high_ & kMaxSegment};
  }
  [[nodiscard]] constexpr Buffer from() const {
    return static_cast<Buffer>(level_and_flags_ >> 26U & 3U);
  }
  [[nodiscard]] constexpr Buffer into() const {
    return static_cast<Buffer>(level_and_flags_ >> 28U & 3U);
  }
  [[nodiscard]] constexpr Operand from_is() const {
    return static_cast<Operand>(level_and_flags_ >> 30U & 1U);
  }
  // True if the blocks cannot be described by a BlockSet; they are then in the schedule's pool.
  [[nodiscard]] constexpr bool pooled() const { return level_and_flags_ >> 31U != 0; }

  [[nodiscard]] constexpr bool touches(Rank rank) const { return src_ == rank || dst_ == rank; }
  [[nodiscard]] constexpr bool shares_rank(const Op& other) const {
    return touches(other.src_) || touches(other.dst_);
  }

  friend constexpr bool operator==(const Op&, const Op&) = default;

 private:
  Rank src_ = 0;
  Rank dst_ = 0;
  std::uint32_t bytes_low_ = 0;
  std::uint32_t level_and_flags_ = 0;
  std::uint32_t segment_and_bytes_high_ = 0;
};
static_assert(sizeof(Op) == 20);

// The blocks that an operation reads and writes. It reads the set `from`, and writes a set with the
// same count, run and stride whose first block is `into_first`. In scratch slot s, block b has
// index s * blocks + b, and wrapping stays within the slot. If the operation is pooled, its pairs
// are in the pool: from.count pairs from position from.first on.
struct Payload {
  BlockSet from;
  std::uint32_t into_first = 0;

  friend constexpr bool operator==(const Payload&, const Payload&) = default;
};
static_assert(sizeof(Payload) == 20);

// One block of a pooled payload: the index at which it is read, and the one at which it is written.
struct BlockPair {
  std::uint32_t from = 0;
  std::uint32_t into = 0;

  friend constexpr bool operator==(const BlockPair&, const BlockPair&) = default;
};

}}  // namespace tutti::schedules
