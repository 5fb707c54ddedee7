// Calls one collective of the MPI library and nothing else. The arguments are the name of the
// collective and the number of bytes (tutti's n, which is the largest buffer of any rank). Checks
// the result, to detect a rule file that makes the library compute something wrong.
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

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string collective = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? std::atoi(argv[2]) / 4 : 0;
  const int block = count / ranks;
  const auto size = static_cast<std::size_t>(count);
  const auto per_block = static_cast<std::size_t>(block);
  const int sum = ranks * (ranks - 1) / 2;
  bool right = true;
  Vector in(size, rank);
  Vector out(size, -1);
  if (collective == "allreduce") {
    MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    right = all(out, sum, 0, 1);
  } else if (collective == "reduce") {
    MPI_Reduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    right = rank != 0 || all(out, sum, 0, 1);
  } else if (collective == "bcast") {
    MPI_Bcast(in.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
    right = all(in, 0, 0, 1);
  } else if (collective == "allgather") {
    MPI_Allgather(in.data(), block, MPI_INT, out.data(), block, MPI_INT, MPI_COMM_WORLD);
    right = all(out, 0, 1, per_block);
  } else if (collective == "alltoall") {
    MPI_Alltoall(in.data(), block, MPI_INT, out.data(), block, MPI_INT, MPI_COMM_WORLD);
    right = all(out, 0, 1, per_block);
  } else if (collective == "barrier") {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    right = false;
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
