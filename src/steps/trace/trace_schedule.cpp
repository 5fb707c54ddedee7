#include "src/steps/trace/trace_schedule.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/rows.hpp"

namespace tutti { inline namespace steps {

namespace {

using Kind = TraceNode::Kind;

class TraceScheduler {
 public:
  TraceScheduler(const ChakraTrace& trace, const TraceMatches& matches,
                 const std::vector<std::uint32_t>& call_of, const std::vector<SharedPart>& parts)
      : trace_(trace),
        matches_(matches),
        call_of_(call_of),
        parts_(parts),
        union_(static_cast<std::uint32_t>(trace.ranks.size())) {
    for (const TraceMatch& match : matches.matches) {
      missing_.push_back(static_cast<std::uint32_t>(match.nodes.size()));
    }
  }

  TraceSchedule make() {
    for (Rank rank = 0; rank < trace_.ranks.size(); ++rank) {
      add_rank(rank);
    }
    for (std::size_t next = 0; next < ready_.size(); ++next) {
      run(ready_[next].first, ready_[next].second);
    }
    for (Rank rank = 0; rank < trace_.ranks.size(); ++rank) {
      for (std::uint32_t node = 0; node < waits_[rank].size(); ++node) {
        if (!done_[rank][node]) {
          throw UserError(fmt::format(
              "{}: it never begins, because collectives and messages of different ranks wait for "
              "each other",
              place_of(trace_, rank, node)));
        }
      }
    }
    return {union_.finish(), std::move(begin_after_), std::move(ends_)};
  }

 private:
  void add_rank(Rank rank) {
    const TraceRank& of = trace_.ranks[rank];
    const auto size = static_cast<std::uint32_t>(of.nodes.size());
    later_.emplace_back(size, [&](const auto& add) {
      for (std::uint32_t node = 0; node < size; ++node) {
        for_each_before(rank, node, [&](std::uint32_t before) { add(before, node); });
      }
    });
    auto& waits = waits_.emplace_back(size);
    for (std::uint32_t node = 0; node < size; ++node) {
      for_each_before(rank, node, [&](std::uint32_t) { ++waits[node]; });
      waits[node] += of.nodes[node].kind == Kind::receive ? 1 : 0;  // for its message
      if (waits[node] == 0) {
        ready_.emplace_back(rank, node);
      }
    }
    begin_after_.emplace_back(size, kNoOp);
    ends_.emplace_back(size, kNoOp);
    done_.emplace_back(size, false);
  }

  // Calls do(node) for each node of the rank after which `node` begins.
  template <typename Do>
  void for_each_before(Rank rank, std::uint32_t node, const Do& call) const {
    for (const std::uint32_t before : trace_.ranks[rank].dependencies_of(node)) {
      call(before);
    }
    if (const std::uint32_t before = matches_.before[rank][node]; before != kNoMatch) {
      call(before);
    }
  }

  void run(Rank rank, std::uint32_t id) {
    const TraceNode& node = trace_.ranks[rank].nodes[id];
    joined_.clear();
    for_each_before(rank, id,
                    [&](std::uint32_t before) { joined_.push_back(ends_[rank][before]); });
    if (node.kind == Kind::receive) {
      joined_.push_back(ends_[rank][id]);  // the message
      ends_[rank][id] = union_.join(rank, joined_);
      done(rank, id);
      return;
    }
    const OpId begin = union_.join(rank, joined_);
    begin_after_[rank][id] = begin;
    ends_[rank][id] =
        node.kind == Kind::compute ? union_.calculate(rank, node.amount * 1000, begin) : begin;
    if (node.kind == Kind::collective) {
      const std::uint32_t match = matches_.match_of[rank][id];
      if (--missing_[match] == 0) {
        collective(match);
      }
      return;
    }
    if (node.kind == Kind::send) {
      message(matches_.match_of[rank][id]);
    }
    done(rank, id);
  }

  void collective(std::uint32_t number) {
    const TraceMatch& match = matches_.matches[number];
    const std::vector<Rank>& members = trace_.groups[match.group].members;
    if (const UnionPart* const part = parts_[call_of_[number]].get()) {
      at_.clear();
      for (std::size_t i = 0; i < members.size(); ++i) {
        at_.push_back(ends_[members[i]][match.nodes[i]]);
      }
      union_.append(*part, members, at_,
                    switches_.first(call_of_[number], match.group, *part, union_));
      for (std::size_t i = 0; i < members.size(); ++i) {
        ends_[members[i]][match.nodes[i]] = at_[i];
      }
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      done(members[i], match.nodes[i]);
    }
  }

  void message(std::uint32_t number) {
    const TraceMatch& match = matches_.matches[number];
    const std::array ranks{match.src, match.dst};
    const OpId begin = ends_[match.src][match.nodes[0]];
    at_.assign({begin, kNoOp});
    union_.append(*parts_[call_of_[number]], ranks, at_);
    ends_[match.src][match.nodes[0]] = at_[0];
    begin_after_[match.dst][match.nodes[1]] = begin;
    ends_[match.dst][match.nodes[1]] = at_[1];
    release(match.dst, match.nodes[1]);
  }

  void done(Rank rank, std::uint32_t node) {
    done_[rank][node] = true;
    for (const std::uint32_t after : later_[rank][node]) {
      release(rank, after);
    }
  }

  void release(Rank rank, std::uint32_t node) {
    if (--waits_[rank][node] == 0) {
      ready_.emplace_back(rank, node);
    }
  }

  const ChakraTrace& trace_;
  const TraceMatches& matches_;
  const std::vector<std::uint32_t>& call_of_;
  const std::vector<SharedPart>& parts_;
  ScheduleUnion union_;
  std::vector<Rows<std::uint32_t>> later_;         // by rank and node: nodes after it
  std::vector<std::vector<std::uint32_t>> waits_;  // by rank and node: nodes that must end before
  std::vector<std::vector<bool>> done_;            // by rank and node
  std::vector<std::uint32_t> missing_;             // by match: ranks that are not ready
  std::vector<std::pair<Rank, std::uint32_t>> ready_;
  std::vector<std::vector<OpId>> begin_after_;
  std::vector<std::vector<OpId>> ends_;
  CallSwitches switches_;
  std::vector<OpId> joined_;
  std::vector<OpId> at_;
};

}  // namespace

TraceSchedule schedule_of(const ChakraTrace& trace, const TraceMatches& matches,
                          const std::vector<std::uint32_t>& call_of,
                          const std::vector<SharedPart>& parts) {
  return TraceScheduler(trace, matches, call_of, parts).make();
}

}}  // namespace tutti::steps
