#include "schedules/collective.hpp"

#include "base/error.hpp"
#include "base/text_words.hpp"

namespace tutti { inline namespace schedules {

namespace {

struct Entry {
  Collective collective;
  std::string_view name;
  bool rooted;
  bool reduces;
  // True if every rank owns a part of the vector.
  bool parts;
};

constexpr std::array kEntries{
#define TUTTI_COLLECTIVE(name, rooted, reduces, parts) \
  Entry{Collective::name, #name, rooted, reduces, parts},
#include "schedules/collectives.def"
#undef TUTTI_COLLECTIVE
    Entry{Collective::application, "application", false, false, false}};

const Entry& entry(Collective collective) { return kEntries[static_cast<std::size_t>(collective)]; }

}  // namespace

std::string_view name(Collective collective) { return entry(collective).name; }
bool has_root(Collective collective) { return entry(collective).rooted; }
bool reduces(Collective collective) { return entry(collective).reduces; }
bool owns_parts(Collective collective) { return entry(collective).parts; }

bool takes_block_sizes(Collective collective) {
  return owns_parts(collective) &&
         (collective == Collective::reduce_scatter || name(collective).ends_with('v'));
}

std::string_view word_for_reduction(Collective collective) {
  return collective == Collective::application ? "calculation" : "reduction";
}

std::uint64_t natural_blocks(Collective collective, std::uint32_t ranks) {
  const std::uint64_t parts = owns_parts(collective) ? ranks : 1;
  return collective == Collective::alltoallv ? parts * ranks : parts;
}

std::optional<Collective> collective_named(std::string_view name) {
  for (const Collective candidate : kCollectives) {
    if (entry(candidate).name == name) {
      return candidate;
    }
  }
  return std::nullopt;
}

std::optional<Collective> collective_meant(std::string_view name) {
  std::string wanted = plain_name(name);
  for (const std::string_view library : {"mpi", "nccl"}) {
    if (wanted.starts_with(library)) {
      wanted.erase(0, library.size());
    }
  }
  if (wanted == "broadcast") {
    return Collective::bcast;
  }
  for (const Collective candidate : kCollectives) {
    if (plain_name(entry(candidate).name) == wanted) {
      return candidate;
    }
  }
  return std::nullopt;
}

Contract::Contract(Collective collective, std::uint32_t ranks, std::uint32_t blocks, Rank root,
                   bool work_starts_undefined)
    : collective_(collective),
      ranks_(ranks),
      root_(root),
      blocks_per_rank_(entry(collective).parts ? blocks / ranks : blocks),
      in_place_(collective != Collective::alltoall && !work_starts_undefined) {
  TUTTI_INVARIANT(ranks > 0 && blocks > 0 && root < ranks);
  TUTTI_INVARIANT(blocks % natural_blocks(collective, ranks) == 0);
}

bool Contract::has_input(Rank rank, std::uint32_t block) const {
  if (rank >= ranks_) {
    return false;
  }
  switch (collective_) {
    case Collective::allreduce:
    case Collective::reduce:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
    case Collective::scan:
    case Collective::exscan:
    case Collective::alltoall:
    case Collective::barrier:
      return true;
    case Collective::bcast:
    case Collective::scatter:
    case Collective::scatterv:
      return rank == root_;
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::gather:
    case Collective::gatherv:
    case Collective::alltoallv:
      return owner(block) == rank;
    case Collective::application:
      break;
  }
  return false;
}

Demand Contract::demand(Rank rank, std::uint32_t block) const {
  using Kind = Demand::Kind;
  if (rank >= ranks_) {
    return {};
  }
  switch (collective_) {
    case Collective::allreduce:
      return {Kind::sum, 0, block};
    case Collective::reduce:
      return rank == root_ ? Demand{Kind::sum, 0, block} : Demand{};
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return owner(block) == rank ? Demand{Kind::sum, 0, block} : Demand{};
    case Collective::scan:
      return {Kind::prefix, rank, block};
    case Collective::exscan:
      return rank > 0 ? Demand{Kind::prefix, rank - 1, block} : Demand{};
    case Collective::bcast:
      return {Kind::copy, root_, block};
    case Collective::allgather:
    case Collective::allgatherv:
      return {Kind::copy, owner(block), block};
    case Collective::gather:
    case Collective::gatherv:
      return rank == root_ ? Demand{Kind::copy, owner(block), block} : Demand{};
    case Collective::scatter:
    case Collective::scatterv:
      return owner(block) == rank ? Demand{Kind::copy, root_, block} : Demand{};
    case Collective::alltoall: {
      const std::uint32_t distance = block / blocks_per_rank_;
      return {Kind::copy, (rank + ranks_ - distance) % ranks_, block};
    }
    case Collective::alltoallv: {
      const std::uint32_t blocks_per_pair = blocks_per_rank_ / ranks_;
      const Rank to = block % blocks_per_rank_ / blocks_per_pair;
      return rank == to ? Demand{Kind::copy, owner(block), block} : Demand{};
    }
    case Collective::barrier:
      return {Kind::hearing, 0, block};
    case Collective::application:
      break;
  }
  return {};
}

}}  // namespace tutti::schedules
