#include "src/simulation/explain/limit_gap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/flow_run.hpp"
#include "src/simulation/machine_bound.hpp"

namespace tutti { inline namespace simulation {

namespace {

// Beyond this, the bound may take longer than the explanation, because it looks at all routes.
constexpr std::uint32_t kMostRanks = 4096;
constexpr std::uint32_t kMostRanksBySimGrid = 1024;  // asking SimGrid for a route takes longer
// Times that differ by at most this share of the total count as equal.
constexpr double kEqual = 1e-10;

// A part of the cut that is used as a whole, or in several slots: a link, the ports of a host, or
// the cores of a host.
struct Lane {
  double share = 0;  // of the cut's capacity
  double slots = 1;  // number of messages that fill the lane
  std::uint32_t used = 0;
};

// The cut of a bound: its lanes, and how operations use them.
class Cut {
 public:
  Cut(const BoundPart& part, const Simulation& run, MachineBounds& machine, bool one_rank)
      : part_(part), machine_(machine), one_rank_(one_rank) {
    const Machine& on = run.result.machine;
    std::map<std::uint32_t, std::uint32_t> ranks_on;
    for (Rank rank = 0; rank < on.mapping.ranks; ++rank) {
      ++ranks_on[machine.setup.host_of_rank[rank]];
    }
    if (part.form == Certificate::work) {
      for (const auto& [host, ranks] : ranks_on) {
        const NetworkHost cores = machine.network->host(host);
        const double slots = std::min(ranks, cores.cores);
        add(kCores, host, {slots * cores.speed_flops_per_s / part.rate, slots},
            machine.setup.flops_per_byte * (one_rank ? on.mapping.ranks : 1));
      }
    } else if (part.limits.empty()) {
      // Ports of a rank, or a sum of capacities whose parts are not listed.
      lanes_.push_back({1, part.form == Certificate::rank ? double{1} * on.setup.ports : 1});
    }
    for (const BoundLimit& limit : part.limits) {
      const bool is_link = limit.kind == BoundLimit::Kind::link;
      add(is_link                                      ? kLinks
          : limit.kind == BoundLimit::Kind::send_ports ? kSenders
                                                       : kReceivers,
          limit.of,
          {limit.capacity_bytes_per_s * limit.length / part.rate,
           is_link ? 1 : double{1} * on.setup.ports * ranks_on[limit.of]},
          limit.length);
    }
  }

  [[nodiscard]] std::vector<Lane>& lanes() { return lanes_; }

  // Adds the lanes that the operation uses to `lanes`. Returns how much crosses the cut, as
  // BoundPart::amount counts.
  [[nodiscard]] double use(const Op& op, std::vector<std::uint32_t>& lanes) {
    if (op.bytes() == 0 ||
        (part_.form == Certificate::work ? op.kind() != OpKind::reduce : !op.is_comm())) {
      return 0;
    }
    const std::vector<std::uint32_t>& host = machine_.setup.host_of_rank;
    const std::uint32_t from = host[op.src()];
    const std::uint32_t to = host[op.dst()];
    double weight = 0;  // for each byte
    const auto pass = [&](Kind kind, std::uint32_t of, double times) {
      const std::vector<std::uint32_t>& lane_of = lane_of_[kind];
      const std::size_t at = one_rank_ ? 0 : of;
      if (at < lane_of.size() && lane_of[at] != kNone) {
        lanes.push_back(lane_of[at]);
        weight += times * weights_[lane_of[at]];
      }
    };
    switch (part_.form) {
      case Certificate::work:
        pass(kCores, to, 1);
        break;
      case Certificate::rank:
      case Certificate::host:
      case Certificate::ranks:
        if (one_rank_ || part_.form == Certificate::ranks ||
            (part_.form == Certificate::rank
                 ? (part_.hosts_send ? op.src() : op.dst()) == part_.rank
                 : (part_.hosts_send ? from : to) == part_.hosts[0])) {
          lanes.push_back(0);
          weight = 1;
        }
        break;
      default:
        if (from != to) {
          pass(kSenders, from, 1);
          pass(kReceivers, to, 1);
        }
        if (one_rank_) {
          pass(kLinks, 0, 1);
        } else if (!lane_of_[kLinks].empty()) {
          for (const Hop hop : machine_.network->route(from, to).hops) {
            pass(kLinks, hop.link(), hop.forward());
          }
        }
    }
    return weight * static_cast<double>(op.bytes());
  }

