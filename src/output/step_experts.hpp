// The traffic of a step's mixtures of experts.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "src/steps/answer.hpp"

namespace tutti { inline namespace output {

// A routing on the first communicator of a group.
struct ExpertRow {
  const StepAnswer* answer = nullptr;
  std::uint32_t call = 0;  // the first call with this routing and group
  CopyCounts copies;

  [[nodiscard]] const StepCall& of() const { return answer->step.calls[call]; }
  [[nodiscard]] const StepRouting& routing() const {
    return answer->step.routings[of().experts->routing];
  }
  [[nodiscard]] const ExpertTraffic& traffic() const { return answer->choices[call].traffic; }
  [[nodiscard]] double mean_sent() const;
  [[nodiscard]] double mean_received() const;
  [[nodiscard]] std::uint64_t most_sent() const;
  [[nodiscard]] std::uint64_t most_received() const;
};

// Returns the rows of the routings that are used on more than one rank.
[[nodiscard]] std::vector<ExpertRow> expert_rows(const StepAnswer& answer);

// Bytes that a rank sends to other nodes in a dispatch or a combine, on average: if each copy is
// sent by itself, and if a token crosses the network once per node. The closed forms are for
// equally popular experts, draws with repetition, and no limits.
struct NetworkBytes {
  double copies = 0;
  double copies_in_closed_form = 0;
  double once_per_node = 0;
  double once_per_node_in_closed_form = 0;
};
[[nodiscard]] NetworkBytes network_bytes(const ExpertTraffic& traffic, const ExpertCall& call);

// Prints nothing if the step has no routing.
void print_experts(const StepAnswer& answer, std::ostream& out);

}}  // namespace tutti::output
