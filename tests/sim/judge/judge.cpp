#include "tests/sim/judge/judge.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <set>

#include "base/error.hpp"
#include "tests/sim/judge/max_min.hpp"

namespace tutti {

namespace {

__extension__ using Quad = __float128;
using Exact = boost::multiprecision::cpp_rational;

enum class Stage : std::uint8_t { waiting, latency, flowing, arrived, over };

template <typename Number>
class Trial {
 public:
  Trial(const Schedule& schedule, const RunSetup& setup, const JudgePlatform& platform,
        const Nudge& nudge)
      : schedule_(schedule),
        setup_(setup),
        platform_(platform),
        random_(nudge.seed),
        nudge_(nudge.parts),
        ops_(schedule.size()),
        ranks_on_host_(platform.hosts.size(), 0),
        sending_(schedule.ranks(), 0),
        receiving_(schedule.ranks(), 0),
        computing_(schedule.ranks(), 0) {
    TUTTI_INVARIANT(setup.curves == nullptr);
    for (const JudgeLink& link : platform.links) {
      capacities_.push_back(Number(link.bytes_per_s) * (Number(1) + nudged()));
    }
    for (const JudgeHost& host : platform.hosts) {
      capacities_.push_back(Number(host.flops_per_s) * Number(host.cores));
    }
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      ++ranks_on_host_[platform.host_of_rank[rank]];
    }
    for (OpId id = 0; id < schedule.size(); ++id) {
      if (ready(id)) {
        ready_.insert(id);
      }
    }
  }

  JudgeTimes run() {
    while (true) {
      start_what_may();
      share();
      const std::optional<Number> first = next_event();
      if (!first) {
        break;
      }
      instant(*first);
    }
    if (done_ != schedule_.size()) {
      throw InvariantError(fmt::format("judge: {} of {} operations did not finish",
                                       schedule_.size() - done_, schedule_.size()));
    }
    return verdict();
  }

 private:
  struct Running {
    Stage stage = Stage::waiting;
    Number start{0};
    Number end{0};
    // Time at which the latency of a message ends, or at which a reduction or copy ends on a host
    // with a core for each rank.
    Number due{0};
    Number remaining{0};  // bytes or flops left at the last event
    Number rate{0};
    Claim<Number> claim;
  };

  // --- Which operations may start ---------------------------------------------------------------

  [[nodiscard]] bool is_eager(OpId id) const {
    const Op& op = schedule_.op(id);
    return op.is_comm() && static_cast<std::int64_t>(op.bytes()) <= setup_.eager_bytes;
  }
  [[nodiscard]] bool started(OpId id) const { return ops_[id].stage != Stage::waiting; }
  [[nodiscard]] bool over(OpId id) const { return ops_[id].stage == Stage::over; }

  // True if an operation no longer has to wait for its predecessor `before`. If `before` is an
  // eager message and the operation depends on it only at the sender of the message
  // (`only_as_sender`), the operation waits only until the message starts. In all other cases, the
  // operation waits until `before` is over.
  [[nodiscard]] bool heard(OpId before, bool only_as_sender) const {
    return is_eager(before) && only_as_sender ? started(before) : over(before);
  }

  // True if the predecessors of operation `id` allow it to start. An eager message does not wait
  // for operations that involve only its receiver.
  [[nodiscard]] bool ready(OpId id) const {
    const Op& op = schedule_.op(id);
    for (const OpId before : schedule_.predecessors(id)) {
      const Op& other = schedule_.op(before);
      if (is_eager(id)) {
        const bool waits = other.touches(op.src()) || !other.touches(op.dst());
        if (waits && !heard(before, op.src() == other.src())) {
          return false;
        }
      } else if (!heard(before, !op.touches(other.dst()))) {
        return false;
      }
    }
    return true;
  }

  // True unless `id` is an eager message whose receiver is not ready for it. An eager message that
  // has arrived is over only when the earlier operations of its receiver are done.
  [[nodiscard]] bool received(OpId id) const {
    const Op& op = schedule_.op(id);
    const auto before = schedule_.predecessors(id);
    return !is_eager(id) || std::all_of(before.begin(), before.end(), [&](OpId other) {
      return !schedule_.op(other).touches(op.dst()) ||
             heard(other, op.dst() == schedule_.op(other).src());
    });
  }

  [[nodiscard]] bool has_room(OpId id) const {
    const Op& op = schedule_.op(id);
    if (!op.is_comm()) {
      return computing_[op.rank()] == 0;
    }
    return setup_.ports == kUnlimitedPorts ||
           (sending_[op.src()] < setup_.ports && receiving_[op.dst()] < setup_.ports);
  }

