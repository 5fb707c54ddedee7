#include "src/steps/trace/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/rows.hpp"

namespace tutti { inline namespace steps {

namespace {

using Kind = TraceNode::Kind;

// Returns the nodes of a rank in the order of their dependencies and, beside these, of the file.
std::vector<std::uint32_t> order_of(const ChakraTrace& trace, Rank of) {
  const TraceRank& rank = trace.ranks[of];
  const auto size = static_cast<std::uint32_t>(rank.nodes.size());
  const Rows<std::uint32_t> later(size, [&](const auto& add) {
    for (std::uint32_t node = 0; node < size; ++node) {
      for (const std::uint32_t before : rank.dependencies_of(node)) {
        add(before, node);
      }
    }
  });
  std::vector<std::uint32_t> waits(size);
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t node = 0; node < size; ++node) {
    waits[node] = static_cast<std::uint32_t>(rank.dependencies_of(node).size());
    if (waits[node] == 0) {
      ready.push(node);
    }
  }
  std::vector<std::uint32_t> order;
  order.reserve(size);
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const std::uint32_t node : later[order.back()]) {
      if (--waits[node] == 0) {
        ready.push(node);
      }
    }
  }
  if (order.size() < size) {
    const auto stuck = std::ranges::find_if(waits, [](std::uint32_t count) { return count > 0; });
    throw UserError(
        fmt::format("{}: it depends on itself, directly or through other nodes",
                    place_of(trace, of, static_cast<std::uint32_t>(stuck - waits.begin()))));
  }
  return order;
}

class Matcher {
 public:
  explicit Matcher(const ChakraTrace& trace) : trace_(trace) {}

  TraceMatches match() {
    for (Rank rank = 0; rank < trace_.ranks.size(); ++rank) {
      add_rank(rank);
    }
    for (std::uint32_t group = 0; group < trace_.groups.size(); ++group) {
      match_group(group);
    }
    match_messages();
    return std::move(made_);
  }

 private:
  void add_rank(Rank rank) {
    const std::size_t size = trace_.ranks[rank].nodes.size();
    made_.match_of.emplace_back(size, kNoMatch);
    made_.before.emplace_back(size, kNoMatch);
    auto& of_group = collectives_.emplace_back(trace_.groups.size());
    for (const std::uint32_t id : order_of(trace_, rank)) {
      const TraceNode& node = trace_.ranks[rank].nodes[id];
      if (node.kind == Kind::collective) {
        std::vector<std::uint32_t>& earlier = of_group[node.group];
        made_.before[rank][id] = earlier.empty() ? kNoMatch : earlier.back();
        earlier.push_back(id);
      } else if (node.kind == Kind::send) {
        sends_[{rank, node.peer, node.tag}].push_back(id);
      } else if (node.kind == Kind::receive) {
        receives_[{node.peer, rank, node.tag}].push_back(id);
      }
    }
  }

  static std::string in_words(const TraceNode& node) {
    return fmt::format("{} of {} bytes", name(node.collective), node.amount);
  }