 private:
  enum Kind : std::uint8_t { kLinks, kSenders, kReceivers, kCores };
  static constexpr std::uint32_t kNone = 0xffffffffU;

  // If one rank represents all, all lanes of a kind are used alike, so they are one lane.
  void add(Kind kind, std::uint32_t of, Lane lane, double weight) {
    std::vector<std::uint32_t>& lane_of = lane_of_[kind];
    const std::size_t at = one_rank_ ? 0 : of;
    if (at >= lane_of.size()) {
      lane_of.resize(at + 1, kNone);
    }
    if (lane_of[at] == kNone) {
      lane_of[at] = static_cast<std::uint32_t>(lanes_.size());
      lanes_.push_back(lane);
      weights_.push_back(weight);
    } else {
      lanes_[lane_of[at]].share += lane.share;
      weights_[lane_of[at]] += kind == kCores ? 0 : weight;  // of cores: already of all ranks
    }
  }

  const BoundPart& part_;
  MachineBounds& machine_;
  bool one_rank_;
  std::vector<Lane> lanes_;
  std::vector<double> weights_;                        // by lane: what a byte in the lane counts
  std::array<std::vector<std::uint32_t>, 4> lane_of_;  // by kind and number
};

// Adds up how long the cut was idle, while time advances.
class IdleTimes {
 public:
  IdleTimes(std::vector<Lane>& lanes, double total_s) : lanes_(lanes), total_s_(total_s) {}

  // Reports a message that begins to cross after its latency.
  void begin(std::span<const std::uint32_t> lanes, double at_s, double latency_s) {
    advance(at_s);
    if (!first_s_) {
      first_s_ = at_s;
    } else if (under_way_ == 0) {
      const double pause_s = at_s - last_s_;
      starting_s += std::min(pause_s, latency_s);
      waiting_s += std::max(0.0, pause_s - latency_s);
      pauses += pause_s > kEqual * total_s_ ? 1 : 0;
    }
    ++under_way_;
    for (const std::uint32_t number : lanes) {
      Lane& lane = lanes_[number];
      busy_ += lane.used++ < lane.slots ? lane.share / lane.slots : 0;
    }
  }
  void end(std::span<const std::uint32_t> lanes, double at_s) {
    advance(at_s);
    last_s_ = at_s;
    for (const std::uint32_t number : lanes) {
      Lane& lane = lanes_[number];
      busy_ -= --lane.used < lane.slots ? lane.share / lane.slots : 0;
    }
    if (--under_way_ == 0) {
      busy_ = 0;  // removes rounding errors
    }
  }
  void finish() { advance(total_s_); }

  [[nodiscard]] double first_s() const { return first_s_.value_or(total_s_); }
  [[nodiscard]] double after_s() const { return first_s_ ? total_s_ - last_s_ : 0; }

  double busy_s = 0;      // of the share of the cut that has messages
  double unused_s = 0;    // of the share that has none, while another has messages
  double starting_s = 0;  // in pauses, of the message that ends the pause
  double waiting_s = 0;   // in pauses, before that message starts
  std::size_t pauses = 0;
  std::array<double, LimitGap::kTenths> idle{};

 private:
  void advance(double to_s) {
    const double spent_s = to_s - now_s_;
    const double idle_share = std::max(0.0, 1 - busy_);
    busy_s += busy_ * spent_s;
    unused_s += under_way_ > 0 ? idle_share * spent_s : 0;
    const double tenth_s = total_s_ / LimitGap::kTenths;
    while (now_s_ < to_s) {
      const double until_s = tenth_ + 1 < LimitGap::kTenths
                                 ? std::min(to_s, static_cast<double>(tenth_ + 1) * tenth_s)
                                 : to_s;
      idle[tenth_] += idle_share * (until_s - now_s_) / tenth_s;
      now_s_ = until_s;
      tenth_ += until_s < to_s ? 1 : 0;
    }
  }

