#include "src/output/nccl_text.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "src/experiments/decisions/nccl_grouped.hpp"
#include "src/experiments/points/nccl_bandwidths.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/library_choice.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr std::size_t kKey = 11;

// How far NCCL's model was from measurements. The command is in examples/gpu_clusters.
constexpr std::string_view kNcclModelTrust =
    "measured: on 4 to 256 nodes of 4 GH200 with Slingshot (NCCL 2.23, allreduce), this model was "
    "off by a factor of 1.9 in the mean: 3.5 times too fast from 4 KiB to 1 MiB, 1.25 times off "
    "above 64 MiB";
constexpr std::string_view kFiguresTrust =
    "; $parameters takes figures that 'tutti fit' fits to measured times";

// Prints what NCCL may run instead of the answers, which its cost model does not cover.
void print_not_covered(std::span<const NcclAnswer> answers, std::ostream& out) {
  std::vector<std::string_view> instead;
  for (const NcclAnswer& answer : answers) {
    for (const std::string_view what : nccl_not_covered(answer.job.cluster, answer.collective)) {
      if (std::ranges::find(instead, what) == instead.end()) {
        instead.push_back(what);
      }
    }
  }
  if (!instead.empty()) {
    const NcclCluster& cluster = answers.front().job.cluster;
    print_field(out, 2, 0, "",
                fmt::format("not covered: {}{} may run {} instead",
                            cluster.rccl == nullptr ? "for buffers in symmetric windows, " : "",
                            cluster.release->library, fmt::join(instead, ", ")));
  }
}

std::string busbw(const NcclAnswer& answer, const std::optional<double>& time_s) {
  return time_s ? nccl_bandwidth(bandwidths_of(answer, *time_s).busbw_gb_per_s) : "";
}

std::string algbw(const NcclAnswer& answer, const std::optional<double>& time_s) {
  return time_s ? nccl_bandwidth(bandwidths_of(answer, *time_s).algbw_gb_per_s) : "";
}

std::string time_or_dash(const std::optional<double>& time_s) {
  return time_s ? human_time(*time_s) : "-";
}

// Returns "15.8 us; algbw 4.14 GB/s, busbw 7.25 GB/s".
std::string time_and_bandwidths(const NcclAnswer& answer, double time_s,
                                std::string_view whose = "") {
  return fmt::format("{}{}; algbw {} GB/s, busbw {} GB/s", human_time(time_s), whose,
                     algbw(answer, time_s), busbw(answer, time_s));
}

std::string rate_words(float gb_per_s) {
  return gb_per_s > 0 ? fmt::format("{:.4g}", gb_per_s) : "";
}

void print_graphs(const NcclCluster& cluster, std::ostream& out) {
  const bool recognises = cluster.rccl != nullptr;
  print_field(out, 2, kKey, recognises ? "its list" : "its search",
              (recognises ? "has rings: " : "found rings: ") +
                  graph_in_words(cluster, cluster.graphs.ring));
  print_field(out, 2, kKey, "", "trees: " + graph_in_words(cluster, cluster.graphs.tree));
  if (cluster.graphs.nvls.channels > 0) {
    print_field(out, 2, kKey, "", "NVLS: " + graph_in_words(cluster, cluster.graphs.nvls));
  }
}

// Returns by which factor the simulated time of a way and that of NCCL's model differ, whichever is
// longer; 1 without a simulated time.
double apart(const NcclWay& way) {
  if (!way.simulated_s) {
    return 1;
  }
  const double factor = *way.simulated_s / nccl_seconds(*way.time_us);
  return std::max(factor, 1 / factor);
}

// Returns the way with a reason whose two times differ most; null if there is no such way.
const NcclWay* farthest_apart(const NcclAnswer& answer) {
  const NcclWay* farthest = nullptr;
  for (const NcclWay& way : answer.ways) {
    const bool counts = !way.why_apart.empty();
    farthest = counts && (farthest == nullptr || apart(way) > apart(*farthest)) ? &way : farthest;
  }
  return farthest;
}

