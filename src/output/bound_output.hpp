// Lower bounds of machines, for people and as JSON.
#pragma once

#include <array>
#include <iosfwd>
#include <string>
#include <vector>

#include "cost_models/bounds/network_bound.hpp"
#include "schedules/problem.hpp"
#include "src/formats/document.hpp"
#include "src/output/network_json.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace output {

struct BoundAnswer {
  Problem problem;
  Machine machine;
  NetworkBound bound;
  // By BoundKind: the certificate in words, which needs the names of links.
  std::array<std::string, kBoundKinds.size()> words;
  // By BoundKind, then in the order of BoundPart::limits: the name of each link; empty for ports.
  std::array<std::vector<std::string>, kBoundKinds.size()> limit_names;
};

// Returns the answer, with the words for each certificate. May compute routes of `network`.
[[nodiscard]] BoundAnswer bound_answer(const Problem& problem, const Machine& machine,
                                       NetworkBound bound, Network& network);

// Prints all kinds of bounds of one problem.
void print_bound(const BoundAnswer& answer, std::ostream& out);
// Prints a line for each problem. All machines have the same spec.
void print_bounds(const std::vector<BoundAnswer>& answers, std::ostream& out);

// All bounds of a command, and the network of each number of ranks.
struct BoundAnswers {
  std::vector<BoundAnswer> bounds;
  std::vector<NamedNetwork> networks;
};
extern const DocumentOf<BoundAnswers> kBoundDocument;

}}  // namespace tutti::output
