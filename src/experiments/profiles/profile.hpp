// The profile of a program: which collectives it calls, on how many ranks, with how many bytes, and
// how often.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"

namespace tutti { inline namespace experiments {

// All calls of one collective with the same number of ranks and bytes.
struct ProfileCalls {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;  // n: size of the largest buffer that any rank holds
  double calls = 0;         // number of calls; fractional if it is a mean over ranks
};

struct Profile {
  std::string file;
  std::string form;  // "a SimGrid trace", for display
  // Sorted by collective, ranks and bytes; each combination appears once.
  std::vector<ProfileCalls> calls;
  // One sentence for each assumption about something that the file does not state, and for each
  // reason why calls were left out.
  std::vector<std::string> assumed;
};

// Reads a file in one of these formats:
// - comma-separated values whose first line names the columns collective, p (or ranks), bytes and
//   calls, and optionally root. The column bytes contains the size of the largest buffer, n;
// - a time-independent SimGrid trace (`smpirun -trace-ti`): a file that lists the traces of all
//   ranks, or one file with the lines of all ranks;
// - an mpiP report, with or without statistics for each callsite and rank;
// - an IPM log in XML, with or without the list of calls that IPM_LOG=full adds;
// - the output of Open MPI's monitoring of collectives (pml_monitoring_enable_output).
//
// Throws UserError with a one-line message that names the file, the line, the value, and what is
// accepted.
[[nodiscard]] Profile read_profile(const std::string& path);
// Like read_profile(), for the text of the file `path`.
[[nodiscard]] Profile profile_from_text(std::string_view text, const std::string& path);

}}  // namespace tutti::experiments
