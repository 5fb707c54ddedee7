// The dependencies of a schedule: one row of operation ids per operation.
//
// Rows are stored in one of two ways. Lists store each id. Patterns store, for each operation, only
// the number of a pattern, in 16 bits. A pattern is a list of distances between the operation's id
// and those in its row. In a regular algorithm, such as a ring, the operations of all ranks and
// rounds have few patterns.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "schedules/op.hpp"

namespace tutti { inline namespace schedules {

// A row of operation ids. Its entries are computed when they are read.
class OpIds {
 public:
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = OpId;
    using difference_type = std::ptrdiff_t;
    using pointer = const OpId*;
    using reference = OpId;

    Iterator() = default;
    Iterator(const std::uint32_t* at, OpId base) : at_(at), base_(base) {}

    OpId operator*() const { return *at_ + base_; }
    OpId operator[](difference_type n) const { return at_[n] + base_; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) { return {at_++, base_}; }
    Iterator operator--(int) { return {at_--, base_}; }
    Iterator& operator+=(difference_type n) {
      at_ += n;
      return *this;
    }
    Iterator& operator-=(difference_type n) {
      at_ -= n;
      return *this;
    }
    friend Iterator operator+(Iterator a, difference_type n) { return a += n; }
    friend Iterator operator+(difference_type n, Iterator a) { return a += n; }
    friend Iterator operator-(Iterator a, difference_type n) { return a -= n; }
    friend difference_type operator-(Iterator a, Iterator b) { return a.at_ - b.at_; }
    friend bool operator==(Iterator a, Iterator b) { return a.at_ == b.at_; }
    friend auto operator<=>(Iterator a, Iterator b) { return a.at_ <=> b.at_; }

   private:
    const std::uint32_t* at_ = nullptr;
    OpId base_ = 0;
  };

  OpIds(const std::uint32_t* first, std::size_t size, OpId base)
      : first_(first), size_(size), base_(base) {}

  [[nodiscard]] Iterator begin() const { return {first_, base_}; }
  [[nodiscard]] Iterator end() const { return {first_ + size_, base_}; }
  [[nodiscard]] auto rbegin() const { return std::make_reverse_iterator(end()); }
  [[nodiscard]] auto rend() const { return std::make_reverse_iterator(begin()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] OpId operator[](std::size_t i) const { return first_[i] + base_; }
  // The row as ids in memory. The rows must be stored as lists.
  [[nodiscard]] std::span<const OpId> listed() const {
    TUTTI_INVARIANT(base_ == 0);
    return {first_, size_};
  }

 private:
  const std::uint32_t* first_;
  std::size_t size_;
  OpId base_;  // added to each number from first_ on
};

class DependencyRows {
 public:
  DependencyRows() = default;
  // The row of operation `id` is ids[starts[id]] to ids[starts[id + 1] - 1]. `starts` has one entry
  // more than there are operations. The rows are stored as lists.
  DependencyRows(std::vector<std::uint32_t> starts, std::vector<OpId> ids)
      : starts_(std::move(starts)), ids_(std::move(ids)) {}

  [[nodiscard]] OpIds row(OpId id) const {
    const bool listed = patterns_.empty();
    const std::size_t at = listed ? id : patterns_[id];
    const std::uint32_t start = starts_[at];
    return {ids_.data() + start, starts_[at + 1] - start, listed ? 0 : id};
  }

  // Number of rows.
  [[nodiscard]] std::size_t size() const {
    return patterns_.empty() ? starts_.size() - 1 : patterns_.size();
  }

  // Stores the rows as patterns if there are few patterns for many operations. A row must not
  // contain its own operation.
  void fold();
  // Stores the rows as lists.
  void unfold();
  // Returns the rows of the opposite direction: row `a` has `b` if row `b` of these rows has `a`.
  // All of its rows are ascending. They are stored as patterns only if these rows are.
  [[nodiscard]] DependencyRows turned() const;

  [[nodiscard]] std::size_t memory_bytes() const {
    return patterns_.size() * sizeof(std::uint16_t) + starts_.size() * sizeof(std::uint32_t) +
           ids_.size() * sizeof(OpId);
  }

 private:
  [[nodiscard]] bool turn_patterns(DependencyRows& turned) const;
  void turn_lists(DependencyRows& turned) const;

  // With lists, patterns_ is empty. With patterns, patterns_[id] takes the place of `id` as index
  // into starts_, and ids_ has the distances: the id in the row minus `id`, modulo 2^32.
  std::vector<std::uint16_t> patterns_;
  std::vector<std::uint32_t> starts_{0};
  std::vector<OpId> ids_;
};

}}  // namespace tutti::schedules
