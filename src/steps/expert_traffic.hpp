// The tokens of a step's routings, and the bytes that they are.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "schedules/experts/routing.hpp"
#include "src/steps/description.hpp"
#include "src/steps/machine.hpp"

namespace tutti { inline namespace steps {

// Tokens of a routing on a communicator.
struct ExpertTraffic {
  std::shared_ptr<const RoutedTokens> tokens;
  // False if the ranks of the communicator are not on nodes of equal size, or not in their order.
  // Then RoutedTokens takes all ranks for one node.
  bool on_nodes = true;
};

// Keeps the tokens of each routing, so that a dispatch and its combine have the same.
class ExpertTraffics {
 public:
  // Returns the tokens on the first communicator of the call's group. Throws UserError.
  ExpertTraffic of(const StepDescription& step, const StepMachine& machine, const StepCall& call);

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, ExpertTraffic> made_;  // by routing and group
};

// Returns the bytes that rank s sends to rank d, at index s * ranks + d, if each copy of a token is
// sent by itself.
[[nodiscard]] std::vector<std::uint64_t> bytes_of_copies(const RoutedTokens& tokens,
                                                         const ExpertCall& call);

// Proves the schedule of a call that sends tokens once per node. Returns nothing if the proof would
// take more than some seconds.
[[nodiscard]] std::optional<bool> proof_of_tokens(const RoutedTokens& tokens,
                                                  const ExpertCall& call);

}}  // namespace tutti::steps
