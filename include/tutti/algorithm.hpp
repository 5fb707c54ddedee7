// The list of algorithms, with a description of each.
//
//     for (const tutti::Algorithm& algorithm : tutti::algorithms(tutti::Collective::allreduce)) {
//       std::printf("%s: %s\n", algorithm.full_name.c_str(), algorithm.idea.c_str());
//     }
#pragma once

#include <string>
#include <vector>

#include "tutti/problem.hpp"

TUTTI_BEGIN

struct Algorithm {
  Collective collective = Collective::allreduce;
  std::string full_name;  // "allreduce/ring"
  std::string idea;       // how it works, in one or two sentences
  std::string source;     // author and publication
  // Formula for the time, in p, n, alpha, beta and gamma; "" if no closed form is known.
  std::string cost;
  std::vector<std::string> options;  // accepted keys of Problem::options
};

// Returns all algorithms, ordered by collective, or those of one collective.
[[nodiscard]] std::vector<Algorithm> algorithms();
[[nodiscard]] std::vector<Algorithm> algorithms(Collective collective);

TUTTI_END
