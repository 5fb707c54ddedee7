#include "src/steps/step_schedule.hpp"

#include <array>
#include <map>
#include <utility>

namespace tutti { inline namespace steps {

namespace {

class StepScheduler {
 public:
  StepScheduler(const StepDescription& step, const CallParts& parts)
      : step_(step),
        parts_(parts),
        union_(step.ranks),
        computing_(step.ranks, kNoOp),
        streams_(step.groups.size() * step.ranks, kNoOp) {
    last_of_group_.assign(step.groups.size(), kNoCollective);
  }

  StepSchedule make() {
    for (const StepAction& action : step_.actions) {
      std::uint32_t collective = kNoCollective;
      if (action.kind == StepAction::Kind::compute) {
        compute(action.picoseconds);
      } else if (action.calls()) {
        collective = begin(action);
      } else {
        collective =
            action.kind == StepAction::Kind::wait_call ? action.what : last_of_group_[action.what];
        wait_for(collective);
      }
      collective_of_.push_back(collective);
    }
    return {union_.finish(),          std::move(begin_after_), std::move(ends_),
            std::move(computed_),     std::move(previous_),    std::move(collective_of_),
            std::move(last_of_group_)};
  }

 private:
  [[nodiscard]] OpId& stream(std::uint32_t group, Rank rank) {
    return streams_[std::size_t{group} * step_.ranks + rank];
  }

  void compute(std::uint64_t picoseconds) {
    for (Rank rank = 0; rank < step_.ranks; ++rank) {
      computing_[rank] = union_.calculate(rank, picoseconds, computing_[rank]);
      computed_.push_back(computing_[rank]);
    }
  }

  // Begins a collective in all communicators of its group, and returns its number.
  std::uint32_t begin(const StepAction& action) {
    const StepCall& call = step_.calls[action.what];
    const auto number = static_cast<std::uint32_t>(previous_.size());
    previous_.push_back(std::exchange(last_of_group_[call.group], number));
    const std::size_t row = begin_after_.size();
    for (Rank rank = 0; rank < step_.ranks; ++rank) {
      begin_after_.push_back(
          union_.join(rank, std::array{computing_[rank], stream(call.group, rank)}));
    }
    ends_.insert(ends_.end(), begin_after_.begin() + static_cast<std::ptrdiff_t>(row),
                 begin_after_.end());
    const std::span<OpId> ends = std::span(ends_).subspan(row);
    if (const UnionPart* const part = parts_[action.what].get()) {
      append(action.what, *part, step_.groups[call.group].members, ends);
    }
    for (Rank rank = 0; rank < step_.ranks; ++rank) {
      stream(call.group, rank) = ends[rank];
      computing_[rank] = action.kind == StepAction::Kind::beside ? computing_[rank] : ends[rank];
    }
    return number;
  }

  void append(std::uint32_t call, const UnionPart& part,
              const std::vector<std::vector<Rank>>& communicators, std::span<OpId> ends) {
    for (std::uint32_t i = 0; i < communicators.size(); ++i) {
      const std::vector<Rank>& members = communicators[i];
      at_.clear();
      for (const Rank rank : members) {
        at_.push_back(ends[rank]);
      }
      union_.append(part, members, at_, switches_of(call, i, part));
      for (std::size_t member = 0; member < members.size(); ++member) {
        ends[members[member]] = at_[member];
      }
    }
  }

  // Returns the first switch of a call's communicator, which is the same each time.
  std::uint32_t switches_of(std::uint32_t call, std::uint32_t communicator, const UnionPart& part) {
    const std::uint32_t count = part.schedule().switches();
    if (count == 0) {
      return 0;
    }
    const auto [found, is_new] = first_switches_.try_emplace({call, communicator}, 0);
    if (is_new) {
      found->second = union_.add_switches(count);
    }
    return found->second;
  }

  void wait_for(std::uint32_t collective) {
    for (Rank rank = 0; collective != kNoCollective && rank < step_.ranks; ++rank) {
      computing_[rank] = union_.join(
          rank, std::array{computing_[rank], ends_[std::size_t{collective} * step_.ranks + rank]});
    }
  }

  const StepDescription& step_;
  const CallParts& parts_;
  ScheduleUnion union_;
  std::vector<OpId> computing_;  // last operation of each rank's stream of computing
  std::vector<OpId> streams_;    // the same for the stream of each group, by group and rank
  std::vector<OpId> begin_after_;
  std::vector<OpId> ends_;
  std::vector<OpId> computed_;
  std::vector<std::uint32_t> previous_;
  std::vector<std::uint32_t> collective_of_;
  std::vector<std::uint32_t> last_of_group_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> first_switches_;
  std::vector<OpId> at_;
};

}  // namespace

StepSchedule schedule_of(const StepDescription& step, const CallParts& parts) {
  return StepScheduler(step, parts).make();
}

Schedule schedule_alone(const StepDescription& step, const StepCall& call, const UnionPart& part) {
  ScheduleUnion alone(step.ranks);
  const std::vector<Rank>& members = step.groups[call.group].members.front();
  std::vector<OpId> at(members.size(), kNoOp);
  alone.append(part, members, at, alone.add_switches(part.schedule().switches()));
  return alone.finish();
}

}}  // namespace tutti::steps
