#include "src/experiments/fit/fabric_plan.hpp"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/text_words.hpp"
#include "src/experiments/doctor/measured_job.hpp"
#include "src/experiments/fit/parameter_space.hpp"
#include "src/experiments/fit/plan.hpp"
#include "src/experiments/fit/robust_fit.hpp"

namespace tutti { inline namespace experiments {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// nccl-tests calls each size 20 times, out of place and in place, and twice more each to warm up
// and to check the result.
constexpr double kCallsOfSize = 44;
constexpr double kShareToFit = 2.0 / 3;

// A run that may be chosen, with the derivatives of the logarithms of its times.
struct Candidate {
  FabricRun run;
  std::vector<VectorXd> slopes;  // one for each size
};

std::vector<std::uint64_t> planned_sizes() {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t bytes = kFirstPlannedSize; bytes <= kLastPlannedSize;
       bytes *= kPlannedFactor) {
    sizes.push_back(bytes);
  }
  return sizes;
}

// Returns the slopes of a call with respect to all parameters; zeros where the start model does not
// know the parameter.
VectorXd slopes_of(const NcclModel& model, const NcclFabric& start, NcclAlgorithm algorithm,
                   NcclProtocol protocol, std::uint64_t bytes) {
  constexpr double kChange = 1e-3;
  const auto all = nccl_fabric_parameters();
  const auto us = [&](const NcclFabric& fabric) {
    return nccl_fabric_us(model, fabric, Collective::allreduce, algorithm, protocol, bytes).value();
  };
  VectorXd slopes = VectorXd::Zero(index(all.size()));
  const double there = us(start);
  for (std::size_t j = 0; j < all.size(); ++j) {
    if (all[j].value == &NcclFabric::eager_bytes) {
      continue;
    }
    NcclFabric changed = start;
    changed.*all[j].value *= 1 + kChange;
    slopes[index(j)] = std::log(us(changed) / there) / std::log1p(kChange);
  }
  return slopes;
}

double seconds_of_size(double us) { return kCallsOfSize * us / 1e6; }

// Returns the candidates on a number of ranks, and a run that checks the fit there.
std::vector<Candidate> candidates_on(const NcclOptions& options, const NcclFabric& start,
                                     std::uint32_t ranks, FabricRun& check) {
  const NcclJob job = options.job(ranks);
  const NcclModel model(job.cluster);
  const std::vector<std::uint64_t> sizes = planned_sizes();
  // The trays of a rack with one NVLink domain are hosts of 4 GPUs.
  constexpr std::uint32_t kGpusOfTray = 4;
  const std::uint32_t of_node = job.cluster.largest_node();
  const std::uint32_t of_host = of_node > kMostGpusOfHost ? kGpusOfTray : of_node;
  check = {job.cluster.nodes, (ranks + of_host - 1) / of_host, ranks, "", "", kNcclStartUpS, {}};
  for (const std::uint64_t bytes : sizes) {
    if (const auto choice = model.choose(Collective::allreduce, bytes)) {
      check.run_s += seconds_of_size(nccl_fabric_us(model, start, Collective::allreduce,
                                                    choice->algorithm, choice->protocol, bytes)
                                         .value_or(double{choice->time_us}));
    }
  }
  std::vector<Candidate> found;
  for (const NcclAlgorithm algorithm : {NcclAlgorithm::tree, NcclAlgorithm::ring}) {
    for (const NcclProtocol protocol :
         {NcclProtocol::ll, NcclProtocol::ll128, NcclProtocol::simple}) {
      Candidate candidate;
      candidate.run = check;
      candidate.run.algorithm = upper_case(name(algorithm));
      candidate.run.protocol = upper_case(name(protocol));
      candidate.run.run_s = kNcclStartUpS;
      for (const std::uint64_t bytes : sizes) {
        if (const auto us =
                nccl_fabric_us(model, start, Collective::allreduce, algorithm, protocol, bytes)) {
          candidate.run.run_s += seconds_of_size(*us);
          candidate.slopes.push_back(slopes_of(model, start, algorithm, protocol, bytes));
        }
      }
      if (!candidate.slopes.empty()) {
        found.push_back(std::move(candidate));
      }
    }
  }
  return found;
}

MatrixXd after(MatrixXd covariance, const Candidate& candidate) {
  for (const VectorXd& slopes : candidate.slopes) {
    add_point(covariance, slopes);
  }
  return covariance;
}

double log_determinant(const MatrixXd& covariance) {
  const MatrixXd lower = Eigen::LLT<MatrixXd>(covariance).matrixL();
  return 2 * lower.diagonal().array().log().sum();
}

// Returns the parameters whose variances fall most: the first, and the second if it falls at least
// half as much.
std::vector<const NcclFabricParameter*> narrowed_most(const MatrixXd& before,
                                                      const MatrixXd& later) {
  const VectorXd falls = (before.diagonal().array() / later.diagonal().array()).log();
  std::vector<Eigen::Index> order(static_cast<std::size_t>(falls.size()));
  for (std::size_t j = 0; j < order.size(); ++j) {
    order[j] = index(j);
  }
  std::ranges::stable_sort(order, std::greater{}, [&](Eigen::Index j) { return falls[j]; });
  const auto all = nccl_fabric_parameters();
  std::vector<const NcclFabricParameter*> found{&all[static_cast<std::size_t>(order[0])]};
  if (falls[order[1]] > falls[order[0]] / 2) {
    found.push_back(&all[static_cast<std::size_t>(order[1])]);
  }
  return found;
}

}  // namespace

