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
        compute(action);
      } else if (action.calls()) {
        collective = begin(action);
      } else {
        collective =
            action.kind == StepAction::Kind::wait_call ? action.what : last_of_group_[action.what];
        wait_for(collective, action);
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

  void compute(const StepAction& action) {
    for (Rank rank = 0; rank < step_.ranks; ++rank) {
      const bool here = step_.takes_part(action, rank);
      if (here) {
        computing_[rank] = union_.calculate(rank, action.picoseconds, computing_[rank]);
      }
      computed_.push_back(here ? computing_[rank] : kNoOp);
    }
  }

  // Begins a collective in all communicators of its group that take part, and returns its number.
  // At other ranks, it is over when the one before it is.
  std::uint32_t begin(const StepAction& action) {
    const StepCall& call = step_.calls[action.what];
    const auto number = static_cast<std::uint32_t>(previous_.size());
    const bool handover = action.kind == StepAction::Kind::handover;
    previous_.push_back(handover ? kNoCollective
                                 : std::exchange(last_of_group_[call.group], number));
    const std::size_t row = begin_after_.size();
    for (Rank rank = 0; rank < step_.ranks; ++rank) {
      const OpId before = stream(call.group, rank);
      begin_after_.push_back(!step_.takes_part(action, rank) ? before
                             : handover                      ? computing_[rank]
                                        : union_.join(rank, std::array{computing_[rank], before}));
    }
    ends_.insert(ends_.end(), begin_after_.begin() + static_cast<std::ptrdiff_t>(row),
                 begin_after_.end());
    const std::span<OpId> ends = std::span(ends_).subspan(row);
    if (const UnionPart* const part = parts_[action.what].get()) {
      handover ? send(action, *part, std::span(begin_after_).subspan(row), ends)
               : append(action, *part, ends);
    }
    for (Rank rank = 0; !handover && rank < step_.ranks; ++rank) {
      if (step_.takes_part(action, rank)) {
        stream(call.group, rank) = ends[rank];
        computing_[rank] = action.kind == StepAction::Kind::beside ? computing_[rank] : ends[rank];
      }
    }
    return number;
  }

  void append(const StepAction& action, const UnionPart& part, std::span<OpId> ends) {
    const auto& communicators = step_.groups[step_.calls[action.what].group].members;
    for (std::uint32_t i = 0; i < communicators.size(); ++i) {
      const std::vector<Rank>& members = communicators[i];
      if (!step_.takes_part(action, members.front())) {
        continue;
      }
      at_.clear();
      for (const Rank rank : members) {
        at_.push_back(ends[rank]);
      }
      union_.append(part, members, at_, switches_of(action.what, i, part));
      for (std::size_t member = 0; member < members.size(); ++member) {
        ends[members[member]] = at_[member];
      }
    }
  }

  // Sends a message from one stage to another. The receiver is always ready for it.
  void send(const StepAction& action, const UnionPart& part, std::span<OpId> begin_after,
            std::span<OpId> ends) {
    for (const std::vector<Rank>& members : step_.groups[step_.calls[action.what].group].members) {
      const std::array ends_of_message{members[*action.stage], members[action.to_stage]};
      at_.assign({computing_[ends_of_message[0]], kNoOp});
      union_.append(part, ends_of_message, at_);
      begin_after[ends_of_message[1]] = computing_[ends_of_message[0]];
      ends[ends_of_message[0]] = at_[0];
      ends[ends_of_message[1]] = at_[1];
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

  void wait_for(std::uint32_t collective, const StepAction& action) {
    for (Rank rank = 0; collective != kNoCollective && rank < step_.ranks; ++rank) {
      if (step_.takes_part(action, rank)) {
        computing_[rank] = union_.join(
            rank,
            std::array{computing_[rank], ends_[std::size_t{collective} * step_.ranks + rank]});
      }
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
  const std::span<const Rank> members =
      std::span(step.groups[call.group].members.front()).first(part.schedule().ranks());
  std::vector<OpId> at(members.size(), kNoOp);
  alone.append(part, members, at, alone.add_switches(part.schedule().switches()));
  return alone.finish();
}

}}  // namespace tutti::steps
