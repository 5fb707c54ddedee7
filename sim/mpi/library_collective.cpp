#include "sim/mpi/library_collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "sim/mpi/mpi_error.hpp"

namespace tutti::mpi {

namespace {

const char* call_of(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
      return "MPI_Allreduce";
    case Collective::bcast:
      return "MPI_Bcast";
    case Collective::reduce:
      return "MPI_Reduce";
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return "MPI_Reduce_scatter";
    case Collective::allgather:
    case Collective::allgatherv:
      return "MPI_Allgatherv";
    case Collective::alltoall:
    case Collective::alltoallv:
      return "MPI_Alltoallv";
    case Collective::gather:
    case Collective::gatherv:
      return "MPI_Gatherv";
    case Collective::scatter:
    case Collective::scatterv:
      return "MPI_Scatterv";
    case Collective::scan:
      return "MPI_Scan";
    case Collective::exscan:
      return "MPI_Exscan";
    case Collective::barrier:
    case Collective::application:
      break;
  }
  return "MPI_Barrier";
}

}  // namespace

LibraryCollective::LibraryCollective(const Schedule& schedule, const World& world,
                                     const ElementHandles& handles)
    : collective_(schedule.problem().collective),
      world_(world),
      handles_(handles),
      root_(static_cast<int>(schedule.problem().root)),
      me_(static_cast<int>(world.rank())),
      call_(call_of(collective_)) {
  const BlockLayout& layout = schedule.layout();
  const std::uint64_t elements = layout.bytes() / handles.element().bytes();
  if (elements > std::numeric_limits<int>::max()) {
    throw UserError(
        fmt::format("{} elements: the check calls the MPI library's own collective, which supports "
                    "at most 2147483647 elements; use $check replay or $check none",
                    elements));
  }
  count_ = static_cast<int>(elements);
  const std::uint32_t ranks = world.ranks();
  if (!owns_parts(collective_)) {
    return;
  }
  const auto element = [&](std::uint32_t block) {
    return static_cast<int>(layout.offset_bytes(block) / handles.element().bytes());
  };
  if (collective_ == Collective::alltoallv) {
    const std::uint32_t per_pair = layout.blocks() / ranks / ranks;
    const auto add = [&](Rank from, Rank to, std::vector<int>& counts, std::vector<int>& starts) {
      const std::uint32_t first = (from * ranks + to) * per_pair;
      starts.push_back(element(first));
      counts.push_back(element(first + per_pair) - starts.back());
    };
    for (Rank other = 0; other < ranks; ++other) {
      add(world.rank(), other, send_counts_, send_starts_);
      add(other, world.rank(), receive_counts_, receive_starts_);
    }
    return;
  }
  const std::uint32_t per_rank = layout.blocks() / ranks;
  for (std::uint32_t part = 0; part < ranks; ++part) {
    starts_.push_back(element(part * per_rank));
    counts_.push_back(element((part + 1) * per_rank) - starts_.back());
  }
  if (collective_ == Collective::alltoall) {
    for (std::uint32_t other = 0; other < ranks; ++other) {
      const std::uint32_t to = (other + ranks - world.rank()) % ranks;
      const std::uint32_t from = (world.rank() + ranks - other) % ranks;
      send_counts_.push_back(counts_[to]);
      send_starts_.push_back(starts_[to]);
      receive_counts_.push_back(counts_[from]);
      receive_starts_.push_back(starts_[from]);
    }
  }
}

std::byte* LibraryCollective::at(std::byte* vector, int element) const {
  return vector + static_cast<std::size_t>(element) * handles_.element().bytes();
}
const std::byte* LibraryCollective::at(const std::byte* vector, int element) const {
  return vector + static_cast<std::size_t>(element) * handles_.element().bytes();
}

