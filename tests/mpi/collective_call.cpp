// Calls collectives of the MPI library once each, with int32 vectors, and nothing else. The
// arguments are the number of bytes (tutti's n, which is the largest buffer of any rank) and the
// names of the collectives. Checks the results, to detect a rule file that makes the library
// compute something wrong.
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <string>
#include <vector>

namespace {

using Vector = std::vector<int>;

bool all(const Vector& values, int first, int step, std::size_t block) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != first + static_cast<int>(i / block) * step) {
      return false;
    }
  }
  return true;
}

// Calls `collective` on vectors of `count` elements. Returns false if a result is wrong.
bool call(const std::string& collective, int count, int rank, int ranks) {
  const int block = count / ranks;
  const auto size = static_cast<std::size_t>(count);
  const auto per_block = static_cast<std::size_t>(block);
  const int sum = ranks * (ranks - 1) / 2;
  Vector in(size, rank);
  Vector out(size, -1);
  if (collective == "allreduce") {
    MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all(out, sum, 0, 1);
  }
  if (collective == "reduce") {
    MPI_Reduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    return rank != 0 || all(out, sum, 0, 1);
  }
  if (collective == "bcast") {
    MPI_Bcast(in.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
    return all(in, 0, 0, 1);
  }
  if (collective == "allgather") {
    MPI_Allgather(in.data(), block, MPI_INT, out.data(), block, MPI_INT, MPI_COMM_WORLD);
    return all(out, 0, 1, per_block);
  }
  if (collective == "alltoall") {
    MPI_Alltoall(in.data(), block, MPI_INT, out.data(), block, MPI_INT, MPI_COMM_WORLD);
    return all(out, 0, 1, per_block);
  }
  if (collective == "barrier") {
    MPI_Barrier(MPI_COMM_WORLD);
    return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = argc > 1 ? std::atoi(argv[1]) / 4 : 0;
  bool right = argc > 2;
  for (int i = 2; i < argc; ++i) {
    right = call(argv[i], count, rank, ranks) && right;
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
