// Proves that a schedule performs its collective, in whatever order the network delivers messages.
//
//     const tutti::Proof proof = tutti::prove(schedule);
//     for (const tutti::Finding& finding : proof.findings) {
//       std::printf("%s: %s\n", finding.kind.c_str(), finding.text.c_str());
//     }
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/schedule.hpp"

TUTTI_BEGIN

struct Finding {
  std::string kind;  // "race", "undefined read", "termination", "result", ...
  std::string text;  // a sentence that names the operations, ranks and blocks involved
};

struct Proof {
  // True if the schedule is correct in whatever order messages arrive, and can run on MPI.
  bool proved = false;
  // True if the schedule is also correct for operators that do not commute.
  bool in_rank_order = false;
  // True if all ranks get bitwise equal floating-point results, provided that a + b == b + a.
  bool bitwise_equal = false;
  std::uint64_t least_bytes = 0;  // lower bound on the bytes that all ranks together must send
  std::vector<Finding> findings;  // errors in the schedule, at most three of each kind
};

// Proves a schedule, or finds its errors. For a correct schedule, takes time and memory linear in
// the size of the schedule.
[[nodiscard]] Proof prove(const Schedule& schedule);

TUTTI_END
