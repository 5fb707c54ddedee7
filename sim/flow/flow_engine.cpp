#include "sim/flow/flow_engine.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/large_array.hpp"
#include "base/work_ticker.hpp"
#include "sim/dispatcher.hpp"
#include "sim/event_queue.hpp"
#include "sim/flow/connections.hpp"
#include "sim/flow/fair_share.hpp"
#include "sim/flow/flow_paths.hpp"
#include "sim/flow/flow_rates.hpp"
#include "sim/flow/flow_table.hpp"
#include "sim/flow/flow_watch.hpp"
#include "sim/flow/level_changes.hpp"
#include "sim/flow/link_account.hpp"
#include "sim/flow/link_loads.hpp"
#include "sim/flow/rate_repair.hpp"
#include "sim/flow/slow_work.hpp"
#include "sim/id_list.hpp"

namespace tutti { inline namespace sim {

namespace {

// The following limits are numbers of visits to flows, per flow under way. A repair with more than
// kRepairVisits costs more than computing all rates anew.
constexpr std::size_t kRepairVisits = 4;
// The same limit if the flow table is in use.
constexpr std::size_t kTableRepairVisits = 16;
// While the flow table is in use, a repair is not tried if the touched links alone need this many
// visits.
constexpr std::size_t kTableTouched = 4;
// The flow table is built once repairs have needed this many visits.
constexpr std::size_t kTableVisits = 8;

// A run of the flow engine. A message waits for its latency, and is then a flow. Local work that
// shares the cores of its host is a flow, too. Other local work simply ends after its duration.
class FlowRun {
 public:
  FlowRun(const Schedule& schedule, const RunSetup& setup, Network& network,
          const FlowSetup& flow_setup, bool keep_statistics, bool keep_message_ends,
          std::span<double> start_s, std::span<double> end_s)
      : schedule_(schedule),
        shifts_(setup.shifts),
        give_up_s_(setup.give_up_s),
        start_s_(start_s),
        end_s_(end_s),
        keep_statistics_(keep_statistics),
        solving_(flow_setup.solving),
        prices_(setup.curves ? prices_of(schedule, *setup.curves, setup.same_node) : OpPrices()),
        dispatcher_(schedule, setup, prices_.by_core),
        paths_(schedule, setup.curves ? &prices_ : nullptr, network, flow_setup, setup.disturbance),
        links_(paths_, dispatcher_.notes(), pool_),
        rates_(paths_, links_, dispatcher_.notes(), end_s, pool_),
        fair_share_(paths_, links_, dispatcher_.notes()),
        table_(paths_, links_),
        repair_(paths_, links_, table_),
        changes_(paths_, links_, rates_, table_, dispatcher_.notes()) {
    TUTTI_INVARIANT(flow_setup.host_of_rank.size() >= schedule.ranks() + schedule.switches());
    TUTTI_INVARIANT(start_s.size() == schedule.size() && end_s.size() == schedule.size());
    if (paths_.messages() != nullptr) {
      core_free_s_.resize(std::size_t{schedule.cores()} * schedule.places());
      last_peer_.resize(schedule.places(), kNobody);
      switch_free_s_.resize(schedule.places());
      host_free_s_.resize(network.hosts());
      at_ends_s_.resize(keep_message_ends ? schedule.size() : 0);
    }
    if (setup.eager_bytes >= 0 && keep_message_ends) {
      arrival_s_.resize(schedule.size());
    }
    if (schedule.size() > 0) {
      now_s_ = last_end_s_ = setup.start_s + (setup.curves ? setup.curves->start_s : 0);
    }
    if (setup.slow_computing != nullptr) {
      TUTTI_INVARIANT(setup.slow_computing->change.size() == schedule.size());
      slow_work_.emplace(*setup.slow_computing, schedule.places(), pool_);
    }
    if (flow_setup.in_order) {
      TUTTI_INVARIANT(!keep_statistics && !setup.watched);
      connections_.emplace(schedule);
    }
    if (keep_statistics || setup.watched) {
      static const WatchList kNothing;
      watch_.emplace(schedule.size(), setup.watched ? *setup.watched : kNothing);
      rates_.watch(&*watch_);
    }
  }

