#include "src/experiments/fit/fabric_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/median.hpp"
#include "base/printable.hpp"
#include "src/experiments/doctor/machine_rates.hpp"
#include "src/experiments/doctor/measured_job.hpp"
#include "src/experiments/fit/fit_spread.hpp"
#include "src/experiments/fit/parameter_space.hpp"
#include "src/experiments/fit/robust_fit.hpp"

namespace tutti { inline namespace experiments {

namespace {

using Eigen::VectorXd;

// Returns the parameters that a fit may move: thresholds change times in steps.
std::vector<const NcclFabricParameter*> gradual_parameters() {
  std::vector<const NcclFabricParameter*> found;
  for (const NcclFabricParameter& each : nccl_fabric_parameters()) {
    if (each.value != &NcclFabric::eager_bytes) {
      found.push_back(&each);
    }
  }
  return found;
}

// The calls of a fit, and the parameters that it moves.
struct FitSpace {
  std::vector<const MeasuredCall*> calls;
  NcclFabric start;
  std::vector<const NcclFabricParameter*> parameters;

  [[nodiscard]] NcclFabric at(const VectorXd& place) const {
    NcclFabric fabric = start;
    for (std::size_t j = 0; j < parameters.size(); ++j) {
      fabric.*parameters[j]->value = std::exp(place[index(j)]);
    }
    return fabric;
  }

  [[nodiscard]] VectorXd start_place() const {
    VectorXd place(index(parameters.size()));
    for (std::size_t j = 0; j < parameters.size(); ++j) {
      place[index(j)] = std::log(start.*parameters[j]->value);
    }
    return place;
  }

  // Logarithms of predicted over measured times.
  [[nodiscard]] VectorXd residuals(const NcclFabric& fabric) const {
    VectorXd found(index(calls.size()));
    for (std::size_t k = 0; k < calls.size(); ++k) {
      found[index(k)] = std::log(calls[k]->seconds(fabric).value() / calls[k]->measured_s);
    }
    return found;
  }

  [[nodiscard]] RobustSetup setup(double prior) const {
    RobustSetup setup;
    setup.prior = prior;
    setup.most_steps = 200;
    setup.least.resize(index(parameters.size()));
    setup.most.resize(index(parameters.size()));
    for (std::size_t j = 0; j < parameters.size(); ++j) {
      setup.least[index(j)] = std::log(parameters[j]->least);
      setup.most[index(j)] = std::log(parameters[j]->most);
    }
    return setup;
  }