// Prints which simulations cover only the first part of the data, and which shorter rings.
void print_shorter_simulations(const NcclAnswer& answer, std::ostream& out) {
  std::vector<std::string> which;
  std::vector<std::string> rings;
  for (const NcclWay& way : answer.ways) {
    const std::string words = fmt::format("{} with {}", name(way.algorithm), name(way.protocol));
    if (way.simulated_bytes) {
      which.push_back(fmt::format("{} up to {}", words, human_bytes(*way.simulated_bytes)));
    }
    if (way.simulated_ranks) {
      rings.push_back(fmt::format("{} as up to {}", words, counted(*way.simulated_ranks, "rank")));
    }
  }
  if (!rings.empty()) {
    print_field(out, 2, 0, "",
                fmt::format("simulated as shorter rings, because of the number of messages: {}; "
                            "the time is assumed to grow linearly with the number of ranks",
                            fmt::join(rings, ", ")));
  }
  if (!which.empty()) {
    print_field(out, 2, 0, "",
                fmt::format("simulated only in part, because of the number of messages: {}; the "
                            "rest of the {} is assumed to move at a steady rate",
                            fmt::join(which, ", "), human_bytes(answer.bytes)));
  }
}

// Returns the first call, and how many more there are.
std::string first_call_in_words(const std::vector<std::string>& calls) {
  return calls.size() == 1
             ? calls.front()
             : fmt::format("{} and {} more", calls.front(), counted(calls.size() - 1, "call"));
}

// Prints, for a table with a row for each call, which calls were simulated only in part, as shorter
// rings or not at all.
void print_gaps_of_rows(const std::vector<NcclAnswer>& answers, std::ostream& out) {
  std::vector<std::string> parts;
  std::vector<std::string> rings;
  std::map<std::string, std::vector<std::string>> calls_by_reason;
  for (const NcclAnswer& answer : answers) {
    const NcclWay* const way = answer.chosen();
    if (way == nullptr) {
      continue;
    }
    const std::string call = fmt::format("{} on {}", human_bytes(answer.bytes),
                                         counted(answer.job.cluster.ranks, "rank"));
    if (way->simulated_bytes) {
      parts.push_back(call);
    }
    if (way->simulated_ranks) {
      rings.push_back(fmt::format("{} as up to {}", call, counted(*way->simulated_ranks, "rank")));
    }
    const std::string& lacking = way->schedule.lacking;
    if (const std::string& why = lacking.empty() ? way->refusal : lacking; !why.empty()) {
      calls_by_reason[with_fields(why)].push_back(call);
    }
  }
  if (!parts.empty()) {
    print_field(out, 2, 0, "",
                fmt::format("simulated only in part, because of the number of messages: {}; the "
                            "rest is assumed to move at a steady rate",
                            first_call_in_words(parts)));
  }
  if (!rings.empty()) {
    print_field(out, 2, 0, "",
                fmt::format("simulated as shorter rings, because of the number of messages: {}; "
                            "the time is assumed to grow linearly with the number of ranks",
                            first_call_in_words(rings)));
  }
  for (const auto& [why, calls] : calls_by_reason) {
    print_field(out, 2, 0, "",
                fmt::format("not simulated: {}: {}", first_call_in_words(calls), why));
  }
}

// Returns, as "4 to 256 nodes", on how many nodes the parameters were measured.
std::string nodes_of(const FabricFile& file) {
  const auto [least, most] = std::ranges::minmax(file.nodes);
  return least == most ? counted(most, "node")
                       : fmt::format("{} to {}", least, counted(most, "node"));
}

// Prints where predicted times come from, and what they leave out.
void print_figures(std::span<const NcclAnswer> answers, std::ostream& out) {
  const FabricFile& file = *answers.front().job.fabric;
  std::string text = fmt::format(
      "predicted: with the figures of $parameters ({}{}{})",
      file.machine.empty() ? "of an unnamed machine" : file.machine,
      file.fit ? fmt::format("; fitted to {}", counted(file.fit->points, "measured time")) : "",
      file.nodes.empty() ? "" : " on " + nodes_of(file));
  text +=
      "; the choice is that of NCCL's own model, and what the figures do not cover has its time";
  std::vector<std::string> differences;
  bool extrapolates = false;
  bool has_measured = false;
  for (const NcclAnswer& answer : answers) {
    for (std::string& each : differences_of_figures(answer.job)) {
      if (std::ranges::find(differences, each) == differences.end()) {
        differences.push_back(std::move(each));
      }
    }
    for (const NcclWay& way : answer.ways) {
      const bool is_shown = answers.size() == 1 || &way == answer.chosen();
      extrapolates |= way.is_extrapolated && is_shown;
      has_measured |= way.is_measured;
    }
  }
  if (!has_measured) {
    text = "no figure of $parameters applies: they cover trees and rings between nodes";
  }
  for (const std::string& each : differences) {
    text += "; " + each;
  }
  print_field(out, 2, 0, "", with_fields(text));
  if (extrapolates) {
    print_field(
        out, 2, 0, "",
        "~: nothing of this collective, algorithm and protocol was measured near this size");
  }
}

