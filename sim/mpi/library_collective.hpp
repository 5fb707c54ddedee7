// The MPI library's own collective on the same buffers: what ours is compared with.
#pragma once

#include <cstddef>
#include <mpi.h>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/mpi/handles.hpp"
#include "sim/mpi/world.hpp"

namespace tutti::mpi {

// Blocks of unequal size go by the variants with counts. alltoall counts its blocks by distance, so
// its displacements do too.
class LibraryCollective {
 public:
  // Throws UserError when the vector has more elements than MPI's counts can say.
  LibraryCollective(const Schedule& schedule, const World& world, const ElementHandles& handles);

  // From `input` into `result`, a vector each. Non-blocking inside, so that waiting gives the core
  // away; result is as `work` of our collective where the contract demands something.
  void run(const std::byte* input, std::byte* result) const;
  // The blocking call, for times. In place where ours is.
  void run_blocking(const std::byte* input, std::byte* work) const;

  [[nodiscard]] const char* call() const { return call_; }

 private:
  [[nodiscard]] std::byte* at(std::byte* vector, int element) const;
  [[nodiscard]] const std::byte* at(const std::byte* vector, int element) const;

  Collective collective_;
  const World& world_;
  const ElementHandles& handles_;
  int root_;
  int me_;
  int count_ = 0;
  std::vector<int> counts_;  // by rank; alltoall: by distance
  std::vector<int> starts_;
  std::vector<int> send_counts_;  // alltoall, by rank
  std::vector<int> send_starts_;
  std::vector<int> receive_counts_;
  std::vector<int> receive_starts_;
  const char* call_ = "";
};

}  // namespace tutti::mpi
