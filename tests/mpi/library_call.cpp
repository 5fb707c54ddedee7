// One MPI_Allreduce of the library, of so many bytes of int32, and nothing else.
#include <cstdlib>
#include <mpi.h>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int count = argc > 1 ? std::atoi(argv[1]) / 4 : 0;
  std::vector<int> in(static_cast<std::size_t>(count), 1);
  std::vector<int> out(in.size());
  MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Finalize();
  return count == 0 || out[0] == ranks ? 0 : 1;
}
