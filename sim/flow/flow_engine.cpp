#include "sim/flow/flow_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "schedules/error.hpp"
#include "schedules/large_array.hpp"
#include "sim/dispatcher.hpp"
#include "sim/flow/event_queue.hpp"

namespace tutti {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNone = 0xffffffffU;
// A rate that changes by less is rounding, and its event stays as it is.
constexpr double kSameRate = 1e-14;

class FlowRun {
 public:
  FlowRun(const Schedule& schedule, const RunSetup& setup, Network& network,
          const FlowSetup& flow_setup, bool keep_statistics, std::span<double> start_s,
          std::span<double> end_s)
      : schedule_(schedule),
        dispatcher_(schedule, setup),
        network_(network),
        setup_(flow_setup),
        curves_(setup.curves.get()),
        keep_statistics_(keep_statistics),
        start_s_(start_s),
        end_s_(end_s) {
    TUTTI_INVARIANT(flow_setup.host_of_rank.size() >= schedule.ranks());
    TUTTI_INVARIANT(start_s.size() == schedule.size() && end_s.size() == schedule.size());
    if (curves_ != nullptr) {
      pieces_ = message_pieces(schedule, *curves_, setup.same_node);
    }
    read_hosts();
    learn_links();
  }

  double run() {
    const auto flow_is_valid = [this](const Event& event) {
      return flows_[event.id].stamp == event.stamp;
    };
    const auto always = [](const Event&) { return true; };
    const auto next_s = [&] {
      return std::min(
          {latencies_.next_s(always), local_.next_s(always), transfers_.next_s(flow_is_valid)});
    };
    while (true) {
      dispatcher_.advance([this](const Op& op) { return local_work(op) == 0; },
                          [this](OpId id) { start_s_[id] = end_s_[id] = now_s_; },
                          [this](OpId id) { start(id); }, [this](OpId id) { end_s_[id] = now_s_; });
      solve();  // messages without latency
      const double first_s = next_s();
      if (first_s == kInfinity) {
        break;
      }
      now_s_ = first_s;
      const double until_s = instant_end_s(first_s);
      do {
        local_.pop_until(until_s, always,
                         [this](const Event& event) { ended_.push_back(event.id); });
        transfers_.pop_until(until_s, flow_is_valid, [this](const Event& event) {
          ended_.push_back(flows_[event.id].op);
          leave(event.id);
        });
        make_room();
        latencies_.pop_until(until_s, always, [this](const Event& event) { transfer(event.id); });
        solve();
      } while (next_s() <= until_s);  // what takes less than an instant
      for (const OpId id : ended_) {
        end_s_[id] = now_s_;
        messages_ -= schedule_.op(id).is_comm() ? 1 : 0;
        dispatcher_.complete(id);
      }
      if (!ended_.empty()) {
        last_end_s_ = now_s_;
        ended_.clear();
      }
    }
    if (!dispatcher_.all_done()) {
      throw InvariantError(dispatcher_.describe_unfinished());
    }
    return last_end_s_;
  }

  [[nodiscard]] bool undisturbed() const { return !disturbed_ && hosts_alike_ && routes_alike_; }

  [[nodiscard]] bool waited() const { return dispatcher_.waited(); }

  [[nodiscard]] std::vector<LinkStatistics> statistics() const {
    std::vector<LinkStatistics> used;
    for (std::size_t link = cpu_links_; link < statistics_.size(); ++link) {
      if (statistics_[link].most_at_once > 0) {
        used.push_back(statistics_[link]);
        used.back().link = static_cast<std::uint32_t>(link - cpu_links_);
      }
    }
    return used;
  }

 private:
  // A message that has paid its latency; or local work, where a host's cores are shared.
  struct Flow {
    double remaining = 0;  // bytes, at last_s
    double last_s = 0;
    double rate = 0;  // bytes per second
    const RouteFigures* figures = nullptr;
    OpId op = kNoOp;
    std::uint32_t first = 0;  // of its places on links, which lie side by side
    std::uint32_t places = 0;
    std::uint32_t stamp = 0;  // of its event
    std::uint32_t mark = 0;   // 2 * epoch: in the component; 2 * epoch + 1: has its rate
  };

  // A flow on a link: part of a list, so that it comes and goes in constant time.
  struct Place {
    Hop hop;
    std::uint32_t flow = kNone;
    std::uint32_t before = kNone;
    std::uint32_t after = kNone;
  };

  struct Link {
    std::uint32_t first = kNone;  // place
    std::uint32_t flows = 0;
    std::uint32_t epoch = 0;  // of the last component that it was in
    std::uint32_t local = 0;  // its position in that
  };

