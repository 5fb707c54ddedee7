// What a program calls: which collectives, on how many ranks, of how many bytes, and how often.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"

namespace tutti::inline experiments {

// All calls of one kind.
struct ProfileCalls {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;  // n: the largest buffer that any rank holds
  double calls = 0;         // of the program; a mean over ranks may be no whole number
};

struct Profile {
  std::string file;
  std::string form;                 // "a trace of SimGrid", for people
  std::vector<ProfileCalls> calls;  // by collective, ranks and bytes, each once
  // What the file does not say and was assumed, and what of it was left out; a sentence each.
  std::vector<std::string> assumed;
};

// Reads what is one of
//  - comma-separated values whose first line names collective, p (or ranks), bytes and calls, and
//    perhaps root: bytes are n;
//  - a time-independent trace of SimGrid (`smpirun -trace-ti`): the file that lists those of the
//    ranks, or one with the lines of all ranks;
//  - a report of mpiP, with its statistics by callsite or without;
//  - a log of IPM in XML, with its hash of calls (IPM_LOG=full) or without;
//  - what Open MPI's monitoring of collectives (pml_monitoring_enable_output) printed.
// Throws UserError, one line, that names file, line and value, and what would do.
[[nodiscard]] Profile read_profile(const std::string& path);
// One file's text; a list of files is read too.
[[nodiscard]] Profile parse_profile(std::string_view text, const std::string& path);

}  // namespace tutti::inline experiments
