#include "src/experiments/doctor/measured_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/text_words.hpp"
#include "cost_models/nccl/release.hpp"

namespace tutti { inline namespace experiments {

namespace {

// True if a list of NCCL_ALGO or NCCL_PROTO has the word, or is empty. "^a,b" means all but these.
// Lists for single functions, such as "allreduce:ring", are not evaluated.
bool lists(std::string_view list, std::string_view word) {
  if (list.empty() || list.find(':') != std::string_view::npos) {
    return true;
  }
  const bool without = list.starts_with('^');
  if (without) {
    list.remove_prefix(1);
  }
  bool found = false;
  for (const std::string_view each : split(list, ',')) {
    found = found || each == word;
  }
  return found != without;
}

}  // namespace

void take_nodes(const MeasuredCurve& curve, NcclOptions& options,
                std::vector<std::string>& assumed) {
  const NcclGpu* const gpu = nccl_gpu_named(options.gpu.value_or(""));
  if (options.hosts_are_gpus() || options.gpus_per_node || options.graph) {
    return;
  }
  if (!curve.nodes) {
    if (gpu != nullptr && curve.ranks > gpu->machine.gpus_per_node) {
      assumed.push_back(fmt::format("{} on each node", counted(gpu->machine.gpus_per_node, "GPU")));
    }
    return;
  }
  const std::uint32_t on_node = (curve.ranks + *curve.nodes - 1) / *curve.nodes;
  const bool trays_alone = curve.log.variable("NCCL_MNNVL_ENABLE") == "0";
  if (gpu != nullptr && gpu->machine.gpus_per_node > kMostGpusOfHost && !trays_alone) {
    assumed.emplace_back("one NVLink domain for each rack");
  } else if (gpu == nullptr || std::min(gpu->machine.gpus_per_node, curve.ranks) != on_node) {
    options.gpus_per_node = {on_node, fmt::format("{}", on_node)};
  }
}

void take_release(const MeasuredCurve& curve, NcclOptions& options,
                  std::vector<std::string>& assumed) {
  const std::string& release = curve.log.release;
  const NcclGpu* const gpu = nccl_gpu_named(options.gpu.value_or(""));
  if (release.empty() || (gpu != nullptr && !gpu->machine.amd_gpu.empty())) {
    assumed.emplace_back("the release");
    return;
  }
  try {
    options.release = &nccl_release_named("NCCL", release);
  } catch (const UserError&) {
    assumed.push_back(
        fmt::format("the release, because the model of NCCL {} is not known", release));
  }
}

bool is_allowed(const LogFacts& log, const NcclWay& way) {
  std::string algorithm(name(way.algorithm));
  std::erase(algorithm, '_');
  const bool of_nvls =
      way.algorithm == NcclAlgorithm::nvls || way.algorithm == NcclAlgorithm::nvls_tree;
  return lists(log.variable("NCCL_ALGO"), algorithm) &&
         lists(log.variable("NCCL_PROTO"), name(way.protocol)) &&
         !(of_nvls && log.variable("NCCL_NVLS_ENABLE") == "0");
}

NcclWay* chosen_way(const LogFacts& log, NcclAnswer& answer) {
  NcclWay* best = nullptr;
  for (NcclWay& way : answer.ways) {
    if (way.own_us && is_allowed(log, way) && (best == nullptr || *way.own_us < *best->own_us)) {
      best = &way;
    }
  }
  return best;
}

}}  // namespace tutti::experiments
