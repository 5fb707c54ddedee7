#include "src/output/schedule_stats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>
#include <utility>
#include <vector>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "schedules/bytes_only.hpp"
#include "schedules/edge_kind.hpp"
#include "schedules/run_words.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/rank_graph.hpp"

namespace tutti { inline namespace output {

namespace {

void field(std::ostream& out, std::string_view key, std::string_view text) {
  print_field(out, 2, 22, key, text);
}

// Statistics of the operations and dependencies of a schedule.
struct Contents {
  std::uint64_t reductions = 0;
  std::uint64_t copies = 0;
  std::uint64_t bytes_copied = 0;
  std::uint32_t longest_run = 0;  // largest number of consecutive blocks in a message
  NeighbourCounts neighbours;
  EdgeCounts edges;
};

// Returns the largest number of consecutive blocks in the message `id`. Block 0 follows the last
// block.
std::uint32_t longest_run(const Schedule& schedule, OpId id) {
  std::vector<std::uint32_t> sent;
  for_each_block_pair(schedule, id, [&](std::uint32_t from, std::uint32_t) {
    sent.push_back(from % schedule.blocks());
  });
  std::ranges::sort(sent);
  sent.erase(std::unique(sent.begin(), sent.end()), sent.end());
  const std::size_t count = sent.size();
  if (count == schedule.blocks()) {
    return schedule.blocks();
  }
  // The loop visits all blocks twice, so that a run that continues at block 0 is counted as a
  // whole.
  std::uint32_t longest = count > 0 ? 1 : 0;
  std::uint32_t run = 1;
  for (std::size_t i = 1; i < 2 * count; ++i) {
    const bool next = sent[i % count] == (sent[(i - 1) % count] + 1) % schedule.blocks();
    run = next ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return longest;
}

Contents contents_of(const Schedule& schedule) {
  Contents contents;
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (op.kind() == OpKind::reduce) {
      ++contents.reductions;
    } else if (op.kind() == OpKind::copy) {
      ++contents.copies;
      contents.bytes_copied += op.bytes();
    } else if (!schedule.bytes_only()) {
      contents.longest_run = std::max(contents.longest_run, longest_run(schedule, id));
    }
  }
  contents.neighbours = count_neighbours(schedule, rank_graph(schedule));
  if (!schedule.bytes_only()) {
    contents.edges = count_edges(schedule);
  }
  return contents;
}

std::string range_in_words(const Neighbours& neighbours) {
  return neighbours.fewest == neighbours.most
             ? fmt::format("{}", neighbours.most)
             : fmt::format("{} to {}", neighbours.fewest, neighbours.most);
}

void print_use_of_data(const Schedule& schedule, const EdgeCounts& edges, std::ostream& out) {
  field(out, "  data", fmt::format("{} (the data are needed)", human_count(edges.data)));
  field(out, "  buffer", fmt::format("{} (a buffer is reused)", human_count(edges.buffer)));
  field(out, "  pace", fmt::format("{} (order only)", human_count(edges.pace)));
  field(out, "scratch per rank",
        schedule.scratch_slots() == 0
            ? std::string("none")
            : fmt::format("{} of at most {}", counted(schedule.scratch_slots(), "slot"),
                          human_bytes(schedule.layout().bytes())));
}

void print_contents(const Schedule& schedule, const Contents& contents, std::ostream& out) {
  if (schedule.bytes_only()) {
    field(out, "unproved", bytes_only_text(schedule));
  }
  field(out, "operations", human_count(schedule.size()));
  field(out, "messages",
        fmt::format("{}, {} sent in total", human_count(schedule.messages()),
                    human_bytes(schedule.bytes_sent())));
  if (schedule.problem().collective == Collective::application) {
    field(out, "calculations",
          fmt::format("{}, {} in total", human_count(contents.reductions),
                      human_time(1e-9 * static_cast<double>(schedule.bytes_reduced()))));
  } else {
    field(out, "reductions",
          fmt::format("{}, {} reduced in total", human_count(contents.reductions),
                      human_bytes(schedule.bytes_reduced())));
    field(out, "local copies",
          fmt::format("{}, {} copied in total", human_count(contents.copies),
                      human_bytes(contents.bytes_copied)));
  }
  field(out, "rounds", human_count(schedule.rounds()));
  field(out, "neighbours",
        fmt::format("a rank sends to {} and receives from {}",
                    range_in_words(contents.neighbours.sent_to),
                    range_in_words(contents.neighbours.received_from)));
  if (!schedule.bytes_only()) {
    field(out, "blocks", human_count(schedule.blocks()));
    field(out, "longest run",
          fmt::format("{} in one message (block 0 follows the last)",
                      counted(contents.longest_run, "consecutive block")));
  }
  field(out, "dependencies", human_count(schedule.dependencies()));
  if (!schedule.bytes_only()) {
    print_use_of_data(schedule, contents.edges, out);
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

// The longest path in terms of alpha, beta and gamma.
struct CostTerms {
  std::uint64_t startups = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_reduced = 0;
  std::uint64_t bytes_copied = 0;
  // True if the terms, at the prices, add up to the time of the longest path. They do not if the
  // path contains only parts of operations, as with eager messages.
  bool add_up = false;
};

CostTerms cost_terms(const Schedule& schedule, const ScheduleTimes& times) {
  CostTerms terms;
  for (const ChainStep& step : times.chain.steps) {
    const Op& op = schedule.op(step.op);
    terms.startups += op.is_comm() ? 1 : 0;
    (op.is_comm()                  ? terms.bytes_sent
     : op.kind() == OpKind::reduce ? terms.bytes_reduced
                                   : terms.bytes_copied) += op.bytes();
  }
  const Prices& prices = times.machine.prices;
  const auto cost_s = [](std::uint64_t count, double price_s) {
    return static_cast<double>(count) * price_s;
  };
  const double sum_s = cost_s(terms.startups, prices.alpha_s) +
                       cost_s(terms.bytes_sent, prices.beta_s_per_byte) +
                       cost_s(terms.bytes_reduced, prices.gamma_s_per_byte) +
                       cost_s(terms.bytes_copied, prices.copy_s_per_byte);
  terms.add_up = schedule.problem().collective != Collective::application &&
                 std::abs(sum_s - times.longest_path_s) <= 1e-9 * times.longest_path_s;
  return terms;
}

// Returns `bytes` as a multiple of n: "7/4 n", "2 n", "n".
std::string multiple_of_n(std::uint64_t bytes, std::uint64_t n) {
  constexpr std::uint64_t kLargestPart = 999;
  const std::uint64_t common = std::gcd(bytes, n);
  const std::uint64_t above = bytes / common;
  const std::uint64_t below = n / common;
  if (below == 1) {
    return above == 1 ? "n" : fmt::format("{} n", above);
  }
  return below <= kLargestPart
             ? fmt::format("{}/{} n", above, below)
             : fmt::format("{:.6g} n", static_cast<double>(bytes) / static_cast<double>(n));
}

std::string cost_in_words(const CostTerms& terms, const Prices& prices, std::uint64_t n) {
  if (!terms.add_up) {
    return "not a sum of alpha, beta and gamma: the path has parts of operations";
  }
  std::string text;
  const auto add = [&](const std::string& count, std::string_view price) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", count, price);
  };
  if (terms.startups > 0) {
    add(fmt::format("{}", terms.startups), "alpha");
  }
  for (const auto& [bytes, price] :
       {std::pair(terms.bytes_sent, "beta"), std::pair(terms.bytes_reduced, "gamma"),
        std::pair(prices.copy_s_per_byte > 0 ? terms.bytes_copied : 0, "copying")}) {
    if (bytes > 0) {
      add(multiple_of_n(bytes, n), price);
    }
  }
  return text.empty() ? "nothing" : text + fmt::format(", for n = {}", human_bytes(n));
}

void print_times(const Schedule& schedule, const ScheduleTimes& times, const Algorithm& algorithm,
                 const Machine& machine, std::ostream& out) {
  const MachineFacts& described = times.machine;
  const Prices& prices = described.prices;
  const CriticalChain& chain = times.chain;
  out << '\n';
  print_field(out, 0, 0, "",
              fmt::format("Times for alpha = {}, beta = {} per byte, gamma = {} per byte",
                          human_time(prices.alpha_s), human_time(prices.beta_s_per_byte),
                          human_time(prices.gamma_s_per_byte)));
  field(out, "prices from",
        machine.spec.made_on_the_fly()
            ? fmt::format("a crossbar of {}, made on the fly{}",
                          counted(described.facts.hosts, "host"),
                          machine.spec.prices.any() ? ", except those given as options" : "")
            : fmt::format("{}{}", described.facts.name,
                          machine.spec.prices.any() ? ", except those given as options" : ""));
  field(out, "longest path",
        fmt::format("{}, including ports and cores", human_time(times.longest_path_s)));
  if (schedule.problem().collective != Collective::application) {
    field(out, "its cost",
          cost_in_words(cost_terms(schedule, times), prices, schedule.problem().bytes));
  }
  field(out, "exact cost",
        times.exact_s
            ? fmt::format("{} = {}", human_time(*times.exact_s), with_fields(algorithm.cost))
            : std::string("no closed form is known for this problem"));

  out << fmt::format("\nThe longest path, of {}\n", counted(chain.steps.size(), "operation"));
  chain.spent.each([&](Spending on, double seconds) {
    if (seconds != 0) {
      field(out, in_words(on, algorithm.collective), human_time(seconds));
    }
  });
}

}  // namespace

void print_stats(const Schedule& schedule, const Algorithm& algorithm, const Machine& machine,
                 const ScheduleTimes& times, std::ostream& out) {
  out << fmt::format("{} on {}, {}\n", algorithm.full_name(), counted(schedule.ranks(), "rank"),
                     human_bytes(schedule.problem().bytes));
  print_contents(schedule, contents_of(schedule), out);
  print_times(schedule, times, algorithm, machine, out);
}

namespace { namespace stats_fields {

struct Stats {
  const Schedule& schedule;
  const Algorithm& algorithm;
  const Machine& machine;
  const ScheduleTimes& times;
  Contents contents;
  CostTerms terms;

