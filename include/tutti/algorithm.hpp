// Which algorithms there are, and what each says of itself.
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
  std::string idea;       // in a sentence or two
  std::string source;     // who published it, where
  std::string cost;       // in p, n, alpha, beta and gamma; "" where no closed form is known
  std::vector<std::string> options;  // keys of Problem::options that it takes
};

// All, by collective; or those of one.
[[nodiscard]] std::vector<Algorithm> algorithms();
[[nodiscard]] std::vector<Algorithm> algorithms(Collective collective);

TUTTI_END
