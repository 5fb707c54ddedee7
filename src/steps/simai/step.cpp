#include "src/steps/simai/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "src/steps/simai/micro_batches.hpp"
#include "src/steps/step_builder.hpp"

namespace tutti { inline namespace steps {

namespace {

using Layers = std::span<const SimaiLayer>;

// SimAI's generator writes 1 where nothing is computed.
constexpr std::uint64_t kNoComputing_ns = 1;

class SimaiStep {
 public:
  explicit SimaiStep(const SimaiWorkload& workload) : workload_(workload), builder_(step_) {
    step_.file = workload.file;
    step_.name = "SimAI workload";
    step_.ranks = workload.gpus;
    step_.layout = {{"tp", workload.tp},
                    {"ep", workload.ep},
                    {"dp_ep", workload.dp() / workload.ep},
                    {"pp", workload.pp}};
    for (std::size_t axis = 0; axis < step_.layout.size(); ++axis) {
      const auto& [axis_name, size] = step_.layout[axis];
      step_.groups.push_back(group_of(axis_name, step_.layout, {{axis, size}}));
    }
    step_.groups.push_back(
        group_of("dp", step_.layout, {{1, workload.ep}, {2, workload.dp() / workload.ep}}));
  }

  StepDescription make() {
    const Layers layers = workload_.layers;
    const auto found = micro_batches_of(workload_);
    if (!found && workload_.pp > 1) {
      throw UserError(fmt::format(
          "{}: ga {}: the layers are not {} equal micro-batches, so that the pipeline of {} is "
          "unknown",
          place_in_file(workload_.file, 1), workload_.micro_batches, workload_.micro_batches,
          counted(workload_.pp, "stage")));
    }
    step_.notes = workload_.notes;
    if (!found) {
      step_.notes.push_back(fmt::format(
          "the layers are not {} equal micro-batches: forward passes of all layers run first",
          workload_.micro_batches));
      forward(layers);
      backward(layers);
      return std::move(step_);
    }
    const std::size_t end = found->first + found->size * workload_.micro_batches;
    forward(layers.first(found->first));
    pipeline(layers.subspan(found->first, end - found->first), found->size);
    forward(layers.subspan(end));
    backward(layers.subspan(end));
    backward(layers.first(found->first));
    if (step_.actions.empty()) {
      throw UserError(fmt::format("{}: no layer takes time", workload_.file));
    }
    return std::move(step_);
  }

 private:
  // `size` is the number of layers of a micro-batch.
  void pipeline(Layers micro_batches, std::size_t size) {
    if (micro_batches.size() * workload_.pp > kMostStepActions) {
      throw UserError(fmt::format("{}: more than {} layers are carried out in all micro-batches",
                                  workload_.file, kMostStepActions));
    }
    const Layers micro_batch = micro_batches.first(size);
    note_counts(micro_batch);
    const std::vector<std::size_t> chunks = begins_of_chunks(micro_batch);
    StepPipeline sizes;
    sizes.axis = 3;
    sizes.micro_batches = workload_.micro_batches;
    sizes.chunks = static_cast<std::uint32_t>(chunks.size() - 1);
    sizes.line = builder_.add_line(1, fmt::format("handover {}B", workload_.pp_bytes));
    sizes.handover_bytes = workload_.pp_bytes;
    step_.notes.push_back(fmt::format(
        "{} {} of {}{}", sizes.micro_batches,
        sizes.micro_batches == 1 ? "micro-batch" : "micro-batches",
        counted(micro_batch.size(), "layer"),
        sizes.chunks > 1 ? fmt::format(", in {} chunks of the model at each stage", sizes.chunks)
                         : ""));
    builder_.pipeline(sizes, [&](const PipelineTurn& turn) {
      const Layers part = micro_batches.subspan(turn.micro * size + chunks[turn.chunk],
                                                chunks[turn.chunk + 1] - chunks[turn.chunk]);
      turn.forward ? forward(part) : backward(part);
    });
  }

  // Returns where the chunks of a stage begin, and the end of the last one.
  std::vector<std::size_t> begins_of_chunks(Layers micro_batch) {
    const std::vector<std::size_t> whole{0, micro_batch.size()};
    if (workload_.vpp == 1 || workload_.pp == 1) {
      return whole;
    }
    std::string reason;
    if (workload_.micro_batches % workload_.pp != 0) {
      reason =
          fmt::format("ga {} is not a multiple of pp {}", workload_.micro_batches, workload_.pp);
    } else if (auto found = chunks_of(micro_batch, workload_.vpp)) {
      return std::move(*found);
    } else {
      reason = fmt::format("the layers of a stage are not {} equal parts", workload_.vpp);
    }
    step_.notes.push_back(
        fmt::format("vpp {} is ignored, and the pipeline has one chunk at each stage: {}",
                    workload_.vpp, reason));
    return whole;
  }

