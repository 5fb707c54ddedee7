#include "src/steps/step_schedule.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace steps {

namespace {

// The ranks of a communicator that the schedule has, as places.
struct Communicator {
  std::uint32_t number = 0;   // within its group
  std::vector<Rank> members;  // that are simulated
  std::vector<Rank> all;      // of a communicator over several replicas
};

std::vector<Communicator> communicators_of(const StepGroup& group, const StepPlaces& places) {
  std::vector<Communicator> found;
  for (std::uint32_t i = 0; i < group.members.size(); ++i) {
    Communicator made{i, {}, {}};
    for (const Rank rank : group.members[i]) {
      made.all.push_back(places.place_of_rank[rank]);
      if (made.all.back() < places.simulated) {
        made.members.push_back(made.all.back());
      }
    }
    if (!made.members.empty()) {
      found.push_back(std::move(made));
    }
  }
  return found;
}

class StepScheduler {
 public:
  StepScheduler(const StepDescription& step, const StepPlaces& places,
                const std::vector<PlacedCall>& calls, ScheduleUnion& into)
      : step_(step),
        rank_of_place_(places.rank_of_place),
        calls_(calls),
        union_(into),
        places_(places.simulated),
        streams_(step.groups.size() * places_, kNoOp) {
    made_.places = places_;
    made_.last_of_group.assign(step.groups.size(), kNoCollective);
    for (const StepGroup& group : step.groups) {
      communicators_.push_back(communicators_of(group, places));
    }
  }

  // `after` has the operation after which each place begins.
  StepSchedule make(const std::vector<OpId>& after) {
    computing_ = after;
    for (const StepAction& action : step_.actions) {
      made_.first_ops.push_back(union_.size());
      std::uint32_t collective = kNoCollective;
      if (action.kind == StepAction::Kind::compute) {
        compute(action);
      } else if (action.calls()) {
        collective = begin(action);
      } else {
        collective = action.kind == StepAction::Kind::wait_call ? action.what
                                                                : made_.last_of_group[action.what];
        wait_for(collective, action);
      }
      made_.collective_of.push_back(collective);
    }
    made_.first_ops.push_back(union_.size());
    return std::move(made_);
  }

  // Lets each place wait for all its collectives. Returns the operations with which it has done so.
  std::vector<OpId> over() {
    std::vector<OpId> ends;
    for (Rank place = 0; place < places_; ++place) {
      joined_.assign(1, computing_[place]);
      for (std::size_t group = 0; group < step_.groups.size(); ++group) {
        joined_.push_back(stream(static_cast<std::uint32_t>(group), place));
      }
      ends.push_back(union_.join(place, joined_));
    }
    return ends;
  }

 private:
  [[nodiscard]] bool takes_part(const StepAction& action, Rank place) const {
    return step_.takes_part(action, rank_of_place_[place]);
  }
  [[nodiscard]] OpId& stream(std::uint32_t group, Rank place) {
    return streams_[std::size_t{group} * places_ + place];
  }

  void compute(const StepAction& action) {
    for (Rank place = 0; place < places_; ++place) {
      const bool here = takes_part(action, place);
      if (here) {
        computing_[place] = union_.calculate(place, action.picoseconds, computing_[place]);
      }
      made_.computed.push_back(here ? computing_[place] : kNoOp);
    }
  }

