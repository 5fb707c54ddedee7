// The document tutti-nccl/1.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/field_names.hpp"
#include "src/experiments/points/nccl_bandwidths.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/nccl_text.hpp"
#include "src/rule_files/decision_json.hpp"

namespace tutti { inline namespace output {

namespace { namespace nccl_fields {

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

// Returns the names of the first `kCount` values.
template <typename Enum, std::size_t kCount>
std::span<const std::string_view> first_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (std::size_t i = 0; i < kCount; ++i) {
      all.push_back(name(static_cast<Enum>(i)));
    }
    return all;
  }();
  return names;
}
constexpr FieldLimits kAlgorithmName = one_of(first_names<NcclAlgorithm, kNcclAlgorithms>);
constexpr FieldLimits kProtocolName = one_of(first_names<NcclProtocol, kNcclProtocols>);

constexpr std::array<std::string_view, 9> kCallNames{"bcast",          "reduce",    "allgather",
                                                     "reduce_scatter", "allreduce", "alltoall",
                                                     "gather",         "scatter",   "sendrecv"};

// A way, with the answer that it belongs to.
struct WayOf {
  const NcclAnswer* answer;
  const NcclWay* way;

  [[nodiscard]] bool has_schedule() const { return !way->schedule.choice.algorithm.empty(); }
  [[nodiscard]] std::optional<double> model_s() const {
    return way->time_us ? std::optional(static_cast<double>(*way->time_us) / 1e6) : std::nullopt;
  }
};

template <typename Time>
std::optional<double> algbw(const NcclAnswer& answer, const std::optional<Time>& time_s) {
  return time_s ? std::optional(bandwidths_of(answer, *time_s).algbw_gb_per_s) : std::nullopt;
}
template <typename Time>
std::optional<double> busbw(const NcclAnswer& answer, const std::optional<Time>& time_s) {
  return time_s ? std::optional(bandwidths_of(answer, *time_s).busbw_gb_per_s) : std::nullopt;
}

std::optional<double> bound_us(const WayOf& of, double TimeRange::*bound) {
  return of.way->range ? std::optional(1e6 * of.way->range->range.*bound) : std::nullopt;
}

constexpr auto kWay = fields<WayOf>({
    {"algorithm", [](const WayOf& of) { return name(of.way->algorithm); }, kAlgorithmName},
    {"protocol", [](const WayOf& of) { return name(of.way->protocol); }, kProtocolName},
    {"latency_us",
     [](const WayOf& of) {
       return value_if(of.way->time_us.has_value(), of.way->cost.latency_us);
     }},
    {"gb_per_s",
     [](const WayOf& of) { return value_if(of.way->time_us.has_value(), of.way->cost.gb_per_s); },
     "Bandwidth in NCCL's model, without the latency: bytes of the largest buffer over time. null "
     "if NCCL would not run the algorithm."},
    {"time_us", [](const WayOf& of) { return of.way->time_us; },
     "Time that NCCL's model predicts or, where `measured` is true, that the file of --parameters "
     "predicts. null if NCCL would not run the algorithm."},
    {"measured", [](const WayOf& of) { return of.way->is_measured; }, added_later,
     "True if time_us is based on measured parameters."},
    {"extrapolated", [](const WayOf& of) { return of.way->is_extrapolated; }, added_later,
     "True if, besides, nothing of this collective, algorithm and protocol was measured near this "
     "size."},
    {"own_us", [](const WayOf& of) { return of.way->own_us; }, added_later,
     "Time that NCCL's model predicts."},
    {"low_us", [](const WayOf& of) { return bound_us(of, &TimeRange::low_s); }, added_later,
     "With --sure: the time of a further call lies between low_us and high_us with this "
     "probability. null without, where `measured` is false, and where `extrapolated` is true."},
    {"high_us", [](const WayOf& of) { return bound_us(of, &TimeRange::high_s); }, added_later},
    {"algbw_gb_per_s", [](const WayOf& of) { return algbw(*of.answer, of.model_s()); },
     "Bytes of the largest buffer over time_us, as nccl-tests prints it."},
    {"busbw_gb_per_s", [](const WayOf& of) { return busbw(*of.answer, of.model_s()); },
     "Bus bandwidth for time_us, as nccl-tests prints it."},
    {"why_not", [](const WayOf& of) { return value_if(!of.way->time_us, of.way->why_not); }},
    {"schedule", kChoiceFields,
     [](const WayOf& of) { return of.has_schedule() ? &of.way->schedule.choice : nullptr; },
     "Choice of tutti's equivalent algorithm, in the form of a choice in tutti-decisions/1. null "
     "if there is none."},
    {"lacking",
     [](const WayOf& of) {
       return text_if_any(
           with_fields(of.has_schedule() ? of.way->refusal : of.way->schedule.lacking));
     },
     "Why tutti has no schedule, or no simulated time of the schedule. null otherwise."},
    {"simulated_s", [](const WayOf& of) { return of.way->simulated_s; }},
    {"simulated_bytes", [](const WayOf& of) { return of.way->simulated_bytes; },
     "Set if only a shorter call was simulated, because the schedule has too many messages: the "
     "size of this call. simulated_s assumes that the rest moves at a steady rate."},
    {"simulated_ranks", [](const WayOf& of) { return of.way->simulated_ranks; },
     "Set if two shorter rings were simulated, because the ring has too many messages: the number "
     "of ranks of the longer one. simulated_s assumes that the time grows linearly with the number "
     "of ranks."},
    {"simulated_algbw_gb_per_s",
     [](const WayOf& of) { return algbw(*of.answer, of.way->simulated_s); },
     "As algbw_gb_per_s, for simulated_s."},
    {"simulated_busbw_gb_per_s",
     [](const WayOf& of) { return busbw(*of.answer, of.way->simulated_s); },
     "As busbw_gb_per_s, for simulated_s."},
    {"why_apart", [](const WayOf& of) { return text_if_any(with_fields(of.way->why_apart)); },
     "Why simulated_s is far from the time of NCCL's model. null if it is not."},
});

std::vector<WayOf> ways_of(const NcclAnswer& answer) {
  std::vector<WayOf> ways;
  for (const NcclWay& way : answer.ways) {
    ways.push_back({&answer, &way});
  }
  return ways;
}

// The fields of an answer for a grouped call.
constexpr auto kGrouped = fields<NcclAnswer>({
    {"schedule", kChoiceFields, [](const NcclAnswer& of) { return &of.grouped->schedule; },
     "The algorithm that is simulated, in the form of a choice in tutti-decisions/1."},
    {"lacking", [](const NcclAnswer& of) { return text_if_any(with_fields(of.grouped->refusal)); },
     "Why there is no simulated time. null if there is one, or if none was asked for."},
    {"simulated_s", [](const NcclAnswer& of) { return of.grouped->simulated_s; }},
    {"algbw_gb_per_s", [](const NcclAnswer& of) { return algbw(of, of.grouped->simulated_s); },
     "Bytes of the largest buffer over simulated_s, as nccl-tests prints it."},
    {"busbw_gb_per_s", [](const NcclAnswer& of) { return busbw(of, of.grouped->simulated_s); },
     "Bus bandwidth for simulated_s, as nccl-tests prints it."},
    {"bound_s", [](const NcclAnswer& of) { return of.grouped->bound_s; },
     "Least time of any schedule on the same machine, with NCCL's base latency; for sendrecv, the "
     "longest time of one message alone. null if it is unknown."},
});

constexpr auto kChoice = fields<NcclChoice>({
    {"algorithm", [](const NcclChoice& of) { return name(of.algorithm); }, kAlgorithmName},
    {"protocol", [](const NcclChoice& of) { return name(of.protocol); }, kProtocolName},
    {"channels", member<&NcclChoice::channels>, at_least(1),
     "Maximum number of channels. NCCL uses fewer for small messages."},
    {"threads", member<&NcclChoice::threads>, at_least(1), "Number of threads per channel."},
    {"time_us", member<&NcclChoice::time_us>, "That of the entry of `ways`."},
});

constexpr auto kCell = fields<NcclAnswer>({
    {"library", [](const NcclAnswer& of) -> const auto& { return of.job.cluster.release->library; },
     "NCCL, or RCCL on GPUs of AMD."},
    {"release", [](const NcclAnswer& of) -> const auto& { return of.job.cluster.release->name; },
     "Release whose cost model is used, such as 2.29.7."},
    {"collective", from<nccl_call_of>, one_of(kCallNames)},
    {"ranks", [](const NcclAnswer& of) { return of.job.cluster.ranks; }, at_least(2)},
    {"nodes", [](const NcclAnswer& of) { return of.job.cluster.nodes; }, at_least(1)},
    {"gpus_per_node", [](const NcclAnswer& of) { return of.job.gpus_per_node; }, at_least(1)},
    {"bytes", member<&NcclAnswer::bytes>},
    {"machine", [](const NcclAnswer& of) -> const auto& { return of.job.machine; }},
    {"gpu", [](const NcclAnswer& of) -> const auto& { return of.job.gpu; }},
    {"platform", [](const NcclAnswer& of) { return text_if_any(of.platform); },
     "Platform of the simulations. null: a model of the nodes."},
    {"notes", member<&NcclAnswer::notes>, "Remarks on how the platform is simulated."},
    {"not_covered",
     [](const NcclAnswer& of) { return nccl_not_covered(of.job.cluster, of.collective); },
     "Kernels that NCCL may run instead for buffers in symmetric windows; its cost model has no "
     "time for them."},
    {"choice", kChoice, member<&NcclAnswer::choice>,
     "The entry of `ways` that NCCL runs by its own model. null if there is none."},
    {"grouped", kGrouped, [](const NcclAnswer& of) { return of.grouped ? &of : nullptr; },
     "For a call that NCCL runs as grouped sends and receives, which its cost model does not "
     "cover: "
     "`ways` is then empty. Otherwise null."},
    {"command", [](const NcclAnswer& of) { return text_if_any(nccl_command(of)); },
     "Command that simulates the schedule of the choice, on a crossbar and without NCCL's "
     "latencies. null with --platform, and if tutti cannot simulate the schedule on a crossbar."},
    {"graphs", kGraphs, [](const NcclAnswer& of) -> const auto& { return of.job.cluster.graphs; }},
    {"ways", kWay, from<ways_of>},
});

// Returns the names of all releases: "NCCL 2.27.7, NCCL 2.29.7".
std::string libraries_of(const std::vector<NcclAnswer>& answers) {
  std::vector<std::string> names;
  for (const NcclAnswer& answer : answers) {
    if (const std::string name = nccl_modelled(answer);
        std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

constexpr auto kNccl = fields<std::vector<NcclAnswer>>({
    {"library", from<libraries_of>,
     "Name and version of the library whose cost model is used; with several releases, of each."},
    {"cells", kCell, [](const std::vector<NcclAnswer>& all) -> const auto& { return all; },
     items_from(1)},
});

}}  // namespace ::nccl_fields

extern const DocumentOf<std::vector<NcclAnswer>> kNcclDocument{
    {"tutti-nccl/1",
     "what NCCL would run according to its own cost model, as written by tutti nccl --json",
     nccl_fields::kNccl.view()}};

}}  // namespace tutti::output
