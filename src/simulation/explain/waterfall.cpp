#include "src/simulation/explain/waterfall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/field_names.hpp"
#include "base/human.hpp"

namespace tutti { inline namespace simulation {

namespace {

// Counts of a chain's operations, and the time that they take according to alpha, beta and gamma
// alone.
struct ChainFigures {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_reduced = 0;
  double startup_s = 0;
  double transfer_s = 0;
  double reduction_s = 0;
  double copying_s = 0;

  [[nodiscard]] double sum_s() const { return startup_s + transfer_s + reduction_s + copying_s; }
};

ChainFigures figures_of(const TimeAccount& account, const Schedule& schedule,
                        const OwnTimes& nominal) {
  ChainFigures figures;
  for (const ChainStep& step : account.chain) {
    const Op& op = schedule.op(step.op);
    const OwnTime own = nominal(step.op, op);
    if (op.is_comm()) {
      ++figures.messages;
      figures.bytes += op.bytes();
      figures.startup_s += own.startup_s;
      figures.transfer_s += own.transfer_s;
    } else if (op.kind() == OpKind::reduce) {
      figures.bytes_reduced += op.bytes();
      figures.reduction_s += own.transfer_s;
    } else {
      figures.copying_s += own.transfer_s;
    }
  }
  return figures;
}

// Returns the time of the published formula `row` at the prices `prices`; 0 if the formula is not
// known for the result's problem.
double published_s(const RunResult& result, const PublishedCost& row, const Prices& prices) {
  for (const PublishedCost& cost : published_costs(*result.algorithm, result.problem, prices)) {
    if (cost.formula == row.formula && cost.section == row.section) {
      return cost.seconds;
    }
  }
  return 0;
}

class Steps {
 public:
  explicit Steps(std::vector<WaterfallStep>& steps) : steps_(steps) {}

  void add(WaterfallStep::Kind kind, std::string what, double seconds, std::string why = "",
           std::uint32_t link = kNoLink) {
    // A difference that is only a rounding error is not a step of its own, but is added to the next
    // step.
    sum_s_ += seconds;
    carried_s_ += seconds;
    if (std::fabs(carried_s_) > 1e-12 * std::fabs(sum_s_) || kind == WaterfallStep::Kind::term) {
      steps_.push_back({kind, std::move(what), std::move(why), link, carried_s_});
      carried_s_ = 0;
    }
  }
  void term(std::string what, double seconds) {
    if (seconds != 0) {
      add(WaterfallStep::Kind::term, std::move(what), seconds);
    }
  }
  void differs(std::string what, double seconds, std::string why = "",
               std::uint32_t link = kNoLink) {
    add(WaterfallStep::Kind::difference, std::move(what), seconds, std::move(why), link);
  }
  // Rounding errors that the next step will contain.
  [[nodiscard]] double carried_s() const { return carried_s_; }
  void subtotal(std::string what, double seconds) {
    steps_.push_back({WaterfallStep::Kind::subtotal, std::move(what), "", kNoLink, seconds});
  }