  // A link while its component is solved.
  struct Share {
    double remaining = 0;  // capacity that is not given away
    double usage = 0;      // weights, times consumption, of flows without a rate
    std::uint32_t link = 0;
    std::uint32_t flows = 0;  // without a rate
  };

  void read_hosts() {
    std::vector<std::uint32_t> ranks_of_host(network_.hosts(), 0);
    for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
      ++ranks_of_host[setup_.host_of_rank[rank]];
    }
    std::optional<NetworkHost> first;
    cores_shared_.assign(network_.hosts(), 0);
    bool any_shared = false;
    for (std::uint32_t index = 0; index < network_.hosts(); ++index) {
      if (ranks_of_host[index] == 0) {
        continue;
      }
      const NetworkHost host = network_.host(index);
      hosts_alike_ =
          hosts_alike_ && host.speed_flops_per_s == first.value_or(host).speed_flops_per_s;
      first = first.value_or(host);
      cores_shared_[index] = ranks_of_host[index] > host.cores ? 1 : 0;
      any_shared |= cores_shared_[index] != 0;
    }
    speed_flops_per_s_ = first ? first->speed_flops_per_s : 0;
    if (!any_shared) {
      cores_shared_.clear();
      return;
    }
    // The cores of a host are a link of its own, one core the most that a rank gets.
    cpu_links_ = network_.hosts();
    cpu_figures_.resize(cpu_links_);
    for (std::uint32_t index = 0; index < cpu_links_; ++index) {
      const NetworkHost host = network_.host(index);
      cpu_figures_[index].cap_bytes_per_s = host.speed_flops_per_s;
      cpu_figures_[index].alone_bytes_per_s = host.speed_flops_per_s;
      info_.push_back({host.speed_flops_per_s * host.cores, false, true});
    }
  }

  void learn_links() {
    const std::vector<NetworkLink>& links = network_.links();
    info_.resize(cpu_links_);
    info_.insert(info_.end(), links.begin(), links.end());
    links_.resize(info_.size());
    if (keep_statistics_) {
      statistics_.resize(info_.size());
      busy_since_s_.resize(info_.size());
    }
    version_ = network_.version();
  }

  [[nodiscard]] double speed(Rank rank) const {
    return hosts_alike_ ? speed_flops_per_s_
                        : network_.host(setup_.host_of_rank[rank]).speed_flops_per_s;
  }

  [[nodiscard]] double local_work(const Op& op) const {
    if (curves_ != nullptr) {
      return curves_->local_s(op) * speed(op.rank());
    }
    const auto bytes = static_cast<double>(op.bytes());
    return op.kind() == OpKind::reduce ? bytes * setup_.flops_per_byte
                                       : bytes * setup_.copy_s_per_byte * speed(op.rank());
  }

  [[nodiscard]] NetworkRoute route_of(const Op& op) {
    const NetworkRoute route =
        network_.route(setup_.host_of_rank[op.src()], setup_.host_of_rank[op.dst()]);
    if (network_.version() != version_) {
      learn_links();
    }
    if (route.figures != figures_) {
      routes_alike_ = routes_alike_ && figures_ == nullptr;
      figures_ = route.figures;
    }
    return route;
  }

  void start(OpId id) {
    const Op& op = schedule_.op(id);
    start_s_[id] = now_s_;
    if (op.is_comm()) {
      ++messages_;
      const NetworkRoute route = route_of(op);
      const double latency_s = curves_ == nullptr ? route.figures->latency_s : pieces_[id]->fixed_s;
      if (latency_s > 0) {
        latencies_.push(now_s_, latency_s, id);
      } else if (op.bytes() == 0 || setup_.free_transfers || route.hops.empty() ||
                 (curves_ != nullptr && pieces_[id]->s_per_byte == 0)) {
        local_.push(now_s_, 0, id);
      } else {
        transfer(id);
      }
      return;
    }
    const std::uint32_t host = setup_.host_of_rank[op.rank()];
    const double flops = local_work(op);
    if (cores_shared_.empty() || cores_shared_[host] == 0) {
      local_.push(now_s_, flops / speed(op.rank()), id);
      return;
    }
    const Hop hop(host, 1, 0);
    join(id, flops, cpu_figures_[host], {&hop, 1}, 0);
  }

