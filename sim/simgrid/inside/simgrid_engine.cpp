#include "sim/simgrid/inside/simgrid_engine.hpp"

#include <fmt/format.h>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <xbt/config.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "sim/dispatcher.hpp"

namespace tutti { inline namespace sim {

namespace {

namespace s4u = simgrid::s4u;

// Running activities, by slot. SimGrid frees an activity when its last reference is gone, so this
// class keeps a reference. The activity's user data contain the operation and its slot.
class LiveActivities {
 public:
  std::uint32_t reserve() {
    if (free_.empty()) {
      slots_.emplace_back();
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void put(std::uint32_t slot, s4u::ActivityPtr activity) { slots_[slot] = std::move(activity); }
  void drop(std::uint32_t slot) {
    slots_[slot].reset();
    free_.push_back(slot);
  }

 private:
  std::vector<s4u::ActivityPtr> slots_;
  std::vector<std::uint32_t> free_;
};

// SimGrid 3.32 limits all messages on a fat pipe to the level of the message with the largest
// weight, as if they shared the pipe (sim/simgrid/README.md). It also limits each message to the
// narrowest link of its route. While a WideFatPipes object exists, only this second limit applies
// to fat pipes.
class WideFatPipes {
 public:
  WideFatPipes() {
    for (s4u::Link* link : s4u::Engine::get_instance()->get_all_links()) {
      if (link->get_sharing_policy() == s4u::Link::SharingPolicy::FATPIPE) {
        link->set_sharing_policy(
            s4u::Link::SharingPolicy::NONLINEAR, [](double capacity, int messages) {
              return capacity * (1000 + messages);  // SimGrid's precision is 1e-5 of the capacity
            });
        links_.push_back(link);
      }
    }
    // Without a TCP window, SimGrid does not limit a message at all.
    window_bytes_ = simgrid::config::get_value<double>(kWindow);
    if (!links_.empty() && window_bytes_ == 0) {
      simgrid::config::set_value<double>(kWindow, 1e200);
    }
  }
  ~WideFatPipes() {
    for (s4u::Link* link : links_) {
      link->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE, {});
    }
    if (!links_.empty()) {
      simgrid::config::set_value<double>(kWindow, window_bytes_);
    }
  }
  WideFatPipes(const WideFatPipes&) = delete;
  WideFatPipes& operator=(const WideFatPipes&) = delete;

 private:
  static constexpr const char* kWindow = "network/TCP-gamma";

  std::vector<s4u::Link*> links_;
  double window_bytes_ = 0;
};

class Replay {
 public:
  Replay(const Schedule& schedule, const RunSetup& setup, const RankHosts& hosts,
         double copy_s_per_byte, Updates updates, std::span<double> start_s,
         std::span<double> end_s)
      : schedule_(schedule),
        dispatcher_(schedule, setup),
        hosts_(hosts),
        copy_s_per_byte_(copy_s_per_byte),
        updates_(updates),
        start_s_(start_s),
        end_s_(end_s),
        clock_at_start_s_(s4u::Engine::get_clock()) {
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      ++ranks_of_host_[hosts.host_of_rank[rank]];
    }
    if (schedule.cores() > 1 && hosts.may_change) {
      throw UserError(
          "ranks with several processors cannot run on a platform whose hosts or links change");
    }
    TUTTI_INVARIANT(running_ == nullptr);
    TUTTI_INVARIANT(hosts.host_of_rank.size() >= schedule.places());
    TUTTI_INVARIANT(start_s.size() == schedule.size() && end_s.size() == schedule.size());
    register_callback();
    running_ = this;
  }
  ~Replay() { running_ = nullptr; }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  double run() {
    shortest_transfer_s_ = shortest_transfer_s();
    set_precision(std::max(kInstantSeconds, least_precision_s()));
    dispatch(0);
    s4u::Engine::get_instance()->run();
    if (off_) {
      throw SwitchedOff(*off_);
    }
    if (failed_ != kNoOp) {
      throw InvariantError(
          fmt::format("{}: operation {} failed in SimGrid at {} s; does the platform switch hosts "
                      "or links off?",
                      dispatcher_.describe_unfinished(), failed_, failed_at_s_));
    }
    if (!dispatcher_.all_done()) {
      throw UnfinishedRun(dispatcher_.describe_unfinished());
    }
    return last_end_s_;
  }

 private:
  static constexpr double kInstantSeconds = 1e-12;  // as in instant_end_s()
  static constexpr double kInstantOfClock = 1e-11;