// Prints how far the predicted times may be trusted, and why.
void print_trust(std::span<const NcclAnswer> answers, std::ostream& out) {
  const bool several = std::ranges::any_of(
      answers, [](const NcclAnswer& answer) { return answer.job.cluster.nodes > 1; });
  const NcclAnswer& first = answers.front();
  if (first.job.fabric != nullptr) {
    print_figures(answers, out);
  } else if (several && first.job.cluster.rccl == nullptr) {
    const bool takes_figures = first.collective != Collective::bcast &&
                               first.collective != Collective::reduce && first.platform.empty();
    print_field(
        out, 2, 0, "",
        with_fields(fmt::format("{}{}", kNcclModelTrust, takes_figures ? kFiguresTrust : "")));
  }
}

// Prints the platform of the simulations, and why they are far from NCCL's model.
void print_limits_of_simulation(const NcclAnswer& answer, std::ostream& out) {
  if (!answer.platform.empty()) {
    print_field(out, 2, 0, "", fmt::format("simulated: on {}", answer.platform));
  }
  const NcclWay* const farthest = farthest_apart(answer);
  const NcclWay* const chosen = answer.chosen();
  const bool chosen_too = chosen != nullptr && chosen != farthest && !chosen->why_apart.empty();
  for (const NcclWay* const far : {chosen_too ? chosen : nullptr, farthest}) {
    if (far == nullptr) {
      continue;
    }
    const bool longer = *far->simulated_s > nccl_seconds(*far->time_us);
    print_field(
        out, 2, 0, "",
        fmt::format("{} with {} of {} takes {} times as long {}; {}", name(far->algorithm),
                    name(far->protocol), human_bytes(answer.bytes), human_factor(apart(*far)),
                    longer ? "simulated as by NCCL's model" : "by NCCL's model as simulated",
                    with_fields(far->why_apart)));
  }
  for (const std::string& note : answer.notes) {
    print_field(out, 2, 0, "", "note: " + note);
  }
}

// Prints why algorithms cannot run or are not simulated. Prints each reason once, with all
// algorithms to which it applies.
void print_reasons(const NcclAnswer& answer, std::ostream& out) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const NcclWay& way : answer.ways) {
    const std::string why = with_fields(!way.why_not.empty()            ? way.why_not
                                        : !way.schedule.lacking.empty() ? way.schedule.lacking
                                                                        : way.refusal);
    if (why.empty()) {
      continue;
    }
    const bool single =
        way.algorithm != NcclAlgorithm::ring && way.algorithm != NcclAlgorithm::tree;
    const std::string who = !way.why_not.empty() && !single
                                ? fmt::format("{} with {}", name(way.algorithm), name(way.protocol))
                                : std::string(name(way.algorithm));
    const std::string text = (way.why_not.empty() ? "cannot be simulated: " : "cannot run: ") + why;
    const auto known =
        std::ranges::find_if(reasons, [&](const auto& each) { return each.second == text; });
    if (known == reasons.end()) {
      reasons.emplace_back(who, text);
    } else if (!known->first.ends_with(who)) {
      known->first += ", " + who;
    }
  }
  for (const auto& [who, text] : reasons) {
    print_field(out, 2, 0, "", fmt::format("{} {}", who, text));
  }
}

// Longest text that human_time() returns; keeps room for times that are not known yet.
constexpr std::string_view kLongestTime = "999.999 us";

// Returns the heading of times by the model of the library that runs: "NCCL's time".
std::string heading_of_model(const NcclAnswer& answer) {
  return fmt::format("{}'s time", answer.job.cluster.release->library);
}

// Returns the columns of times with measured parameters, and of their ranges.
std::array<TableColumn, 2> columns_of_parameters(std::span<const NcclAnswer> answers) {
  std::optional<double> level;
  for (const NcclAnswer& answer : answers) {
    for (const NcclWay& way : answer.ways) {
      level = way.range ? way.range->level : level;
    }
  }
  return {{{"predicted", true, 0, answers.front().job.fabric != nullptr},
           {fmt::format("{:g}% range", 100 * level.value_or(0)), true, 0, level.has_value()}}};
}

