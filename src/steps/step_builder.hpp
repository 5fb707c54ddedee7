// Makes the actions of a step, one after the other. Readers of descriptions and of other tools'
// files use it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "src/steps/description.hpp"
#include "src/steps/pipeline.hpp"

namespace tutti { inline namespace steps {

// Largest number of actions that a reader makes.
inline constexpr std::size_t kMostStepActions = 10'000'000;

struct StepPipeline {
  std::size_t axis = 0;  // of the layout: its positions are the stages
  std::uint32_t micro_batches = 1;
  std::uint32_t chunks = 1;  // of the model at each stage
  std::uint32_t line = 0;    // of the handovers; index into StepDescription::lines
  std::uint64_t handover_bytes = 0;
};

class StepBuilder {
 public:
  // Adds to `step`, whose layout and groups must be there before the first action.
  explicit StepBuilder(StepDescription& step) : step_(step) {}

  // Returns the index of a new line.
  std::uint32_t add_line(std::uint32_t number, std::string text);
  // Returns the index of the call among those that differ.
  std::uint32_t index_of_call(const StepCall& call);

  // Add an action of the ranks of the present stage, or of all ranks outside of a pipeline.
  void compute(std::uint32_t line, std::uint64_t picoseconds);
  // Returns the number of the collective, for wait_for_call().
  std::uint32_t begin(std::uint32_t line, std::uint32_t call, bool beside);
  void wait_for_call(std::uint32_t line, std::uint32_t number);
  void wait_for_group(std::uint32_t line, std::uint32_t group);

  // Carries out a pipeline in the order 1F1B: `pass` adds the actions of each turn. Before, a stage
  // waits for the message from another stage; afterwards, it sends one.
  void pipeline(const StepPipeline& pipeline, const std::function<void(const PipelineTurn&)>& pass);
  // Returns the stage whose actions are added; nothing outside of a pipeline.
  [[nodiscard]] std::optional<std::uint32_t> stage() const { return stage_; }

 private:
  void add(StepAction::Kind kind, std::uint32_t line, std::uint32_t what);

  StepDescription& step_;
  std::uint32_t begun_ = 0;  // collectives so far
  std::optional<std::uint32_t> stage_;
};

}}  // namespace tutti::steps