  // Slot number of an operation that a timer ends; it has no activity.
  static constexpr std::uint32_t kNoSlot = 0xffffffffU;

  struct EndOfActivity {
    OpId op;
    std::uint32_t slot;
  };

  // SimGrid has one signal for all activities of a process, and no way to unsubscribe.
  static void register_callback() {
    static const bool once = [] {
      s4u::Activity::on_completion_cb([](const s4u::Activity& activity) {
        if (running_ != nullptr) {
          running_->ended(activity);
        }
      });
      return true;
    }();
    (void)once;
  }

  // SimGrid treats all events that are within its precision of the first event as one instant, at
  // the time of the first. This equals the ordering rule of all engines if the precision is adapted
  // to the clock.
  void set_precision(double precision_s) {
    precision_s_ = precision_s;
    simgrid::config::set_value<double>("surf/precision", precision_s);
  }

  // Returns a few units in the last place of the latest time that the clock can reach. With a
  // smaller precision, SimGrid could miss an event because of rounding, and hang.
  [[nodiscard]] double least_precision_s() const {
    double flops = 0;
    for (const s4u::Host* host : hosts_.host_of_rank) {
      flops = flops == 0 ? host->get_speed() : std::min(flops, host->get_speed());
    }
    const PlatformFacts& facts = hosts_.facts;
    double latest_s =
        clock_at_start_s_ + static_cast<double>(schedule_.messages()) * facts.latency_s +
        static_cast<double>(schedule_.bytes_reduced()) * hosts_.flops_per_byte / flops;
    if (!hosts_.free_transfers && facts.bandwidth_bytes_per_s > 0) {
      latest_s += static_cast<double>(schedule_.bytes_sent()) / facts.bandwidth_bytes_per_s;
    }
    return 1e-15 * latest_s;
  }

  [[nodiscard]] double shortest_transfer_s() const {
    if (hosts_.free_transfers) {
      return 0;
    }
    std::uint64_t least_bytes = std::numeric_limits<std::uint64_t>::max();
    for (const Op& op : schedule_.ops()) {
      least_bytes = op.is_comm() ? std::min(least_bytes, op.bytes()) : least_bytes;
    }
    return static_cast<double>(least_bytes) / hosts_.facts.widest_bandwidth_bytes_per_s;
  }

  // Must be called when an activity completes. SimGrid still uses the activity then, so this
  // function must not free or start activities. end_instant() does both, called by a timer after
  // all completions of this instant.
  void ended(const s4u::Activity& activity) {
    const auto data = reinterpret_cast<std::uintptr_t>(activity.get_data<void>());
    const auto op = static_cast<OpId>(data >> 32U);
    if (activity.get_state() != s4u::Activity::State::FINISHED) {
      failed(op);
      return;
    }
    begin_instant();
    ended_.push_back({op, static_cast<std::uint32_t>(data)});
  }

  // Must be called before an operation is added to ended_.
  void begin_instant() {
    if (ended_.empty()) {
      instant_s_ = s4u::Engine::get_clock() - clock_at_start_s_;
      if (instant_s_ < std::numeric_limits<double>::min()) {
        instant_s_ = 0;  // the clock differs from 0 only by rounding
      }
      looks_ = 0;
      call_after_completions();
    }
  }

  // Ends the work on cores of its own that is due at this time. SimGrid treats activities, but not
  // timers, as simultaneous if they are within its precision.
  void end_on_own_cores() {
    const double until_s = s4u::Engine::get_clock() + precision_s_;
    while (!own_ends_.empty() && own_ends_.begin()->first <= until_s) {
      begin_instant();
      ended_.push_back({own_ends_.begin()->second, kNoSlot});
      own_ends_.erase(own_ends_.begin());
    }
  }

  // Remembers the first operation that failed, and what it needs that is off.
  void failed(OpId id) {
    if (failed_ == kNoOp) {
      failed_ = id;
      failed_at_s_ = s4u::Engine::get_clock() - clock_at_start_s_;
      off_ = what_is_off(schedule_.op(id));
    }
  }

