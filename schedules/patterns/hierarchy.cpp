#include "schedules/patterns/hierarchy.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "schedules/patterns/hierarchy_stages.hpp"

namespace tutti { inline namespace schedules {

Hierarchy::Hierarchy(const Problem& problem, Kind kind) : problem_(problem) {
  if (const auto reason = GroupTree::refusal(problem)) {
    throw UserError(*reason);
  }
  if (problem.segment_bytes > problem.bytes) {
    throw UserError(sentence("a segment of {} bytes is larger than the vector of {} bytes",
                             problem.segment_bytes, problem.bytes));
  }
  HierarchyStages stages(problem, kind);
  stages_end_together_ = stages.end_together();
  calls_ = stages.take_calls();
}

std::optional<double> Hierarchy::exact_s(const Prices& prices) const {
  if (!stages_end_together_) {
    return std::nullopt;
  }
  double sum_s = 0;
  std::optional<std::uint32_t> stage;
  for (const GroupCalls::Call& call : calls_->calls()) {
    if (stage == call.stage) {
      continue;  // all calls of a stage take the same time
    }
    stage = call.stage;
    Problem problem = call.problem;
    problem.bytes = calls_->bytes_of(call);
    const auto seconds = call.algorithm->exact_s == nullptr
                             ? std::nullopt
                             : call.algorithm->exact_s(problem, prices);
    if (!seconds) {
      return std::nullopt;
    }
    sum_s += *seconds;
  }
  return sum_s;
}

std::string_view Hierarchy::same_as() const {
  if (calls_->calls().size() != 1) {
    return "";
  }
  const GroupCalls::Call& call = calls_->calls().front();
  const std::vector<Rank>& members = calls_->group(call.group);
  const Problem plain;
  const bool all =
      members.size() == problem_.ranks && std::is_sorted(members.begin(), members.end());
  const bool differs_from_plain =
      call.problem.tree != plain.tree || call.problem.segment_bytes != 0 ||
      call.problem.radix != 0 || call.problem.fold != plain.fold || call.problem.cuts != plain.cuts;
  const bool same =
      call.problem.collective == problem_.collective && call.problem.root == problem_.root;
  return all && same && !differs_from_plain ? call.algorithm->name : "";
}

bool Hierarchy::one_shape() const {
  const Algorithm* cuts = nullptr;
  return problem_.segment_bytes == 0 &&
         std::all_of(calls_->calls().begin(), calls_->calls().end(), [&](const auto& call) {
           if (call.algorithm->one_shape == nullptr || !call.algorithm->one_shape(call.problem)) {
             return false;
           }
           if (call.blocks || call.algorithm->layout(call.problem).blocks() == 1) {
             return true;
           }
           const bool alone = cuts == nullptr || cuts == call.algorithm;
           cuts = call.algorithm;
           return alone && call.end_piece == call.first_piece + 1;
         });
}

// True if all results are combined in rank order. To find out, tracks whether the sum of a piece
// that each rank holds is a sum over consecutive ranks in rank order. All segments between the
// first and the last one are treated alike, so testing one of them is enough.
bool Hierarchy::keeps_order() const {
  std::uint32_t last = 0;
  for (const GroupCalls::Call& call : calls_->calls()) {
    last = std::max(last, call.segment);
  }
  return keeps_order(0) && keeps_order(std::min(1U, last)) && keeps_order(last);
}

bool Hierarchy::keeps_order(std::uint32_t segment) const {
  struct Sum {
    Rank first = 0;
    Rank end = 0;  // 0: the sum is not in rank order
  };
  std::vector<Sum> sums(problem_.ranks);
  for (Rank rank = 0; rank < problem_.ranks; ++rank) {
    sums[rank] = {rank, rank + 1};
  }
  for (const GroupCalls::Call& call : calls_->calls()) {
    if (call.segment != segment) {
      continue;
    }
    const std::vector<Rank>& members = calls_->group(call.group);
    Sum sum = sums[members[call.problem.root]];
    if (reduces(call.algorithm->collective)) {
      const bool kept =
          call.algorithm->keeps_order != nullptr && call.algorithm->keeps_order(call.problem);
      sum = kept ? sums[members.front()] : Sum{};
      for (std::size_t at = 1; at < members.size() && sum.end != 0; ++at) {
        const Sum next = sums[members[at]];
        sum = next.first == sum.end && next.end != 0 ? Sum{sum.first, next.end} : Sum{};
      }
    } else if (call.blocks) {
      sum = sums[members.front()];  // joins the lanes, which all have sums over the same ranks
    }
    for (std::size_t at = 0; at < members.size(); ++at) {
      if (call.algorithm->collective != Collective::reduce || at == call.problem.root) {
        sums[members[at]] = sum;
      }
    }
  }
  return std::all_of(sums.begin(), sums.end(), [&](const Sum& sum) {
    const bool holds_it = problem_.collective != Collective::reduce || &sum == &sums[problem_.root];
    return !holds_it || (sum.first == 0 && sum.end == problem_.ranks);
  });
}

}}  // namespace tutti::schedules
