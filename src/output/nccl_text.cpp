#include "src/output/nccl_text.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/library_choice.hpp"
#include "src/rule_files/decision_json.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr std::size_t kKey = 11;
// Returns the release of NCCL whose cost model was used: "NCCL 2.29.7".
std::string modelled(const NcclAnswer& answer) {
  return fmt::format("NCCL {}", answer.job.cluster.release->name);
}

// Prints what NCCL may run instead, which its cost model does not cover.
void print_not_covered(Collective collective, std::ostream& out) {
  const auto kernels = nccl_symmetric_kernels(collective);
  if (!kernels.empty()) {
    print_field(
        out, 2, 0, "",
        fmt::format("not covered: for buffers in symmetric windows, NCCL may run {} instead",
                    fmt::join(kernels, ", ")));
  }
}

std::string model_time(const std::optional<float>& us) {
  return us ? human_time(static_cast<double>(*us) / 1e6) : "";
}

std::string rate_words(float gb_per_s) {
  return gb_per_s > 0 ? fmt::format("{:.4g}", gb_per_s) : "";
}

void print_graphs(const NcclCluster& cluster, std::ostream& out) {
  const bool between = cluster.nodes > 1;
  print_field(out, 2, kKey, "its search",
              "found rings: " + graph_in_words(cluster.graphs.ring, between));
  print_field(out, 2, kKey, "", "trees: " + graph_in_words(cluster.graphs.tree, between));
  if (cluster.graphs.nvls.channels > 0) {
    print_field(out, 2, kKey, "", "NVLS: " + graph_in_words(cluster.graphs.nvls, between));
  }
}

// True if the way has a row of its own. On a user's platform, protocols are not modelled, and an
// algorithm has one row.
bool is_shown(const NcclAnswer& answer, const NcclWay& way) {
  return answer.platform.empty() || answer.is_fastest(way);
}

// Returns how many times as long as NCCL's model says a simulated way takes.
double beside_model(const NcclWay& way) {
  return *way.simulated_s / (static_cast<double>(*way.time_us) / 1e6);
}

// Returns the way with chunks whose simulated time is farthest above the time of NCCL's model; null
// if there is no such way.
const NcclWay* slowest_beside_model(const NcclAnswer& answer) {
  const NcclWay* slowest = nullptr;
  for (const NcclWay& way : answer.ways) {
    const bool counts = way.schedule.choice.segment_bytes > 0 && way.simulated_s;
    slowest = counts && (slowest == nullptr || beside_model(way) > beside_model(*slowest))
                  ? &way
                  : slowest;
  }
  return slowest;
}