  // Begins a collective in all communicators of its group that take part, and returns its number.
  // At other ranks, it is over when the one before it is.
  std::uint32_t begin(const StepAction& action) {
    const StepCall& call = step_.calls[action.what];
    const auto number = static_cast<std::uint32_t>(made_.previous.size());
    const bool handover = action.kind == StepAction::Kind::handover;
    made_.previous.push_back(handover ? kNoCollective
                                      : std::exchange(made_.last_of_group[call.group], number));
    const std::size_t row = made_.begin_after.size();
    for (Rank place = 0; place < places_; ++place) {
      const OpId before = stream(call.group, place);
      made_.begin_after.push_back(!takes_part(action, place) ? before
                                  : handover
                                      ? computing_[place]
                                      : union_.join(place, std::array{computing_[place], before}));
    }
    made_.ends.insert(made_.ends.end(),
                      made_.begin_after.begin() + static_cast<std::ptrdiff_t>(row),
                      made_.begin_after.end());
    const std::span<OpId> ends = std::span(made_.ends).subspan(row);
    if (const PlacedCall& placed = calls_[action.what]; placed.part != nullptr) {
      handover ? send(action, *placed.part, std::span(made_.begin_after).subspan(row), ends)
               : append(action, placed, ends);
    }
    for (Rank place = 0; !handover && place < places_; ++place) {
      if (takes_part(action, place)) {
        if (action.kind == StepAction::Kind::beside) {
          mark(call.group, place, made_.begin_after[row + place], ends[place]);
        }
        stream(call.group, place) = ends[place];
        if (action.kind != StepAction::Kind::beside) {
          computing_[place] = ends[place];
        }
      }
    }
    return number;
  }

  // Marks a collective that makes computing slower, from the end of `begin_after` to that of `end`.
  void mark(std::uint32_t group, Rank place, OpId begin_after, OpId end) {
    if (group < step_.slowdowns.size() && step_.slowdowns[group] > 1 && end != begin_after) {
      made_.marks.push_back({union_.calculate(place, 0, begin_after), group, true});
      made_.marks.push_back({union_.calculate(place, 0, end), group, false});
    }
  }

  void append(const StepAction& action, const PlacedCall& placed, std::span<OpId> ends) {
    const UnionPart& part = *placed.part;
    for (const Communicator& each : communicators_[step_.calls[action.what].group]) {
      if (!takes_part(action, each.members.front())) {
        continue;
      }
      at_.clear();
      for (const Rank place : each.members) {
        at_.push_back(ends[place]);
      }
      union_.append(part, each.members, at_,
                    switches_.first(action.what, each.number, part, union_),
                    placed.across ? std::span<const Rank>(each.all) : std::span<const Rank>());
      for (std::size_t member = 0; member < each.members.size(); ++member) {
        ends[each.members[member]] = at_[member];
      }
    }
  }

  // Sends a message from one stage to another. The receiver is always ready for it.
  void send(const StepAction& action, const UnionPart& part, std::span<OpId> begin_after,
            std::span<OpId> ends) {
    for (const Communicator& each : communicators_[step_.calls[action.what].group]) {
      const std::array ends_of_message{each.members[*action.stage], each.members[action.to_stage]};
      at_.assign({computing_[ends_of_message[0]], kNoOp});
      union_.append(part, ends_of_message, at_);
      begin_after[ends_of_message[1]] = computing_[ends_of_message[0]];
      ends[ends_of_message[0]] = at_[0];
      ends[ends_of_message[1]] = at_[1];
    }
  }

  void wait_for(std::uint32_t collective, const StepAction& action) {
    for (Rank place = 0; collective != kNoCollective && place < places_; ++place) {
      if (takes_part(action, place)) {
        computing_[place] = union_.join(
            place,
            std::array{computing_[place], made_.ends[std::size_t{collective} * places_ + place]});
      }
    }
  }

  const StepDescription& step_;
  const std::vector<Rank>& rank_of_place_;
  const std::vector<PlacedCall>& calls_;
  ScheduleUnion& union_;
  std::uint32_t places_;
  std::vector<std::vector<Communicator>> communicators_;  // by group
  std::vector<OpId> computing_;  // last operation of each place's stream of computing
  std::vector<OpId> streams_;    // the same for the stream of each group, by group and place
  StepSchedule made_;
  CallSwitches switches_;
  std::vector<OpId> at_;
  std::vector<OpId> joined_;
};

// True if all messages from and to switches come from and go to ranks.
bool has_leaf_switches_only(const Schedule& schedule) {
  return std::ranges::none_of(schedule.ops(), [&](const Op& op) {
    return op.is_comm() && op.src() >= schedule.ranks() && op.dst() >= schedule.ranks();
  });
}

}  // namespace

