#include "schedules/schedule_union.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace schedules {

UnionPart::UnionPart(Schedule schedule, double copy_s_per_byte, double sent_per_byte)
    : schedule_(std::move(schedule)),
      members_(schedule_.ranks()),
      copy_s_per_byte_(copy_s_per_byte),
      sent_per_byte_(sent_per_byte),
      first_(schedule_.size(), kSrc | kDst) {
  find_ends();
}

UnionPart::UnionPart(RankPart part, double copy_s_per_byte, double sent_per_byte)
    : schedule_(std::move(part.schedule)),
      members_(part.classes.count()),
      targets_(std::move(part.targets)),
      copy_s_per_byte_(copy_s_per_byte),
      sent_per_byte_(sent_per_byte),
      first_(schedule_.size(), kSrc | kDst) {
  TUTTI_INVARIANT(schedule_.ranks() == 2 * members_);
  find_ends();
}

void UnionPart::find_ends() {
  for (OpId id = 0; id < schedule_.size(); ++id) {
    const Op& op = schedule_.op(id);
    for (const OpId before : schedule_.predecessors(id)) {
      const Op& earlier = schedule_.op(before);
      first_[id] &=
          static_cast<std::uint8_t>(~((touches(earlier, member_at(op.src())) ? kSrc : 0) |
                                      (touches(earlier, member_at(op.dst())) ? kDst : 0)));
    }
  }
  const auto is_last_at = [&](OpId id, Rank member) {
    const OpIds after = schedule_.successors(id);
    return member < members_ && std::none_of(after.begin(), after.end(), [&](OpId each) {
             return touches(schedule_.op(each), member);
           });
  };
  last_ = Rows<OpId>(members_, [&](const auto& add) {
    for (OpId id = 0; id < schedule_.size(); ++id) {
      const Rank from = member_at(schedule_.op(id).src());
      const Rank to = member_at(schedule_.op(id).dst());
      if (is_last_at(id, from)) {
        add(from, id);
      }
      if (from != to && is_last_at(id, to)) {
        add(to, id);
      }
    }
  });
}

std::uint64_t UnionPart::bytes(const Op& op) const {
  const double factor = op.kind() == OpKind::copy ? copy_s_per_byte_ / kUnionCopy_s_per_byte
                        : op.is_comm()            ? sent_per_byte_
                                                  : 1;
  const double bytes = std::round(static_cast<double>(op.bytes()) * factor);
  TUTTI_INVARIANT(bytes <= static_cast<double>(kMaxMessageBytes));
  return static_cast<std::uint64_t>(bytes);
}

ScheduleUnion::ScheduleUnion(std::uint32_t ranks) {
  parts_.problem.collective = Collective::application;
  parts_.problem.ranks = ranks;
  parts_.problem.element_bytes = 1;
  parts_.layout = BlockLayout::even(0, 1, 1);
}

ScheduleUnion::ScheduleUnion(RankClasses classes) : ScheduleUnion(2 * classes.count()) {
  classes_ = std::move(classes);
}