  // Returns the host or the link that an operation needs and that is off now; nothing if all are
  // on.
  [[nodiscard]] std::optional<SwitchedOff> what_is_off(const Op& op) {
    SwitchedOff off;
    off.time_s = s4u::Engine::get_clock() - clock_at_start_s_;
    off.operation =
        op.is_comm() ? fmt::format("the message from rank {} to rank {}", op.src(), op.dst())
                     : fmt::format("the {} of rank {}",
                                   op.kind() == OpKind::reduce ? "reduction" : "copy", op.rank());
    for (const Rank rank : {op.is_comm() ? op.src() : op.rank(), op.rank()}) {
      if (!hosts_.host_of_rank[rank]->is_on()) {
        off.is_host = true;
        off.name = hosts_.host_of_rank[rank]->get_name();
        return off;
      }
    }
    if (!op.is_comm()) {
      return std::nullopt;
    }
    route_.clear();
    double latency_s = 0;
    hosts_.host_of_rank[op.src()]->route_to(hosts_.host_of_rank[op.dst()], route_, &latency_s);
    for (const s4u::Link* link : route_) {
      if (!link->is_on()) {
        off.name = link->get_name();
        return off;
      }
    }
    return std::nullopt;
  }

  // Sets the timer to one unit in the last place after now. SimGrid fires a timer before it reports
  // completions at the same time. SimGrid completes a message without bytes only after it has
  // processed the message's latency at that time.
  //
  // With full updates, SimGrid updates the remaining bytes of all messages at each event, and has
  // no precision. Rounding then separates simultaneous ends, so the timer waits until the instant
  // is over.
  void call_after_completions() {
    const double now_s = s4u::Engine::get_clock();
    simgrid::kernel::timer::Timer::set(
        std::max(std::nextafter(now_s, std::numeric_limits<double>::infinity()),
                 updates_ == Updates::full ? now_s * (1 + kInstantOfClock) : 0),
        [this] { end_instant(); });
  }

  void end_instant() {
    if (looks_ == 0) {
      // A transfer that is shorter than the instant completes only after its latency, so one more
      // call is needed.
      looks_ = shortest_transfer_s_ <= 2 * precision_s_ ? 2 : 1;
      if (updates_ == Updates::full) {
        looks_ = 2;
      }
      // The precision changes only in steps of 1 %, because smaller steps have no effect, and each
      // step costs a look-up.
      if (kInstantOfClock * instant_s_ > 1.01 * precision_s_) {
        set_precision(kInstantOfClock * instant_s_);
        // SimGrid's loop must be called four times: now, then for the latencies, for the transfers,
        // and for the reports of their ends.
        looks_ = 4;
      }
    }
    // The end of a message leaves more bandwidth to the messages that shared its links. One of
    // these messages may therefore end in this instant, too.
    if (updates_ == Updates::pointed_out && ended_.size() > seen_) {
      looks_ = std::max(looks_, 2);
    }
    seen_ = ended_.size();
    if (--looks_ > 0) {
      call_after_completions();
      return;
    }
    seen_ = 0;
    end_on_own_cores();
    for (const EndOfActivity& ended : ended_) {
      end_s_[ended.op] = instant_s_;
      dispatcher_.complete(ended.op);
      if (ended.slot != kNoSlot) {
        live_.drop(ended.slot);
      }
    }
    ended_.clear();
    last_end_s_ = instant_s_;
    dispatch(instant_s_);
  }

  void dispatch(double now_s) {
    dispatcher_.advance([this](OpId id) { return flops(schedule_.op(id)) == 0; },
                        [&](OpId id) { start_s_[id] = end_s_[id] = now_s; },
                        [&](OpId id) {
                          start_s_[id] = now_s;
                          start(id);
                        },
                        [&](OpId id) { end_s_[id] = now_s; });
  }

  // Returns the factor on the speed of a rank's host. The work is divided by this factor, because
  // the speeds of SimGrid's hosts stay unchanged.
  [[nodiscard]] double speed_factor(Rank rank) const {
    return hosts_.speed_factors.empty() ? 1 : hosts_.speed_factors[rank];
  }
  [[nodiscard]] double flops(const Op& op) const {
    const auto bytes = static_cast<double>(op.bytes());
    return op.kind() == OpKind::reduce
               ? bytes * hosts_.flops_per_byte / speed_factor(op.rank())
               : bytes * copy_s_per_byte_ * hosts_.host_of_rank[op.rank()]->get_speed();
  }

  // True for local work on another core than core 0, if the host has at least as many cores as
  // ranks. SimGrid does not know these cores, so a timer ends the work.
  [[nodiscard]] bool has_own_core(OpId id) const {
    const s4u::Host* const host = hosts_.host_of_rank[schedule_.op(id).rank()];
    return !schedule_.op(id).is_comm() && schedule_.units(id).dst_core > 0 &&
           ranks_of_host_.at(host) <= host->get_core_count();
  }