  // Simulates the schedule. Returns the latest end.
  double run() {
    TickedWork ticked("simulating", schedule_.size());
    while (true) {
      ticked.at(dispatcher_.done(), now_s_);
      dispatcher_.advance([this](OpId id) { return paths_.local_work(id) == 0; },
                          [this](OpId id) {
                            start_s_[id] = end_s_[id] = last_end_s_ = now_s_;
                            if (slow_work_) [[unlikely]] {
                              slow_work_->change(id, schedule_.op(id).rank(), now_s_);
                            }
                          },
                          [this](OpId id) { start(id); },
                          [this](OpId id) { return receive_late(id); });
      share_out();  // for messages without latency, which are flows already
      if (watch_) [[unlikely]] {
        watch_->note_loads(now_s_, [this](std::uint32_t link) { return load_of(link); });
      }
      const double first_s = next_s();
      if (first_s == std::numeric_limits<double>::infinity()) {
        break;
      }
      now_s_ = first_s;
      if (now_s_ > give_up_s_) [[unlikely]] {
        throw GaveUp();
      }
      const double until_s = instant_end_s(first_s, shifts_);
      do {
        local_.pop_until(until_s, [this](OpId id) { end(id); });
        if (slow_work_) [[unlikely]] {
          slow_work_->pop_until(until_s, [this](OpId id) { end(id); });
        }
        received_late_.pop_until(until_s, [this](OpId id) {
          end_s_[id] = last_end_s_ = now_s_;
          dispatcher_.complete_received(id);
        });
        rates_.pop_until(now_s_, until_s, [this](OpId id) {
          leave(id);
          follow(id);
          receive(id);
        });
        begin_following();
        latencies_.pop_until(until_s, [this](OpId id) { transfer(id); });
        dispatcher_.arrive_until(until_s);
        share_out();
      } while (next_s() <= until_s);  // again for operations that are shorter than an instant
      if (watch_) [[unlikely]] {
        if (watch_->every_op() && (dispatcher_.waited() || watch_->too_long())) {
          give_up_watch();
        } else {
          split_stretches();
        }
      }
    }
    if (!dispatcher_.all_done()) {
      throw InvariantError(dispatcher_.describe_unfinished());
    }
    return last_end_s_;
  }

  [[nodiscard]] bool waited() const { return dispatcher_.waited(); }
  [[nodiscard]] std::vector<LinkStatistics> statistics() const {
    std::vector<LinkStatistics> statistics = account_.statistics();
    for (LinkStatistics& link : statistics) {
      const std::uint32_t index = paths_.core_links() + link.link;
      link.capacity_bytes_per_s = paths_.link(index).capacity_bytes_per_s;
      link.lost_s = watch_ && index < watch_->lost_s().size() ? watch_->lost_s()[index] : 0;
    }
    return statistics;
  }
  [[nodiscard]] std::vector<double>& arrival_s() { return arrival_s_; }
  [[nodiscard]] std::vector<double>& at_ends_s() { return at_ends_s_; }
  [[nodiscard]] FlowRecord record() {
    FlowRecord record;
    if (watch_) {
      record = std::move(watch_->record());
      record.complete = true;
      for (FlowStretch& stretch : record.stretches) {
        if (stretch.link != kNoLink) {
          stretch.link = stretch.link < paths_.core_links()
                             ? FlowRecord::kCoresOfHost + stretch.link
                             : stretch.link - paths_.core_links();
        }
      }
    }
    return record;
  }

 private:
  static constexpr Rank kNobody = 0xffffffffU;

  [[nodiscard]] double next_s() {
    const double slow_s =
        slow_work_ ? slow_work_->next_s() : std::numeric_limits<double>::infinity();
    return std::min({latencies_.next_s(), local_.next_s(), received_late_.next_s(), slow_s,
                     rates_.next_s(now_s_), dispatcher_.next_arrival_s()});
  }

