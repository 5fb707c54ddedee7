// Checks that Open MPI's binomial reduce on 3 ranks posts the receives from both children of rank 0
// before it waits for the first of them. Rank 1 starts only when rank 2 has finished, and the
// message of rank 2 is too long to complete without a posted receive. If rank 0 posted one receive
// at a time, the program would never end.
#include <cstdlib>
#include <mpi.h>
#include <vector>

int main(int argc, char** argv) {
  setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
  setenv("OMPI_MCA_coll_tuned_reduce_algorithm", "5", 1);
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 3) {
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  constexpr int kDoubles = 1 << 18;
  const std::vector<double> input(kDoubles, 1 + rank);
  std::vector<double> sum(kDoubles);
  if (rank == 1) {
    MPI_Recv(nullptr, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Reduce(input.data(), sum.data(), kDoubles, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 2) {
    MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  }
  const bool wrong = rank == 0 && (sum.front() != 6 || sum.back() != 6);
  MPI_Finalize();
  return wrong ? 1 : 0;
}
