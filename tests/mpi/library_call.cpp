// Calls collectives of the MPI library once each, with int32 vectors, and nothing else. The
// arguments are the number of bytes of a vector, and the names of collectives: allreduce, reduce or
// bcast (root 0). Exits with 0 only if the results are right.
#include <cstdlib>
#include <mpi.h>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int count = argc > 1 ? std::atoi(argv[1]) / 4 : 0;
  bool right = argc > 2;
  for (int i = 2; i < argc; ++i) {
    const std::string call = argv[i];
    const std::vector<int> in(static_cast<std::size_t>(count), 1);
    std::vector<int> out(in.size(), rank == 0 ? ranks : 0);
    if (call == "allreduce") {
      MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else if (call == "reduce") {
      MPI_Reduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    } else if (call == "bcast") {
      MPI_Bcast(out.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
    } else {
      right = false;
    }
    for (const int each : out) {
      right = right && (each == ranks || (call == "reduce" && rank != 0));
    }
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
