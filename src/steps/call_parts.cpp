#include "src/steps/call_parts.hpp"

#include <array>

#include "schedules/rank_part.hpp"

namespace tutti { inline namespace steps {

namespace {

// Returns the part of a call that takes no time. `ranks`: of the communicator, or those that stand
// for all.
SharedPart free_part(const Problem& problem, std::uint32_t ranks) {
  ScheduleUnion made(ranks);
  std::vector<OpId> begun;
  for (Rank rank = 0; rank < ranks; ++rank) {
    begun.push_back(made.calculate(rank, 0, kNoOp));
  }
  const Collective collective = problem.collective;
  const bool from_root = collective == Collective::bcast || collective == Collective::scatter;
  const bool to_root = collective == Collective::reduce || collective == Collective::gather;
  const Rank root = from_root || to_root ? problem.root : 0;
  const OpId all = from_root ? begun[root] : made.join(root, begun);
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (!to_root && rank != root) {
      (void)made.join(rank, std::array{begun[rank], all});
    }
  }
  return std::make_shared<const UnionPart>(made.finish());
}

}  // namespace

SharedPart CallParts::classes(std::size_t call, std::uint32_t count) {
  const auto [found, is_new] = made_.try_emplace({call, count});
  if (is_new) {
    const CallRun& of = *runs_[call];
    if (of.is_free) {
      found->second = free_part(of.problem, count == 0 ? of.problem.ranks : count);
    } else if (count == 0) {
      found->second = std::make_shared<const UnionPart>(
          of.tokens ? schedule_of_tokens(*of.tokens, of.exchange, Detail::times_only)
                    : make_schedule(*of.algorithm, of.problem, Detail::times_only),
          copy_s_per_byte_, of.sent_per_byte);
    } else if (of.tokens) {
      return nullptr;  // each rank has tokens of its own
    } else if (auto part =
                   make_rank_part(*of.algorithm, of.problem, {Symmetry::rotation, {}, count})) {
      found->second =
          std::make_shared<const UnionPart>(std::move(*part), copy_s_per_byte_, of.sent_per_byte);
    }
  }
  return found->second;
}

}}  // namespace tutti::steps
