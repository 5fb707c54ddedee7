// The proof: whether a schedule achieves its collective, however the network delivers.
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
  std::string text;  // a sentence that names operations, ranks and blocks
};

struct Proof {
  bool proved = false;         // right in every execution, and able to run on MPI
  bool in_rank_order = false;  // so right for operators that do not commute, too
  bool bitwise_equal =
      false;  // all ranks get the same bits of a floating-point sum, where a + b == b + a
  std::uint64_t least_bytes = 0;  // that ranks must send in all, whatever the algorithm
  std::vector<Finding> findings;  // the first three of each kind
};

// Time and memory grow linearly with the schedule, but for broken ones.
[[nodiscard]] Proof prove(const Schedule& schedule);

TUTTI_END
