// The sets Req(<level,segment>,rank): the operations of a rank at a level and segment.
//
// Each operation looks up several sets, mostly at its own level or the previous one. Each level has
// its own table, so that the tables in use stay in the cache. If most ranks have operations at the
// level, and there are no segments, the table is an array over the ranks.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedules/op.hpp"

namespace tutti { inline namespace schedules { namespace program {

class RankSets {
 public:
  // `segments` is true if segments other than 0 are used.
  RankSets(std::uint32_t ranks, bool segments) : ranks_(ranks), segments_(segments) {}

  void add(std::uint32_t level, std::uint32_t segment, Rank rank, OpId id) {
    add_to(at(level, segment, rank), id);
  }
  // Replaces the members of the set by `ids`.
  void assign(std::uint32_t level, std::uint32_t segment, Rank rank, std::span<const OpId> ids);
  // Calls visit(id) for each member.
  template <typename Visit>
  void for_each(std::uint32_t level, std::uint32_t segment, Rank rank, Visit&& visit) const {
    const Set* const set = find(level, segment, rank);
    if (set == nullptr) {
      return;
    }
    if (set->count <= kInside) {
      for (std::uint32_t i = 0; i < set->count; ++i) {
        visit(set->ids[i]);
      }
      return;
    }
    visit(set->ids[0]);
    for (std::uint32_t at = set->ids[1]; at != kNoOp; at = more_[at].next) {
      visit(more_[at].id);
    }
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    // Overhead of an allocation, in bytes.
    constexpr std::size_t kHead = 16;
    // Size of an entry of sparse_, in bytes.
    constexpr std::size_t kSparseNode = 48;
    return sets_ * sizeof(Set) + more_.size() * sizeof(More) +
           tables_.size() * (sizeof(Table) + kHead) + sparse_.size() * kSparseNode;
  }

 private:
  static constexpr std::uint32_t kInside = 3;
  static constexpr std::uint32_t kNoTable = 0xffffffffU;
  static constexpr std::uint32_t kDenseLevels = 1U << 16U;

  struct Set {
    // kNoOp if the entry is free.
    Rank rank = kNoOp;
    std::uint32_t segment = 0;
    std::uint32_t count = 0;
    // The members, if there are at most three. Otherwise the first member, and the positions in
    // more_ of the first and the last of the other members, which form a chain.
    std::uint32_t ids[kInside] = {};
  };
  struct More {
    OpId id;
    std::uint32_t next;
  };
  struct Table {
    // One set per rank if `by_rank`; otherwise a hash table, whose size is a power of two.
    std::vector<Set> sets;
    std::uint32_t used = 0;
    bool by_rank = false;
  };

  static std::uint32_t hash(std::uint32_t segment, Rank rank) {
    const std::uint64_t h = (std::uint64_t{segment} << 32U | rank) * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::uint32_t>(h >> 32U);
  }
  [[nodiscard]] const Table* table(std::uint32_t level) const {
    if (level < dense_.size()) {
      return dense_[level] == kNoTable ? nullptr : &tables_[dense_[level]];
    }
    return level < kDenseLevels ? nullptr : sparse_table(level);
  }
  [[nodiscard]] const Table* sparse_table(std::uint32_t level) const;
  [[nodiscard]] const Set* find(std::uint32_t level, std::uint32_t segment, Rank rank) const {
    const Table* const in = table(level);
    if (in == nullptr) {
      return nullptr;
    }
    if (in->by_rank) {
      return &in->sets[rank];
    }
    const std::size_t mask = in->sets.size() - 1;
    for (std::size_t place = hash(segment, rank) & mask;; place = (place + 1) & mask) {
      const Set& set = in->sets[place];
      if (set.rank == kNoOp) {
        return nullptr;
      }
      if (set.rank == rank && set.segment == segment) {
        return &set;
      }
    }
  }
  Set& at(std::uint32_t level, std::uint32_t segment, Rank rank) {
    Table& in = level < dense_.size() && dense_[level] != kNoTable ? tables_[dense_[level]]
                                                                   : own_table(level);
    if (in.by_rank) {
      Set& set = in.sets[rank];
      set.rank = rank;
      return set;
    }
    return at_hashed(in, segment, rank);
  }
  void add_to(Set& set, OpId id) {
    if (set.count < kInside) {
      set.ids[set.count++] = id;
    } else {
      add_to_chain(set, id);
    }
  }
  Table& own_table(std::uint32_t level);
  Set& at_hashed(Table& in, std::uint32_t segment, Rank rank);
  Set& place_for(Table& in, std::uint32_t segment, Rank rank);
  void grow(Table& in);
  void add_to_chain(Set& set, OpId id);

  std::uint32_t ranks_;
  bool segments_;
  std::vector<Table> tables_;
  // For each level: the position of its table in tables_, or kNoTable.
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint32_t, std::uint32_t> sparse_;
  std::vector<More> more_;
  // Number of sets, used or free, in all tables.
  std::size_t sets_ = 0;
  std::size_t used_ = 0;
};

}}}  // namespace tutti::schedules::program