 private:
  std::vector<WaterfallStep>& steps_;
  double sum_s_ = 0;
  double carried_s_ = 0;
};

// Adds the steps from the formula to the longest path.
void price_schedule(const RunResult& result, const ChainFigures& longest, double start_s,
                    Steps& steps, Waterfall& waterfall) {
  const PublishedCost* const row = result.main_published();
  if (row == nullptr) {
    steps.term("start-up", longest.startup_s);
    steps.term("transfer", longest.transfer_s);
    steps.term(std::string(word_for_reduction(result.problem.collective)), longest.reduction_s);
    steps.term("local copies", longest.copying_s);
    steps.term("start of the run", start_s);
    return;
  }
  waterfall.formula = row->formula;
  const Prices& prices = result.described.prices;
  const double startup_s = published_s(result, *row, {.alpha_s = prices.alpha_s});
  const double transfer_s = published_s(result, *row, {.beta_s_per_byte = prices.beta_s_per_byte});
  const double reduction_s =
      published_s(result, *row, {.gamma_s_per_byte = prices.gamma_s_per_byte});
  steps.term("start-up", startup_s);
  steps.term("transfer", transfer_s);
  steps.term("reduction", reduction_s);
  const double rest_s = row->seconds - startup_s - transfer_s - reduction_s;
  if (std::fabs(rest_s) > 1e-12 * row->seconds) {
    steps.term("terms with several prices", rest_s);
  }
  steps.subtotal("published formula", row->seconds);
  const auto counts = [](double more, double less, std::string_view unit) {
    return std::fabs(more - less) < 1e-6 * less
               ? fmt::format("same number of {}, at measured prices", unit)
               : fmt::format("{:.6g} {} against {:.6g}", more, unit, less);
  };
  const auto per = [](double seconds, double price) { return price > 0 ? seconds / price : 0; };
  steps.differs(
      "rounds", longest.startup_s - startup_s,
      counts(static_cast<double>(longest.messages), per(startup_s, prices.alpha_s), "start-ups"));
  const std::string blocks =
      result.even_blocks()
          ? ""
          : fmt::format("; blocks are {} to {}", human_bytes(result.smallest_owned_bytes),
                        human_bytes(result.largest_owned_bytes));
  steps.differs(
      "bytes sent", longest.transfer_s - transfer_s,
      counts(static_cast<double>(longest.bytes), per(transfer_s, prices.beta_s_per_byte), "bytes") +
          blocks);
  steps.differs("bytes reduced", longest.reduction_s - reduction_s,
                counts(static_cast<double>(longest.bytes_reduced),
                       per(reduction_s, prices.gamma_s_per_byte), "bytes") +
                    blocks);
  steps.differs("local copies", longest.copying_s, "");
  steps.differs("start of the run", start_s, "");
}

// True if alpha does not include the part, which is then a step of its own.
bool beyond_alpha(MessagePart part) {
  switch (part) {
    case MessagePart::busy_core:
    case MessagePart::busy_interface:
    case MessagePart::busy_connection:
    case MessagePart::peer_switch:
    case MessagePart::eager_copies:
    case MessagePart::buffers:
    case MessagePart::handshake:
    case MessagePart::node_handshake:
      return true;
    default:
      return false;
  }
}

using PartSums = std::map<MessagePart, double>;

// Returns the seconds of each part of the message model that the account spends on `on`.
PartSums parts_of(const TimeAccount& account, Spending on) {
  PartSums sums;
  for (const Piece& piece : account.pieces) {
    if (piece.on == on) {
      sums[piece.part] += piece.seconds;
    }
  }
  return sums;
}

// Adds a step for each part of the message model, longest first.
void price_parts(const PartSums& parts, const std::string& why, Steps& steps) {
  std::vector<std::pair<double, MessagePart>> sorted;
  for (const auto& [part, seconds] : parts) {
    if (part != MessagePart::none) {
      sorted.emplace_back(seconds, part);
    }
  }
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [seconds, part] : sorted) {
    steps.differs(in_words(part), seconds, why);
  }
}

// Adds the steps by which the start-ups of messages differ from alpha.
void price_startups(const TimeAccount& simulated, const ChainFigures& own,
                    const std::string& varies, Steps& steps) {
  PartSums beyond = parts_of(simulated, Spending::startup);
  std::erase_if(beyond, [](const auto& part) { return !beyond_alpha(part.first); });
  double routes_s = simulated.seconds_on(Spending::startup) - own.startup_s;
  for (const auto& [part, seconds] : beyond) {
    routes_s -= seconds;
  }
  price_parts(beyond, "", steps);
  const bool by_route = varies.empty();
  steps.differs(
      !by_route      ? "start-ups"
      : routes_s < 0 ? "shorter routes"
                     : "longer routes",
      routes_s,
      by_route ? "start-ups on the messages' own routes; the formula assumes the slowest" : varies);
}

// Adds the steps by which the transfers of messages differ from beta.
void price_transfers(const Schedule& schedule, const OwnTimes& nominal,
                     const TimeAccount& simulated, const std::string& varies, Steps& steps) {
  PartSums limits = parts_of(simulated, Spending::transfer);
  std::vector<MessagePart> limit_of_step(simulated.chain.size(), MessagePart::none);
  for (const Piece& piece : simulated.pieces) {
    if (piece.on == Spending::transfer) {
      limit_of_step[piece.step] = piece.part;
    }
  }
  for (std::size_t i = 0; i < simulated.chain.size(); ++i) {
    const OpId id = simulated.chain[i].op;
    if (schedule.op(id).is_comm()) {
      limits[limit_of_step[i]] -= nominal(id, schedule.op(id)).transfer_s;
    }
  }
  price_parts(limits, "", steps);
  const double routes_s = limits[MessagePart::none];
  const bool by_route = varies.empty();
  steps.differs(
      !by_route      ? "transfers"
      : routes_s < 0 ? "wider routes"
                     : "narrower routes",
      routes_s,
      by_route ? "transfers on the messages' own routes; the formula assumes the slowest" : varies);
}

// Adds the steps by which local work differs from gamma and from the price of copies.
void price_local_work(const Schedule& schedule, const ChainFigures& own,
                      const TimeAccount& simulated, const std::string& varies, Steps& steps) {
  const auto priced = [&](Spending on, const std::string& otherwise) {
    const PartSums parts = parts_of(simulated, on);
    const bool in_caches =
        parts.contains(MessagePart::reduction) || parts.contains(MessagePart::copy);
    return parts.empty() || parts.rbegin()->first == MessagePart::none || in_caches
               ? otherwise
               : in_words(parts.rbegin()->first);
  };
  const bool by_route = varies.empty();
  const bool of_switches = schedule.switches() > 0;
  steps.differs(priced(Spending::reduction, !by_route     ? "reductions"
                                            : of_switches ? "switches and hosts"
                                                          : "hosts"),
                simulated.seconds_on(Spending::reduction) - own.reduction_s,
                !by_route     ? varies
                : of_switches ? "reductions at the speed of their own switches and hosts"
                              : "reductions at the speed of their own hosts");
  steps.differs(priced(Spending::copying, "local copies"),
                simulated.seconds_on(Spending::copying) - own.copying_s, "");
}

// Adds the time lost to links and cores that are shared, longest first.
void price_sharing(const TimeAccount& simulated, Steps& steps) {
  std::map<std::pair<Spending, std::uint32_t>, double> slowed;
  for (const Piece& piece : simulated.pieces) {
    if (piece.on == Spending::sharing || piece.on == Spending::cores) {
      slowed[{piece.on, piece.link}] += piece.seconds;
    }
  }
  std::vector<std::pair<double, std::pair<Spending, std::uint32_t>>> links;
  links.reserve(slowed.size());
  for (const auto& [what, seconds] : slowed) {
    links.emplace_back(seconds, what);
  }
  std::stable_sort(links.begin(), links.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [seconds, what] : links) {
    steps.differs(std::string(in_words(what.first)), seconds, "", what.second);
  }
}

// Adds the steps from the longest path to the simulated time.
void price_network(const Schedule& schedule, const ChainFigures& longest, const OwnTimes& nominal,
                   const TimeAccount& of_longest, const TimeAccount& simulated,
                   const std::string& varies, Steps& steps) {
  const ChainFigures own = figures_of(simulated, schedule, nominal);
  const double chain_s = own.sum_s() - longest.sum_s();
  const double more_waited_s = simulated.waited_s() - of_longest.waited_s();
  const std::string chain = fmt::format(
      "{} messages, {} sent and {} reduced on the chain, against {}, {} and {} on the longest path",
      own.messages, human_bytes(own.bytes), human_bytes(own.bytes_reduced), longest.messages,
      human_bytes(longest.bytes), human_bytes(longest.bytes_reduced));
  steps.differs(chain_s + steps.carried_s() > 0 && more_waited_s > 1e-12 * simulated.total_s
                    ? "waiting for ports and cores"
                    : "a different chain",
                chain_s, chain);
  price_startups(simulated, own, varies, steps);
  price_transfers(schedule, nominal, simulated, varies, steps);
  price_local_work(schedule, own, simulated, varies, steps);
  price_sharing(simulated, steps);
  steps.differs("late ranks", simulated.seconds_on(Spending::lateness), "");
  PartSums library = parts_of(simulated, Spending::start_of_run);
  price_parts(library, "", steps);
  steps.differs("start of the run",
                library[MessagePart::none] - of_longest.seconds_on(Spending::start_of_run));
}

}  // namespace

std::string_view name(WaterfallStep::Kind kind) {
  static constexpr std::array<std::string_view, 3> kNames{"term", "difference", "subtotal"};
  return kNames[static_cast<std::size_t>(kind)];
}

Waterfall waterfall(const RunResult& result, const Schedule& schedule, const OwnTimes& nominal,
                    const TimeAccount& longest, const TimeAccount& simulated) {
  Waterfall waterfall;
  Steps steps(waterfall.steps);
  // Uses the sums of the account's pieces, since a step of the chain may be only a part of an
  // operation.
  ChainFigures figures = figures_of(longest, schedule, nominal);
  figures.startup_s = longest.seconds_on(Spending::startup);
  figures.transfer_s = longest.seconds_on(Spending::transfer);
  figures.reduction_s = longest.seconds_on(Spending::reduction);
  figures.copying_s = longest.seconds_on(Spending::copying);
  price_schedule(result, figures, longest.seconds_on(Spending::start_of_run), steps, waterfall);
  steps.subtotal("longest path", longest.total_s);
  const Machine& machine = result.machine;
  const std::string varies =
      machine.setup.disturbance.jitter > 0
          ? with_fields("on their own routes, with times that vary ($jitter)")
      : machine.spec.network_model != "hockney"
          ? fmt::format("on their own routes, with the factors of the network model {}",
                        machine.spec.network_model)
          : std::string();
  price_network(schedule, figures, nominal, longest, simulated, varies, steps);
  steps.subtotal("simulated", simulated.total_s);
  return waterfall;
}

}}  // namespace tutti::simulation
