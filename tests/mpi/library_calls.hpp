// Calls a collective of the MPI library, and checks the result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mpi.h>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tutti::traffic {

struct Outcome {
  int error = MPI_SUCCESS;  // the value that MPI returned
  bool right = true;        // whether the result is right
};

// Calls `collective` on vectors of `bytes` bytes, which is tutti's n. All elements of a rank have
// the rank's number as value. If each rank has its own block of the vector, and if MPI allows
// blocks of different sizes, then the first blocks are one element longer than the others. If MPI
// wants equal blocks, elements that are left over do not take part. `in_place` applies to alltoall
// and alltoallv, and needs equal blocks. Returns nothing if the collective is unknown.
template <typename Number>
std::optional<Outcome> call_library(const std::string& collective, std::uint64_t bytes, int root,
                                    MPI_Comm comm, bool in_place = false) {
  using Vector = std::vector<Number>;
  const MPI_Datatype type = std::is_same_v<Number, int> ? MPI_INT : MPI_INT64_T;
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int count = static_cast<int>(bytes / sizeof(Number));
  const int block = count / ranks;
  Vector in(static_cast<std::size_t>(count) + 1, rank);
  Vector out(in.size(), -1);
  const int sum = ranks * (ranks - 1) / 2;
  const bool at_root = rank == root;
  const auto holds = [](const Vector& values, int elements, int value) {
    return std::all_of(values.begin(), values.begin() + elements,
                       [value](Number each) { return each == value; });
  };
  const auto holds_of_each = [&](const Vector& values) {
    for (int i = 0; i < block * ranks; ++i) {
      if (values[static_cast<std::size_t>(i)] != i / block) {
        return false;
      }
    }
    return true;
  };
  if (collective == "barrier") {
    return Outcome{MPI_Barrier(comm), true};
  }
  if (collective == "allreduce") {
    const int error = MPI_Allreduce(in.data(), out.data(), count, type, MPI_SUM, comm);
    return Outcome{error, holds(out, count, sum)};
  }
  if (collective == "reduce") {
    const int error = MPI_Reduce(in.data(), out.data(), count, type, MPI_SUM, root, comm);
    return Outcome{error, !at_root || holds(out, count, sum)};
  }
  if (collective == "bcast") {
    const int error = MPI_Bcast(in.data(), count, type, root, comm);
    return Outcome{error, holds(in, count, root)};
  }
  if (collective == "scan") {
    const int error = MPI_Scan(in.data(), out.data(), count, type, MPI_SUM, comm);
    return Outcome{error, holds(out, count, rank * (rank + 1) / 2)};
  }
  if (collective == "exscan") {
    const int error = MPI_Exscan(in.data(), out.data(), count, type, MPI_SUM, comm);
    return Outcome{error, rank == 0 || holds(out, count, rank * (rank - 1) / 2)};
  }
  std::vector<int> counts(static_cast<std::size_t>(ranks), block);
  std::vector<int> starts(counts.size(), 0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] += static_cast<int>(i) < count % ranks ? 1 : 0;
    starts[i] = i == 0 ? 0 : starts[i - 1] + counts[i - 1];
  }
  const int own = counts[static_cast<std::size_t>(rank)];
  const auto holds_parts = [&](const Vector& values) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto first = values.begin() + starts[i];
      if (!std::all_of(first, first + counts[i],
                       [i](Number each) { return each == static_cast<Number>(i); })) {
        return false;
      }
    }
    return true;
  };
  if (collective == "allgatherv") {
    const int error =
        MPI_Allgatherv(in.data(), own, type, out.data(), counts.data(), starts.data(), type, comm);
    return Outcome{error, holds_parts(out)};
  }
  if (collective == "gatherv") {
    const int error = MPI_Gatherv(in.data(), own, type, out.data(), counts.data(), starts.data(),
                                  type, root, comm);
    return Outcome{error, !at_root || holds_parts(out)};
  }
  if (collective == "scatterv") {
    const int error = MPI_Scatterv(in.data(), counts.data(), starts.data(), type, out.data(), own,
                                   type, root, comm);
    return Outcome{error, holds(out, own, root)};
  }
  if (collective == "alltoallv") {
    // Each rank splits its elements evenly into blocks, and sends block d to rank d.
    const std::vector<int> received(counts.size(), own);
    std::vector<int> places(counts.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i] = static_cast<int>(i) * own;
    }
    out.assign(counts.size() * static_cast<std::size_t>(own) + 1, in_place ? rank : -1);
    const int error = in_place
                          ? MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, type, out.data(),
                                          received.data(), places.data(), type, comm)
                          : MPI_Alltoallv(in.data(), counts.data(), starts.data(), type, out.data(),
                                          received.data(), places.data(), type, comm);
    bool right = true;
    for (std::size_t i = 0; i + 1 < out.size(); ++i) {
      right = right && out[i] == static_cast<int>(i) / own;
    }
    return Outcome{error, right};
  }
  if (collective == "reduce_scatter") {
    const int error = MPI_Reduce_scatter(in.data(), out.data(), counts.data(), type, MPI_SUM, comm);
    return Outcome{error, holds(out, own, sum)};
  }
  if (collective == "reduce_scatter_block") {
    const int error = MPI_Reduce_scatter_block(in.data(), out.data(), block, type, MPI_SUM, comm);
    return Outcome{error, holds(out, block, sum)};
  }
  if (collective == "allgather") {
    const int error = MPI_Allgather(in.data(), block, type, out.data(), block, type, comm);
    return Outcome{error, holds_of_each(out)};
  }
  if (collective == "alltoall") {
    const int error = in_place
                          ? MPI_Alltoall(MPI_IN_PLACE, block, type, in.data(), block, type, comm)
                          : MPI_Alltoall(in.data(), block, type, out.data(), block, type, comm);
    return Outcome{error, holds_of_each(in_place ? in : out)};
  }
  if (collective == "gather") {
    const int error = MPI_Gather(in.data(), block, type, out.data(), block, type, root, comm);
    return Outcome{error, !at_root || holds_of_each(out)};
  }
  if (collective == "scatter") {
    const int error = MPI_Scatter(in.data(), block, type, out.data(), block, type, root, comm);
    return Outcome{error, holds(out, block, root)};
  }
  return std::nullopt;
}

}  // namespace tutti::traffic