void LibraryCollective::run(const std::byte* input, std::byte* result) const {
  const MPI_Datatype type = handles_.type();
  const MPI_Op op = handles_.op();
  const MPI_Comm comm = world_.comm();
  const auto mine = static_cast<std::size_t>(me_);
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  switch (collective_) {
    case Collective::allreduce:
      code = MPI_Iallreduce(input, result, count_, type, op, comm, &request);
      break;
    case Collective::bcast:
      if (me_ == root_) {
        std::copy_n(input, static_cast<std::size_t>(count_) * handles_.element().bytes(), result);
      }
      code = MPI_Ibcast(result, count_, type, root_, comm, &request);
      break;
    case Collective::reduce:
      code = MPI_Ireduce(input, result, count_, type, op, root_, comm, &request);
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      code = MPI_Ireduce_scatter(input, at(result, starts_[mine]), counts_.data(), type, op, comm,
                                 &request);
      break;
    case Collective::allgather:
    case Collective::allgatherv:
      code = MPI_Iallgatherv(at(input, starts_[mine]), counts_[mine], type, result, counts_.data(),
                             starts_.data(), type, comm, &request);
      break;
    case Collective::alltoall:
    case Collective::alltoallv:
      code = MPI_Ialltoallv(input, send_counts_.data(), send_starts_.data(), type, result,
                            receive_counts_.data(), receive_starts_.data(), type, comm, &request);
      break;
    case Collective::gather:
    case Collective::gatherv:
      code = MPI_Igatherv(at(input, starts_[mine]), counts_[mine], type, result, counts_.data(),
                          starts_.data(), type, root_, comm, &request);
      break;
    case Collective::scatter:
    case Collective::scatterv:
      code = MPI_Iscatterv(input, counts_.data(), starts_.data(), type, at(result, starts_[mine]),
                           counts_[mine], type, root_, comm, &request);
      break;
    case Collective::scan:
      code = MPI_Iscan(input, result, count_, type, op, comm, &request);
      break;
    case Collective::exscan:
      code = MPI_Iexscan(input, result, count_, type, op, comm, &request);
      break;
    case Collective::barrier:
      code = MPI_Ibarrier(comm, &request);
      break;
    case Collective::application:
      break;
  }
  check(code, call_);
  world_.wait(request, call_);
}

void LibraryCollective::run_blocking(const std::byte* input, std::byte* work) const {
  const MPI_Datatype type = handles_.type();
  const MPI_Op op = handles_.op();
  const MPI_Comm comm = world_.comm();
  const auto mine = static_cast<std::size_t>(me_);
  const bool root = me_ == root_;
  int code = MPI_SUCCESS;
  switch (collective_) {
    case Collective::allreduce:
      code = MPI_Allreduce(MPI_IN_PLACE, work, count_, type, op, comm);
      break;
    case Collective::bcast:
      code = MPI_Bcast(work, count_, type, root_, comm);
      break;
    case Collective::reduce:
      code = root ? MPI_Reduce(MPI_IN_PLACE, work, count_, type, op, root_, comm)
                  : MPI_Reduce(work, nullptr, count_, type, op, root_, comm);
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      // This call is not in place, because the result would then go to the beginning of the vector.
      code = MPI_Reduce_scatter(input, at(work, starts_[mine]), counts_.data(), type, op, comm);
      break;
    case Collective::allgather:
    case Collective::allgatherv:
      code =
          MPI_Allgatherv(MPI_IN_PLACE, 0, type, work, counts_.data(), starts_.data(), type, comm);
      break;
    case Collective::alltoall:
    case Collective::alltoallv:
      code = MPI_Alltoallv(input, send_counts_.data(), send_starts_.data(), type, work,
                           receive_counts_.data(), receive_starts_.data(), type, comm);
      break;
    case Collective::gather:
    case Collective::gatherv:
      code = root ? MPI_Gatherv(MPI_IN_PLACE, 0, type, work, counts_.data(), starts_.data(), type,
                                root_, comm)
                  : MPI_Gatherv(at(work, starts_[mine]), counts_[mine], type, nullptr, nullptr,
                                nullptr, type, root_, comm);
      break;
    case Collective::scatter:
    case Collective::scatterv:
      code = root ? MPI_Scatterv(work, counts_.data(), starts_.data(), type, MPI_IN_PLACE, 0, type,
                                 root_, comm)
                  : MPI_Scatterv(nullptr, nullptr, nullptr, type, at(work, starts_[mine]),
                                 counts_[mine], type, root_, comm);
      break;
    case Collective::scan:
      code = MPI_Scan(MPI_IN_PLACE, work, count_, type, op, comm);
      break;
    case Collective::exscan:
      code = MPI_Exscan(MPI_IN_PLACE, work, count_, type, op, comm);
      break;
    case Collective::barrier:
      code = MPI_Barrier(comm);
      break;
    case Collective::application:
      break;
  }
  check(code, call_);
}

}  // namespace tutti::mpi