// Returns their cells. Ways that the parameters do not cover have none.
std::array<std::string, 2> cells_of_parameters(const NcclWay& way) {
  if (!way.is_measured) {
    return {"", ""};
  }
  return {(way.is_extrapolated ? "~" : "") + human_time(nccl_seconds(*way.time_us)),
          way.range ? fmt::format("{} to {}", human_time(way.range->range.low_s),
                                  human_time(way.range->range.high_s))
                    : ""};
}

std::optional<double> own_s(const NcclWay& way) {
  return way.own_us ? std::optional(nccl_seconds(*way.own_us)) : std::nullopt;
}

Table table_of_ways(const NcclAnswer& answer) {
  const auto [predicted, range] = columns_of_parameters({&answer, 1});
  return Table({{"algorithm"},
                {"protocol"},
                {"latency", true, 2, true, true},
                {"GB/s", true, 1, true, true},
                {heading_of_model(answer), true},
                predicted,
                range,
                {"busbw", true},
                {"simulated", true},
                {"busbw", true}});
}

std::vector<std::string> cells_of(const NcclAnswer& answer, const NcclWay& way) {
  const auto model_s = way.time_us ? std::optional(nccl_seconds(*way.time_us)) : std::nullopt;
  auto [predicted, range] = cells_of_parameters(way);
  return {fmt::format("{}{}", name(way.algorithm), &way == answer.chosen() ? " *" : ""),
          std::string(name(way.protocol)),
          model_s ? human_time(nccl_seconds(way.cost.latency_us)) : "",
          model_s ? rate_words(way.cost.gb_per_s) : "",
          time_or_dash(own_s(way)),
          std::move(predicted),
          std::move(range),
          busbw(answer, model_s),
          time_or_dash(way.simulated_s),
          busbw(answer, way.simulated_s)};
}

std::string heading_of(const NcclAnswer& answer) {
  return fmt::format("{} of {} on {}, {}", nccl_call_of(answer), human_bytes(answer.bytes),
                     counted(answer.job.cluster.ranks, "rank"), answer.job.machine);
}

// Returns what NCCL runs for grouped calls.
std::string grouped_in_words() {
  std::vector<std::string_view> covered;
  for (const Collective collective : nccl_collectives()) {
    covered.push_back(name(collective));
  }
  return fmt::format(
      "grouped sends and receives, each message directly; NCCL's cost model covers "
      "only {}",
      fmt::join(covered, ", "));
}

void print_notes_of_grouped(const NcclAnswer& answer, std::ostream& out) {
  if (answer.platform.empty()) {
    print_field(
        out, 2, 0, "",
        "simulated: all messages at once, with the latencies of NCCL's model for rings (ll for "
        "messages of up to 16 KiB on a single node, otherwise simple); all nodes at the same leaf "
        "switches");
  } else {
    print_field(out, 2, 0, "",
                fmt::format("simulated: all messages at once, on {}", answer.platform));
  }
  for (const std::string& note : answer.notes) {
    print_field(out, 2, 0, "", "note: " + note);
  }
}

// Returns the columns of a table with a row for each answer.
std::vector<TableColumn> columns_of(std::span<const NcclAnswer> answers) {
  const NcclAnswer& answer = answers.front();
  if (answer.grouped) {
    return {{"p", true},     {"n", true},     {"simulated", true}, {"algbw", true},
            {"busbw", true}, {"limit", true}, {"x limit", true}};
  }
  const auto [predicted, range] = columns_of_parameters(answers);
  return {{"p", true},
          {"n", true},
          {"algorithm"},
          {"protocol"},
          {"channels", true, 2, true, true},
          {"threads", true, 3, true, true},
          {heading_of_model(answer), true},
          predicted,
          range,
          {"algbw", true, 1, true, true},
          {"busbw", true},
          {"simulated", true, 1},
          {"busbw", true}};
}

