// The profile of a program: which collectives it calls, on how many ranks, with how many bytes, and
// how often.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"

namespace tutti::inline experiments {

// All calls of one collective with the same number of ranks and bytes.
struct ProfileCalls {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;  // n: the largest buffer that any rank holds
  double calls = 0;         // number of calls; a mean over ranks may be fractional
};

struct Profile {
  std::string file;
  std::string form;                 // "a SimGrid trace", for display
  std::vector<ProfileCalls> calls;  // sorted by collective, ranks and bytes; each combination once
  // One sentence for each assumption about something that the file does not state, and for each
  // reason why calls were left out.
  std::vector<std::string> assumed;
};

// Reads a file in one of these formats:
// - comma-separated values whose first line names collective, p (or ranks), bytes and calls, and
//   perhaps root. The column bytes has the size of the largest buffer, n;
// - a time-independent trace of SimGrid (`smpirun -trace-ti`): the file that lists the traces of
//   the ranks, or one file with the lines of all ranks;
// - a report of mpiP, with or without its statistics by callsite;
// - a log of IPM in XML, with or without its hash of calls (IPM_LOG=full);
// - the output of Open MPI's monitoring of collectives (pml_monitoring_enable_output).
//
// Throws UserError with a message of one line, which names the file, the line, the value, and what
// is accepted.
[[nodiscard]] Profile read_profile(const std::string& path);
// Parses the text of one file. If the text is a list of files, reads these files too.
[[nodiscard]] Profile parse_profile(std::string_view text, const std::string& path);

}  // namespace tutti::inline experiments
