// The schedule performed by one process, one operation after the other in id order, with our own
// arithmetic: what every rank must hold in the end, to the bit, floating point included. The
// schedule must be proved: where something races, id order is only one of the orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/mpi/plan/element.hpp"

namespace tutti::mpi {

// Memory that costs nothing until it is touched: much of a scratch buffer may never be.
class LazyBytes {
 public:
  explicit LazyBytes(std::uint64_t bytes = 0);
  [[nodiscard]] std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }  // NOLINT: from calloc
  };
  std::unique_ptr<std::byte, Free> data_;
};

// Fills `input` and `work` of `rank` as the contract has it: its contribution where it has input,
// in `work` too where the collective is in place, and a pattern that no result has elsewhere.
// `input` may be null where nobody reads it.
void start_contents(const Schedule& schedule, const Element& element, Rank rank, std::byte* input,
                    std::byte* work);

// The `work` of each rank at the end, after each other, each as long as the vector.
[[nodiscard]] std::vector<std::byte> serial_replay(const Schedule& schedule,
                                                   const Element& element);

// Bytes that serial_replay() may touch.
[[nodiscard]] std::uint64_t serial_replay_bytes(const Schedule& schedule);

}  // namespace tutti::mpi