  void transfer(OpId id) {
    const Op& op = schedule_.op(id);
    const NetworkRoute route = route_of(op);
    if (op.bytes() == 0 || setup_.free_transfers || route.hops.empty()) {
      ended_.push_back(id);
      return;
    }
    // Of a message with a cost of its own, as many bytes as take that time on the route alone.
    const double factor = curves_ == nullptr
                              ? 1
                              : pieces_[id]->s_per_byte * route.figures->alone_bytes_per_s *
                                    route.figures->efficiency;
    if (factor == 0) {
      ended_.push_back(id);
      return;
    }
    join(id, static_cast<double>(op.bytes()) * factor, *route.figures, route.hops, cpu_links_);
  }

  // `first_link` is what the links of `hops` are counted from.
  void join(OpId id, double amount, const RouteFigures& figures, std::span<const Hop> hops,
            std::uint32_t first_link) {
    std::uint32_t slot = 0;
    if (free_flows_.empty()) {
      slot = static_cast<std::uint32_t>(flows_.size());
      flows_.emplace_back();
    } else {
      slot = free_flows_.back();
      free_flows_.pop_back();
    }
    const auto places = static_cast<std::uint32_t>(hops.size());
    Flow& flow = flows_[slot];
    flow.remaining = amount;
    flow.last_s = now_s_;
    flow.rate = 0;
    flow.figures = &figures;
    flow.op = id;
    flow.places = places;
    flow.first = places_for(places);
    for (std::uint32_t i = 0; i < places; ++i) {
      const std::uint32_t at = flow.first + i;
      const std::uint32_t index = hops[i].link() + first_link;
      Link& link = links_[index];
      places_[at] = {Hop(index, hops[i].forward(), hops[i].backward()), slot, kNone, link.first};
      if (link.first != kNone) {
        places_[link.first].before = at;
      }
      link.first = at;
      ++link.flows;
      if (keep_statistics_) {
        count_in(index);
      }
    }
    joined_.push_back(slot);
  }

  void leave(std::uint32_t slot) {
    Flow& flow = flows_[slot];
    for (std::uint32_t at = flow.first; at < flow.first + flow.places; ++at) {
      const Place& place = places_[at];
      const std::uint32_t index = place.hop.link();
      Link& link = links_[index];
      (place.before == kNone ? link.first : places_[place.before].after) = place.after;
      if (place.after != kNone) {
        places_[place.after].before = place.before;
      }
      if (--link.flows > 0 && info_[index].couples) {
        left_.push_back(index);
      }
      if (keep_statistics_) {
        count_out(index, flow, place.hop);
      }
    }
    if (free_places_.size() <= flow.places) {
      free_places_.resize(flow.places + 1);
    }
    free_places_[flow.places].push_back(flow.first);
    ++flow.stamp;
    free_flows_.push_back(slot);
  }

  // For all messages under way, at once: many may begin to flow in one instant, and arrays that
  // grow by doubling touch twice the memory.
  void make_room() {
    if (messages_ <= flows_.capacity()) {
      return;
    }
    const std::size_t room = std::max<std::size_t>(messages_, flows_.capacity() * 3 / 2);
    reserve_large(flows_, room);
    reserve_large(places_, 2 * room);  // every route crosses two links, or nearly every
    reserve_large(joined_, messages_);
    reserve_large(members_, messages_);
    reserve_large(ended_, messages_);
  }

  std::uint32_t places_for(std::uint32_t count) {
    if (count < free_places_.size() && !free_places_[count].empty()) {
      const std::uint32_t first = free_places_[count].back();
      free_places_[count].pop_back();
      return first;
    }
    const auto first = static_cast<std::uint32_t>(places_.size());
    TUTTI_INVARIANT(places_.size() + count < kNone);
    places_.resize(places_.size() + count);
    return first;
  }

  void count_in(std::uint32_t index) {
    LinkStatistics& statistics = statistics_[index];
    if (links_[index].flows == 1) {
      busy_since_s_[index] = now_s_;
    }
    statistics.most_at_once = std::max(statistics.most_at_once, links_[index].flows);
  }

  void count_out(std::uint32_t index, const Flow& flow, Hop hop) {
    LinkStatistics& statistics = statistics_[index];
    statistics.bytes += hop.forward() * schedule_.op(flow.op).bytes();
    if (links_[index].flows == 0) {
      statistics.busy_s += now_s_ - busy_since_s_[index];
    }
  }

  // New rates for all that the flows which joined and left touch, directly or not.
  void solve() {
    if (joined_.empty() && left_.empty()) {
      return;
    }
    ++epoch_;
    TUTTI_INVARIANT(epoch_ < kNone / 2);
    for (const std::uint32_t slot : joined_) {
      if (flows_[slot].mark < 2 * epoch_) {
        solve_from(slot);
      }
    }
    joined_.clear();
    for (const std::uint32_t index : left_) {
      const Link& link = links_[index];
      if (link.flows > 0 && link.epoch != epoch_ &&
          flows_[places_[link.first].flow].mark < 2 * epoch_) {
        solve_from(places_[link.first].flow);
      }
    }
    left_.clear();
  }