  void start(OpId id) {
    start_s_[id] = now_s_;
    const Op& op = schedule_.op(id);
    if (op.is_comm()) {
      start_message(id);
    } else if (paths_.workplaces().shares_cores(op.rank())) {
      const double shift_s = shifts_.of(id);
      if (shift_s > 0) [[unlikely]] {
        latencies_.push(now_s_, shift_s, id);
      } else {
        join(id, paths_.of(id));
      }
    } else {
      const double work_s =
          paths_.local_work(id) / paths_.workplaces().speed_flops_per_s(op.rank());
      if (slow_work_ && slow_work_->slows(id)) [[unlikely]] {
        slow_work_->start(id, op.rank(), now_s_, work_s);
      } else {
        local_.push(now_s_, work_s + shifts_.of(id), id);
      }
    }
  }

  void start_message(OpId id) {
    paths_.expect(flowing_ + 1);
    const FlowPath path = paths_.of(id);
    links_.learn();
    const double sent_s = until_sent_s(id);
    if (sent_s > 0) {
      add_at_ends(id, sent_s);
    }
    const double latency_s = paths_.latency_s(id, path) + shifts_.of(id) + sent_s;
    if (latency_s > 0) {
      latencies_.push(now_s_, latency_s, id);
    } else if (paths_.flows(id, path)) {
      begin_flow(id, path);
    } else {
      const double receive_s = dispatcher_.receiver_ready(id) ? until_received_s(id) : 0;
      if (receive_s > 0) {
        add_at_ends(id, receive_s);
      }
      local_.push(now_s_, receive_s, id);
    }
  }

  void add_at_ends(OpId id, double seconds) {
    if (!at_ends_s_.empty()) {
      at_ends_s_[id] += seconds;
    }
  }

  // Begins the flow of a message whose latency is over, or of local work whose start was shifted.
  void transfer(OpId id) {
    paths_.expect(flowing_ + 1);
    const FlowPath path = paths_.of(id);
    if (!schedule_.op(id).is_comm()) {
      join(id, path);
    } else if (paths_.flows(id, path)) {
      begin_flow(id, path);
    } else {
      receive(id);
    }
  }

  // Begins the flow of a message or, if messages follow each other, lets it wait for its turn.
  void begin_flow(OpId id, const FlowPath& path) {
    if (!connections_ || connections_->begin(id)) {
      join(id, path);
    }
  }

  // Notes the message that follows one whose flow has ended.
  void follow(OpId id) {
    if (connections_ && schedule_.op(id).is_comm()) {
      if (const OpId next = connections_->end(id); next != kNoOp) {
        following_.push_back(next);
      }
    }
  }

  // Begins the flows of the messages that follow() has noted.
  void begin_following() {
    for (const OpId id : following_) {
      paths_.expect(flowing_ + 1);
      join(id, paths_.of(id));
    }
    following_.clear();
  }

  // Returns the time from now until the core of the sender and the network interface of its host
  // have sent the message.
  [[nodiscard]] double until_sent_s(OpId id) {
    if (paths_.messages() == nullptr) [[likely]] {
      return 0;
    }
    const Op& op = schedule_.op(id);
    const MessageEnds ends = paths_.messages()->ends_of(op);
    double& core_free_s = this->core_free_s(op.src(), schedule_.units(id).src_core);
    const double free_core_s = std::max(now_s_, core_free_s);
    const double worked_s = free_core_s + ends.send_s;
    double sent_s = core_free_s = worked_s;
    if (ends.gap_s > 0) {
      double& free_s = host_free_s_[paths_.messages()->host_of(op.src())];
      sent_s = std::max(sent_s, free_s);
      free_s = sent_s + ends.gap_s;
    }
    const double free_interface_s = sent_s;
    double& switched_s = switch_free_s_[op.src()];
    if (ends.switch_waits) {
      sent_s = std::max(sent_s, switched_s);
    }
    const double free_connection_s = sent_s;
    const bool switches = std::exchange(last_peer_[op.src()], op.dst()) != op.dst();
    if (switches) {
      sent_s += ends.switch_s;
      switched_s = sent_s;
    }
    if (watch_) [[unlikely]] {
      watch_->waited({id, now_s_, free_core_s - now_s_, free_interface_s - worked_s,
                      free_connection_s - free_interface_s, switches});
    }
    return sent_s + ends.buffered_s - now_s_;
  }