  // Value of a field that only schedules with blocks have.
  template <typename Value>
  [[nodiscard]] std::optional<Value> of_blocks(Value value) const {
    return value_if(!schedule.bytes_only(), value);
  }
};

constexpr auto kNeighbours =
    fields<Neighbours>("Smallest and largest number of neighbours of a rank.",
                       {
                           {"fewest", member<&Neighbours::fewest>},
                           {"most", member<&Neighbours::most>},
                       });

constexpr auto kEdges = fields<EdgeCounts>({
    {"data", member<&EdgeCounts::data>},
    {"buffer", member<&EdgeCounts::buffer>},
    {"pace", member<&EdgeCounts::pace>},
});

constexpr auto kLongestPath = fields<Stats>({
    {"operations", [](const Stats& of) { return of.times.chain.steps.size(); }},
    {"startups", [](const Stats& of) { return of.terms.startups; }},
    {"bytes_sent", [](const Stats& of) { return of.terms.bytes_sent; }},
    {"bytes_reduced", [](const Stats& of) { return of.terms.bytes_reduced; }},
    {"bytes_copied", [](const Stats& of) { return of.terms.bytes_copied; }},
    {"terms_add_up", [](const Stats& of) { return of.terms.add_up; }},
    {kSpentFields, [](const Stats& of) -> const TimeBySpending& { return of.times.chain.spent; }},
});

constexpr auto kStats = fields<Stats>({
    {"collective", [](const Stats& of) { return name(of.schedule.problem().collective); }},
    {"algorithm", [](const Stats& of) { return std::string_view(of.algorithm.name); }},
    {"options", [](const Stats& of) { return options_text(of.algorithm, of.schedule.problem()); },
     "Options that the algorithm takes, as on the command line."},
    {"ranks", [](const Stats& of) { return of.schedule.problem().ranks; }, at_least(1)},
    {"switches",
     [](const Stats& of) { return value_if(of.schedule.switches() > 0, of.schedule.switches()); },
     at_least(1) | absent, "Number of switches that take part. Absent if there are none."},
    {"bytes", [](const Stats& of) { return of.schedule.problem().bytes; }},
    {"root", [](const Stats& of) { return of.schedule.problem().root; }},
    {"operations", [](const Stats& of) { return of.schedule.size(); }},
    {"messages", [](const Stats& of) { return of.schedule.messages(); }},
    {"bytes_sent", [](const Stats& of) { return of.schedule.bytes_sent(); }},
    {"reductions", [](const Stats& of) { return of.contents.reductions; }},
    {"bytes_reduced", [](const Stats& of) { return of.schedule.bytes_reduced(); }},
    {"copies", [](const Stats& of) { return of.contents.copies; }},
    {"bytes_copied", [](const Stats& of) { return of.contents.bytes_copied; }},
    {"rounds", [](const Stats& of) { return of.schedule.rounds(); },
     "Number of levels that have a message."},
    {"sent_to", kNeighbours,
     [](const Stats& of) -> const auto& { return of.contents.neighbours.sent_to; }},
    {"received_from", kNeighbours,
     [](const Stats& of) -> const auto& { return of.contents.neighbours.received_from; }},
    {"dependencies", [](const Stats& of) { return of.schedule.dependencies(); }},
    {"unproved",
     [](const Stats& of) {
       return of.schedule.bytes_only() ? std::optional(bytes_only_text(of.schedule)) : std::nullopt;
     },
     not_empty | in_form(2),
     "Names an operation that has bytes but no blocks, so that the schedule cannot be proved."},
    {"blocks", [](const Stats& of) { return of.of_blocks(of.schedule.blocks()); },
     at_least(1) | in_form(1)},
    {"longest_run_blocks", [](const Stats& of) { return of.of_blocks(of.contents.longest_run); },
     in_form(1),
     "Largest number of consecutive blocks in one message. Block 0 follows the last block."},
    {"dependencies_by_kind", kEdges,
     [](const Stats& of) { return of.schedule.bytes_only() ? nullptr : &of.contents.edges; },
     in_form(1)},
    {"scratch_slots", [](const Stats& of) { return of.of_blocks(of.schedule.scratch_slots()); },
     in_form(1), "Number of scratch slots, each of the size of the vector."},
    {"memory_bytes", [](const Stats& of) { return of.schedule.memory_bytes(); },
     "Memory that the schedule takes in tutti."},
    {"operations_with_listed_blocks", [](const Stats& of) { return of.schedule.pooled_ops(); },
     "Number of operations whose blocks are listed one by one."},
    {"platform", [](const Stats& of) -> const auto& { return of.times.machine.facts.name; }},
    {"alpha_s", [](const Stats& of) { return of.times.machine.prices.alpha_s; }},
    {"beta_s_per_byte", [](const Stats& of) { return of.times.machine.prices.beta_s_per_byte; }},
    {"gamma_s_per_byte", [](const Stats& of) { return of.times.machine.prices.gamma_s_per_byte; }},
    {"overrides", [](const Stats& of) { return overrides_of(of.machine.spec.prices); },
     one_of(kPriceNames), "Prices of the platform that the user replaced."},
    {"longest_path_s", [](const Stats& of) { return of.times.longest_path_s; }},
    {"exact_s", [](const Stats& of) { return of.times.exact_s; },
     "Exact cost by the closed form. null if no closed form is known."},
    {"exact_cost",
     [](const Stats& of) {
       return of.times.exact_s ? std::optional(with_fields(of.algorithm.cost)) : std::nullopt;
     },
     "The closed form. null if none is known."},
    {"on_the_longest_path", kLongestPath, [](const Stats& of) -> const auto& { return of; },
     "Number of operations on the longest path; the start-ups, bytes sent, reduced and copied "
     "there, which multiply alpha, beta, gamma and the price of copies; and the seconds spent on "
     "each cause. The seconds add up to longest_path_s; so do the terms, if terms_add_up."},
});

}}  // namespace ::stats_fields

extern const DocumentType kStatsDocument{
    "tutti-stats/1", "statistics of one schedule, as written by tutti show --format stats --json",
    stats_fields::kStats.view()};

void write_stats_json(const Schedule& schedule, const Algorithm& algorithm, const Machine& machine,
                      const ScheduleTimes& times, std::ostream& out) {
  const stats_fields::Stats stats{
      schedule, algorithm, machine, times, contents_of(schedule), cost_terms(schedule, times)};
  write_document(kStatsDocument, &stats, 2, out);
}

}}  // namespace tutti::output