  // Finishes operations without duration at once. Then starts the operation with the smallest id
  // that may start. Repeats both steps, because each may make other operations ready.
  void start_what_may() {
    for (bool again = true; again;) {
      again = false;
      while (finish_one_without_duration()) {
      }
      for (const OpId id : ready_) {
        if (has_room(id)) {
          start(id);
          again = true;
          break;
        }
      }
    }
  }

  bool finish_one_without_duration() {
    for (const OpId id : ready_) {
      if (!schedule_.op(id).is_comm() && work(id) == Number(0)) {
        ready_.erase(id);
        ops_[id].start = now_;
        finish(id);
        return true;
      }
    }
    for (const OpId id : arrived_) {
      if (received(id)) {
        arrived_.erase(id);
        finish(id);
        return true;
      }
    }
    return false;
  }

  // --- What happens to an operation -------------------------------------------------------------

  // Returns the number of floating-point operations that reduction or copy `id` takes.
  [[nodiscard]] Number work(OpId id) const {
    const Op& op = schedule_.op(id);
    const Number bytes(op.bytes());
    return op.kind() == OpKind::reduce
               ? bytes * Number(platform_.flops_per_byte)
               : bytes * Number(platform_.copy_s_per_byte) * speed(op.rank());
  }
  [[nodiscard]] Number speed(Rank rank) const {
    return Number(platform_.hosts[platform_.host_of_rank[rank]].flops_per_s);
  }

  void start(OpId id) {
    const Op& op = schedule_.op(id);
    Running& own = ops_[id];
    ready_.erase(id);
    running_.push_back(id);
    own.start = now_;
    own.stage = Stage::latency;
    const Number late = nudged() * now_;
    own.due = now_ + (late < Number(0) ? -late : late);
    if (op.is_comm()) {
      ++sending_[op.src()];
      ++receiving_[op.dst()];
      own.due += Number(route(op).latency_s);
      if (own.due == now_) {
        flow(id);
      }
    } else {
      ++computing_[op.rank()];
      const std::uint32_t host = platform_.host_of_rank[op.rank()];
      if (ranks_on_host_[host] > platform_.hosts[host].cores) {
        own.remaining = work(id);
        own.claim.weight = Number(1);
        own.claim.cap = speed(op.rank());
        own.claim.links = {{static_cast<std::uint32_t>(platform_.links.size()) + host, 1}};
        own.stage = Stage::flowing;
      } else {
        own.due += work(id) / speed(op.rank());
      }
    }
    if (is_eager(id)) {
      look_at_successors(id);
    }
  }

  [[nodiscard]] const JudgeRoute& route(const Op& op) const {
    return platform_.routes.at(
        {platform_.host_of_rank[op.src()], platform_.host_of_rank[op.dst()]});
  }

  // Starts the transfer of a message after its latency. Returns false if there is nothing to
  // transfer.
  bool flow(OpId id) {
    const Op& op = schedule_.op(id);
    Running& own = ops_[id];
    const JudgeRoute& way = route(op);
    if (op.bytes() == 0 || platform_.free_transfers || way.links.empty()) {
      return false;
    }
    own.stage = Stage::flowing;
    own.remaining = Number(op.bytes());
    own.claim.weight = way.latency_s > 0 ? Number(1) / Number(way.latency_s) : Number(1);
    for (const auto& [link, times] : way.links) {
      if (!platform_.links[link].fatpipe) {
        own.claim.links.emplace_back(link, times);
      } else if (!own.claim.cap || capacities_[link] < *own.claim.cap) {
        own.claim.cap = capacities_[link];
      }
    }
    changed_ = true;
    return true;
  }

  void end(OpId id) {
    const Op& op = schedule_.op(id);
    changed_ = changed_ || ops_[id].stage == Stage::flowing;
    std::erase(running_, id);
    if (op.is_comm()) {
      --sending_[op.src()];
      --receiving_[op.dst()];
    } else {
      --computing_[op.rank()];
    }
    if (!received(id)) {
      ops_[id].stage = Stage::arrived;
      arrived_.insert(id);
      return;
    }
    finish(id);
  }

  void finish(OpId id) {
    ops_[id].stage = Stage::over;
    ops_[id].end = now_;
    ++done_;
    look_at_successors(id);
  }

  void look_at_successors(OpId id) {
    for (const OpId successor : schedule_.successors(id)) {
      if (!started(successor) && ready(successor)) {
        ready_.insert(successor);
      }
    }
  }