// Prints what limits the simulated times.
void print_limits_of_simulation(const NcclAnswer& answer, std::ostream& out) {
  if (!answer.platform.empty()) {
    print_field(out, 2, 0, "",
                fmt::format("simulated: on {}, where protocols are not modelled; NCCL's time is "
                            "that of the fastest protocol",
                            answer.platform));
  }
  // Factor from which a difference from NCCL's model is worth a remark.
  constexpr double kFar = 1.2;
  const NcclWay* const far = slowest_beside_model(answer);
  if (far != nullptr && beside_model(*far) > kFar) {
    print_field(
        out, 2, 0, "",
        fmt::format("{}{} of {}: the simulated time is {} times NCCL's, because in the schedule a "
                    "rank forwards a chunk of {} only when it has the whole chunk; NCCL forwards "
                    "each line or slice as it arrives",
                    name(far->algorithm),
                    answer.platform.empty() ? fmt::format(" with {}", name(far->protocol)) : "",
                    human_bytes(answer.bytes), human_factor(beside_model(*far)),
                    human_bytes(far->schedule.choice.segment_bytes)));
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
    if (why.empty() || !is_shown(answer, way)) {
      continue;
    }
    const bool single =
        way.algorithm != NcclAlgorithm::ring && way.algorithm != NcclAlgorithm::tree;
    const std::string who = !way.why_not.empty() && !single
                                ? fmt::format("{} with {}", name(way.algorithm), name(way.protocol))
                                : std::string(name(way.algorithm));
    const std::string text = (way.why_not.empty() ? "is not simulated: " : "cannot run: ") + why;
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

// Returns the command that simulates NCCL's choice: "tutti simulate allreduce/ring -p 64 -n 1MiB
// --ranks-per-host 8". Returns "" if tutti has no schedule for the choice.
std::string nccl_command(const NcclAnswer& answer) {
  const NcclWay* const chosen = answer.chosen();
  if (chosen == nullptr || !chosen->refusal.empty()) {
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

namespace nccl_fields {

constexpr auto kGraph = fields<NcclGraph>({
    {"channels", member<&NcclGraph::channels>, at_least(0)},
    {"intra_gb_per_s", member<&NcclGraph::intra_gb_per_s>,
     "Bandwidth of each channel within a node."},
    {"inter_gb_per_s", member<&NcclGraph::inter_gb_per_s>,
     "Bandwidth of each channel between nodes."},
    {"inter_latency_us", member<&NcclGraph::inter_latency_us>},
    {"intra_path", [](const NcclGraph& of) { return name(of.intra); }},
    {"inter_path", [](const NcclGraph& of) { return name(of.inter); }},
    {"pattern", member<&NcclGraph::pattern>, at_least(0)},
    {"same_channels", member<&NcclGraph::same_channels>},
});

constexpr auto kGraphs = fields<NcclGraphs>({
    {"ring", kGraph, member<&NcclGraphs::ring>},
    {"tree", kGraph, member<&NcclGraphs::tree>},
    {"collnet_chain", kGraph, member<&NcclGraphs::collnet_chain>},
    {"nvls", kGraph, member<&NcclGraphs::nvls>},
    {"collnet_direct", kGraph, member<&NcclGraphs::collnet_direct>},
});

// Returns the names of the first `Count` values.
template <typename Enum, std::size_t Count>
std::span<const std::string_view> first_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (std::size_t i = 0; i < Count; ++i) {
      all.push_back(name(static_cast<Enum>(i)));
    }
    return all;
  }();
  return names;
}
constexpr FieldLimits kAlgorithmName = one_of(first_names<NcclAlgorithm, kNcclAlgorithms>);
constexpr FieldLimits kProtocolName = one_of(first_names<NcclProtocol, kNcclProtocols>);

constexpr std::array<std::string_view, 5> kCollectiveNames{"bcast", "reduce", "allgather",
                                                           "reduce_scatter", "allreduce"};

bool has_schedule(const NcclWay& way) { return !way.schedule.choice.algorithm.empty(); }

constexpr auto kWay = fields<NcclWay>({
    {"algorithm", [](const NcclWay& of) { return name(of.algorithm); }, kAlgorithmName},
    {"protocol", [](const NcclWay& of) { return name(of.protocol); }, kProtocolName},
    {"latency_us",
     [](const NcclWay& of) { return value_if(of.time_us.has_value(), of.cost.latency_us); }},
    {"gb_per_s",
     [](const NcclWay& of) { return value_if(of.time_us.has_value(), of.cost.gb_per_s); },
     "Bandwidth in NCCL's model, without the latency: bytes of the largest buffer over time. null "
     "if NCCL would not run the algorithm."},
    {"time_us", member<&NcclWay::time_us>,
     "Time that NCCL's model predicts. null if NCCL would not run the algorithm."},
    {"why_not", [](const NcclWay& of) { return value_if(!of.time_us, of.why_not); }},
    {"schedule", kChoiceFields,
     [](const NcclWay& of) { return has_schedule(of) ? &of.schedule.choice : nullptr; },
     "Choice of tutti's equivalent algorithm, in the form of a choice in tutti-decisions/1. null "
     "if there is none."},
    {"lacking",
     [](const NcclWay& of) {
       return text_if_any(with_fields(has_schedule(of) ? of.refusal : of.schedule.lacking));
     },
     "Why tutti has no schedule, or no simulated time of the schedule. null otherwise."},
    {"simulated_s", member<&NcclWay::simulated_s>},
});

constexpr auto kChoice = fields<NcclChoice>({
    {"algorithm", [](const NcclChoice& of) { return name(of.algorithm); }, kAlgorithmName},
    {"protocol", [](const NcclChoice& of) { return name(of.protocol); }, kProtocolName},
    {"channels", member<&NcclChoice::channels>, at_least(1),
     "Maximum number of channels. NCCL uses fewer for small messages."},
    {"threads", member<&NcclChoice::threads>, at_least(1), "Number of threads per channel."},
    {"time_us", member<&NcclChoice::time_us>},
});

constexpr auto kCell = fields<NcclAnswer>({
    {"collective", [](const NcclAnswer& of) { return name(of.collective); },
     one_of(kCollectiveNames)},
    {"ranks", [](const NcclAnswer& of) { return of.job.cluster.ranks; }, at_least(2)},
    {"nodes", [](const NcclAnswer& of) { return of.job.cluster.nodes; }, at_least(1)},
    {"gpus_per_node", [](const NcclAnswer& of) { return of.job.gpus_per_node; }, at_least(1)},
    {"bytes", member<&NcclAnswer::bytes>},
    {"machine", [](const NcclAnswer& of) -> const auto& { return of.job.machine; }},
    {"platform", [](const NcclAnswer& of) { return text_if_any(of.platform); },
     "Platform of the simulations. null: a model of the nodes. On a platform, protocols are not "
     "modelled, and only the protocol of an algorithm that NCCL's model finds fastest is "
     "simulated."},
    {"notes", member<&NcclAnswer::notes>, "Remarks on how the platform is simulated."},
    {"not_covered", [](const NcclAnswer& of) { return nccl_symmetric_kernels(of.collective); },
     "Kernels that NCCL may run instead for buffers in symmetric windows; its cost model has no "
     "time for them."},
    {"choice", kChoice, member<&NcclAnswer::choice>},
    {"command", [](const NcclAnswer& of) { return text_if_any(nccl_command(of)); },
     "Command that simulates the schedule of the choice. null if there is no choice, or if tutti "
     "cannot simulate its schedule."},
    {"graphs", kGraphs, [](const NcclAnswer& of) -> const auto& { return of.job.cluster.graphs; }},
    {"ways", kWay, member<&NcclAnswer::ways>},
});

constexpr auto kNccl = fields<std::vector<NcclAnswer>>({
    {"library", [](const std::vector<NcclAnswer>& all) { return modelled(all.front()); },
     "Name and version of the library whose cost model is used."},
    {"cells", kCell, [](const std::vector<NcclAnswer>& all) -> const auto& { return all; },
     items_from(1)},
});

}  // namespace nccl_fields

}  // namespace

void print_nccl_answer(const NcclAnswer& answer, std::ostream& out) {
  const NcclJob& job = answer.job;
  print_heading(
      out, fmt::format("{}: {} of {} on {}, {}", modelled(answer), name(answer.collective),
                       human_bytes(answer.bytes), counted(job.cluster.ranks, "rank"), job.machine));
  if (answer.choice) {
    const NcclChoice& choice = *answer.choice;
    print_field(out, 2, kKey, "runs",
                fmt::format("{} with {}", name(choice.algorithm), name(choice.protocol)));
    print_field(out, 2, kKey, "on",
                fmt::format("at most {} of {} threads",
                            counted(static_cast<std::uint64_t>(choice.channels), "channel"),
                            choice.threads));
    print_field(out, 2, kKey, "in", fmt::format("{}, by NCCL's model", model_time(choice.time_us)));
    const NcclWay& way = *answer.chosen();
    print_field(out, 2, kKey, "schedule",
                way.schedule.choice.algorithm.empty() ? "none: " + way.schedule.lacking
                                                      : in_words(way.schedule.choice));
    if (way.simulated_s) {
      print_field(out, 2, kKey, "simulated", human_time(*way.simulated_s));
    }
    if (const std::string command = nccl_command(answer); !command.empty()) {
      // Prints the command on one line, so that users can copy it.
      fmt::print(out, "  {:<{}} {}\n", "to run it", kKey - 1, command);
    }
  } else {
    print_field(out, 2, kKey, "runs", "nothing: NCCL's model gives no time for any algorithm");
  }
  print_graphs(job.cluster, out);
  out << '\n';
  const bool protocols = answer.platform.empty();
  Table table({{"algorithm"},
               {"protocol", false, 0, protocols},
               {"latency", true, 2, protocols},
               {"GB/s", true, 1, protocols},
               {"NCCL's time", true},
               {"simulated", true}});
  for (const NcclWay& way : answer.ways) {
    if (!is_shown(answer, way)) {
      continue;
    }
    const bool chosen = &way == answer.chosen();
    table.add({fmt::format("{}{}", name(way.algorithm), chosen ? " *" : ""),
               std::string(name(way.protocol)),
               way.time_us ? human_time(static_cast<double>(way.cost.latency_us) / 1e6) : "",
               way.time_us ? rate_words(way.cost.gb_per_s) : "",
               way.time_us ? model_time(way.time_us) : "-",
               way.simulated_s ? human_time(*way.simulated_s) : "-"},
              chosen ? Style::heading : Style::plain);
  }
  table.print(out, 2);
  out << '\n';
  print_limits_of_simulation(answer, out);
  print_reasons(answer, out);
  print_not_covered(answer.collective, out);
}

void print_nccl_answers(const std::vector<NcclAnswer>& answers, std::ostream& out) {
  const auto largest =
      std::ranges::max_element(answers, [](const NcclAnswer& a, const NcclAnswer& b) {
        return a.job.cluster.ranks < b.job.cluster.ranks;
      });
  print_heading(
      out,
      fmt::format("{}: {} on {}{}", modelled(answers.front()), name(answers.front().collective),
                  largest->job.cluster.nodes > 1 ? "up to " : "", largest->job.machine));
  Table table({{"p", true},
               {"n", true},
               {"algorithm"},
               {"protocol"},
               {"channels", true, 2},
               {"threads", true, 3},
               {"NCCL's time", true},
               {"simulated", true, 1}});
  for (const NcclAnswer& answer : answers) {
    const auto& choice = answer.choice;
    const NcclWay* const way = answer.chosen();
    table.add({fmt::format("{}", answer.job.cluster.ranks), human_bytes(answer.bytes),
               choice ? std::string(name(choice->algorithm)) : "-",
               choice ? std::string(name(choice->protocol)) : "-",
               choice ? fmt::format("{}", choice->channels) : "",
               choice ? fmt::format("{}", choice->threads) : "",
               choice ? model_time(choice->time_us) : "-",
               way != nullptr && way->simulated_s ? human_time(*way->simulated_s) : "-"});
  }
  table.print(out, 2);
  print_limits_of_simulation(
      *std::ranges::max_element(answers, {},
                                [](const NcclAnswer& answer) {
                                  const NcclWay* const far = slowest_beside_model(answer);
                                  return far == nullptr ? 0 : beside_model(*far);
                                }),
      out);
  print_not_covered(answers.front().collective, out);
}

extern const DocumentOf<std::vector<NcclAnswer>> kNcclDocument{
    {"tutti-nccl/1",
     "what NCCL would run according to its own cost model, as written by tutti nccl --json",
     nccl_fields::kNccl.view()}};

}}  // namespace tutti::output
