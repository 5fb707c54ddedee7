// Runs the MPI library's own collective on the buffers of a schedule, for comparison.
#pragma once

#include <cstddef>
#include <mpi.h>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/mpi/handles.hpp"
#include "sim/mpi/world.hpp"

namespace tutti::mpi {

// The MPI library's collective. Collectives with blocks use MPI's variants with counts, such as
// MPI_Allgatherv, because blocks may be unequal. The blocks of alltoall are numbered by the
// distance between sender and receiver; the counts and displacements that MPI needs are by rank,
// and are computed from those of the blocks.
class LibraryCollective {
 public:
  // Throws UserError if the vector has more elements than an MPI count can hold.
  LibraryCollective(const Schedule& schedule, const World& world, const ElementHandles& handles);

  // Runs the collective from `input` into `result`; each is a full vector. Uses the non-blocking
  // call, so that the core can be given away during the wait. Afterwards, `result` equals `work` of
  // a schedule's run wherever the contract demands a value.
  void run(const std::byte* input, std::byte* result) const;
  // Runs the blocking call, for timing. The call is in place if the schedule is in place.
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
  std::vector<int> counts_;  // number of elements by rank; for alltoall, by distance
  std::vector<int> starts_;
  // The following lists are by rank, and used only for alltoall and alltoallv.
  std::vector<int> send_counts_;
  std::vector<int> send_starts_;
  std::vector<int> receive_counts_;
  std::vector<int> receive_starts_;
  const char* call_ = "";
};

}  // namespace tutti::mpi
