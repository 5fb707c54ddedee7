#include "src/steps/step_limit.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace tutti { inline namespace steps {

namespace {

// From whom the members of a communicator need data.
enum class Needs : std::uint8_t { nothing, all_from_all, all_from_root, root_from_all };

Needs needs_of(const StepCall& call, std::uint32_t ranks, std::uint32_t element_bytes) {
  // A member without a block gives no data, or gets none.
  if (call.experts || call.load != 1) {
    return Needs::nothing;  // some members may get nothing
  }
  const bool blocks = call.bytes >= std::uint64_t{ranks} * element_bytes;
  switch (call.collective) {
    case Collective::barrier:
      return Needs::all_from_all;
    case Collective::allreduce:
      return call.bytes >= element_bytes ? Needs::all_from_all : Needs::nothing;
    case Collective::allgather:
    case Collective::reduce_scatter:
    case Collective::alltoall:
      return blocks ? Needs::all_from_all : Needs::nothing;
    case Collective::bcast:
      return call.bytes > 0 ? Needs::all_from_root : Needs::nothing;
    case Collective::scatter:
      return blocks ? Needs::all_from_root : Needs::nothing;
    case Collective::reduce:
      return call.bytes > 0 ? Needs::root_from_all : Needs::nothing;
    case Collective::gather:
      return blocks ? Needs::root_from_all : Needs::nothing;
    default:
      return Needs::nothing;
  }
}

class LongestPath {
 public:
  LongestPath(const StepDescription& step, const std::vector<CallChoice>& choices,
              std::uint32_t element_bytes)
      : step_(step),
        choices_(choices),
        element_bytes_(element_bytes),
        computing_s_(step.ranks),
        streams_s_(step.groups.size() * step.ranks),
        last_s_(step.groups.size()),
        waited_s_(step.groups.size()) {
    for (const StepAction& action : step.actions) {
      if (action.kind == StepAction::Kind::wait_call) {
        awaited_.resize(std::max<std::size_t>(awaited_.size(), action.what + 1));
        awaited_[action.what] += 1;
      }
    }
  }

  double run() {
    for (const StepAction& action : step_.actions) {
      switch (action.kind) {
        case StepAction::Kind::compute:
          compute(action);
          break;
        case StepAction::Kind::collective:
        case StepAction::Kind::beside:
          collective(action);
          break;
        case StepAction::Kind::handover:
          handover(action);
          break;
        case StepAction::Kind::wait_call:
          wait(action, ends_[action.what]);
          if (--awaited_[action.what] == 0) {
            ends_[action.what] = {};
          }
          break;
        case StepAction::Kind::wait_group:
          wait(action,
               std::span(streams_s_).subspan(std::size_t{action.what} * step_.ranks, step_.ranks));
          waits_for_last(action, action.what);
          break;
      }
    }
    double limit_s = 0;
    for (const auto* all : {&computing_s_, &streams_s_, &last_s_, &waited_s_}) {
      for (const double each : *all) {
        limit_s = std::max(limit_s, each);
      }
    }
    return limit_s;
  }

 private:
  void compute(const StepAction& action) {
    for (Rank rank = 0; rank < step_.ranks; ++rank) {
      if (step_.takes_part(action, rank)) {
        computing_s_[rank] += static_cast<double>(action.picoseconds) * 1e-12;
      }
    }
    for (std::uint32_t group = 0; group < waited_s_.size(); ++group) {
      if (waited_s_[group] > 0 && all_take_part(action, group)) {
        waited_s_[group] += static_cast<double>(action.picoseconds) * 1e-12;
      }
    }
  }

  // True if all members of the group's first communicator take part.
  [[nodiscard]] bool all_take_part(const StepAction& action, std::uint32_t group) const {
    return std::ranges::all_of(step_.groups[group].members.front(),
                               [&](Rank rank) { return step_.takes_part(action, rank); });
  }
  // The computing of all members of the first communicator waits for the group's last collective.
  void waits_for_last(const StepAction& action, std::uint32_t group) {
    if (all_take_part(action, group)) {
      waited_s_[group] = std::max(waited_s_[group], last_s_[group]);
    }
  }

