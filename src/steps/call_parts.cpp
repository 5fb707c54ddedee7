#include "src/steps/call_parts.hpp"

#include "schedules/rank_part.hpp"

namespace tutti { inline namespace steps {

SharedPart CallParts::classes(std::size_t call, std::uint32_t count) {
  const auto [found, is_new] = made_.try_emplace({call, count});
  if (is_new) {
    const CallRun& of = *runs_[call];
    if (count == 0) {
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