  [[nodiscard]] RobustFit fit(const RobustSetup& setup) const {
    const Residuals of_places = [this](const std::vector<VectorXd>& places) {
      std::vector<VectorXd> found;
      for (const VectorXd& place : places) {
        found.push_back(residuals(at(place)));
      }
      return found;
    };
    return robust_fit(of_places, start_place(), setup);
  }
};

double loss_of(const RobustFit& fit, const RobustSetup& setup) {
  return ((1 + (fit.residuals / setup.scale).array().square()).sqrt() - 1).sum();
}

// Returns the calls that the start model covers and that are between nodes.
std::vector<const MeasuredCall*> calls_of_fit(const MeasuredCalls& measured,
                                              const NcclFabric& start,
                                              std::optional<std::uint32_t> without_nodes) {
  std::vector<const MeasuredCall*> found;
  for (const MeasuredCall& call : measured.calls) {
    if (call.nodes() != without_nodes && call.seconds(start)) {
      found.push_back(&call);
    }
  }
  return found;
}

// Returns the space whose eager_bytes, a power of two, lets a fit come closest to the measured
// times.
FitSpace with_best_threshold(FitSpace space, double prior) {
  constexpr double kLeast = 512;
  constexpr double kMost = 64 << 10;
  std::optional<double> best;
  double best_bytes = kLeast;
  const RobustSetup setup = space.setup(prior);
  for (double bytes = kLeast; bytes <= kMost; bytes *= 2) {
    space.start.eager_bytes = bytes;
    const double loss = loss_of(space.fit(setup), setup);
    if (!best || loss < *best) {
      best = loss;
      best_bytes = bytes;
    }
  }
  space.start.eager_bytes = best_bytes;
  return space;
}

// The parameters that are not fitted, because no call depends on them.
struct OtherParameters {
  std::vector<const NcclFabricParameter*> unknown;  // no call needs them
  std::vector<const NcclFabricParameter*> kept;     // calls need them: they have their start values
};

// Removes these parameters from the space.
OtherParameters take_others(FitSpace& space) {
  const VectorXd at_start = space.residuals(space.start);
  const VectorXd place = space.start_place();
  OtherParameters others;
  std::vector<const NcclFabricParameter*> unused;
  std::vector<const NcclFabricParameter*> known;
  for (std::size_t j = 0; j < space.parameters.size(); ++j) {
    constexpr double kChange = 1e-2;
    VectorXd moved = place;
    moved[index(j)] += kChange;
    const double most =
        (space.residuals(space.at(moved)) - at_start).lpNorm<Eigen::Infinity>() / kChange;
    (most < kNoSlope ? unused : known).push_back(space.parameters[j]);
  }
  space.parameters = std::move(known);
  unused.push_back(find_nccl_fabric_parameter("eager_bytes"));
  for (const NcclFabricParameter* const each : unused) {
    const double value = std::exchange(space.start.*each->value, NcclFabric::kUnknown);
    const bool needed = std::ranges::any_of(
        space.calls, [&](const MeasuredCall* call) { return !call->seconds(space.start); });
    if (needed) {
      space.start.*each->value = value;
    }
    if (each->value != &NcclFabric::eager_bytes) {
      (needed ? others.kept : others.unknown).push_back(each);
    }
  }
  return others;
}

std::vector<FabricFigure> figures_of(const FitSpace& space, const NcclFabric& start,
                                     const RobustFit& fit) {
  const double width = student_95(fit.freedom);
  std::vector<FabricFigure> figures;
  for (std::size_t j = 0; j < space.parameters.size(); ++j) {
    const NcclFabricParameter& parameter = *space.parameters[j];
    const double value = std::exp(fit.place[index(j)]);
    const double off = std::exp(width * std::sqrt(fit.covariance(index(j), index(j))));
    figures.push_back({&parameter, start.*parameter.value, value,
                       std::max(value / off, parameter.least),
                       std::min(value * off, parameter.most)});
  }
  return figures;
}

FabricUncertainty uncertainty_of(const FitSpace& space, const RobustSetup& setup,
                                 const RobustFit& fit) {
  std::map<std::uint32_t, std::size_t> jobs;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> cells;
  std::vector<std::size_t> job_of;
  std::vector<std::size_t> cell_of;
  for (const MeasuredCall* const call : space.calls) {
    job_of.push_back(jobs.try_emplace(call->nodes(), jobs.size()).first->second);
    cell_of.push_back(cells.try_emplace({call->nodes(), call->bytes}, cells.size()).first->second);
  }
  const FitSpread spread = fit_spread(fit, space.calls.size(), setup, job_of, cell_of);
  FabricUncertainty found;
  found.parameters = space.parameters;
  // A symmetric matrix: the order of its entries by columns is that by rows.
  found.covariance.assign(fit.covariance.data(), fit.covariance.data() + fit.covariance.size());
  found.job_spread = spread.job;
  found.point_spread = spread.point;
  found.jobs = spread.jobs;
  return found;
}

// Returns the sizes for which each way was measured.
std::vector<MeasuredWay> ways_of(const std::vector<const MeasuredCall*>& calls) {
  std::vector<MeasuredWay> ways;
  for (const MeasuredCall* const call : calls) {
    auto of = std::ranges::find_if(ways, [call](const MeasuredWay& way) {
      return way.collective == call->collective && way.algorithm == call->algorithm &&
             way.protocol == call->protocol;
    });
    if (of == ways.end()) {
      of = ways.insert(
          of, {call->collective, call->algorithm, call->protocol, call->bytes, call->bytes});
    }
    of->from_bytes = std::min(of->from_bytes, call->bytes);
    of->to_bytes = std::max(of->to_bytes, call->bytes);
  }
  return ways;
}

// Fits to all calls but those on one number of nodes.
FabricFitResult fit_without(const MeasuredCalls& measured, const NcclFabric& start, double prior,
                            std::optional<std::uint32_t> nodes) {
  FitSpace space{calls_of_fit(measured, start, nodes), start, gradual_parameters()};
  if (space.calls.empty()) {
    throw UserError(
        "no measured time is of a tree or ring between nodes, of allreduce, allgather or "
        "reduce_scatter");
  }
  FabricFitResult result;
  result.error_before = median_error(space.residuals(space.start));
  space = with_best_threshold(std::move(space), prior);
  OtherParameters others = take_others(space);
  result.unknown = std::move(others.unknown);
  result.kept = std::move(others.kept);
  if (space.calls.size() <= space.parameters.size()) {
    throw UserError(fmt::format(
        "{} between nodes cannot determine {}; give more sizes and numbers of nodes",
        counted(space.calls.size(), "measured time"), counted(space.parameters.size(), "figure")));
  }
  const RobustSetup setup = space.setup(prior);
  const RobustFit fit = space.fit(setup);
  if (fit.covariance.size() == 0) {
    throw UserError("the measured times cannot tell the figures apart; give $prior, such as 0.05");
  }
  result.steps = fit.steps;
  result.at_rest = fit.at_rest;
  result.figures = figures_of(space, start, fit);
  FabricFile& file = result.file;
  file.machine = measured.machine;
  file.gpu = measured.gpu;
  file.gpus_per_node = measured.gpus_per_node;
  file.library = measured.library;
  file.measured = ways_of(space.calls);
  std::set<std::uint32_t> numbers;
  for (const MeasuredCall* const call : space.calls) {
    numbers.insert(call->nodes());
  }
  file.nodes.assign(numbers.begin(), numbers.end());
  file.model = space.at(fit.place);
  file.fit.emplace();
  file.fit->points = space.calls.size();
  file.fit->error = median_error(fit.residuals);
  file.fit->uncertainty = uncertainty_of(space, setup, fit);
  for (const FabricFigure& each : result.figures) {
    const std::string name(each.parameter->name);
    file.fit->parameters.push_back({name, each.low, each.high});
    file.sources[name] = fmt::format("fitted to {}", counted(file.fit->points, "measured time"));
  }
  for (const NcclFabricParameter* const each : result.kept) {
    file.sources[std::string(each->name)] = "start value of the fit, not measured";
  }
  return result;
}

// Returns what a model predicts: of ways that it does not cover, the time of NCCL's own model.
std::optional<double> seconds_or_own(const MeasuredCall& call, const NcclFabric& fabric) {
  return call.seconds(fabric).value_or(call.own_s);
}

std::optional<TimeRange> range_of(const MeasuredCall& call, const FabricFile& file) {
  if (!file.fit || !file.fit->uncertainty || !call.seconds(file.model) ||
      !file.was_measured(call.collective, call.algorithm, call.protocol, call.bytes)) {
    return std::nullopt;
  }
  return file.range(kScoredLevel,
                    [&](const NcclFabric& fabric) { return 1e6 * call.seconds(fabric).value(); });
}

FabricScore score_of(std::string what, const MeasuredCalls& measured, const FabricPrediction& of,
                     const std::function<bool(std::size_t)>& counts) {
  FabricScore score;
  score.what = std::move(what);
  double apart = 0;
  double sum = 0;
  std::size_t near = 0;
  std::size_t with_range = 0;
  std::size_t in_range = 0;
  for (std::size_t i = 0; i < measured.calls.size(); ++i) {
    if (!counts(i) || !of.seconds[i]) {
      continue;
    }
    const double measured_s = measured.calls[i].measured_s;
    const double error = std::log(*of.seconds[i] / measured_s);
    ++score.calls;
    apart += std::fabs(error);
    sum += error;
    near += std::fabs(error) <= std::log(kNearCall) ? 1 : 0;
    if (!of.ranges.empty() && of.ranges[i]) {
      ++with_range;
      in_range += of.ranges[i]->holds(measured_s) ? 1 : 0;
    }
  }
  const auto calls = static_cast<double>(std::max<std::size_t>(score.calls, 1));
  score.factor = std::exp(apart / calls);
  score.bias = std::exp(sum / calls);
  score.near = static_cast<double>(near) / calls;
  score.with_range = with_range;
  if (with_range > 0) {
    score.in_range = static_cast<double>(in_range) / static_cast<double>(with_range);
  }
  return score;
}

struct SizeClass {
  std::uint64_t up_to;
  std::string_view what;
};
constexpr std::uint64_t kKib = 1024;
constexpr std::array kSizeClasses{
    SizeClass{4 * kKib - 1, "below 4 KiB"},
    SizeClass{kKib * kKib, "4 KiB to 1 MiB"},
    SizeClass{64 * kKib * kKib, "above 1 MiB, to 64 MiB"},
    SizeClass{std::numeric_limits<std::uint64_t>::max(), "above 64 MiB"},
};

// Predicts each call by a line through six sizes of the same file and number of nodes, which a
// least-squares fit to relative errors makes.
std::vector<std::optional<double>> on_lines(const MeasuredCalls& measured,
                                            const std::vector<char>& counted) {
  constexpr std::size_t kSizes = 6;
  std::vector<std::optional<double>> seconds(measured.calls.size());
  std::map<std::tuple<std::string, std::uint32_t, Collective>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < measured.calls.size(); ++i) {
    if (counted[i]) {
      const MeasuredCall& call = measured.calls[i];
      groups[{call.file, call.nodes(), call.collective}].push_back(i);
    }
  }
  for (auto& [key, group] : groups) {
    std::ranges::sort(group, {}, [&](std::size_t i) { return measured.calls[i].bytes; });
    double w = 0;
    double x = 0;
    double xx = 0;
    double y = 0;
    double xy = 0;
    for (std::size_t k = 0; k < kSizes; ++k) {
      const MeasuredCall& call = measured.calls[group[(group.size() - 1) * k / (kSizes - 1)]];
      const double weight = 1 / (call.measured_s * call.measured_s);
      const auto bytes = static_cast<double>(call.bytes);
      w += weight;
      x += weight * bytes;
      xx += weight * bytes * bytes;
      y += weight * call.measured_s;
      xy += weight * bytes * call.measured_s;
    }
    const double determinant = w * xx - x * x;
    if (group.size() < kSizes || !(determinant > 0)) {
      continue;
    }
    const double beta = (w * xy - x * y) / determinant;
    const double alpha = (y - beta * x) / w;
    for (const std::size_t i : group) {
      const double time = alpha + beta * static_cast<double>(measured.calls[i].bytes);
      seconds[i] = time > 0 ? std::optional(time) : std::nullopt;
    }
  }
  return seconds;
}

// Replaces calls of the same kind by one with the median of their times.
void merge_calls(std::vector<MeasuredCall>& calls, std::vector<std::string>& notes) {
  using Key = std::tuple<std::uint32_t, Collective, NcclAlgorithm, NcclProtocol, std::uint64_t>;
  std::map<Key, std::vector<double>> times;
  std::vector<MeasuredCall> kept;
  for (MeasuredCall& call : calls) {
    std::vector<double>& same = times[{call.model->cluster().ranks, call.collective, call.algorithm,
                                       call.protocol, call.bytes}];
    same.push_back(call.measured_s);
    if (same.size() == 1) {
      kept.push_back(std::move(call));
    }
  }
  for (MeasuredCall& call : kept) {
    call.measured_s = median(times[{call.model->cluster().ranks, call.collective, call.algorithm,
                                    call.protocol, call.bytes}]);
  }
  if (kept.size() < calls.size()) {
    notes.push_back(fmt::format("{} of the same call count once, with their median",
                                counted(calls.size() - kept.size(), "further time")));
  }
  calls = std::move(kept);
}

// Sets the GPU that the output names. Throws UserError if the user names another one, or none is
// known.
void take_gpu(const MeasuredCurve& curve, const std::string& place, NcclOptions& options) {
  const std::string device = gpu_of_device(curve.device);
  if (options.hosts_are_gpus() || options.graph || device.empty()) {
    return;
  }
  if (options.gpu && *options.gpu != device) {
    throw UserError(fmt::format("$gpu '{}': {} is of {}", *options.gpu, place, curve.device));
  }
  options.gpu = device;
}

// Returns why a curve has no calls of NCCL's model; "" if it has.
std::string why_left_out(const MeasuredCurve& curve) {
  if (curve.fault != CurveFault::none) {
    return curve.fault_text;
  }
  const auto modelled = nccl_collectives();
  if (curve.pair || std::ranges::find(modelled, curve.collective) == modelled.end()) {
    return fmt::format("NCCL's model does not cover {}", curve.call());
  }
  return curve.algorithm != nullptr || curve.is_mpi
             ? "it is not of nccl-tests; give outputs of nccl-tests, or points without an algorithm"
             : "";
}

}  // namespace

std::optional<double> MeasuredCall::seconds(const NcclFabric& fabric) const {
  const auto us = nccl_fabric_us(*model, fabric, collective, algorithm, protocol, bytes);
  return us ? std::optional(*us / 1e6) : std::nullopt;
}

MeasuredCalls measured_calls(const std::vector<MeasuredCurve>& curves, const NcclOptions& options,
                             bool release_given, std::vector<std::string>& notes) {
  MeasuredCalls found;
  std::set<std::uint32_t> nodes;
  std::set<std::pair<std::uint32_t, std::string>> machines;
  for (const MeasuredCurve& curve : curves) {
    const std::string place =
        fmt::format("'{}', line {}", shortened(printable(curve.file)), curve.line);
    if (const std::string why = why_left_out(curve); !why.empty()) {
      notes.push_back(fmt::format("{}: left out: {}", place, why));
      continue;
    }
    NcclOptions of_curve = options;
    std::vector<std::string> assumed;
    take_gpu(curve, place, of_curve);
    take_nodes(curve, of_curve, assumed);
    if (!release_given) {
      if (curve.log.release.empty()) {
        throw UserError(fmt::format(
            "{} does not name the release of NCCL; give $library, such as $library=2.23.4", place));
      }
      take_release(curve, of_curve, assumed);
    }
    if (!assumed.empty()) {
      notes.push_back(fmt::format("{}: assumed: {}", place, fmt::join(assumed, "; ")));
    }
    const NcclJob job = of_curve.job(curve.ranks);
    const std::string library = job.cluster.release->title();
    if (!found.library.empty() && library != found.library) {
      throw UserError(fmt::format("{} is of {}, other files are of {}; fit each release by itself",
                                  place, library, found.library));
    }
    found.library = library;
    const auto model = std::make_shared<const NcclModel>(job.cluster);
    std::size_t wrong = 0;
    for (const CurveRow& row : curve.rows) {
      NcclAnswer answer = nccl_answer(job, curve.collective, row.bytes);
      const NcclWay* const way = chosen_way(curve.log, answer);
      if (row.wrong > 0 || way == nullptr || row.bytes == 0) {
        ++wrong;
        continue;
      }
      MeasuredCall& call = found.calls.emplace_back();
      call.file = curve.file;
      call.line = row.line;
      call.model = model;
      call.collective = curve.collective;
      call.algorithm = way->algorithm;
      call.protocol = way->protocol;
      call.bytes = row.bytes;
      call.measured_s = row.in_place_s ? std::sqrt(row.time_s * *row.in_place_s) : row.time_s;
      call.own_s = double{*way->own_us} / 1e6;
    }
    if (wrong > 0) {
      notes.push_back(
          fmt::format("{}: left out {} with wrong results, without bytes, or that NCCL's "
                      "model cannot run",
                      place, counted(wrong, "row")));
    }
    nodes.insert(job.cluster.nodes);
    machines.insert({job.gpus_per_node, job.gpu});
  }
  merge_calls(found.calls, notes);
  found.nodes.assign(nodes.begin(), nodes.end());
  if (found.calls.empty()) {
    throw UserError("no measured time is of a call that NCCL's model covers" +
                    (notes.empty() ? "" : "; " + notes.back()));
  }
  found.machine = "nodes of several kinds";
  if (machines.size() == 1) {
    std::tie(found.gpus_per_node, found.gpu) = *machines.begin();
    found.machine = fmt::format("nodes of {} {}", found.gpus_per_node, found.gpu);
  }
  return found;
}

std::vector<char> between_nodes(const MeasuredCalls& measured) {
  std::vector<char> found;
  for (const MeasuredCall& call : measured.calls) {
    found.push_back(call.nodes() > 1 ? 1 : 0);
  }
  return found;
}

FabricPrediction scored(std::string model, const MeasuredCalls& measured,
                        std::vector<std::optional<double>> seconds,
                        std::vector<std::optional<TimeRange>> ranges,
                        const std::vector<char>& counted) {
  FabricPrediction of{std::move(model), std::move(seconds), std::move(ranges), {}};
  const auto add = [&](std::string what, auto&& counts) {
    FabricScore score = score_of(std::move(what), measured, of,
                                 [&](std::size_t i) { return counted[i] && counts(i); });
    if (score.calls > 0) {
      of.scores.push_back(std::move(score));
    }
  };
  for (const std::uint32_t nodes : measured.nodes) {
    add(tutti::counted(nodes, "node"),
        [&](std::size_t i) { return measured.calls[i].nodes() == nodes; });
  }
  std::uint64_t from = 0;
  for (const SizeClass& size : kSizeClasses) {
    add(std::string(size.what), [&](std::size_t i) {
      return measured.calls[i].bytes >= from && measured.calls[i].bytes <= size.up_to;
    });
    from = size.up_to + 1;
  }
  add("all", [](std::size_t) { return true; });
  return of;
}

std::vector<FabricPrediction> fabric_predictions(const MeasuredCalls& measured,
                                                 const FabricFile* file) {
  const std::vector<char> counted = between_nodes(measured);
  std::vector<std::optional<double>> own;
  std::vector<std::optional<double>> by_file;
  std::vector<std::optional<TimeRange>> ranges;
  for (const MeasuredCall& call : measured.calls) {
    own.emplace_back(call.own_s);
    if (file != nullptr) {
      by_file.push_back(seconds_or_own(call, file->model));
      ranges.push_back(range_of(call, *file));
    }
  }
  std::vector<FabricPrediction> found;
  found.push_back(scored("NCCL's model", measured, std::move(own), {}, counted));
  found.push_back(
      scored("a line through six sizes", measured, on_lines(measured, counted), {}, counted));
  if (file != nullptr) {
    found.push_back(
        scored("these figures", measured, std::move(by_file), std::move(ranges), counted));
  }
  return found;
}

FabricFitResult fit_fabric(const MeasuredCalls& measured, const NcclFabric& start, double prior) {
  FabricFitResult result = fit_without(measured, start, prior, std::nullopt);
  const std::vector<char> counted = between_nodes(measured);
  if (result.file.nodes.size() < kFewestJobs) {
    return result;
  }
  std::vector<std::optional<double>> seconds(measured.calls.size());
  std::vector<std::optional<TimeRange>> ranges(measured.calls.size());
  for (const std::uint32_t nodes : result.file.nodes) {
    try {
      const FabricFile without = fit_without(measured, start, prior, nodes).file;
      for (std::size_t i = 0; i < measured.calls.size(); ++i) {
        if (measured.calls[i].nodes() == nodes) {
          seconds[i] = seconds_or_own(measured.calls[i], without.model);
          ranges[i] = range_of(measured.calls[i], without);
        }
      }
    } catch (const UserError&) {
      result.not_left_out.push_back(nodes);
    }
  }
  result.left_out = scored("a fit to the other numbers of nodes", measured, std::move(seconds),
                           std::move(ranges), counted);
  return result;
}

}}  // namespace tutti::experiments