  // Receives a message that has arrived over the network. The message ends once the receiver's core
  // has handled it.
  void receive(OpId id) {
    // If the receiver is not ready, the message waits at the receiver.
    const double receive_s = dispatcher_.receiver_ready(id) ? until_received_s(id) : 0;
    if (receive_s > 0) {
      add_at_ends(id, receive_s);
      local_.push(now_s_, receive_s, id);
    } else {
      end(id);
    }
  }

  // Receives an eager message that arrived before its receiver was ready. Returns true if the
  // message ends now.
  bool receive_late(OpId id) {
    const double receive_s = until_received_s(id);
    if (receive_s > 0) {
      received_late_.push(now_s_, receive_s, id);
      return false;
    }
    end_s_[id] = last_end_s_ = now_s_;
    return true;
  }

  // Returns the time from now until the receiver's core has handled the message.
  [[nodiscard]] double until_received_s(OpId id) {
    const Op& op = schedule_.op(id);
    if (paths_.messages() == nullptr || !op.is_comm()) [[likely]] {
      return 0;
    }
    double& free_s = core_free_s(op.dst(), schedule_.units(id).dst_core);
    free_s = std::max(now_s_, free_s) + paths_.messages()->ends_of(op).receive_s;
    return free_s - now_s_;
  }

  [[nodiscard]] double& core_free_s(Rank rank, std::uint32_t core) {
    return core_free_s_[std::size_t{core} * schedule_.places() + rank];
  }

  void end(OpId id) {
    end_s_[id] = last_end_s_ = now_s_;
    if (!arrival_s_.empty()) {
      arrival_s_[id] = now_s_;
    }
    dispatcher_.complete(id);
  }

  void join(OpId id, const FlowPath& path) {
    dispatcher_.notes()[id] = kNewFlow;
    ++flowing_;
    bool meets_more = false;
    for (const Hop hop : path.hops()) {
      const std::uint32_t index = path.link(hop);
      const std::uint32_t flows = links_.add(index, id);
      if (flows == 2) {
        met_.push_back(index);
      }
      meets_more |= flows > 2;
      if (keep_statistics_ && index >= paths_.core_links()) {
        account_.comes(index - paths_.core_links(), flows, now_s_);
      }
    }
    if (table_.in_use()) {
      table_.add(id, path);
    }
    arrivals_.push_back(id);
    if (meets_more) {
      double level = path.own_level();
      for (const Hop hop : path.hops()) {
        level = std::min(level, links_.level(path.link(hop)));
      }
      for (const Hop hop : path.hops()) {
        if (links_[path.link(hop)].flows > 2) {
          links_.take_in(path.link(hop), path.claim(hop), level);
          look_at(path.link(hop));
        }
      }
    }
    for (const std::uint32_t index : met_) {
      if (!paths_.link(index).fatpipe) {
        links_.count(index);
        look_at(index);
      }
    }
    met_.clear();
  }

  // Touches a link that has a new flow, if the link may be full.
  void look_at(std::uint32_t index) {
    const NetworkLink& link = paths_.link(index);
    if (!link.fatpipe && (links_.level(index) != kNotFull ||
                          LinkLoads::may_be_full(links_[index], link.capacity_bytes_per_s))) {
      links_.touch(index);
    }
  }

