// Calls collectives of the MPI library once each, with vectors of int and root 0, and nothing else.
// The arguments are the number of bytes (tutti's n, which is the largest buffer of any rank) and
// the names of the collectives. Checks the results, to detect a rule file that makes the library
// compute something wrong.
#include <cstdlib>
#include <mpi.h>

#include "tests/mpi/library_calls.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::uint64_t bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  bool right = argc > 2;
  for (int i = 2; i < argc; ++i) {
    const auto done = tutti::traffic::call_library<int>(argv[i], bytes, 0, MPI_COMM_WORLD);
    right = right && done && done->right;
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
