// Executes a schedule in one process, one operation after the other in id order, with arithmetic of
// its own. The result is what every rank must hold in the end, to the last bit, even in floating
// point. The schedule must be proved: if there is a race, id order is only one of several orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/mpi/plan/element.hpp"

namespace tutti::mpi {

// Memory that costs nothing until it is touched. Much of a scratch buffer may never be.
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

// Fills `input` and `work` of `rank` as the contract demands at the start: with the rank's
// contribution where it has input (in `work` only if the collective is in place), and elsewhere
// with a pattern that does not occur in results. `input` may be null if it is not needed.
void start_contents(const Schedule& schedule, const Element& element, Rank rank, std::byte* input,
                    std::byte* work);

// Returns the final `work` of all ranks, one after the other, each as long as the vector.
[[nodiscard]] std::vector<std::byte> serial_replay(const Schedule& schedule,
                                                   const Element& element);

// Returns the number of bytes that serial_replay() may touch.
[[nodiscard]] std::uint64_t serial_replay_bytes(const Schedule& schedule);

}  // namespace tutti::mpi