std::uint32_t CallSwitches::first(std::uint32_t call, std::uint32_t communicator,
                                  const UnionPart& part, ScheduleUnion& into) {
  const std::uint32_t count = part.schedule().switches();
  if (count == 0) {
    return 0;
  }
  const auto [found, is_new] = first_.try_emplace({call, communicator}, 0);
  if (is_new) {
    found->second = into.add_switches(count);
  }
  return found->second;
}

std::optional<std::vector<PlacedCall>> placed_calls(const StepDescription& step,
                                                    const StepPlaces& places, CallParts& parts) {
  std::vector<PlacedCall> placed(step.calls.size());
  for (std::size_t i = 0; i < step.calls.size(); ++i) {
    if (!parts.run(i)) {
      continue;
    }
    const std::vector<Rank>& members = step.groups[step.calls[i].group].members.front();
    const auto own = static_cast<std::uint32_t>(std::ranges::count_if(
        members, [&](Rank rank) { return places.place_of_rank[rank] < places.simulated; }));
    placed[i].across = own < members.size();
    placed[i].part = placed[i].across ? parts.classes(i, own) : parts.whole(i);
    if (placed[i].part == nullptr ||
        (!places.all() && !has_leaf_switches_only(placed[i].part->schedule()))) {
      return std::nullopt;
    }
  }
  return placed;
}

namespace {

void mark_computing(const StepDescription& step, const StepSchedule& schedule,
                    SlowComputing& into) {
  std::size_t number = 0;  // of the computing statement
  for (const StepAction& action : step.actions) {
    if (action.kind != StepAction::Kind::compute) {
      continue;
    }
    for (std::uint32_t place = 0; place < schedule.places; ++place) {
      if (const OpId last = schedule.computed[number * schedule.places + place]; last != kNoOp) {
        const OpId count = operations_of(action.picoseconds);
        std::fill_n(into.change.begin() + (last + 1 - count), count, SlowComputing::kSlowed);
      }
    }
    ++number;
  }
}

}  // namespace

void add_slow_computing(const StepDescription& step, std::span<const StepSchedule> schedules,
                        OpId ops, SlowComputing& into) {
  const std::size_t first = into.factors.size() + 1;
  into.factors.insert(into.factors.end(), step.slowdowns.begin(), step.slowdowns.end());
  if (into.factors.size() > std::numeric_limits<std::int16_t>::max()) {
    throw UserError("too many groups make computing slower; leave out 'stream ... shares compute'");
  }
  into.change.resize(ops, 0);
  for (const StepSchedule& schedule : schedules) {
    mark_computing(step, schedule, into);
    for (const StreamMark& mark : schedule.marks) {
      const auto stream = static_cast<std::int16_t>(first + mark.group);
      into.change[mark.op] = mark.begins ? stream : static_cast<std::int16_t>(-stream);
    }
  }
}

std::shared_ptr<const SlowComputing> slow_computing(const StepDescription& step,
                                                    const StepSchedule& schedule, OpId ops) {
  if (schedule.marks.empty()) {
    return nullptr;
  }
  auto made = std::make_shared<SlowComputing>();
  add_slow_computing(step, std::span(&schedule, 1), ops, *made);
  return made;
}

StepSchedule schedule_of(const StepDescription& step, const StepPlaces& places,
                         const std::vector<PlacedCall>& calls, ScheduleUnion& into) {
  return StepScheduler(step, places, calls, into).make(std::vector(places.simulated, kNoOp));
}

StepSchedule schedule_of(const StepDescription& step, const StepPlaces& places,
                         const std::vector<PlacedCall>& calls, ScheduleUnion& into,
                         std::vector<OpId>& at) {
  StepScheduler scheduler(step, places, calls, into);
  StepSchedule made = scheduler.make(at);
  at = scheduler.over();
  return made;
}

}}  // namespace tutti::steps
