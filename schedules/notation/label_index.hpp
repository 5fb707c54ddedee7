// Finds the operation that has a given label.
//
// A file may have millions of operations, each with several lookups. Most lookups are for the level
// of the current operation or the previous level. Each level has its own table, so the tables of
// these two levels stay in the cache, whereas one table for all levels would cost a cache miss per
// lookup.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "schedules/op.hpp"

namespace tutti { inline namespace schedules {

// A label as a key. The label of a reduction has one rank, which is stored in both `src` and `dst`;
// all other labels have two ranks.
struct LabelKey {
  Label label;
  Rank src = 0;
  Rank dst = 0;
  bool reduction = false;

  [[nodiscard]] bool names(const Op& op) const {
    return op.src() == src && op.dst() == dst && op.label() == label &&
           (op.kind() == OpKind::reduce) == reduction;
  }
};

class LabelIndex {
 public:
  // Ids are positions in `ops`, which must outlive the index.
  explicit LabelIndex(const std::vector<Op>& ops) : ops_(ops) {}

  // Returns the operation with the label, or kNoOp if there is none.
  [[nodiscard]] OpId find(const LabelKey& key) const {
    const std::uint32_t at = position_of(key.label.level);
    return at == kNoTable ? kNoOp : find_in(tables_[at], key, hash(key));
  }
  // Adds operation `id`, which need not be in `ops` yet. If the label is taken, adds nothing and
  // returns the operation that has it. Returns kNoOp otherwise.
  OpId add(const LabelKey& key, OpId id);

  [[nodiscard]] std::size_t memory_bytes() const {
    // Overhead of an allocation, in bytes.
    constexpr std::size_t kHead = 16;
    // Size of an entry of sparse_, in bytes.
    constexpr std::size_t kSparseNode = 48;
    return entries_ * sizeof(Entry) + tables_.size() * (sizeof(Table) + kHead) +
           sparse_.size() * kSparseNode;
  }

 private:
  struct Entry {
    std::uint32_t hash = 0;
    // kNoOp if the entry is free.
    OpId id = kNoOp;
  };
  struct Table {
    // The hash table. Its size is a power of two.
    std::vector<Entry> entries;
    std::uint32_t used = 0;
  };

  static std::uint32_t hash(const LabelKey& key) {
    std::uint64_t h = std::uint64_t{key.src} << 32U | key.dst;
    h ^= (std::uint64_t{key.label.segment} << 1U | (key.reduction ? 1U : 0U)) *
         0x9e3779b97f4a7c15ULL;
    h ^= h >> 29U;
    h *= 0xff51afd7ed558ccdULL;
    h ^= h >> 32U;
    h *= 0xc4ceb9fe1a85ec53ULL;
    return static_cast<std::uint32_t>(h >> 32U);
  }
  [[nodiscard]] std::uint32_t position_of(std::uint32_t level) const;
  Table& make_table(std::uint32_t level);
  [[nodiscard]] OpId find_in(const Table& table, const LabelKey& key, std::uint32_t hash) const;
  void grow(Table& table);

  // Levels below kDenseLevels are looked up in the array dense_. Higher levels, which may be in the
  // millions, are looked up in the map sparse_.
  static constexpr std::uint32_t kDenseLevels = 1U << 16U;
  static constexpr std::uint32_t kNoTable = 0xffffffffU;

  const std::vector<Op>& ops_;
  std::vector<Table> tables_;
  // For each level: the position of its table in tables_, or kNoTable.
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint32_t, std::uint32_t> sparse_;
  // Number of entries, used or free, in all tables.
  std::size_t entries_ = 0;
  std::size_t entries_used_ = 0;
};

}}  // namespace tutti::schedules
