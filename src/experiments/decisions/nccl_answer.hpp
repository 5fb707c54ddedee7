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
  std::optional<float> time_us;  // time that NCCL's model predicts
  std::string why_not;           // why the model predicts no time; "" if it predicts one
  // Filled in only if time_us is set.
  NcclSchedule schedule;
  // Simulated time of `schedule`, plus NCCL's base latency.
  std::optional<double> simulated_s;
  std::string refusal;  // why there is no simulated time, though there is a schedule
};

struct NcclAnswer {
  NcclJob job;
  Collective collective = Collective::allreduce;
  std::uint64_t bytes = 0;
  // All combinations of algorithm and protocol that NCCL has for the collective, including those
  // that this machine does not support.
  std::vector<NcclWay> ways;
  std::optional<NcclChoice> choice;
  std::string platform;  // name of the user's platform; "" if schedules run on a model of the nodes
  // Remarks on how the platform is simulated, one sentence each.
  std::vector<std::string> notes;

  // Returns the chosen way; null if there is no choice.
  [[nodiscard]] const NcclWay* chosen() const;
  // True if NCCL's model finds no other protocol of the way's algorithm faster. Exactly one way of
  // each algorithm is its fastest.
  [[nodiscard]] bool is_fastest(const NcclWay& way) const;
};

// Returns the kernels for symmetric memory that NCCL has for a collective. If the buffers are in
// registered windows, NCCL may run such a kernel instead of an algorithm of its cost model. Empty
// if there are none. Source: NVIDIA/nccl 5067397c (2.30), src/sym_kernels.cc.
[[nodiscard]] std::vector<std::string_view> nccl_symmetric_kernels(Collective collective);

// Selects which entries of NcclAnswer::ways are simulated: none, the chosen one, those that NCCL's
// model finds near the chosen one (see kNearChoice), or all that have a schedule.
enum class NcclSimulation : std::uint8_t { none, chosen, near, all };
// How many times as long as the chosen way a way may take that is near it.
inline constexpr float kNearChoice = 1.5F;

// Returns NCCL's choice for a call, and the simulated times that `simulated` asks for. Schedules
// run on `platform`, or if `platform` is null, on a model of the job's nodes. Throws UserError for
// collectives that NCCL's model does not cover.
[[nodiscard]] NcclAnswer nccl_answer(const NcclJob& job, Collective collective, std::uint64_t bytes,
                                     NcclSimulation simulated, const OpenedMachine* platform);

// Describes a graph: "8 channels of 48 GB/s within a node, 48 between nodes, over NVL and PIX". If
// `between` is false, leaves out the bandwidth and the path between nodes.
[[nodiscard]] std::string graph_in_words(const NcclGraph& graph, bool between);
// Converts the answer to the type of other libraries' decisions. LibraryDecision::path has NCCL's
// search for channels as its first step and, if there is a choice, NCCL's cost model as its second
// step.
[[nodiscard]] LibraryDecision nccl_decision(const NcclAnswer& answer);

// Returns a rival that chooses like NCCL's cost model. Its title names the machine with
// `most_ranks` ranks. Throws UserError for collectives that NCCL's model does not cover.
[[nodiscard]] Rival nccl_rival(const NcclOptions& options, Collective collective,
                               std::uint32_t most_ranks, const ProblemTemplate& problem_template);

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