  std::vector<Lane>& lanes_;
  double total_s_;
  double now_s_ = 0;
  std::size_t tenth_ = 0;
  std::size_t under_way_ = 0;
  double busy_ = 0;  // share of the cut that has messages
  std::optional<double> first_s_;
  double last_s_ = 0;
};

// An operation, and the lanes of the cut that it crosses.
struct Crossing {
  double from_s = 0;
  double until_s = 0;
  double latency_s = 0;          // before from_s
  std::uint32_t first_lane = 0;  // in a list of lanes
  std::uint32_t lanes = 0;
};

// Time when the operation has released its ports and links.
double moved_until_s(const Timeline& timeline, OpId id) {
  return timeline.arrival_s.empty() ? timeline.end_s[id] : timeline.arrival_s[id];
}

// Finds the tenth of the run that is most idle, and the rounds of the operations in it.
void find_most_idle(const Simulation& run, LimitGap& gap) {
  for (std::size_t i = 1; i < gap.idle.size(); ++i) {
    if (gap.idle[i] > gap.idle[gap.most_idle] + 1e-6) {
      gap.most_idle = i;
    }
  }
  const double tenth_s = gap.total_s / LimitGap::kTenths;
  const double from_s = static_cast<double>(gap.most_idle) * tenth_s + kEqual * gap.total_s;
  const double until_s = static_cast<double>(gap.most_idle + 1) * tenth_s - kEqual * gap.total_s;
  gap.first_round = kMaxLevel;
  for (OpId id = 0; id < run.schedule->size(); ++id) {
    if (run.timeline.start_s[id] < until_s && run.timeline.end_s[id] > from_s) {
      const std::uint32_t round = run.schedule->op(id).label().level;
      gap.first_round = std::min(gap.first_round, round);
      gap.last_round = std::max(gap.last_round, round);
    }
  }
  gap.first_round = std::min(gap.first_round, gap.last_round);
}

void account_for_cut(const Simulation& run, MachineBounds& machine, bool one_rank, LimitGap& gap) {
  const BoundPart& part = gap.bound.deciding();
  const Schedule& schedule = *run.schedule;
  Cut cut(part, run, machine, one_rank);
  std::vector<std::uint32_t> lanes;
  std::vector<Crossing> crossings;
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    const auto first = static_cast<std::uint32_t>(lanes.size());
    gap.crossed += cut.use(op, lanes);
    if (lanes.size() > first) {
      const double latency_s = op.is_comm() ? machine.network
                                                  ->route(machine.setup.host_of_rank[op.src()],
                                                          machine.setup.host_of_rank[op.dst()])
                                                  .figures->latency_s
                                            : 0;
      crossings.push_back({run.timeline.start_s[id] + latency_s, moved_until_s(run.timeline, id),
                           latency_s, first, static_cast<std::uint32_t>(lanes.size()) - first});
    }
  }
  std::vector<std::uint32_t> begins(crossings.size());
  std::iota(begins.begin(), begins.end(), 0);
  std::vector<std::uint32_t> ends = begins;
  std::ranges::sort(begins, {}, [&](std::uint32_t i) { return crossings[i].from_s; });
  std::ranges::sort(ends, {}, [&](std::uint32_t i) { return crossings[i].until_s; });
  IdleTimes times(cut.lanes(), gap.total_s);
  const auto lanes_of = [&](const Crossing& crossing) {
    return std::span<const std::uint32_t>(lanes).subspan(crossing.first_lane, crossing.lanes);
  };
  auto next = begins.begin();
  for (const std::uint32_t ending : ends) {
    const double until_s = crossings[ending].until_s;
    for (; next != begins.end() && crossings[*next].from_s <= until_s; ++next) {
      times.begin(lanes_of(crossings[*next]), crossings[*next].from_s, crossings[*next].latency_s);
    }
    times.end(lanes_of(crossings[ending]), until_s);
  }
  times.finish();
  gap.pauses = times.pauses;
  gap.idle = times.idle;
  // The latencies in the bound, if there are several, are not all before the first byte: the others
  // are in pauses, or after the last byte.
  double before_s = times.first_s() - part.startup_s;
  double after_s = times.after_s();
  if (part.messages > 1) {
    for (double* const row : {&times.starting_s, &after_s, &times.waiting_s}) {
      const double taken_s = std::clamp(-before_s, 0.0, std::max(*row, 0.0));
      *row -= taken_s;
      before_s += taken_s;
    }
  }
  gap.parts = {{GapPart::extra, (gap.crossed - part.amount) / part.rate},
               {GapPart::before, before_s},
               {GapPart::starting, times.starting_s},
               {GapPart::waiting, times.waiting_s},
               {GapPart::after, after_s},
               {GapPart::unused, times.unused_s},
               {GapPart::slow, times.busy_s - gap.crossed / part.rate}};
  find_most_idle(run, gap);
}

void account_for_latencies(const TimeAccount& account, LimitGap& gap) {
  std::optional<std::uint32_t> counted_step;
  for (const Piece& piece : account.pieces) {
    if (piece.on == Spending::startup && piece.seconds > 0 && counted_step != piece.step) {
      counted_step = piece.step;
      ++gap.chain_messages;
    }
  }
  const double latencies_s = account.seconds_on(Spending::startup);
  gap.parts = {{GapPart::latencies, latencies_s - gap.bound.seconds()},
               {GapPart::rest, gap.total_s - latencies_s}};
}

std::optional<std::string> why_no_limit(const Simulation& run) {
  const Machine& machine = run.result.machine;
  if (!machine.engine->has_network) {
    return fmt::format("the engine {} has no links", machine.engine->name);
  }
  if (run.result.problem.collective == Collective::application) {
    return "an application has no collective";
  }
  if (!run.result.why_unproved().empty()) {
    return fmt::format("the schedule may do less than {} must do ({})",
                       name(run.result.problem.collective), run.result.why_unproved());
  }
  const std::uint32_t most = flow_needs_simgrid(machine) ? kMostRanksBySimGrid : kMostRanks;
  if (machine.mapping.ranks > most) {
    return fmt::format("'tutti bound' searches for it, which takes long for more than {} ranks",
                       human_count(most));
  }
  return why_no_bound(machine);
}

}  // namespace

bool is_of_latencies(Certificate form) {
  return form == Certificate::none || form == Certificate::rounds || form == Certificate::postal ||
         form == Certificate::route;
}

bool LimitGap::has_cut() const {
  const BoundPart& part = bound.deciding();
  return !of_messages && !is_of_latencies(part.form) && part.form != Certificate::messages &&
         part.form != Certificate::doubling &&
         (part.messages == 1 || part.form == Certificate::rank);
}

double LimitGap::sum_s() const {
  double sum_s = 0;
  for (const auto& [part, seconds] : parts) {
    sum_s += seconds;
  }
  return sum_s;
}

LimitGap limit_gap(const Simulation& run, const TimeAccount& account, bool one_rank) {
  LimitGap gap;
  if (const auto why = why_no_limit(run)) {
    gap.unknown = with_fields(*why);
    return gap;
  }
  MachineBounds machine = bounds_of(run.result.machine);
  gap.bound = machine.bounds.of(run.result.problem, BoundSearch::quick);
  gap.network = machine.network;
  gap.of_messages = run.result.machine.files.messages != nullptr;
  gap.total_s = run.timeline.total_s;
  if (gap.bound.seconds() == 0) {
    return gap;
  }
  if (gap.has_cut()) {
    account_for_cut(run, machine, one_rank, gap);
  } else {
    account_for_latencies(account, gap);
    if (!is_of_latencies(gap.bound.deciding().form)) {
      gap.parts = {{GapPart::beyond, gap.total_s - gap.bound.seconds()}};
    }
  }
  std::erase_if(gap.parts,
                [&](const auto& part) { return std::abs(part.second) <= kEqual * gap.total_s; });
  gap.parts.insert(gap.parts.begin(), {GapPart::limit, gap.bound.seconds()});
  return gap;
}

}}  // namespace tutti::simulation