// Returns the row of an answer, with `unknown` in place of a simulated time that is not known.
std::vector<std::string> row_of(const NcclAnswer& answer, std::string_view unknown = "-") {
  const auto simulated = [&](const std::optional<double>& time_s) {
    return time_s ? human_time(*time_s) : std::string(unknown);
  };
  std::vector<std::string> row{fmt::format("{}", answer.job.cluster.ranks),
                               human_bytes(answer.bytes)};
  if (answer.grouped) {
    const NcclGroupCall& grouped = *answer.grouped;
    const auto& time_s = grouped.simulated_s;
    row.insert(row.end(),
               {simulated(time_s), algbw(answer, time_s), busbw(answer, time_s),
                simulated(grouped.bound_s),
                time_s && grouped.bound_s.value_or(0) > 0 ? human_factor(*time_s / *grouped.bound_s)
                                                          : ""});
    return row;
  }
  const auto& choice = answer.choice;
  const NcclWay* const way = answer.chosen();
  if (!choice) {
    row.insert(row.end(), {"-", "-", "", "", "-", "", "", "", "", "-", ""});
    return row;
  }
  const std::optional<double> model_s = nccl_seconds(choice->time_us);
  auto [predicted, range] = cells_of_parameters(*way);
  row.insert(row.end(), {std::string(name(choice->algorithm)), std::string(name(choice->protocol)),
                         fmt::format("{}", choice->channels), fmt::format("{}", choice->threads),
                         time_or_dash(own_s(*way)), std::move(predicted), std::move(range),
                         algbw(answer, model_s), busbw(answer, model_s),
                         way->schedule.choice.algorithm.empty() ? "-" : simulated(way->simulated_s),
                         busbw(answer, way->simulated_s)});
  return row;
}

}  // namespace

double nccl_seconds(float us) { return static_cast<double>(us) / 1e6; }

std::string nccl_bandwidth(double gb_per_s) { return fmt::format("{:.2f}", gb_per_s); }

std::string nccl_modelled(const NcclAnswer& answer) { return answer.job.cluster.release->title(); }

std::string nccl_command(const NcclAnswer& answer) {
  const NcclWay* const chosen = answer.chosen();
  if (chosen == nullptr || !chosen->refusal.empty() || !answer.platform.empty()) {
    return "";
  }
  LibraryCall call;
  call.collective = answer.collective;
  call.ranks = answer.job.cluster.ranks;
  call.ranks_per_node = answer.job.ranks_per_host;
  call.bytes = answer.bytes;
  call.element_bytes = answer.bytes % 8 == 0 ? 8 : 1;
  return simulate_command(call, chosen->schedule.choice);
}

std::string_view nccl_call_of(const NcclAnswer& answer) {
  return answer.grouped ? answer.grouped->call : name(answer.collective);
}

NcclBandwidths bandwidths_of(const NcclAnswer& answer, double time_s) {
  const std::string_view call = nccl_call_of(answer);
  return nccl_bandwidths(
      call == kNcclSendrecv ? *nccl_benchmark_in(call) : nccl_benchmark_of(answer.collective),
      answer.job.cluster.ranks, answer.bytes, time_s);
}

NcclAnswerText::NcclAnswerText(const NcclAnswer& answer, std::ostream& out)
    : answer_(answer), out_(out) {}

void NcclAnswerText::print_choice() {
  print_heading(out_, fmt::format("{}: {}", nccl_modelled(answer_), heading_of(answer_)));
  if (answer_.choice) {
    const NcclChoice& choice = *answer_.choice;
    print_field(out_, 2, kKey, "runs",
                fmt::format("{} with {}", name(choice.algorithm), name(choice.protocol)));
    print_field(out_, 2, kKey, "on",
                fmt::format("at most {} of {} threads",
                            counted(static_cast<std::uint64_t>(choice.channels), "channel"),
                            choice.threads));
    const NcclWay& way = *answer_.chosen();
    const std::string by_model =
        fmt::format(", by {}'s model", answer_.job.cluster.release->library);
    print_field(out_, 2, kKey, "in",
                time_and_bandwidths(answer_, nccl_seconds(choice.time_us),
                                    way.is_measured ? ", by " + flag_of("parameters") : by_model));
    if (way.is_measured) {
      print_field(out_, 2, kKey, "", human_time(*own_s(way)) + by_model);
    }
    print_field(out_, 2, kKey, "schedule",
                way.schedule.choice.algorithm.empty() ? "none: " + way.schedule.lacking
                                                      : in_words(way.schedule.choice));
    if (way.simulated_s) {
      print_field(out_, 2, kKey, "simulated", time_and_bandwidths(answer_, *way.simulated_s));
    }
    if (const std::string command = nccl_command(answer_); !command.empty()) {
      // Prints the command on one line, so that users can copy it.
      fmt::print(out_, "  {:<{}} {}\n", "to run it", kKey - 1, command);
      print_field(
          out_, 2, kKey, "",
          with_fields("which takes another time: without NCCL's latencies, and on a crossbar "
                      "unless you give $platform"));
    }
  } else {
    print_field(out_, 2, kKey, "runs", "nothing: NCCL's model gives no time for any algorithm");
  }
  print_graphs(answer_.job.cluster, out_);
  out_ << '\n' << std::flush;
}