FabricPlan plan_fabric(const NcclOptions& options, const NcclFabric& start, std::uint32_t ranks,
                       double most_s) {
  const NcclJob whole = options.job(ranks);
  if (whole.cluster.nodes < 2) {
    throw UserError(
        fmt::format("$ranks '{}': {} are a single node, within which NCCL's own model "
                    "is used; give more",
                    ranks, counted(ranks, "GPU")));
  }
  const std::uint32_t of_node = whole.gpus_per_node;
  if (ranks % of_node != 0) {
    throw UserError(
        fmt::format("$ranks '{}': gives a node fewer GPUs than others; give a multiple "
                    "of {}, such as {}",
                    ranks, of_node, (ranks + of_node - 1) / of_node * of_node));
  }
  std::vector<Candidate> candidates;
  std::vector<FabricRun> checks;
  for (std::uint32_t nodes = 2;; nodes *= 2) {
    nodes = std::min(nodes, whole.cluster.nodes);
    std::ranges::move(
        candidates_on(options, start, std::min(nodes * of_node, ranks), checks.emplace_back()),
        std::back_inserter(candidates));
    if (nodes == whole.cluster.nodes) {
      break;
    }
  }
  if (candidates.empty()) {
    throw UserError("$plan: no figure depends on trees or rings between nodes of this machine");
  }
  const Eigen::Index size = candidates.front().slopes.front().size();
  const double before = std::log(kUnknownFactor);
  MatrixXd covariance = MatrixXd::Identity(size, size) * (before * before);
  FabricPlan plan;
  while (!candidates.empty()) {
    const double now = log_determinant(covariance);
    const auto gain = [&](const Candidate& each) {
      return plan.run_s + each.run.run_s > kShareToFit * most_s
                 ? 0
                 : (now - log_determinant(after(covariance, each))) / each.run.run_s;
    };
    const auto best = std::ranges::max_element(candidates, {}, gain);
    constexpr double kWorth = 1e-3;  // per second
    if (gain(*best) < kWorth) {
      break;
    }
    const MatrixXd later = after(covariance, *best);
    best->run.determines = narrowed_most(covariance, later);
    covariance = later;
    plan.run_s += best->run.run_s;
    plan.runs.push_back(best->run);
    candidates.erase(best);
  }
  // Checks on the most nodes first: there, figures may be extrapolated most.
  std::ranges::reverse(checks);
  bool has_check = false;
  for (const FabricRun& check : checks) {
    if (plan.run_s + check.run_s <= most_s) {
      plan.run_s += check.run_s;
      plan.runs.push_back(check);
      has_check = true;
    }
  }
  if (plan.runs.empty() || plan.runs.front().is_check() || !has_check) {
    throw UserError(fmt::format(
        "$plan: {} does not suffice for a run to fit and a run to check; a run takes {} to start",
        human_time(most_s), human_time(kNcclStartUpS)));
  }
  const auto all = nccl_fabric_parameters();
  for (std::size_t j = 0; j < all.size(); ++j) {
    const double sigma = std::sqrt(covariance(index(j), index(j)));
    if (sigma < before * (1 - kNoSlope)) {
      constexpr double k95 = 1.96;
      const double value = start.*all[j].value;
      plan.figures.push_back(
          {&all[j], value, value, value * std::exp(-k95 * sigma), value * std::exp(k95 * sigma)});
    }
  }
  return plan;
}

}}  // namespace tutti::experiments
