// Usage, under smpirun: smpi_call bcast|reduce DOUBLES ROOT
// Calls the collective of SimGrid's MPI once. Every rank prints the time taken in seconds.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) {
    return 2;
  }
  const int count = atoi(argv[2]);
  const int root = atoi(argv[3]);
  double* input = calloc((size_t)count, sizeof *input);
  double* result = calloc((size_t)count, sizeof *result);
  if (input == NULL || result == NULL) {
    return 2;
  }
  const double start_s = MPI_Wtime();
  if (strcmp(argv[1], "bcast") == 0) {
    MPI_Bcast(input, count, MPI_DOUBLE, root, MPI_COMM_WORLD);
  } else {
    MPI_Reduce(input, result, count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
  }
  printf("%.17g\n", MPI_Wtime() - start_s);
  free(input);
  free(result);
  MPI_Finalize();
  return 0;
}