  // Notes where forward and backward passes have different numbers of collectives. SimAI's
  // generator leaves out some (github.com/aliyun/SimAI, issue 292).
  void note_counts(Layers micro_batch) {
    for (const SimaiGroup group :
         {SimaiGroup::tp, SimaiGroup::dp, SimaiGroup::ep, SimaiGroup::dp_ep}) {
      const auto count = [&](const SimaiPass SimaiLayer::*pass) {
        return std::ranges::count_if(micro_batch, [&](const SimaiLayer& layer) {
          return (layer.*pass).communicates() && (layer.*pass).group == group;
        });
      };
      const auto ahead = count(&SimaiLayer::forward);
      const auto back = count(&SimaiLayer::input);
      if (ahead != back) {
        step_.notes.push_back(fmt::format(
            "a micro-batch has {} on {} in its forward pass, but {} in its backward pass",
            counted(static_cast<std::uint64_t>(ahead), "collective"), name(group), back));
      }
    }
  }

  void forward(Layers layers) {
    for (const SimaiLayer& layer : layers) {
      if (takes_part(layer)) {
        pass(layer, layer.forward, "forward", false);
      }
    }
  }

  void backward(Layers layers) {
    for (std::size_t i = layers.size(); i-- > 0;) {
      const SimaiLayer& layer = layers[i];
      if (!takes_part(layer)) {
        continue;
      }
      if (layer.initiates) {
        recompute(layers.first(i + 1));
      }
      pass(layer, layer.input, "backward", false);
      pass(layer, layer.weights, "weights", true);
    }
  }

  // Carries out the forward passes from the last checkpoint to the layer before the last one.
  void recompute(Layers layers) {
    std::size_t from = layers.size();
    while (from > 0 && !layers[from - 1].checkpoint) {
      --from;
    }
    if (from == 0) {
      throw UserError(
          fmt::format("{}: layer {} recomputes, but no layer before it{} is a checkpoint",
                      place_in_file(workload_.file, layers.back().line), layers.back().name,
                      builder_.stage() ? " in its micro-batch and chunk" : ""));
    }
    forward(layers.subspan(from - 1, layers.size() - from));
  }

  [[nodiscard]] bool takes_part(const SimaiLayer& layer) const {
    return !is_embedding(layer) || builder_.stage().value_or(0) == 0;
  }

  void pass(const SimaiLayer& layer, const SimaiPass& pass, std::string_view which, bool beside) {
    if (pass.compute_ns > kNoComputing_ns) {
      builder_.compute(line_of(layer, fmt::format("{} {}: compute", layer.name, which)),
                       pass.compute_ns * 1000);
    }
    if (pass.communicates()) {
      const std::uint32_t group = group_index(pass.group);
      StepCall call;
      call.collective = *pass.collective;
      call.bytes = pass.bytes;
      call.group = group;
      builder_.begin(line_of(layer, fmt::format("{} {}: {}{} whole {}B on {}", layer.name, which,
                                                beside ? "beside " : "", name(call.collective),
                                                pass.bytes, step_.groups[group].name)),
                     builder_.index_of_call(call), beside);
    }
  }

  // Returns the index of the line with this text. Equal layers share it.
  std::uint32_t line_of(const SimaiLayer& layer, std::string text) {
    const auto [found, is_new] = lines_.try_emplace(std::move(text), 0);
    if (is_new) {
      found->second = builder_.add_line(layer.line, found->first);
    }
    return found->second;
  }

  static std::uint32_t group_index(SimaiGroup group) {
    switch (group) {
      case SimaiGroup::tp:
        return 0;
      case SimaiGroup::ep:
        return 1;
      case SimaiGroup::dp_ep:
        return 2;
      case SimaiGroup::dp:
        break;
    }
    return 4;
  }

  const SimaiWorkload& workload_;
  StepDescription step_;
  StepBuilder builder_;
  std::map<std::string, std::uint32_t> lines_;
};

}  // namespace

StepDescription step_of(const SimaiWorkload& workload) { return SimaiStep(workload).make(); }

}}  // namespace tutti::steps
