// Fits how NCCL's protocols use a network (cost_models/nccl/fabric.hpp) to measured times, and
// scores predictions of such times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cost_models/nccl/fabric.hpp"
#include "src/experiments/doctor/measured_curve.hpp"
#include "src/requests/fabric_file.hpp"
#include "src/requests/nccl_options.hpp"

namespace tutti { inline namespace experiments {

// A measured call, and the way in which NCCL ran it by its own model.
struct MeasuredCall {
  std::string file;
  std::size_t line = 0;
  std::shared_ptr<const NcclModel> model;
  Collective collective = Collective::allreduce;
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
  std::uint64_t bytes = 0;
  double measured_s = 0;  // geometric mean of the times out of place and in place
  double own_s = 0;       // by NCCL's model

  [[nodiscard]] std::uint32_t nodes() const { return model->cluster().nodes; }
  // Returns the predicted time in seconds; nothing if the fabric does not cover the way.
  [[nodiscard]] std::optional<double> seconds(const NcclFabric& fabric) const;
};

struct MeasuredCalls {
  std::vector<MeasuredCall> calls;
  std::string machine;  // "nodes of 4 gh200"
  std::string gpu;      // "gh200"; "" if there are several kinds of nodes
  std::uint32_t gpus_per_node = 0;
  std::string library;               // "NCCL 2.23.4"
  std::vector<std::uint32_t> nodes;  // ascending, each once
};

// Returns the calls in the curves, on machines that `options` describe. `release_given`: the user
// names the release; otherwise it is that of the files. `notes` receives what was left out. Throws
// UserError if the curves are of several releases, or if nothing is left.
[[nodiscard]] MeasuredCalls measured_calls(const std::vector<MeasuredCurve>& curves,
                                           const NcclOptions& options, bool release_given,
                                           std::vector<std::string>& notes);

// How far predicted times are from measured ones.
struct FabricScore {
  std::string what;  // "4 nodes", "all"
  std::size_t calls = 0;
  double factor = 1;           // geometric mean of max(predicted / measured, measured / predicted)
  double bias = 1;             // geometric mean of predicted / measured
  double near = 0;             // share of the calls that are within 25 %
  std::size_t with_range = 0;  // number of the calls that have a range
  std::optional<double> in_range;  // share of these whose time is in its range
};

// Predicted times of calls, by one model.
struct FabricPrediction {
  std::string model;                             // "NCCL's model"
  std::vector<std::optional<double>> seconds;    // one for each call
  std::vector<std::optional<TimeRange>> ranges;  // empty, or one for each call
  std::vector<FabricScore> scores;               // by number of nodes, by size, and of all calls
};

// Probability of the ranges that are scored.
inline constexpr double kScoredLevel = 0.8;
// Largest factor between predicted and measured time that counts as near.
inline constexpr double kNearCall = 1.25;

// Returns the prediction of a model, with its scores. The scores count only the calls for which
// `counted` is true.
[[nodiscard]] FabricPrediction scored(std::string model, const MeasuredCalls& measured,
                                      std::vector<std::optional<double>> seconds,
                                      std::vector<std::optional<TimeRange>> ranges,
                                      const std::vector<char>& counted);
// Returns which calls are between nodes.
[[nodiscard]] std::vector<char> between_nodes(const MeasuredCalls& measured);

// Returns the predictions of NCCL's own model, of a line alpha + beta n through six measured sizes
// of each file and number of nodes, and of `file`.
[[nodiscard]] std::vector<FabricPrediction> fabric_predictions(const MeasuredCalls& measured,
                                                               const FabricFile* file);

struct FabricFigure {
  const NcclFabricParameter* parameter = nullptr;
  double start = 0;
  double fitted = 0;
  double low = 0;  // low to high: the 95 % confidence interval
  double high = 0;
};

struct FabricFitResult {
  FabricFile file;
  std::vector<FabricFigure> figures;
  // Parameters that no call depends on. The file does not have them.
  std::vector<const NcclFabricParameter*> unknown;
  // Parameters that have their start values, because calls need them, but do not depend on them.
  std::vector<const NcclFabricParameter*> kept;
  std::size_t steps = 0;
  bool at_rest = false;
  double error_before = 0;  // FabricFit::error at the start
  // Each number of nodes predicted by a fit to the others; empty with fewer than three numbers.
  std::optional<FabricPrediction> left_out;
  // Numbers of nodes without which the other times determine no figures.
  std::vector<std::uint32_t> not_left_out;
};

// Fits all parameters on which calls depend, from `start`, with the weight `prior` of the start
// values (RobustSetup::prior). eager_bytes is tried at powers of two. Throws UserError if too few
// calls depend on a parameter.
[[nodiscard]] FabricFitResult fit_fabric(const MeasuredCalls& measured, const NcclFabric& start,
                                         double prior);

}}  // namespace tutti::experiments