  // --- Time -------------------------------------------------------------------------------------

  void share() {
    changed_ = false;
    std::vector<OpId> flows;
    std::vector<const Claim<Number>*> claims;
    for (const OpId id : running_) {
      if (ops_[id].stage == Stage::flowing) {
        flows.push_back(id);
        claims.push_back(&ops_[id].claim);
      }
    }
    const std::vector<Number> rates = max_min_rates(claims, capacities_, platform_.overlooked);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      TUTTI_INVARIANT(rates[i] > 0);
      ops_[flows[i]].rate = rates[i];
    }
  }

  [[nodiscard]] Number due(OpId id) const {
    const Running& own = ops_[id];
    return own.stage == Stage::flowing ? now_ + own.remaining / own.rate : own.due;
  }

  [[nodiscard]] std::optional<Number> next_event() const {
    std::optional<Number> first;
    for (const OpId id : running_) {
      const Number at = due(id);
      if (!first || at < *first) {
        first = at;
      }
    }
    return first;
  }

  void move_on(const Number& to) {
    for (const OpId id : running_) {
      Running& own = ops_[id];
      if (own.stage == Stage::flowing) {
        own.remaining -= own.rate * (to - now_);
      }
    }
    now_ = to;
  }

  // Handles the instant that begins at the time `first`: all events within it happen at its
  // beginning. A message that starts or ends in the instant may add further events to it.
  void instant(const Number& first) {
    move_on(first);
    const Number least(1e-12);
    const Number of_clock = now_ * Number(1e-11);
    const Number width = of_clock < least ? least : of_clock;
    while (true) {
      std::vector<OpId> happens;
      for (const OpId id : running_) {
        const Number late = due(id) - now_;
        const Number to_border = late < width ? width - late : late - width;
        nearest_border_ = std::min(nearest_border_, static_cast<double>(Number(to_border / width)));
        if (late <= width) {
          happens.push_back(id);
        }
      }
      if (happens.empty()) {
        return;
      }
      for (const OpId id : happens) {
        const bool comm = schedule_.op(id).is_comm();
        if (!(ops_[id].stage == Stage::latency && comm && flow(id))) {
          end(id);
        }
      }
      if (changed_) {
        share();
      }
    }
  }

  [[nodiscard]] Number nudged() {
    if (nudge_ == 0) {
      return Number(0);
    }
    return Number(std::uniform_real_distribution<double>(-nudge_, nudge_)(random_));
  }

  [[nodiscard]] JudgeTimes verdict() const {
    JudgeTimes result;
    result.nearest_border = nearest_border_;
    for (const Running& own : ops_) {
      result.timeline.start_s.push_back(static_cast<double>(own.start));
      result.timeline.end_s.push_back(static_cast<double>(own.end));
      result.timeline.total_s = std::max(result.timeline.total_s, result.timeline.end_s.back());
    }
    return result;
  }

  const Schedule& schedule_;
  const RunSetup& setup_;
  const JudgePlatform& platform_;
  std::mt19937_64 random_;
  double nudge_;
  std::vector<Running> ops_;
  std::vector<std::uint32_t> ranks_on_host_;
  // For each rank, the numbers of messages that it is sending and receiving, and of reductions and
  // copies that it is doing.
  std::vector<std::uint32_t> sending_;
  std::vector<std::uint32_t> receiving_;
  std::vector<std::uint32_t> computing_;
  // Capacities of the links in bytes/s, followed by those of the hosts' cores in flops/s.
  std::vector<Number> capacities_;
  std::set<OpId> ready_;
  std::set<OpId> arrived_;  // eager messages that have arrived before their receivers are ready
  std::vector<OpId> running_;
  Number now_{0};
  OpId done_ = 0;
  bool changed_ = false;  // true if a flow has started or ended since the last share()
  double nearest_border_ = std::numeric_limits<double>::infinity();
};

}  // namespace

JudgeTimes judge(const Schedule& schedule, const RunSetup& setup, const JudgePlatform& platform,
                 Arithmetic arithmetic, const Nudge& nudge) {
  switch (arithmetic) {
    case Arithmetic::exact:
      return Trial<Exact>(schedule, setup, platform, nudge).run();
    case Arithmetic::quad:
      return Trial<Quad>(schedule, setup, platform, nudge).run();
    case Arithmetic::extended:
      break;
  }
  return Trial<long double>(schedule, setup, platform, nudge).run();
}

}  // namespace tutti
