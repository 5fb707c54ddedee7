#include "src/steps/expert_traffic.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace tutti { inline namespace steps {

ExpertTraffic ExpertTraffics::of(const StepDescription& step, const StepMachine& machine,
                                 const StepCall& call) {
  const StepGroup& group = step.groups[call.group];
  const auto [found, is_new] = made_.try_emplace({call.experts->routing, call.group});
  ExpertTraffic& traffic = found->second;
  const StepRouting& routing = step.routings[call.experts->routing];
  if (is_new) {
    const auto per_node = ranks_on_each_node(machine, group.members.front());
    traffic.on_nodes = per_node.has_value();
    try {
      traffic.tokens = std::make_shared<const RoutedTokens>(routing.experts, group.size(),
                                                            per_node.value_or(group.size()));
    } catch (const UserError& error) {
      throw UserError(fmt::format("routing {} on {}: {}", routing.name, group.name, error.what()));
    }
  }
  if (!traffic.on_nodes && (call.experts->pieces || routing.experts.most_nodes > 0)) {
    throw UserError(
        fmt::format("{} needs nodes with the same number of ranks of group {}, in their order",
                    call.experts->pieces ? "'once per node'"
                                         : fmt::format("'nodes' of routing {}", routing.name),
                    group.name));
  }
  return traffic;
}

std::vector<std::uint64_t> bytes_of_copies(const RoutedTokens& tokens, const ExpertCall& call) {
  const std::size_t ranks = tokens.ranks();
  std::vector<std::uint64_t> bytes(ranks * ranks);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t pair = call.phase == TokenPhase::dispatch ? i : i % ranks * ranks + i / ranks;
    bytes[pair] = tokens.copies()[i] * call.token_bytes;
  }
  return bytes;
}

std::optional<bool> proof_of_tokens(const RoutedTokens& tokens, const ExpertCall& call) {
  constexpr std::uint64_t kMostValues = std::uint64_t{1} << 26U;  // about 3 s
  if (values_in_proof(tokens, call.phase) > kMostValues) {
    return std::nullopt;
  }
  const Schedule schedule =
      schedule_of_tokens(tokens, {call.phase, call.token_bytes, *call.pieces}, Detail::payload);
  return verify_tokens(schedule, tokens, call.phase).proved();
}

}}  // namespace tutti::steps