void NcclAnswerText::print_ways(std::size_t end) {
  if (!table_) {
    table_.emplace(table_of_ways(answer_));
    for (const NcclWay& way : answer_.ways) {
      std::vector<std::string> cells = cells_of(answer_, way);
      if (!way.schedule.choice.algorithm.empty() && way.refusal.empty()) {
        cells[8] = kLongestTime;
      }
      table_->reserve(cells);
    }
    table_->print_head(out_, 2);
  }
  for (; next_ < end; ++next_) {
    const NcclWay& way = answer_.ways[next_];
    table_->print_row(cells_of(answer_, way), out_, 2,
                      &way == answer_.chosen() ? Style::heading : Style::plain);
  }
  out_ << std::flush;
}

void NcclAnswerText::print_end() {
  print_ways(answer_.ways.size());
  out_ << '\n';
  print_trust({&answer_, 1}, out_);
  print_limits_of_simulation(answer_, out_);
  print_shorter_simulations(answer_, out_);
  print_reasons(answer_, out_);
  print_not_covered({&answer_, 1}, out_);
}

void print_grouped_answer(const NcclAnswer& answer, std::ostream& out) {
  const NcclGroupCall& grouped = *answer.grouped;
  print_heading(out, fmt::format("NCCL: {}", heading_of(answer)));
  print_field(out, 2, kKey, "runs", grouped_in_words());
  print_field(out, 2, kKey, "schedule", in_words(grouped.schedule));
  if (grouped.simulated_s) {
    print_field(out, 2, kKey, "simulated", time_and_bandwidths(answer, *grouped.simulated_s));
  } else {
    print_field(out, 2, kKey, "simulated", "no: " + with_fields(grouped.refusal));
  }
  if (grouped.simulated_s && grouped.bound_s.value_or(0) > 0) {
    const std::string_view limit = answer.collective == Collective::alltoallv
                                       ? " for one message alone; this call"
                                       : "; no schedule is faster on this machine, and this one";
    print_field(out, 2, kKey, "limit",
                fmt::format("{}{} takes {} times as long", human_time(*grouped.bound_s), limit,
                            human_factor(*grouped.simulated_s / *grouped.bound_s)));
  }
  print_notes_of_grouped(answer, out);
}

NcclRows::NcclRows(const std::vector<NcclAnswer>& answers, std::ostream& out)
    : answers_(answers), out_(out), table_(columns_of(answers)) {
  const auto largest = std::ranges::max_element(
      answers, {}, [](const NcclAnswer& answer) { return answer.job.cluster.ranks; });
  print_heading(out,
                fmt::format("{}: {} on {}{}", largest->grouped ? "NCCL" : nccl_modelled(*largest),
                            nccl_call_of(*largest), largest->job.cluster.nodes > 1 ? "up to " : "",
                            largest->job.machine));
  for (const NcclAnswer& answer : answers) {
    table_.reserve(row_of(answer, kLongestTime));
  }
  table_.print_head(out, 2);
  out << std::flush;
}

void NcclRows::print(const NcclAnswer& answer) {
  table_.print_row(row_of(answer), out_, 2);
  out_ << std::flush;
}

void NcclRows::print_end() {
  if (answers_.front().grouped) {
    print_field(out_, 2, 0, "", grouped_in_words());
    print_notes_of_grouped(answers_.back(), out_);
    return;
  }
  print_trust(answers_, out_);
  print_limits_of_simulation(*std::ranges::max_element(answers_, {},
                                                       [](const NcclAnswer& answer) {
                                                         const NcclWay* const far =
                                                             farthest_apart(answer);
                                                         return far == nullptr ? 1 : apart(*far);
                                                       }),
                             out_);
  print_gaps_of_rows(answers_, out_);
  print_not_covered(answers_, out_);
}

}}  // namespace tutti::output
