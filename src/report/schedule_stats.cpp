#include "src/report/schedule_stats.hpp"

#include <fmt/format.h>

#include <ostream>

#include "base/human.hpp"
#include "cost_models/lower_bounds.hpp"
#include "schedules/bare.hpp"
#include "schedules/edge_kind.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "simulation/critical_chain.hpp"
#include "simulation/machine.hpp"
#include "src/formats/text_table.hpp"

namespace tutti {

namespace {

void field(std::ostream& out, std::string_view key, std::string_view text) {
  print_field(out, 2, 22, key, text);
}

void print_use_of_data(const Schedule& schedule, std::ostream& out) {
  const EdgeCounts edges = count_edges(schedule);
  field(out, "  data", fmt::format("{} (the data are needed)", human_count(edges.data)));
  field(out, "  buffer", fmt::format("{} (a buffer is used again)", human_count(edges.buffer)));
  field(out, "  pace", fmt::format("{} (order only)", human_count(edges.pace)));
  field(out, "scratch per rank",
        schedule.scratch_slots() == 0
            ? std::string("none")
            : fmt::format("{} of {} at most", counted(schedule.scratch_slots(), "slot"),
                          human_bytes(schedule.layout().bytes())));
}

void print_contents(const Schedule& schedule, std::ostream& out) {
  std::uint64_t reductions = 0;
  std::uint64_t copies = 0;
  for (const Op& op : schedule.ops()) {
    reductions += op.kind() == OpKind::reduce ? 1 : 0;
    copies += op.kind() == OpKind::copy ? 1 : 0;
  }
  if (schedule.bare()) {
    field(out, "unproved", bare_text(schedule));
  }
  field(out, "operations", human_count(schedule.size()));
  field(out, "messages",
        fmt::format("{}, {} sent in all", human_count(schedule.messages()),
                    human_bytes(schedule.bytes_sent())));
  field(out, "reductions",
        fmt::format("{}, {} reduced in all", human_count(reductions),
                    human_bytes(schedule.bytes_reduced())));
  field(out, "local copies", human_count(copies));
  field(out, "rounds", human_count(schedule.rounds()));
  if (!schedule.bare()) {
    field(out, "blocks", human_count(schedule.blocks()));
  }
  field(out, "dependencies", human_count(schedule.dependencies()));
  if (!schedule.bare()) {
    print_use_of_data(schedule, out);
  }
  field(
      out, "memory",
      fmt::format("{:.4g} bytes per operation, dependencies included; {} with blocks listed one by "
                  "one",
                  schedule.size() == 0 ? 0.0
                                       : static_cast<double>(schedule.memory_bytes()) /
                                             static_cast<double>(schedule.size()),
                  counted(schedule.pooled_ops(), "operation")));
}

void print_times(const Schedule& schedule, const Algorithm& algorithm, const Machine& machine,
                 const MachineFacts& described, std::ostream& out) {
  const Prices& prices = described.prices;
  const Timeline timeline = CriticalPathEngine(prices).run(schedule, machine.setup);
  const CriticalChain chain =
      critical_chain(schedule, timeline, own_times_by(prices, schedule.ranks()));
  const LowerBounds bounds = schedule.switches() > 0
                                 ? lower_bounds_in_network(schedule.problem(), prices)
                                 : lower_bounds(schedule.problem(), prices);

  out << '\n';
  print_field(out, 0, 0, "",
              fmt::format("Times for alpha = {}, beta = {} per byte, gamma = {} per byte",
                          human_time(prices.alpha_s), human_time(prices.beta_s_per_byte),
                          human_time(prices.gamma_s_per_byte)));
  field(out, "prices from",
        machine.made_on_the_fly()
            ? fmt::format("a crossbar of {}, made on the fly{}",
                          counted(described.facts.hosts, "host"),
                          machine.overrides.any() ? ", and what was given in their place" : "")
            : fmt::format("{}{}", described.facts.name,
                          machine.overrides.any() ? ", and what was given in their place" : ""));
  field(
      out, "longest path",
      fmt::format("{}, with ports and one core per rank counted in", human_time(timeline.total_s)));
  std::optional<double> exact_s;
  if (algorithm.exact_s != nullptr) {
    exact_s = algorithm.exact_s(schedule.problem(), prices);
  }
  field(out, "exact cost",
        exact_s ? fmt::format("{} = {}", human_time(*exact_s), algorithm.cost)
                : std::string("no closed form is known for this problem"));

  out << fmt::format("\nThe longest path, of {}\n", counted(chain.steps.size(), "operation"));
  chain.spent.each([&](Spending on, double seconds) {
    if (seconds != 0) {
      field(out, in_words(on), human_time(seconds));
    }
  });
  if (machine.setup.ports != 1 || machine.setup.curves || bounds.total_s() == 0) {
    return;  // the bounds are of one port, and of alpha, beta and gamma
  }
  field(out, "lower bound",
        fmt::format("{}, of which the longest path is {:.4g} times as much",
                    human_time(bounds.total_s()), timeline.total_s / bounds.total_s()));
  field(out, "",
        fmt::format("the largest of {} (start-up), {} (transfer) and {} (reduction): {}",
                    human_time(bounds.latency_s), human_time(bounds.bandwidth_s),
                    human_time(bounds.reduction_s), bounds.text));
}

}  // namespace

void print_stats(const Schedule& schedule, const Algorithm& algorithm, const Machine& machine,
                 std::ostream& out) {
  const MachineFacts described = describe(machine);  // before a word is written: it may be no good
  out << fmt::format("{} on {}, {}\n", algorithm.full_name(), counted(schedule.ranks(), "rank"),
                     human_bytes(schedule.problem().bytes));
  print_contents(schedule, out);
  print_times(schedule, algorithm, machine, described, out);
}

}  // namespace tutti
