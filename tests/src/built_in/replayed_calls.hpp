// Reads files that have, on each line, a call and the decision of the library's own functions for
// it: VERSION,COLLECTIVE,RANKS,RANKS PER NODE,BYTES,ELEMENT BYTES,DECISION.
#pragma once

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "schedules/collective.hpp"
#include "src/built_in/built_in.hpp"
#include "tests/source_dir.hpp"

namespace tutti {

struct ReplayedCall {
  std::string version;
  LibraryCall call;
  std::string decided;
};

// Reads the file `file` in tests/src/built_in. If the environment variable `variable` is set, reads
// the file whose path is its value instead.
inline std::vector<ReplayedCall> replayed_calls(const std::string& file, const char* variable) {
  const char* other = std::getenv(variable);
  std::ifstream input(other != nullptr ? std::string(other)
                                       : source_dir() + "/tests/src/built_in/" + file);
  REQUIRE(input);
  std::vector<ReplayedCall> calls;
  for (std::string line; std::getline(input, line);) {
    std::istringstream fields(line);
    ReplayedCall read;
    std::string collective;
    char comma = ',';
    std::getline(fields, read.version, ',');
    std::getline(fields, collective, ',');
    fields >> read.call.ranks >> comma >> read.call.ranks_per_node >> comma >> read.call.bytes >>
        comma >> read.call.element_bytes >> comma;
    std::getline(fields, read.decided);
    const auto known = collective_named(collective);
    REQUIRE(known);
    read.call.collective = *known;
    REQUIRE(fields);
    calls.push_back(std::move(read));
  }
  return calls;
}

// Returns the problem of `call`, with the segment size and the options of `choice`.
inline Problem replayed_problem(const LibraryCall& call, const Choice& choice) {
  Problem problem;
  problem.collective = call.collective;
  problem.ranks = call.ranks;
  problem.bytes = call.bytes;
  problem.element_bytes = call.element_bytes;
  problem.segment_bytes = choice.segment_bytes;
  choice.options.copy_into(problem);
  return problem;
}

}  // namespace tutti
