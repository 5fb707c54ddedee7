// Lists of operations by id, millions of them at a time, in about two bytes each.
//
// Ids that come to a list one after the other are mostly close to each other: messages of one
// instant start in the order of their ids, and those of one link are a stride apart. So a list
// keeps its first id and then the steps from one id to the next, 16 bits each; a step that is too
// long, or backwards, takes 48.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "schedules/large_array.hpp"

namespace tutti {

// Where lists keep their steps: chunks of 128 bytes that go from list to list.
class IdPool {
 public:
  struct Chunk {
    static constexpr std::size_t kUnits = 60;
    Chunk* next;
    std::array<std::uint16_t, kUnits> units;
  };
  static_assert(sizeof(Chunk) == 128);

  IdPool() = default;
  IdPool(const IdPool&) = delete;
  IdPool& operator=(const IdPool&) = delete;

  [[nodiscard]] Chunk* take() {
    if (free_ != nullptr) {
      Chunk* const chunk = free_;
      free_ = chunk->next;
      return chunk;
    }
    if (fresh_ == fresh_end_) [[unlikely]] {
      grow();
    }
    return fresh_++;
  }

  // Takes back the chunks from `first` to `last`, which are joined by `next`.
  void give(Chunk* first, Chunk* last) {
    last->next = free_;
    free_ = first;
  }

 private:
  void grow() {
    constexpr std::size_t kMostChunks = (std::size_t{8} << 20U) / sizeof(Chunk);
    blocks_.push_back(std::make_unique_for_overwrite<Chunk[]>(block_chunks_));
    fresh_ = blocks_.back().get();
    fresh_end_ = fresh_ + block_chunks_;
    advise_huge_pages(fresh_, block_chunks_ * sizeof(Chunk));
    if (block_chunks_ < kMostChunks) {
      block_chunks_ *= 2;
    }
  }

  std::vector<std::unique_ptr<Chunk[]>> blocks_;
  std::size_t block_chunks_ = 64;
  Chunk* free_ = nullptr;
  Chunk* fresh_ = nullptr;  // what nobody has had yet
  Chunk* fresh_end_ = nullptr;
};

// First in, first out. A plain value: whoever drops a list that is not empty gives its chunks back
// by clear(), or leaves them to the end of the pool.
class IdList {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t front() const { return first_; }

  void push(IdPool& pool, std::uint32_t id) {
    if (size_++ == 0) {
      first_ = last_ = id;
      return;
    }
    const std::uint32_t step = id - last_;
    if (step < kLong) {
      put(pool, static_cast<std::uint16_t>(step));
    } else {
      put(pool, kLong);
      put(pool, static_cast<std::uint16_t>(step));
      put(pool, static_cast<std::uint16_t>(step >> 16U));
    }
    last_ = id;
  }

  void pop(IdPool& pool) {
    if (--size_ == 0) {
      give_back(pool);
      return;
    }
    first_ += step([&] { return consume(pool); });
  }

  void clear(IdPool& pool) {
    size_ = 0;
    give_back(pool);
  }

  // Calls visit(id) for each id, in order; which must leave the list as it is.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    const IdPool::Chunk* chunk = head_;
    std::size_t at = at_;
    std::uint32_t id = first_;
    for (std::uint32_t left = size_; left > 0;) {
      visit(id);
      if (--left > 0) {
        id += step([&] {
          if (at == IdPool::Chunk::kUnits) {
            chunk = chunk->next;
            at = 0;
          }
          return chunk->units[at++];
        });
      }
    }
  }

  // The same, and empties the list; chunks go back to the pool on the way, for what `visit` fills.
  template <typename Visit>
  void drain(IdPool& pool, Visit&& visit) {
    IdList rest = *this;
    *this = {};
    while (!rest.empty()) {
      const std::uint32_t id = rest.front();
      rest.pop(pool);
      visit(id);
    }
  }

 private:
  static constexpr std::uint16_t kLong = 0xffff;  // the next two units are a step of 32 bits

  template <typename NextUnit>
  static std::uint32_t step(NextUnit&& next_unit) {
    const std::uint32_t unit = next_unit();
    if (unit != kLong) [[likely]] {
      return unit;
    }
    const std::uint32_t low = next_unit();
    return low | static_cast<std::uint32_t>(next_unit()) << 16U;
  }

  void put(IdPool& pool, std::uint16_t unit) {
    if (tail_ == nullptr) {
      head_ = tail_ = pool.take();
      at_ = end_ = 0;
    } else if (end_ == IdPool::Chunk::kUnits) {
      tail_->next = pool.take();
      tail_ = tail_->next;
      end_ = 0;
    }
    tail_->units[end_++] = unit;
  }

  std::uint16_t consume(IdPool& pool) {
    if (at_ == IdPool::Chunk::kUnits) {
      IdPool::Chunk* const read = head_;
      head_ = head_->next;
      pool.give(read, read);
      at_ = 0;
    }
    return head_->units[at_++];
  }

  void give_back(IdPool& pool) {
    if (head_ != nullptr) {
      pool.give(head_, tail_);
      head_ = tail_ = nullptr;
    }
  }

  IdPool::Chunk* head_ = nullptr;
  IdPool::Chunk* tail_ = nullptr;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  std::uint32_t size_ = 0;
  std::uint16_t at_ = 0;   // in head_: the step from first_ to the next
  std::uint16_t end_ = 0;  // in tail_
};
static_assert(sizeof(IdList) == 32);

}  // namespace tutti
