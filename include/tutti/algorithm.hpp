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
  // Formula for the time, in terms of p (Problem::ranks), n (Problem::bytes), and alpha, beta and
  // gamma (see Machine); "" if no closed form is known.
  std::string cost;
  std::vector<std::string> options;  // keys of Problem::options that the algorithm accepts
};

// Returns all algorithms, ordered by collective.
[[nodiscard]] std::vector<Algorithm> algorithms();
// Returns the algorithms of one collective.
[[nodiscard]] std::vector<Algorithm> algorithms(Collective collective);

TUTTI_END
