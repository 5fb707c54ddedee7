// Executes a schedule in one process, one operation after the other in id order, with arithmetic
// that does not use the MPI library. The result is what each rank must have at the end of a run, to
// the last bit, even in floating point. The schedule must be proved, because with a race, id order
// would be only one of several orders with different results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/mpi/plan/element.hpp"

namespace tutti::mpi {

// Memory that costs nothing until it is touched, for scratch buffers, most of which may never be
// touched.
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

// The buffers of one rank.
struct RankBuffers {
  explicit RankBuffers(const Schedule& schedule);

  LazyBytes input;
  LazyBytes work;
  LazyBytes scratch;

  [[nodiscard]] std::byte* at(Buffer buffer) const;
};

// Fills `input` and `work` of `rank` as the contract demands at the start: with the rank's
// contribution where the rank has input (in `work` only if the collective is in place), and
// elsewhere with a pattern that does not occur in results. `input` may be null if the caller does
// not need it.
void start_contents(const Schedule& schedule, const Element& element, Rank rank, std::byte* input,
                    std::byte* work);

// Returns the final `work` of all ranks, one after the other, each as long as the vector.
[[nodiscard]] std::vector<std::byte> serial_replay(const Schedule& schedule,
                                                   const Element& element);

// Returns the amount of memory that serial_replay() may touch, in bytes.
[[nodiscard]] std::uint64_t serial_replay_bytes(const Schedule& schedule);

}  // namespace tutti::mpi