  void start(OpId id) {
    const Op& op = schedule_.op(id);
    // SimGrid aborts if an activity starts on a host that is off, and loses a message that starts
    // on a link that is off.
    if (hosts_.may_change && what_is_off(op)) {
      failed(id);
      return;
    }
    if (has_own_core(id)) {
      const double due_s =
          s4u::Engine::get_clock() + flops(op) / hosts_.host_of_rank[op.rank()]->get_speed();
      own_ends_.emplace(due_s, id);
      simgrid::kernel::timer::Timer::set(due_s, [this] { end_on_own_cores(); });
      return;
    }
    const std::uint32_t slot = live_.reserve();
    // The value is not an address. It is stored as a pointer because SimGrid stores only a pointer
    // for the caller.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    void* const data = reinterpret_cast<void*>(std::uintptr_t{id} << 32U | slot);
    if (op.is_comm()) {
      if (updates_ == Updates::pointed_out) {
        point_out_links(op);
      }
      const s4u::CommPtr comm =
          s4u::Comm::sendto_init(hosts_.host_of_rank[op.src()], hosts_.host_of_rank[op.dst()]);
      comm->set_payload_size(hosts_.free_transfers ? 0 : op.bytes());
      comm->set_data(data);
      comm->start();
      live_.put(slot, comm);
    } else {
      const s4u::ExecPtr exec = s4u::Exec::init();
      exec->set_flops_amount(flops(op));
      exec->set_host(hosts_.host_of_rank[op.rank()]);
      exec->set_data(data);
      exec->start();
      live_.put(slot, exec);
    }
  }

  // Makes SimGrid update all messages on the links of `op`, by setting the bandwidth of each link
  // to its current value.
  void point_out_links(const Op& op) {
    route_.clear();
    double latency_s = 0;
    hosts_.host_of_rank[op.src()]->route_to(hosts_.host_of_rank[op.dst()], route_, &latency_s);
    const double due_s = s4u::Engine::get_clock() + latency_s;
    const auto [at, is_new] = due_links_.try_emplace(due_s);
    at->second.insert(at->second.end(), route_.begin(), route_.end());
    if (is_new) {
      simgrid::kernel::timer::Timer::set(due_s, [this, due_s] {
        std::vector<s4u::Link*> links = std::move(due_links_.extract(due_s).mapped());
        std::sort(links.begin(), links.end());
        links.erase(std::unique(links.begin(), links.end()), links.end());
        for (s4u::Link* link : links) {
          link->set_bandwidth(link->get_bandwidth());
        }
      });
    }
  }

  static Replay* running_;

  WideFatPipes wide_fat_pipes_;
  const Schedule& schedule_;
  Dispatcher dispatcher_;
  const RankHosts& hosts_;
  double copy_s_per_byte_;
  Updates updates_;
  std::span<double> start_s_;
  std::span<double> end_s_;
  double clock_at_start_s_;
  std::map<const s4u::Host*, int> ranks_of_host_;
  std::multimap<double, OpId> own_ends_;  // by time: operations that timers end
  double precision_s_ = 0;
  double shortest_transfer_s_ = 0;
  double instant_s_ = 0;  // time of the first completion of this instant
  // Number of calls of end_instant() that remain in this instant, each of which looks for further
  // completions; 0 before the first call.
  int looks_ = 0;
  double last_end_s_ = 0;
  std::vector<EndOfActivity> ended_;  // activities that ended in this instant
  std::size_t seen_ = 0;              // size of ended_ at the previous call of end_instant()
  LiveActivities live_;
  std::vector<s4u::Link*> route_;  // scratch: links of one route
  // Links, by the time when flows on them begin.
  std::map<double, std::vector<s4u::Link*>> due_links_;
  OpId failed_ = kNoOp;  // the first operation that failed
  double failed_at_s_ = 0;
  std::optional<SwitchedOff> off_;  // why it failed
};

static_assert(sizeof(std::uintptr_t) == 8, "an operation and its slot share one pointer");

Replay* Replay::running_ = nullptr;

}  // namespace

Timeline SimGridEngine::run(const Schedule& schedule, const RunSetup& setup) {
  Timeline timeline;
  timeline.start_s.resize(schedule.size());
  timeline.end_s.resize(schedule.size());
  timeline.total_s = run_into(schedule, setup, timeline.start_s, timeline.end_s);
  return timeline;
}

double SimGridEngine::run_into(const Schedule& schedule, const RunSetup& setup,
                               std::span<double> start_s, std::span<double> end_s) {
  return Replay(schedule, setup, hosts_, copy_s_per_byte_, updates_, start_s, end_s).run();
}

}}  // namespace tutti::sim
