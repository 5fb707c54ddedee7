// The collectives, and what each of them must achieve: its contract.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "schedules/op.hpp"

namespace tutti::inline schedules {

enum class Collective : std::uint8_t {
#define TUTTI_COLLECTIVE(name, rooted, reduces, parts) name,
#include "schedules/collectives.def"
#undef TUTTI_COLLECTIVE
};

inline constexpr std::array kCollectives{
#define TUTTI_COLLECTIVE(name, rooted, reduces, parts) Collective::name,
#include "schedules/collectives.def"
#undef TUTTI_COLLECTIVE
};

[[nodiscard]] std::string_view name(Collective collective);
[[nodiscard]] std::optional<Collective> collective_named(std::string_view name);
[[nodiscard]] bool has_root(Collective collective);
[[nodiscard]] bool reduces(Collective collective);     // uses an operator; barrier does not
[[nodiscard]] bool owns_parts(Collective collective);  // every rank owns a part of the vector
// Whether sizes of single blocks may be given: of each rank's, in alltoallv of each pair's.
[[nodiscard]] bool takes_block_sizes(Collective collective);
// Into how many blocks the vector falls where nobody cuts it further: one for each rank that owns a
// part, in alltoallv for each pair of ranks.
[[nodiscard]] std::uint64_t natural_blocks(Collective collective, std::uint32_t ranks);

// What a block of `work` must hold at the end.
struct Demand {
  enum class Kind : std::uint8_t {
    nothing,  // anything may be left there
    sum,      // the contribution of every rank to this block, each exactly once
    prefix,   // those of ranks 0 to `origin`, and of no other
    copy,     // block `block` of the input of rank `origin`
    hearing,  // barrier: a sign of every rank, each at least once
  };
  Kind kind = Kind::nothing;
  Rank origin = 0;
  std::uint32_t block = 0;

  friend constexpr bool operator==(const Demand&, const Demand&) = default;
};

// The contract of one collective on `ranks` ranks with `blocks` blocks. Where every rank owns a
// part (reduce_scatter, allgather, gather, scatter and those with a v), rank r owns blocks r*k to
// r*k+k-1, k = blocks/ranks. In alltoall, block b of rank r's input goes to rank (r + b) mod p,
// where it is block b of the result: blocks are counted by distance, so that blocks of unequal size
// match at both ends. In alltoallv every pair of ranks has blocks of its own, those of rank s for
// rank d from (s*p + d)*k on: the vector is what all ranks have together, of which each has the
// part that it sends and the part that it receives. What comes behind the last rank, a switch, has
// nothing at the start and owes nothing in the end.
class Contract {
 public:
  // Throws InvariantError when ranks own parts and `blocks` is not a multiple of `ranks`, or in
  // alltoallv of their square.
  Contract(Collective collective, std::uint32_t ranks, std::uint32_t blocks, Rank root);

  // Rank `rank` has block `block` at the start.
  [[nodiscard]] bool has_input(Rank rank, std::uint32_t block) const;
  // What `work` at `rank` must hold in block `block` at the end.
  [[nodiscard]] Demand demand(Rank rank, std::uint32_t block) const;
  // `work` starts with what `input` holds (all but alltoall).
  [[nodiscard]] bool in_place() const { return collective_ != Collective::alltoall; }

 private:
  [[nodiscard]] Rank owner(std::uint32_t block) const { return block / blocks_per_rank_; }

  Collective collective_;
  std::uint32_t ranks_;
  Rank root_;
  std::uint32_t blocks_per_rank_;
};

}  // namespace tutti::inline schedules
