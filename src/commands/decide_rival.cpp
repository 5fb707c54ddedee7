#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "src/commands/decide_request.hpp"
#include "src/experiments/nccl_answer.hpp"

namespace tutti::inline commands {

NcclOptions DecideOptions::nccl_machine() const {
  return nccl.with_ranks_per_host(problem.ranks_per_host);
}

std::optional<Rival> rival_of(const DecideOptions& options, const PreparedDecision& prepared) {
  const Decision& decision = prepared.decision;
  if (options.against == kAgainstNccl) {
    return rival_table(std::string(kAgainstNccl),
                       nccl_table(options.nccl_machine(), decision.collective, decision.ranks,
                                  decision.sizes_bytes),
                       prepared.asked);
  }
  const std::string flag = options.nccl.given();
  if (!flag.empty() && options.export_format != name(RuleFormat::nccl)) {
    throw UserError(
        fmt::format("{}: has no effect without --against {} or --export nccl; add one of them",
                    flag, kAgainstNccl));
  }
  // Parses the options of NCCL's machine now, so that invalid options are reported before anything
  // runs.
  if (!flag.empty()) {
    (void)options.nccl_machine().job(decision.ranks.front());
  }
  if (!options.against) {
    return std::nullopt;
  }
  Rival rival = rival_named(*options.against, decision.collective, prepared.asked);
  const bool dealt_out = std::ranges::any_of(decision.machines, [](const Machine& each) {
    return each.mapping.placement == Placement::cyclic;
  });
  if (rival.in_blocks && (options.machine.hosts || dealt_out)) {
    throw UserError(
        fmt::format("--against '{}': this library's decisions are known only for ranks placed in "
                    "blocks; leave out {}",
                    rival.name, options.machine.hosts ? "--hosts" : "--placement"));
  }
  return rival;
}

}  // namespace tutti::inline commands
