// Reads files that have, on each line, a call and the decision of the library's own functions for
// it: VERSION,COLLECTIVE,RANKS,RANKS PER NODE,BYTES,ELEMENT BYTES,DECISION.
#pragma once

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/collective.hpp"
#include "schedules/registry.hpp"
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

inline LibraryDecision decision_on(const ReplayedCall& each) {
  auto decision = built_in_decision(library_version_named("version", each.version), each.call);
  REQUIRE(decision);
  return *std::move(decision);
}

// Checks that tutti's decisions, which said(call, decision) formats as in the replay file, equal
// those of the library.
template <typename Decide>
void check_decisions(const std::vector<ReplayedCall>& calls, Decide&& printed) {
  CHECK(calls.size() >= 1200);
  for (const ReplayedCall& each : calls) {
    const std::string decides = printed(each.call, decision_on(each));
    if (decides != each.decided) {  // a CHECK per call would take too long
      FAIL_CHECK(fmt::format(
          "{}: {} on {} ranks, {} per node, {} bytes in elements of {}: tutti decides {}, "
          "the library decides {}",
          each.version, name(each.call.collective), each.call.ranks, each.call.ranks_per_node,
          each.call.bytes, each.call.element_bytes, decides, each.decided));
    }
  }
}

// Checks that each decision gives a schedule that can be made, or a reason why there is none.
// Returns the names of the algorithms of these schedules.
inline std::vector<std::string> check_schedules(const std::vector<ReplayedCall>& calls) {
  std::vector<std::string> names;
  for (const ReplayedCall& each : calls) {
    const LibraryDecision decision = decision_on(each);
    const Choice& choice = decision.choice;
    CAPTURE(each.version, name(each.call.collective), each.call.ranks, each.call.ranks_per_node,
            each.call.bytes);
    if (choice.algorithm.empty()) {
      CHECK_FALSE(decision.lacking.empty());
      continue;
    }
    names.push_back(choice.algorithm);
    const Algorithm* algorithm = find_algorithm(each.call.collective, choice.algorithm);
    REQUIRE(algorithm != nullptr);
    CHECK_NOTHROW(check(*algorithm, replayed_problem(each.call, choice)));
  }
  return names;
}

// Returns the number of calls for which the library makes calls between nodes.
inline auto calls_between_nodes(const std::vector<ReplayedCall>& calls) {
  return std::count_if(calls.begin(), calls.end(), [](const ReplayedCall& each) {
    return each.decided.find("between") != std::string::npos;
  });
}

}  // namespace tutti