  // Assigns rates to new flows, and to flows that share links with flows that came or went.
  void share_out() {
    if (links_.touched().empty()) {
      for (const OpId id : arrivals_) {
        rates_.set(now_s_, id, paths_.of(id), kFlowAtCap);
      }
    } else {
      const bool repaired = repair();
      if (!repaired) {
        fair_share_.solve(changes_);
        table_.outdate();
      }
      using Flows = LevelChanges::Flows;
      changes_.apply(now_s_, arrivals_,
                     arrivals_.size() == flowing_  ? Flows::all_new
                     : repaired && table_.in_use() ? Flows::in_table
                                                   : Flows::any);
    }
    arrivals_.clear();
  }

  // Repairs the rates. Returns false if all rates must be computed anew.
  [[nodiscard]] bool repair() {
    if (looks_anew()) {
      return false;
    }
    if (!table_.in_use() && repair_visits_ > kTableVisits * flowing_ && !paths_.are_computed()) {
      table_.start(schedule_.size(), flowing_);
    }
    const bool repaired = repair_.solve(most_visits(), changes_);
    repair_visits_ += repair_.visits();
    return repaired;
  }

  // True if the rates are to be computed anew without trying a repair. By default, this is so if a
  // repair would need at least one visit per flow, or kTableTouched visits per flow if the flow
  // table is in use.
  [[nodiscard]] bool looks_anew() {
    if (solving_ != Solving::fastest) {
      return solving_ == Solving::anew;
    }
    std::size_t visits = 0;
    for (const std::uint32_t index : links_.touched()) {
      visits += links_[index].flows;
    }
    return visits >= (table_.in_use() ? kTableTouched : 1) * flowing_;
  }
  [[nodiscard]] std::size_t most_visits() const {
    return solving_ == Solving::repair ? std::numeric_limits<std::size_t>::max()
           : table_.in_use()           ? kTableRepairVisits * flowing_
                                       : kRepairVisits * flowing_;
  }

  void leave(OpId id) {
    const FlowPath path = paths_.of(id);
    const std::uint32_t note = dispatcher_.notes()[id] & ~kFlowOpen;
    const bool held = note != kFlowAtCap;
    if (watch_) [[unlikely]] {
      rates_.tell_over(now_s_, id, path);
    }
    const double level = held ? links_.level(path.link(path.hops()[note - kFlowByHop])) : 0;
    dispatcher_.notes()[id] = 0;
    --flowing_;
    for (const Hop hop : path.hops()) {
      const std::uint32_t index = path.link(hop);
      const std::uint32_t flows = links_.remove(index);
      if (flows == 0) {
        rates_.clear(index);
      } else if (links_.level(index) != kNotFull) {  // a link that loses a flow cannot become full
        links_.touch(index);
      }
      if (flows > 1) {
        links_.take_out(index, path.claim(hop), held ? level : path.own_level());
      }
      if (keep_statistics_ && index >= paths_.core_links()) {
        account_.goes(index - paths_.core_links(), flows, now_s_,
                      hop.forward() * schedule_.op(id).bytes());
      }
    }
    if (table_.in_use()) {
      table_.remove(id);
    }
    if (flowing_ == 0) {
      table_.stop();
      repair_visits_ = 0;
    }
  }

  // The run is to be watched again, once its critical chain is known.
  void give_up_watch() {
    rates_.watch(nullptr);
    watch_.reset();
    keep_statistics_ = false;
  }

  void split_stretches() {
    watch_->take_splits(now_s_, [this](OpId id) {
      if (dispatcher_.notes()[id] >= kFlowAtCap) {
        rates_.tell_split(now_s_, id, paths_.of(id));
      }
    });
  }

