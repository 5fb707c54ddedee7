// The collectives, and what each of them must achieve: its contract.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "schedules/op.hpp"

namespace tutti { inline namespace schedules {

enum class Collective : std::uint8_t {
#define TUTTI_COLLECTIVE(name, rooted, reduces, parts) name,
#include "schedules/collectives.def"
#undef TUTTI_COLLECTIVE
  // The operations of a whole program, for which no contract is known. A schedule of an application
  // is bare (see schedules/bytes_only.hpp), and its local operations are calculations: Op::bytes()
  // is their time in nanoseconds.
  application
};

// All collectives; an application is none.
inline constexpr std::array kCollectives{
#define TUTTI_COLLECTIVE(name, rooted, reduces, parts) Collective::name,
#include "schedules/collectives.def"
#undef TUTTI_COLLECTIVE
};

[[nodiscard]] std::string_view name(Collective collective);
// Returns nothing for the name of an application.
[[nodiscard]] std::optional<Collective> collective_named(std::string_view name);
// Like collective_named(), but also accepts the names that users know from MPI, NCCL and other
// libraries: MPI_Allreduce, ncclAllReduce, all_reduce, reduce-scatter, broadcast.
[[nodiscard]] std::optional<Collective> collective_meant(std::string_view name);
[[nodiscard]] bool has_root(Collective collective);
// True if the collective combines data with an operator.
[[nodiscard]] bool reduces(Collective collective);
// True if every rank owns a part of the vector.
[[nodiscard]] bool owns_parts(Collective collective);
// True if the user may give the size of each block. There is one block per rank, or in alltoallv
// one per pair of ranks.
[[nodiscard]] bool takes_block_sizes(Collective collective);
// Returns the word for an operation of the kind OpKind::reduce: "reduction", or "calculation" in an
// application.
[[nodiscard]] std::string_view word_for_reduction(Collective collective);
// Number of blocks of a vector that is not cut further: one per pair of ranks in alltoallv, one per
// rank if every rank owns a part, and one otherwise.
[[nodiscard]] std::uint64_t natural_blocks(Collective collective, std::uint32_t ranks);

// The content that a block of `work` must have at the end.
struct Demand {
  enum class Kind : std::uint8_t {
    // The final content does not matter.
    nothing,
    // The contributions of all ranks to this block, each exactly once.
    sum,
    // The contributions of ranks 0 to `origin`, each exactly once, and no others.
    prefix,
    // Block `block` of the input of rank `origin`.
    copy,
    // For a barrier, which moves no data: a signal from every rank.
    hearing,
  };
  Kind kind = Kind::nothing;
  Rank origin = 0;
  std::uint32_t block = 0;

  friend constexpr bool operator==(const Demand&, const Demand&) = default;
};

// The contract of one collective on `ranks` ranks with `blocks` blocks.
//
// Let p be the number of ranks. If every rank owns a part (as in reduce_scatter, allgather, gather,
// scatter and their variants with a v), rank r owns blocks r*k to r*k+k-1, where k = blocks/ranks.
// In alltoall, parts are numbered by the distance to the receiver, so that a part has the same size
// at both ends: part b of rank r's input goes to rank (r + b) mod p, where it is part b of the
// result. In alltoallv, every pair of ranks has its own blocks: those that rank s sends to rank d
// start at (s*p + d)*k, where k = blocks/p^2. The vector then holds the data of all ranks; each
// rank has the part that it sends and the part that it receives.
//
// Switches are numbered after the last rank. A switch has no data at the start, and need not have
// any at the end.
class Contract {
 public:
  // If every rank owns a part, throws InvariantError unless `blocks` is a multiple of `ranks`; in
  // alltoallv, it must be a multiple of `ranks` squared. If `work_starts_undefined`, in_place() is
  // false for every collective.
  Contract(Collective collective, std::uint32_t ranks, std::uint32_t blocks, Rank root,
           bool work_starts_undefined = false);

  // True if `rank` has block `block` at the start.
  [[nodiscard]] bool has_input(Rank rank, std::uint32_t block) const;
  // The content that block `block` of `work` at `rank` must have at the end.
  [[nodiscard]] Demand demand(Rank rank, std::uint32_t block) const;
  // True if `work` starts with the contents of `input` (by default, in all collectives but
  // alltoall).
  [[nodiscard]] bool in_place() const { return in_place_; }

 private:
  [[nodiscard]] Rank owner(std::uint32_t block) const { return block / blocks_per_rank_; }

  Collective collective_;
  std::uint32_t ranks_;
  Rank root_;
  std::uint32_t blocks_per_rank_;
  bool in_place_;
};

}}  // namespace tutti::schedules
