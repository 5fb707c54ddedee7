#include "sim/flow/flow_engine.hpp"

#include <algorithm>
#include <limits>

#include "schedules/error.hpp"
#include "schedules/large_array.hpp"
#include "sim/dispatcher.hpp"
#include "sim/event_queue.hpp"
#include "sim/flow/fair_share.hpp"
#include "sim/flow/flow_paths.hpp"
#include "sim/flow/flow_rates.hpp"
#include "sim/flow/link_account.hpp"
#include "sim/flow/link_loads.hpp"
#include "sim/id_list.hpp"

namespace tutti {

namespace {

// A message is under way for its latency, and then a flow. Local work is over when its time has
// passed, unless it shares the cores of its host: then it is a flow, too.
class FlowRun {
 public:
  FlowRun(const Schedule& schedule, const RunSetup& setup, Network& network,
          const FlowSetup& flow_setup, bool keep_statistics, std::span<double> start_s,
          std::span<double> end_s)
      : schedule_(schedule),
        start_s_(start_s),
        end_s_(end_s),
        keep_statistics_(keep_statistics),
        prices_(setup.curves ? prices_of(schedule, *setup.curves, setup.same_node) : OpPrices()),
        dispatcher_(schedule, setup, prices_.by_core),
        paths_(schedule, setup.curves ? &prices_ : nullptr, network, flow_setup),
        links_(paths_, dispatcher_.notes(), pool_),
        rates_(paths_, links_, dispatcher_.notes(), end_s, pool_),
        fair_share_(paths_, links_, rates_, dispatcher_.notes()) {
    TUTTI_INVARIANT(flow_setup.host_of_rank.size() >= schedule.ranks());
    TUTTI_INVARIANT(start_s.size() == schedule.size() && end_s.size() == schedule.size());
    if (setup.curves && schedule.size() > 0) {
      now_s_ = last_end_s_ = setup.curves->start_s;
    }
  }

  // Returns the last end.
  double run() {
    while (true) {
      dispatcher_.advance([this](OpId id) { return paths_.local_work(id) == 0; },
                          [this](OpId id) { start_s_[id] = end_s_[id] = now_s_; },
                          [this](OpId id) { start(id); }, [this](OpId id) { end_s_[id] = now_s_; });
      fair_share_.solve(now_s_);  // messages without latency
      const double first_s = next_s();
      if (first_s == std::numeric_limits<double>::infinity()) {
        break;
      }
      now_s_ = first_s;
      const double until_s = instant_end_s(first_s);
      do {
        local_.pop_until(until_s, [this](OpId id) { end(id); });
        rates_.pop_until(until_s, [this](OpId id) {
          leave(id);
          end(id);
        });
        latencies_.pop_until(until_s, [this](OpId id) { transfer(id); });
        fair_share_.solve(now_s_);
      } while (next_s() <= until_s);  // what takes less than an instant
    }
    if (!dispatcher_.all_done()) {
      throw InvariantError(dispatcher_.describe_unfinished());
    }
    return last_end_s_;
  }

  [[nodiscard]] bool undisturbed() const {
    return !rates_.disturbed() && paths_.workplaces().alike() && routes_alike_;
  }
  [[nodiscard]] bool waited() const { return dispatcher_.waited(); }
  [[nodiscard]] std::vector<LinkStatistics> statistics() const { return account_.statistics(); }

 private:
  [[nodiscard]] double next_s() {
    return std::min({latencies_.next_s(), local_.next_s(), rates_.next_s()});
  }

  void start(OpId id) {
    start_s_[id] = now_s_;
    const Op& op = schedule_.op(id);
    if (op.is_comm()) {
      start_message(id);
    } else if (paths_.workplaces().shares_cores(op.rank())) {
      join(id, paths_.of(id));
    } else {
      local_.push(now_s_, paths_.local_work(id) / paths_.workplaces().speed_flops_per_s(op.rank()),
                  id);
    }
  }

  void start_message(OpId id) {
    const FlowPath path = paths_.of(id);
    links_.learn();
    if (&path.figures() != figures_) {
      routes_alike_ = routes_alike_ && figures_ == nullptr;
      figures_ = &path.figures();
    }
    const double latency_s = paths_.latency_s(id, path);
    if (latency_s > 0) {
      latencies_.push(now_s_, latency_s, id);
    } else if (paths_.flows(id, path)) {
      join(id, path);
    } else {
      local_.push(now_s_, 0, id);
    }
  }

  // Of a message whose latency is over.
  void transfer(OpId id) {
    const FlowPath path = paths_.of(id);
    if (paths_.flows(id, path)) {
      join(id, path);
    } else {
      end(id);
    }
  }

  void end(OpId id) {
    end_s_[id] = last_end_s_ = now_s_;
    dispatcher_.complete(id);
  }

  void join(OpId id, const FlowPath& path) {
    dispatcher_.notes()[id] = kNewFlow;
    bool touched = false;
    for (const Hop hop : path.hops()) {
      const std::uint32_t link = path.link(hop);
      links_.add(link, id);
      if (!touched && paths_.link(link).couples) {
        links_.touch(link);  // all others hang together with it
        touched = true;
      }
      if (keep_statistics_ && link >= paths_.core_links()) {
        account_.comes(link - paths_.core_links(), links_[link].flows, now_s_);
      }
    }
    if (!touched) {
      rates_.set(now_s_, id, path, path.figures().alone_bytes_per_s, kFlowAlone);
    }
  }

  void leave(OpId id) {
    dispatcher_.notes()[id] = 0;
    const FlowPath path = paths_.of(id);
    for (const Hop hop : path.hops()) {
      const std::uint32_t link = path.link(hop);
      links_.remove(link);
      if (links_[link].flows > 0 && paths_.link(link).couples) {
        links_.touch(link);
      }
      if (keep_statistics_ && link >= paths_.core_links()) {
        account_.goes(link - paths_.core_links(), links_[link].flows, now_s_,
                      hop.forward() * schedule_.op(id).bytes());
      }
    }
  }

  const Schedule& schedule_;
  std::span<double> start_s_;
  std::span<double> end_s_;
  bool keep_statistics_;
  double now_s_ = 0;
  double last_end_s_ = 0;
  bool routes_alike_ = true;               // of all messages so far
  const RouteFigures* figures_ = nullptr;  // of the last message

  OpPrices prices_;  // with measured costs
  Dispatcher dispatcher_;
  IdPool pool_;
  FlowPaths paths_;
  LinkLoads links_;
  FlowRates rates_;
  FairShare fair_share_;
  EventQueue latencies_{pool_};
  EventQueue local_{pool_};  // local work, and messages without latency and bytes
  LinkAccount account_;
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