  void wait(const StepAction& action, std::span<const double> ends_s) {
    for (Rank rank = 0; rank < step_.ranks; ++rank) {
      if (step_.takes_part(action, rank) && !ends_s.empty()) {
        computing_s_[rank] = std::max(computing_s_[rank], ends_s[rank]);
      }
    }
  }

  void collective(const StepAction& action) {
    const StepCall& call = step_.calls[action.what];
    const std::span<double> stream =
        std::span(streams_s_).subspan(std::size_t{call.group} * step_.ranks, step_.ranks);
    const auto& communicators = step_.groups[call.group].members;
    for (std::size_t i = 0; i < communicators.size(); ++i) {
      const std::vector<Rank>& members = communicators[i];
      if (!step_.takes_part(action, members.front())) {
        continue;
      }
      double first_s = std::max(stream[members[0]], computing_s_[members[0]]);
      double latest_s = i == 0 ? std::max(last_s_[call.group], waited_s_[call.group]) : 0;
      for (const Rank rank : members) {
        stream[rank] = std::max(stream[rank], computing_s_[rank]);
        first_s = std::min(first_s, stream[rank]);
        latest_s = std::max(latest_s, stream[rank]);
      }
      end_of(call, members, latest_s, stream);
      if (const auto& limit_s = choices_[action.what].limit_s; limit_s && i == 0) {
        last_s_[call.group] = std::max(last_s_[call.group], first_s + *limit_s);
      }
    }
    keep_ends({stream.begin(), stream.end()});
    if (action.kind == StepAction::Kind::collective) {
      wait(action, stream);
      waits_for_last(action, call.group);
    }
  }

  // Keeps the ends of a collective if a statement waits for it.
  void keep_ends(std::vector<double> ends_s) {
    const bool kept = ends_.size() < awaited_.size() && awaited_[ends_.size()] > 0;
    ends_.push_back(kept ? std::move(ends_s) : std::vector<double>());
  }

  // Members that need data wait for those from which they need it. The latest of these begins at
  // `latest_s` or later.
  void end_of(const StepCall& call, const std::vector<Rank>& members, double latest_s,
              std::span<double> stream) const {
    const auto ranks = static_cast<std::uint32_t>(members.size());
    const Needs needs = ranks == 1 ? Needs::nothing : needs_of(call, ranks, element_bytes_);
    const Rank root = members[call.root];
    if (needs == Needs::root_from_all) {
      stream[root] = std::max(stream[root], latest_s);
    }
    for (const Rank rank : members) {
      if (needs == Needs::all_from_all) {
        stream[rank] = std::max(stream[rank], latest_s);
      } else if (needs == Needs::all_from_root) {
        stream[rank] = std::max(stream[rank], stream[root]);
      }
    }
  }

  void handover(const StepAction& action) {
    std::vector<double> ends_s(step_.ranks);
    for (const std::vector<Rank>& members : step_.groups[step_.calls[action.what].group].members) {
      const double sent_s = computing_s_[members[*action.stage]];
      ends_s[members[*action.stage]] = ends_s[members[action.to_stage]] = sent_s;
    }
    keep_ends(std::move(ends_s));
  }

  const StepDescription& step_;
  const std::vector<CallChoice>& choices_;
  std::uint32_t element_bytes_;
  // Earliest ends of what the ranks' streams have done so far.
  std::vector<double> computing_s_;
  std::vector<double> streams_s_;  // by group and rank
  // By group: earliest end of the collectives of the first communicator at the member that ends
  // last, which is not known.
  std::vector<double> last_s_;
  // By group: the same of the computing of these members.
  std::vector<double> waited_s_;
  std::vector<std::uint32_t> awaited_;     // by collective: later statements that wait for it
  std::vector<std::vector<double>> ends_;  // by collective and rank
};

}  // namespace

double step_limit_s(const StepDescription& step, const std::vector<CallChoice>& choices,
                    std::uint32_t element_bytes) {
  return LongestPath(step, choices, element_bytes).run();
}

}}  // namespace tutti::steps
