#include "schedules/collective.hpp"

#include "base/error.hpp"

namespace tutti {

namespace {

struct Entry {
  Collective collective;
  std::string_view name;
  bool rooted;
  bool reduces;
  bool parts;  // every rank owns a part of the vector
};

constexpr std::array kEntries{
#define TUTTI_COLLECTIVE(name, rooted, reduces, parts) \
  Entry{Collective::name, #name, rooted, reduces, parts},
#include "schedules/collectives.def"
#undef TUTTI_COLLECTIVE
};

const Entry& entry(Collective collective) { return kEntries[static_cast<std::size_t>(collective)]; }

}  // namespace

std::string_view name(Collective collective) { return entry(collective).name; }
bool has_root(Collective collective) { return entry(collective).rooted; }
bool reduces(Collective collective) { return entry(collective).reduces; }
bool owns_parts(Collective collective) { return entry(collective).parts; }

std::optional<Collective> collective_named(std::string_view name) {
  for (const Entry& candidate : kEntries) {
    if (candidate.name == name) {
      return candidate.collective;
    }
  }
  return std::nullopt;
}

Contract::Contract(Collective collective, std::uint32_t ranks, std::uint32_t blocks, Rank root)
    : collective_(collective),
      ranks_(ranks),
      root_(root),
      blocks_per_rank_(entry(collective).parts ? blocks / ranks : blocks) {
  TUTTI_INVARIANT(ranks > 0 && blocks > 0 && root < ranks);
  TUTTI_INVARIANT(!entry(collective).parts || blocks % ranks == 0);
}

bool Contract::has_input(Rank rank, std::uint32_t block) const {
  switch (collective_) {
    case Collective::allreduce:
    case Collective::reduce:
    case Collective::reduce_scatter:
    case Collective::alltoall:
    case Collective::barrier:
      return true;
    case Collective::bcast:
    case Collective::scatter:
      return rank == root_;
    case Collective::allgather:
    case Collective::gather:
      return owner(block) == rank;
  }
  return false;
}

Demand Contract::demand(Rank rank, std::uint32_t block) const {
  using Kind = Demand::Kind;
  switch (collective_) {
    case Collective::allreduce:
      return {Kind::sum, 0, block};
    case Collective::reduce:
      return rank == root_ ? Demand{Kind::sum, 0, block} : Demand{};
    case Collective::reduce_scatter:
      return owner(block) == rank ? Demand{Kind::sum, 0, block} : Demand{};
    case Collective::bcast:
      return {Kind::copy, root_, block};
    case Collective::allgather:
      return {Kind::copy, owner(block), block};
    case Collective::gather:
      return rank == root_ ? Demand{Kind::copy, owner(block), block} : Demand{};
    case Collective::scatter:
      return owner(block) == rank ? Demand{Kind::copy, root_, block} : Demand{};
    case Collective::alltoall: {
      const std::uint32_t distance = block / blocks_per_rank_;
      return {Kind::copy, (rank + ranks_ - distance) % ranks_, block};
    }
    case Collective::barrier:
      return {Kind::hearing, 0, block};
  }
  return {};
}

}  // namespace tutti