  // Returns the load of a link of the network, as a share of its capacity. The load is 1 if the
  // link holds flows back.
  [[nodiscard]] double load_of(std::uint32_t link) {
    const std::uint32_t index = paths_.core_links() + link;
    if (index >= paths_.links() || links_[index].flows == 0) {
      return 0;
    }
    if (links_.level(index) != kNotFull) {
      return 1;
    }
    double used_bytes_per_s = 0;
    links_.flows(index).for_each([&](OpId id) {
      const FlowPath path = paths_.of(id);
      const std::uint32_t note = dispatcher_.notes()[id] & ~kFlowOpen;
      const double level = note >= kFlowByHop
                               ? links_.level(path.link(path.hops()[note - kFlowByHop]))
                               : path.own_level();
      for (const Hop hop : path.hops()) {
        used_bytes_per_s += path.link(hop) == index ? path.claim(hop) * level : 0;
      }
    });
    return used_bytes_per_s / paths_.link(index).capacity_bytes_per_s;
  }

  const Schedule& schedule_;
  StartShifts shifts_;
  double give_up_s_;
  std::span<double> start_s_;
  std::span<double> end_s_;
  bool keep_statistics_;
  Solving solving_;
  double now_s_ = 0;
  double last_end_s_ = 0;

  OpPrices prices_;  // used only with measured costs
  Dispatcher dispatcher_;
  IdPool pool_;
  FlowPaths paths_;
  LinkLoads links_;
  FlowRates rates_;
  FairShare fair_share_;
  FlowTable table_;
  RateRepair repair_;
  LevelChanges changes_;
  std::size_t flowing_ = 0;
  // Number of visits to flows in repairs; reset to 0 when no flow is left.
  std::size_t repair_visits_ = 0;
  std::optional<Connections> connections_;  // used if messages follow each other
  std::vector<OpId> following_;             // messages that begin their flows in this instant
  std::vector<OpId> arrivals_;              // flows that have no rate yet
  std::vector<std::uint32_t> met_;          // links that have just got their second flow
  EventQueue latencies_{pool_};
  EventQueue received_late_{pool_};
  // Ends of local work, of messages that a receiver's core handles, and of messages with neither
  // latency nor data.
  EventQueue local_{pool_};
  // Used with message parameters: the times when each core of each rank and the network interface
  // of each host will be free.
  std::vector<double> core_free_s_;
  std::vector<double> host_free_s_;
  std::vector<double> switch_free_s_;  // time at which each rank has switched connections
  std::vector<Rank> last_peer_;        // receiver of each rank's previous message
  std::vector<double> at_ends_s_;
  std::vector<double> arrival_s_;  // used with eager messages
  std::optional<SlowWork> slow_work_;
  LinkAccount account_;
  std::optional<FlowWatch> watch_;
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
  timeline.arrival_s = std::move(arrival_s_);
  timeline.at_ends_s = std::move(at_ends_s_);
  return timeline;
}

double FlowEngine::run_into(const Schedule& schedule, const RunSetup& setup,
                            std::span<double> start_s, std::span<double> end_s) {
  FlowRun run(schedule, setup, network_, flow_setup_, keep_statistics_, keep_message_ends_, start_s,
              end_s);
  const double total_s = run.run();
  waited_ = run.waited();
  statistics_ = run.statistics();
  record_ = run.record();
  arrival_s_ = std::move(run.arrival_s());
  at_ends_s_ = std::move(run.at_ends_s());
  return total_s;
}

Repeats FlowEngine::repeat(const Schedule& schedule, RunSetup& setup) {
  std::vector<double> start_s;
  std::vector<double> end_s;
  return repeat_runs(setup, [&](const RunSetup& each) {
    start_s.resize(schedule.size());
    end_s.resize(schedule.size());
    return FlowRun(schedule, each, network_, flow_setup_, false, false, start_s, end_s).run();
  });
}

TieRange FlowEngine::ties(const Schedule& schedule, const RunSetup& setup, double total_s) {
  std::vector<double> start_s;
  std::vector<double> end_s;
  const bool waited = waited_ || setup.ties.known_total_s.has_value();
  return look_for_ties(setup, schedule.size(), total_s, waited, [&](const RunSetup& moved) {
    start_s.resize(schedule.size());
    end_s.resize(schedule.size());
    return FlowRun(schedule, moved, network_, flow_setup_, false, false, start_s, end_s).run();
  });
}

}}  // namespace tutti::sim
