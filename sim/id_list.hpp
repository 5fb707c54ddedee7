// Lists of operation ids. A list can have millions of ids, and stores most of them in two bytes or
// less each.
//
// Consecutive ids of a list usually differ little, and often by a fixed stride, because messages of
// one instant start in id order, and messages on one link belong to successive ranks. So a list
// stores its first id and the steps between ids. A run of equal steps is stored once, in 80 bits.
// Any other step needs 16 bits, or 80 bits if it is negative or too large.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/large_array.hpp"

namespace tutti { inline namespace sim {

// Memory for the steps of all lists, in chunks of 128 bytes. When a list frees a chunk, other lists
// can reuse it.
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

  // Takes back the chunks from `first` to `last`, which are linked by `next`.
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
  Chunk* fresh_ = nullptr;  // chunks that have not been used yet
  Chunk* fresh_end_ = nullptr;
};

// A first-in first-out queue of ids. It is a plain value without a destructor. If a list is dropped
// before it is empty, its chunks are freed only with the pool. To free them earlier, call clear().
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
    last_ = id;
    if (step == open_.step && open_.left > 0) [[likely]] {
      ++open_.left;
      return;
    }
    if (open_.left > 0) {
      write_down(pool);
    }
    open_ = {step, 1};
  }

  void pop(IdPool& pool) {
    if (--size_ == 0) {
      forget(pool);
      return;
    }
    if (read_.left == 0) {
      read_ = next_steps(
          head_, at_, [&](Chunk* read) { pool.give(read, read); }, &open_);
    }
    --read_.left;
    first_ += read_.step;
  }

  void clear(IdPool& pool) {
    size_ = 0;
    forget(pool);
  }

  // Calls visit(id) for each id, in order. visit() must not change the list.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    IdList rest = *this;
    rest.visit_all([](Chunk*) {}, visit);
  }

  // Calls visit(id) for each id and empties the list. Chunks return to the pool one by one, so that
  // lists filled by visit() can reuse them.
  template <typename Visit>
  void drain(IdPool& pool, Visit&& visit) {
    IdList rest = *this;
    *this = {};
    rest.visit_all([&](Chunk* read) { pool.give(read, read); }, visit);
    rest.forget(pool);
  }

 private:
  using Chunk = IdPool::Chunk;

  // A run of equal steps: the step `step`, `left` times.
  struct Steps {
    std::uint32_t step = 0;
    std::uint32_t left = 0;
  };

  // Format of a chunk: each unit is one step, unless it is kSteps. kSteps is followed by a step and
  // by the number of times that the step is repeated, in two units each.
  static constexpr std::uint16_t kSteps = 0xffff;
  static constexpr std::uint32_t kWorthwhile = 5;  // units that a run of equal steps needs

  // Returns the steps that follow read_: first those in chunks, then those in open_. Calls
  // done(chunk) for each chunk that was read to its end, except the last one.
  template <typename Done>
  Steps next_steps(Chunk*& chunk, std::uint16_t& at, Done&& done, Steps* open) const {
    if (chunk == nullptr || (chunk == tail_ && at == end_)) {
      const Steps steps = *open;
      open->left = 0;
      return steps;
    }
    const auto unit = [&]() -> std::uint32_t {
      if (at == Chunk::kUnits) {
        Chunk* const read = chunk;
        chunk = chunk->next;
        at = 0;
        done(read);
      }
      return chunk->units[at++];
    };
    const std::uint32_t first = unit();
    if (first != kSteps) {
      return {first, 1};
    }
    Steps steps;
    steps.step = unit();
    steps.step |= unit() << 16U;
    steps.left = unit();
    steps.left |= unit() << 16U;
    return steps;
  }

  template <typename Done, typename Visit>
  void visit_all(Done&& done, Visit&& visit) {
    if (size_ == 0) {
      return;
    }
    std::uint32_t id = first_;
    visit(id);
    Steps steps = read_;
    for (std::uint32_t left = size_ - 1; left > 0;) {
      if (steps.left == 0) {
        steps = next_steps(head_, at_, done, &open_);
      }
      left -= steps.left;
      for (; steps.left > 0; --steps.left) {
        id += steps.step;
        visit(id);
      }
    }
  }

  void write_down(IdPool& pool) {
    if (open_.step < kSteps && open_.left < kWorthwhile) {
      for (; open_.left > 0; --open_.left) {
        put(pool, open_.step);
      }
      return;
    }
    put(pool, kSteps);
    put(pool, open_.step);
    put(pool, open_.step >> 16U);
    put(pool, open_.left);
    put(pool, open_.left >> 16U);
  }

  void put(IdPool& pool, std::uint32_t unit) {
    if (tail_ == nullptr) {
      head_ = tail_ = pool.take();
      at_ = end_ = 0;
    } else if (end_ == Chunk::kUnits) {
      tail_->next = pool.take();
      tail_ = tail_->next;
      end_ = 0;
    }
    tail_->units[end_++] = static_cast<std::uint16_t>(unit);
  }

  void forget(IdPool& pool) {
    read_.left = open_.left = 0;
    if (head_ != nullptr) {
      pool.give(head_, tail_);
      head_ = tail_ = nullptr;
    }
  }

  Chunk* head_ = nullptr;
  Chunk* tail_ = nullptr;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  std::uint32_t size_ = 0;
  Steps read_;             // steps from first_ on
  Steps open_;             // steps up to last_, which are not in a chunk yet
  std::uint16_t at_ = 0;   // index in head_ of the unit that follows read_
  std::uint16_t end_ = 0;  // index in tail_ of the first free unit
};
static_assert(sizeof(IdList) == 48);

}}  // namespace tutti::sim
