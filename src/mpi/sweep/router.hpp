// Rank 0 of tutti-sweep: starts the tutti that knows which cells there are and keeps their results,
// and carries cells from it to the ranks and answers back.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/mpi/sweep/mail.hpp"

namespace tutti::sweep {

struct SweepJob {
  std::string program;               // tutti
  std::vector<std::string> command;  // of tutti: "compare", "allreduce", ...
  std::size_t workers = 1;           // per rank
  double lost_after_s = 60;
};

// A rank from which nothing has been heard for too long.
class RankLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the exit code of the command. Throws UserError when workers cannot be started, RankLost,
// MpiError.
[[nodiscard]] int route(const SweepJob& job, Mail& mail);

// All other ranks: until rank 0 says that it is over. What goes wrong is told to rank 0. Throws
// RankLost when that is gone, and MpiError.
void serve(const SweepJob& job, Mail& mail);

}  // namespace tutti::sweep