  void solve_from(std::uint32_t slot) {
    if (is_alone(flows_[slot])) {
      flows_[slot].mark = 2 * epoch_ + 1;
      set_rate(slot, flows_[slot].figures->alone_bytes_per_s);
      return;
    }
    collect(slot);
    share();
  }

  [[nodiscard]] bool is_alone(const Flow& flow) const {
    for (std::uint32_t at = flow.first; at < flow.first + flow.places; ++at) {
      const std::uint32_t index = places_[at].hop.link();
      if (links_[index].flows != 1 && info_[index].couples) {
        return false;
      }
    }
    return true;
  }

  // The component of `slot`: all flows and links that are joined to it through each other.
  void collect(std::uint32_t slot) {
    shares_.clear();
    members_.assign(1, slot);
    any_capped_ = false;
    flows_[slot].mark = 2 * epoch_;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Flow& flow = flows_[members_[i]];
      any_capped_ |= flow.figures->cap_bytes_per_s != kInfinity;
      for (std::uint32_t at = flow.first; at < flow.first + flow.places; ++at) {
        const std::uint32_t index = places_[at].hop.link();
        Link& link = links_[index];
        if (link.epoch == epoch_ || !info_[index].couples) {
          continue;
        }
        link.epoch = epoch_;
        link.local = static_cast<std::uint32_t>(shares_.size());
        Share share{info_[index].capacity_bytes_per_s, 0, index, link.flows};
        for (std::uint32_t on = link.first; on != kNone; on = places_[on].after) {
          Flow& other = flows_[places_[on].flow];
          if (other.mark < 2 * epoch_) {
            other.mark = 2 * epoch_;
            members_.push_back(places_[on].flow);
          }
          const bool fatpipe = info_[index].fatpipe;
          const double claim = places_[on].hop.consumption(fatpipe) * other.figures->weight;
          share.usage = fatpipe ? std::max(share.usage, claim) : share.usage + claim;
        }
        shares_.push_back(share);
      }
    }
  }

  // Fills all links of the component evenly, in proportion to weights, until one is full; what is
  // on that has its rate, and the rest goes on.
  void share() {
    order_.clear();
    for (std::uint32_t i = 0; i < shares_.size(); ++i) {
      order_.emplace_back(shares_[i].remaining / shares_[i].usage, i);
    }
    std::make_heap(order_.begin(), order_.end(), std::greater<>());
    double reached = 0;  // levels never fall, except by rounding
    while (!order_.empty()) {
      std::pop_heap(order_.begin(), order_.end(), std::greater<>());
      const auto [stored, local] = order_.back();
      order_.pop_back();
      if (shares_[local].flows == 0) {
        continue;
      }
      const double level = std::max(reached, level_of(shares_[local]));
      if (level > stored && !order_.empty() && level > order_.front().first) {
        put_back(level, local);
        continue;
      }
      if (any_capped_ && stop_capped(shares_[local], level)) {
        if (shares_[local].flows > 0) {
          put_back(std::max(reached, level_of(shares_[local])), local);
        }
        continue;
      }
      reached = level;
      for (std::uint32_t on = links_[shares_[local].link].first; on != kNone;
           on = places_[on].after) {
        const std::uint32_t slot = places_[on].flow;
        if (flows_[slot].mark == 2 * epoch_) {
          fix(slot, level * flows_[slot].figures->weight);
        }
      }
    }
  }

  void put_back(double level, std::uint32_t local) {
    order_.emplace_back(level, local);
    std::push_heap(order_.begin(), order_.end(), std::greater<>());
  }

  [[nodiscard]] double level_of(Share& share) const {
    if (info_[share.link].fatpipe) {
      share.usage = 0;
      for (std::uint32_t on = links_[share.link].first; on != kNone; on = places_[on].after) {
        const Flow& flow = flows_[places_[on].flow];
        if (flow.mark == 2 * epoch_) {
          share.usage =
              std::max(share.usage, places_[on].hop.consumption(true) * flow.figures->weight);
        }
      }
    }
    return share.remaining / share.usage;
  }

  // Flows of this link that come to their own cap before the link is full; true if any.
  bool stop_capped(const Share& share, double level) {
    bool any = false;
    for (std::uint32_t on = links_[share.link].first; on != kNone; on = places_[on].after) {
      const std::uint32_t slot = places_[on].flow;
      const Flow& flow = flows_[slot];
      if (flow.mark == 2 * epoch_ && flow.figures->cap_bytes_per_s < level * flow.figures->weight) {
        fix(slot, flow.figures->cap_bytes_per_s);
        any = true;
      }
    }
    return any;
  }

  void fix(std::uint32_t slot, double value) {
    Flow& flow = flows_[slot];
    flow.mark = 2 * epoch_ + 1;
    for (std::uint32_t at = flow.first; at < flow.first + flow.places; ++at) {
      const std::uint32_t index = places_[at].hop.link();
      if (!info_[index].couples) {
        continue;
      }
      Share& share = shares_[links_[index].local];
      --share.flows;
      if (!info_[index].fatpipe) {
        const double consumption = places_[at].hop.consumption(false);
        share.remaining = std::max(0.0, share.remaining - consumption * value);
        share.usage -= consumption * flow.figures->weight;
      }
    }
    set_rate(slot, value);
  }

  void set_rate(std::uint32_t slot, double value) {
    Flow& flow = flows_[slot];
    const double rate = value * flow.figures->efficiency;
    if (value < flow.figures->alone_bytes_per_s * (1 - 1e-12)) {
      disturbed_ = true;
    }
    if (std::abs(rate - flow.rate) <= kSameRate * rate) {
      return;
    }
    flow.remaining = std::max(0.0, flow.remaining - flow.rate * (now_s_ - flow.last_s));
    flow.last_s = now_s_;
    flow.rate = rate;
    transfers_.push(now_s_, flow.remaining / rate, slot, ++flow.stamp);
  }

  const Schedule& schedule_;
  Dispatcher dispatcher_;
  Network& network_;
  const FlowSetup& setup_;
  const CostCurves* curves_;              // null: the platform's prices
  std::vector<const CostPiece*> pieces_;  // by operation, with curves
  bool keep_statistics_;
  std::span<double> start_s_;
  std::span<double> end_s_;
  double now_s_ = 0;
  double last_end_s_ = 0;
  bool disturbed_ = false;
  bool routes_alike_ = true;               // of all messages so far
  const RouteFigures* figures_ = nullptr;  // of the last message
  std::size_t messages_ = 0;               // under way

  // Hosts.
  bool hosts_alike_ = true;
  double speed_flops_per_s_ = 0;            // of all, where they are alike
  std::vector<std::uint8_t> cores_shared_;  // by host: more ranks than cores; empty: nowhere
  std::uint32_t cpu_links_ = 0;             // links 0 to this - 1 are the cores of hosts
  std::vector<RouteFigures> cpu_figures_;

  EventQueue latencies_;  // ids are operations
  EventQueue local_;      // local work, and messages without latency and bytes
  EventQueue transfers_;  // ids are slots of flows
  std::vector<OpId> ended_;

  std::vector<NetworkLink> info_;
  std::uint64_t version_ = 0;
  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_flows_;
  std::vector<Place> places_;
  std::vector<std::vector<std::uint32_t>> free_places_;  // by number of places side by side

  // Of the solution.
  std::uint32_t epoch_ = 0;
  std::vector<std::uint32_t> joined_;  // flows
  std::vector<std::uint32_t> left_;    // links that others are still on
  std::vector<std::uint32_t> members_;
  std::vector<Share> shares_;
  bool any_capped_ = false;  // a flow of the component has a speed of its own that it never exceeds
  std::vector<std::pair<double, std::uint32_t>> order_;  // heap: level, position in shares_

  std::vector<LinkStatistics> statistics_;
  std::vector<double> busy_since_s_;
};

}  // namespace

Timeline FlowEngine::run(const Schedule& schedule, const RunSetup& setup) {
  Timeline timeline;
  reserve_large(timeline.start_s, schedule.size());
  reserve_large(timeline.end_s, schedule.size());
  timeline.start_s.resize(schedule.size());
  timeline.end_s.resize(schedule.size());
  timeline.total_s = run_into(schedule, setup, timeline.start_s, timeline.end_s);
  timeline.waited = waited_;
  return timeline;
}

double FlowEngine::run_into(const Schedule& schedule, const RunSetup& setup,
                            std::span<double> start_s, std::span<double> end_s) {
  FlowRun run(schedule, setup, network_, flow_setup_, keep_statistics_, start_s, end_s);
  const double total_s = run.run();
  undisturbed_ = run.undisturbed();
  waited_ = run.waited();
  statistics_ = run.statistics();
  return total_s;
}

}  // namespace tutti
