// NCCL's choice by its own cost model, and the simulated time of the equivalent tutti schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost_models/nccl/model.hpp"
#include "src/built_in/built_in.hpp"
#include "src/experiments/compare/comparison.hpp"
#include "src/experiments/decisions/nccl_simulation.hpp"
#include "src/experiments/decisions/rival.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/rule_files/decision_table.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti { inline namespace experiments {

// One algorithm of NCCL with one protocol.
struct NcclWay {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
  NcclCost cost;
  std::optional<float> own_us;  // time that NCCL's model predicts
  std::string why_not;          // why the model predicts no time; "" if it predicts one
  // The predicted time: `own_us`, or if the job has measured parameters that cover the way, the
  // time with these.
  std::optional<float> time_us;
  bool is_measured = false;  // true if `time_us` is the time with measured parameters
  // True if, besides, nothing of this collective, algorithm and protocol was measured near this
  // size.
  bool is_extrapolated = false;
  std::optional<SureRange> range;  // of `time_us`, if add_ranges() was called and `is_measured`
  // Filled in only if time_us is set.
  NcclSchedule schedule;
  // Simulated time of `schedule`, plus NCCL's base latency.
  std::optional<double> simulated_s;
  std::string refusal;  // why there is no simulated time, though there is a schedule
  std::optional<std::uint64_t> simulated_bytes;  // NcclSimulatedTime::simulated_bytes
  std::optional<std::uint32_t> simulated_ranks;  // NcclSimulatedTime::simulated_ranks
  // Why the simulated time is far from that of NCCL's model; "" if it is not.
  std::string why_apart;
};

// A call that NCCL runs as grouped sends and receives: all messages at once, directly from each
// rank to each other. NCCL's cost model does not cover these calls.
struct NcclGroupCall {
  std::string_view call;              // "alltoall", "gather", "scatter" or "sendrecv"
  Choice schedule;                    // the algorithm that is simulated
  std::optional<double> simulated_s;  // with NCCL's base latency
  // Least time of any schedule on the same machine, with NCCL's base latency. For sendrecv: the
  // longest time of one message alone, because NCCL does not split it between network cards.
  std::optional<double> bound_s;
  std::string refusal;  // why there is no simulated time
};

struct NcclAnswer {
  NcclJob job;
  Collective collective = Collective::allreduce;
  std::uint64_t bytes = 0;
  // All combinations of algorithm and protocol that NCCL has for the collective, including those
  // that this machine does not support.
  std::vector<NcclWay> ways;
  // NCCL's choice by its own model. Its time is the predicted one.
  std::optional<NcclChoice> choice;
  std::string platform;  // name of the user's platform; "" if schedules run on a model of the nodes
  // Remarks on how the platform is simulated, one sentence each.
  std::vector<std::string> notes;
  std::optional<NcclGroupCall> grouped;  // set for calls that NCCL's model does not cover: `ways`
                                         // is empty then, and `choice` unset

  // Returns the chosen way; null if there is no choice.
  [[nodiscard]] const NcclWay* chosen() const;
};

// Returns what NCCL may run instead of an algorithm of its cost model; empty if there is nothing.
// These are kernels for symmetric memory, if the buffers are in registered windows; on AMD GPUs,
// libraries with schedules of their own. Source: NVIDIA/nccl 73cf1122 (2.30.7), src/sym_kernels.cc,
// and 88980683 (2.31.2), src/tuning/cost_model.cc.
[[nodiscard]] std::vector<std::string_view> nccl_not_covered(const NcclCluster& cluster,
                                                             Collective collective);

// Returns NCCL's choice for a call, without simulated times. Throws UserError for collectives that
// NCCL's model does not cover.
[[nodiscard]] NcclAnswer nccl_answer(const NcclJob& job, Collective collective,
                                     std::uint64_t bytes);

// Returns how the measured parameters of the job are of another machine, a phrase for each
// difference: "the figures are of nodes of 4 gh200"; empty without parameters.
[[nodiscard]] std::vector<std::string> differences_of_figures(const NcclJob& job);

// Sets NcclWay::range, with the probability `level`, of all ways with measured parameters whose
// times are not extrapolated. Throws UserError if the parameters do not state their uncertainty.
void add_ranges(NcclAnswer& answer, double level);

// Returns the ways that have a schedule: first the chosen one, if it has a schedule; with `all`,
// the others follow in their order.
[[nodiscard]] std::vector<NcclWay*> ways_with_schedule(NcclAnswer& answer, bool all);
// Sets NcclWay::simulated_s or refusal of a way of `answer` that has a schedule. The schedule runs
// on `platform`, or if this is null, on the job's nodes.
void simulate_nccl_way(const NcclAnswer& answer, const OpenedMachine* platform, NcclWay& way);
// Sets NcclWay::why_apart of a simulated way, unless the job has measured parameters. Simulates a
// tiny call if the times are far apart.
void explain_nccl_way(const NcclAnswer& answer, const OpenedMachine* platform, NcclWay& way);
// Sets NcclAnswer::platform and the notes on how the platform is simulated. Throws UserError if the
// ranks do not fit on it.
void use_platform(NcclAnswer& answer, const OpenedMachine& platform);

// How many times as long as the chosen way a way may take that is near it.
inline constexpr float kNearChoice = 1.5F;
// Returns the answer with simulated times of all ways that NCCL's model finds near the chosen one;
// the others that have a schedule have a refusal.
[[nodiscard]] NcclAnswer nccl_answer_near_choice(const NcclJob& job, Collective collective,
                                                 std::uint64_t bytes,
                                                 const OpenedMachine* platform);

// Describes a graph: "8 channels of 48 GB/s within a node, 48 between nodes, over NVL and PIX". For
// a single node, leaves out the bandwidth and the path between nodes.
[[nodiscard]] std::string graph_in_words(const NcclCluster& cluster, const NcclGraph& graph);
// Converts the answer to the type of other libraries' decisions. LibraryDecision::path has NCCL's
// search for channels as its first step and, if there is a choice, NCCL's cost model as its second
// step.
[[nodiscard]] LibraryDecision nccl_decision(const NcclAnswer& answer);

// Returns a rival that chooses like NCCL's cost model. Its title names the machine with
// `most_ranks` ranks. Throws UserError for collectives that NCCL's model does not cover.
[[nodiscard]] Rival nccl_rival(const NcclOptions& options, Collective collective,
                               std::uint32_t most_ranks, const ProblemTemplate& problem_template);

// Makes a rival with rules of NCCL's tuner run NCCL's algorithms as nccl_rival() does, with the
// channels and chunks of NCCL on the machine of `options`.
void simulate_rules_as_nccl(const NcclOptions& options, const ProblemTemplate& problem_template,
                            Rival& rival);

// Returns the time in microseconds that the model predicts for a line of a rule file; nothing if it
// predicts none.
[[nodiscard]] std::optional<float> nccl_model_us(const NcclModel& model, Collective collective,
                                                 const NcclLine& line, std::uint64_t bytes);

// Returns RulesToWrite::nccl for the machine of `options`, without remarks. If NCCL's model finds
// what was decided slower than NCCL's own choice by more than `model_loss`, lines have the latter.
// Without `model_loss`, the model only chooses protocols that were not decided.
[[nodiscard]] NcclRules nccl_rules(const NcclOptions& options, Collective collective,
                                   std::optional<double> model_loss);

}}  // namespace tutti::experiments
