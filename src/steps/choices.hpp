// The algorithm of each collective of a step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/steps/call_parts.hpp"
#include "src/steps/description.hpp"
#include "src/steps/expert_traffic.hpp"
#include "src/steps/machine.hpp"

namespace tutti { inline namespace steps {

// An algorithm that was compared with the chosen one.
struct OtherAlgorithm {
  std::string algorithm;  // as in CallChoice
  std::string library;
  CallRun run;
  double alone_s = 0;
};

struct CallChoice {
  // The rule of the description that decides, or the default.
  AlgorithmRule::By by = AlgorithmRule::By::best;
  std::string algorithm;       // with its options: "nccl_ring, channels 8"; "" for a single rank
  std::string library;         // NCCL's choice in its own words: "NCCL 2.29.7, ring with simple"
  std::string note;            // a sentence on why something else runs than asked for; "" if not
  std::optional<CallRun> run;  // nothing for a single rank
  // Set for a dispatch or a combine.
  ExpertTraffic traffic;
  // True if a schedule in which a token crosses the network once per node is proved; nothing if it
  // is too large for a proof.
  std::optional<bool> proved;
  // Time on the first communicator of the group, or of the first message, while nothing else runs.
  double alone_s = 0;
  // Time there by NCCL's cost model; nothing if NCCL does not choose, or has no model of the call.
  std::optional<double> model_s;
  // The least time of any schedule there; nothing if it is unknown.
  std::optional<double> limit_s;
  // The next best algorithm: alone, of those of `tutti compare`, or by NCCL's cost model. Nothing
  // if the description names the algorithm, if there is no other, or if it was not asked for.
  std::optional<OtherAlgorithm> next;
};

// Returns the choice for each of the step's calls. Calls without a rule have NCCL's choice if the
// hosts are GPUs, and otherwise the fastest algorithm of `tutti compare` alone. `with_next` asks
// for the next best algorithms. Throws UserError.
[[nodiscard]] std::vector<CallChoice> choose_algorithms(const StepDescription& step,
                                                        const StepMachine& machine,
                                                        bool with_next = false);

// Returns the schedules of the choices.
[[nodiscard]] CallParts parts_of(const std::vector<CallChoice>& choices,
                                 const StepMachine& machine);

}}  // namespace tutti::steps