  void match_group(std::uint32_t group) {
    const TraceGroup& of = trace_.groups[group];
    const Rank first = of.members.front();
    const std::vector<std::uint32_t>& leading = collectives_[first][group];
    for (const Rank rank : of.members) {
      const std::vector<std::uint32_t>& others = collectives_[rank][group];
      for (std::size_t i = 0; i < std::min(leading.size(), others.size()); ++i) {
        const TraceNode& a = trace_.ranks[first].nodes[leading[i]];
        const TraceNode& b = trace_.ranks[rank].nodes[others[i]];
        // The ranks of a scatter that do not send may give 0.
        const bool same_size = a.amount == b.amount || (a.collective == Collective::scatter &&
                                                        (a.amount == 0 || b.amount == 0));
        if (a.collective != b.collective || !same_size) {
          throw UserError(fmt::format(
              "{}: collective {} of group '{}' is {}, but rank {} has {} there (node {})",
              place_of(trace_, rank, others[i]), i + 1, of.name, in_words(b), first, in_words(a),
              a.id));
        }
      }
      if (others.size() != leading.size()) {
        const bool more = others.size() > leading.size();
        const std::size_t fewer = std::min(leading.size(), others.size());
        const Rank with = more ? rank : first;
        const std::uint32_t surplus = (more ? others : leading)[fewer];
        throw UserError(
            fmt::format("{}: collective {} of group '{}' is {}, but rank {} has only {}",
                        place_of(trace_, with, surplus), fewer + 1, of.name,
                        in_words(trace_.ranks[with].nodes[surplus]), more ? first : rank, fewer));
      }
    }
    for (std::size_t i = 0; i < leading.size(); ++i) {
      TraceMatch match;
      match.group = group;
      for (const Rank rank : of.members) {
        const std::uint32_t node = collectives_[rank][group][i];
        match.comm_size = std::max(match.comm_size, trace_.ranks[rank].nodes[node].amount);
        match.nodes.push_back(node);
        made_.match_of[rank][node] = static_cast<std::uint32_t>(made_.matches.size());
      }
      made_.matches.push_back(std::move(match));
    }
  }

  void match_messages() {
    for (const auto& [envelope, sent] : sends_) {
      const auto& [src, dst, tag] = envelope;
      const std::vector<std::uint32_t>& received = receives_[envelope];
      if (sent.size() != received.size()) {
        const bool more = sent.size() > received.size();
        fail_alone(more ? src : dst, more ? sent[received.size()] : received[sent.size()]);
      }
      for (std::size_t i = 0; i < sent.size(); ++i) {
        const std::uint64_t bytes = trace_.ranks[src].nodes[sent[i]].amount;
        if (trace_.ranks[dst].nodes[received[i]].amount < bytes) {
          throw UserError(fmt::format("{}: receives {} bytes, but the message has {}",
                                      place_of(trace_, dst, received[i]),
                                      trace_.ranks[dst].nodes[received[i]].amount, bytes));
        }
        made_.match_of[src][sent[i]] = static_cast<std::uint32_t>(made_.matches.size());
        made_.match_of[dst][received[i]] = static_cast<std::uint32_t>(made_.matches.size());
        made_.matches.push_back({kNoMatch, src, dst, bytes, {sent[i], received[i]}});
      }
    }
    for (const auto& [envelope, received] : receives_) {
      if (!received.empty() && !sends_.contains(envelope)) {
        fail_alone(std::get<1>(envelope), received.front());
      }
    }
  }

  [[noreturn]] void fail_alone(Rank rank, std::uint32_t node) const {
    const TraceNode& alone = trace_.ranks[rank].nodes[node];
    const bool sends = alone.kind == Kind::send;
    throw UserError(fmt::format("{}: {} {} bytes {} rank {} with tag {}, but nothing there {} them",
                                place_of(trace_, rank, node), sends ? "sends" : "receives",
                                alone.amount, sends ? "to" : "from", alone.peer, alone.tag,
                                sends ? "receives" : "sends"));
  }

  using Envelope = std::tuple<Rank, Rank, std::int64_t>;

  const ChakraTrace& trace_;
  TraceMatches made_;
  std::vector<std::vector<std::vector<std::uint32_t>>> collectives_;  // by rank and group
  std::map<Envelope, std::vector<std::uint32_t>> sends_;
  std::map<Envelope, std::vector<std::uint32_t>> receives_;
};

}  // namespace

TraceMatches matches_of(const ChakraTrace& trace) { return Matcher(trace).match(); }

std::string place_of(const ChakraTrace& trace, Rank rank, std::uint32_t node) {
  return fmt::format("'{}', node {}", printable(trace.ranks[rank].file),
                     trace.ranks[rank].nodes[node].id);
}

}}  // namespace tutti::steps
