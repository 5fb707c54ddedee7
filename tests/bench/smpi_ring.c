/* An MPI program that runs a ring allreduce. scripts/smpi_ratio simulates it with SimGrid's SMPI,
 * and compares the speed of SMPI with that of tutti. The ring has two phases. With p ranks, a phase
 * has p-1 steps, and a step is a blocking send-receive of one block. Only the time matters, so a
 * rank sends the same block in every step, and nothing is reduced (SMPI would count no time for a
 * reduction).
 *
 * Arguments: the bytes of a block; then 1 to run the ring, or 0 to only start and finalize MPI.
 * Rank 0 prints the simulated seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int block_bytes = argc > 1 ? atoi(argv[1]) : 8;
  const int run = argc > 2 ? atoi(argv[2]) : 1;
  char* sent = calloc((size_t)block_bytes + 1, 1);
  char* received = calloc((size_t)block_bytes + 1, 1);
  const int right = (rank + 1) % ranks;
  const int left = (rank + ranks - 1) % ranks;

  const double start_s = MPI_Wtime();
  for (int phase = 0; phase < 2 * run; ++phase) { /* reduce, then distribute */
    for (int step = 0; step < ranks - 1; ++step) {
      MPI_Sendrecv(sent, block_bytes, MPI_BYTE, right, step, received, block_bytes, MPI_BYTE, left,
                   step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  if (rank == 0) {
    printf("%.17g\n", MPI_Wtime() - start_s);
  }
  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
