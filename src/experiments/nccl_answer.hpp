// What NCCL would run by its own model, and how long tutti's schedule of the same takes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost_models/nccl/model.hpp"
#include "src/built_in/built_in.hpp"
#include "src/experiments/comparison.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/rule_files/decision_table.hpp"

namespace tutti::inline experiments {

// The whole schedule that an algorithm of NCCL's comes to: its channels are taken for one, as fast
// as all of them.
struct NcclSchedule {
  Choice choice;        // its algorithm "" where tutti has none like it
  std::string lacking;  // why there is none
};
[[nodiscard]] NcclSchedule nccl_schedule(const NcclCluster& cluster, Collective collective,
                                         NcclAlgorithm algorithm, NcclProtocol protocol,
                                         int channels, std::uint64_t bytes);

// One algorithm with one protocol.
struct NcclWay {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
  NcclCost cost;
  std::optional<float> time_us;       // by the model
  std::string why_not;                // where it has none
  NcclSchedule schedule;              // where it has one
  std::optional<double> simulated_s;  // of the schedule, with what NCCL counts before it begins
  std::string refusal;                // why there is none, though there is a schedule
};

struct NcclAnswer {
  NcclJob job;
  Collective collective = Collective::allreduce;
  std::uint64_t bytes = 0;
  std::vector<NcclWay> ways;  // those that NCCL has for the collective, on whatever machine
  std::optional<NcclChoice> choice;

  // Of the choice; null where there is none.
  [[nodiscard]] const NcclWay* chosen() const;
};

// What is simulated: nothing, what is chosen, or all that have a schedule.
enum class NcclSimulated : std::uint8_t { none, chosen, all };

// `platform`: what schedules run on in place of nodes as the job has them. Throws UserError for
// collectives that NCCL has not.
[[nodiscard]] NcclAnswer nccl_answer(const NcclJob& job, Collective collective, std::uint64_t bytes,
                                     NcclSimulated simulated, const OpenedMachine* platform);

// "8 channels of 48 GB/s in a node, 48 between, over NVL and PIX".
[[nodiscard]] std::string graph_in_words(const NcclGraph& graph, bool between);
// The same answer as other libraries' decisions have it: the search, then the model.
[[nodiscard]] LibraryDecision nccl_decision(const NcclAnswer& answer);

// What it chooses in each cell of a grid, as a table: sizes between take the next lower one's rule.
// Throws UserError for collectives that NCCL has not.
[[nodiscard]] DecisionTable nccl_table(const NcclOptions& options, Collective collective,
                                       const std::vector<std::uint32_t>& ranks,
                                       const std::vector<std::uint64_t>& sizes_bytes);

// The protocol with which the model takes least, for rules: "simple" where it has no time at all.
[[nodiscard]] std::function<std::string_view(std::uint32_t, std::string_view, std::uint64_t)>
nccl_protocols(const NcclOptions& options, Collective collective);

}  // namespace tutti::inline experiments