OpRange ScheduleUnion::append(const UnionPart& part, std::span<const Rank> members,
                              std::span<OpId> at, std::uint32_t first_switch,
                              std::span<const Rank> whole) {
  const Schedule& schedule = part.schedule();
  TUTTI_INVARIANT(members.size() == part.members() && at.size() == part.members());
  TUTTI_INVARIANT(part.targets().empty() || classes_);
  TUTTI_INVARIANT(std::uint64_t{first_switch} + schedule.switches() <= parts_.switches ||
                  schedule.switches() == 0);
  const OpId begin = size();
  if (std::uint64_t{begin} + schedule.size() + schedule.ranks() >= kNoOp ||
      parts_.dependencies.size() + schedule.dependencies() + 2 * std::uint64_t{schedule.size()} >
          std::numeric_limits<std::uint32_t>::max()) {
    throw ScheduleTooLarge(
        "the schedules together have more than 4 billion operations or "
        "dependencies");
  }
  const std::uint32_t switches_from = parts_.problem.ranks + first_switch;
  // In a union of classes, messages arrive at ranks of their own.
  const std::uint32_t receivers_from = classes_ ? classes_->count() : 0;
  const auto place = [&](Rank own) {
    return own < members.size() ? first_rank_ + members[own]
                                : switches_from + own - schedule.ranks();
  };
  const auto before = [&](Rank own, bool first) {
    return first && own < members.size() ? at[own] : kNoOp;
  };
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    const Rank from = part.member_at(op.src());
    const Rank to = part.member_at(op.dst());
    const bool arrives = op.is_comm() && to < members.size();
    parts_.ops.emplace_back(op.kind(), place(from), place(to) + (arrives ? receivers_from : 0),
                            part.bytes(op), op.label(), Buffer::work, Buffer::work, op.from_is(),
                            false);
    if (classes_) {
      targets_.push_back(arrives && !part.targets().empty() ? whole[part.targets()[id]]
                                                            : place(to));
    }
    const auto [least, most] =
        std::minmax({before(from, part.first_at_src(id)), before(to, part.first_at_dst(id))});
    for (const OpId each : {least, most == least ? kNoOp : most}) {
      if (each != kNoOp) {
        parts_.dependencies.push_back(each);
      }
    }
    for (const OpId earlier : schedule.predecessors(id)) {
      parts_.dependencies.push_back(begin + earlier);
    }
    close_row();
  }
  for (Rank own = 0; own < members.size(); ++own) {
    if (const auto last = part.last(own); !last.empty()) {
      joined_.clear();
      for (const OpId each : last) {
        joined_.push_back(begin + each);
      }
      at[own] = end_of_joined(members[own]);
    }
  }
  return {begin, size()};
}

std::uint32_t ScheduleUnion::add_switches(std::uint32_t count) {
  return std::exchange(parts_.switches, parts_.switches + count);
}

OpId ScheduleUnion::calculate(Rank rank, std::uint64_t picoseconds, OpId after) {
  do {
    const std::uint64_t part = std::min(picoseconds, kMaxMessageBytes);
    if (after != kNoOp) {
      parts_.dependencies.push_back(after);
    }
    after = add_local(rank, part);
    picoseconds -= part;
  } while (picoseconds > 0);
  return after;
}

OpId ScheduleUnion::join(Rank rank, std::span<const OpId> after) {
  joined_.assign(after.begin(), after.end());
  std::sort(joined_.begin(), joined_.end());
  joined_.erase(std::unique(joined_.begin(), joined_.end()), joined_.end());
  if (!joined_.empty() && joined_.back() == kNoOp) {
    joined_.pop_back();
  }
  return end_of_joined(rank);
}

OpId ScheduleUnion::end_of_joined(Rank rank) {
  if (joined_.size() <= 1) {
    return joined_.empty() ? kNoOp : joined_.front();
  }
  parts_.dependencies.insert(parts_.dependencies.end(), joined_.begin(), joined_.end());
  return add_local(rank, 0);
}

RankPart ScheduleUnion::finish_part() {
  std::vector<Rank> targets = std::move(targets_);
  return {finish(), std::move(*classes_), std::move(targets), 0};
}

Schedule ScheduleUnion::finish() {
  const auto message = std::ranges::find_if(parts_.ops, &Op::is_comm);
  if (!parts_.ops.empty()) {
    parts_.bare = BareOp{
        static_cast<OpId>(message == parts_.ops.end() ? 0 : message - parts_.ops.begin()), 0};
  }
  return link(std::move(parts_), 0);
}

OpId ScheduleUnion::add_local(Rank rank, std::uint64_t picoseconds) {
  rank += first_rank_;
  parts_.ops.emplace_back(OpKind::copy, rank, rank, picoseconds, Label{}, Buffer::work,
                          Buffer::work, Operand::left, false);
  if (classes_) {
    targets_.push_back(rank);
  }
  close_row();
  return size() - 1;
}

void ScheduleUnion::close_row() {
  parts_.rows.push_back(static_cast<std::uint32_t>(parts_.dependencies.size()));
}

}}  // namespace tutti::schedules
