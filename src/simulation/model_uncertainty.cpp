#include "src/simulation/model_uncertainty.hpp"

#include <boost/math/special_functions/erf.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/simulation/library_work.hpp"

namespace tutti::inline simulation {

namespace {

constexpr std::size_t kPairs = kDraws / 2;

// Returns one value of a standard normal distribution for each half of the draws: the middles, by
// probability, of the upper kPairs of kDraws strata, scaled so that the variance is 1.
std::vector<double> normal_strata() {
  // Only double: tables of long double would be computed whenever any command starts.
  using namespace boost::math::policies;  // NOLINT(google-build-using-namespace)
  std::vector<double> values;
  double squares = 0;
  for (std::size_t i = 0; i < kPairs; ++i) {
    const double share = (static_cast<double>(i) + 0.5) / kPairs;  // of |z|
    values.push_back(std::sqrt(2.0) * boost::math::erf_inv(share, policy<promote_double<false>>()));
    squares += values.back() * values.back();
  }
  for (double& value : values) {
    value /= std::sqrt(squares / kPairs);
  }
  return values;
}

}  // namespace

double ModelUncertainty::spread() const { return std::hypot(job_spread, point_spread); }

std::vector<double> root_of(const std::vector<double>& covariance, std::size_t size) {
  constexpr double kRounding = 1e-9;  // relative to the diagonal
  if (covariance.size() != size * size) {
    return {};
  }
  std::vector<double> root(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double scale =
          std::sqrt(std::fabs(covariance[i * size + i] * covariance[j * size + j]));
      if (!(std::fabs(covariance[i * size + j] - covariance[j * size + i]) <= kRounding * scale)) {
        return {};
      }
      double rest = covariance[i * size + j];
      for (std::size_t k = 0; k < j; ++k) {
        rest -= root[i * size + k] * root[j * size + k];
      }
      if (i == j) {
        if (!(rest >= -kRounding * scale)) {
          return {};
        }
        root[i * size + i] = rest > kRounding * scale ? std::sqrt(rest) : 0;
      } else if (root[j * size + j] > 0) {
        root[i * size + j] = rest / root[j * size + j];
      } else if (!(std::fabs(rest) <= std::sqrt(kRounding) * scale)) {
        return {};
      }
    }
  }
  return root;
}

MessageModels drawn_models(const MessageModel& model, const ModelUncertainty& uncertainty) {
  const std::size_t size = uncertainty.parameters.size();
  const std::vector<double> root = root_of(uncertainty.covariance, size);
  TUTTI_INVARIANT(root.size() == size * size);
  const std::vector<double> strata = normal_strata();
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same draws in every run
  std::vector<std::vector<double>> draws(kPairs, std::vector<double>(size));
  for (std::size_t j = 0; j < size; ++j) {
    std::vector<std::size_t> order(kPairs);
    for (std::size_t i = 0; i < kPairs; ++i) {
      order[i] = i;
      std::swap(order[i], order[random() % (i + 1)]);
    }
    for (std::size_t i = 0; i < kPairs; ++i) {
      draws[i][j] = strata[order[i]] * (random() % 2 == 0 ? 1 : -1);
    }
  }
  MessageModels models;
  for (const std::vector<double>& draw : draws) {
    for (const double side : {1.0, -1.0}) {
      MessageModel drawn = model;
      for (std::size_t i = 0; i < size; ++i) {
        double by = 0;
        for (std::size_t j = 0; j <= i; ++j) {
          by += root[i * size + j] * draw[j];
        }
        const MessageParameter& parameter = *uncertainty.parameters[i];
        drawn.*parameter.value = std::clamp(model.*parameter.value * std::exp(side * by),
                                            parameter.least, parameter.most);
      }
      models.push_back(std::make_shared<const MessageModel>(drawn));
    }
  }
  return models;
}

const ModelUncertainty& uncertainty_of(const Machine& machine) {
  if (!machine.files.messages) {
    throw UserError(
        "$sure: needs a message model whose uncertainty is known; name a file that 'tutti fit -o' "
        "wrote with $parameters");
  }
  if (!machine.files.uncertainty) {
    throw UserError(fmt::format(
        "$parameters '{}': does not state how uncertain its parameters are, which $sure needs; "
        "write it with 'tutti fit -o'",
        printable(machine.spec.parameters)));
  }
  return *machine.files.uncertainty;
}

std::vector<double> times_with(const MessageModels& models, const Case& what) {
  const auto other = as_run_by(what.machine->files.library, *what.algorithm, what.problem);
  const Schedule schedule =
      make_schedule(other ? *other->algorithm : *what.algorithm,
                    other ? other->problem : what.problem, Detail::times_only);
  Machine machine = *what.machine;
  machine.library_work = library_work(machine.files.library, what.problem, what.algorithm->name);
  std::vector<double> times;
  for (const auto& model : models) {
    machine.files.messages = model;
    const EngineRun run = engine_of(machine).run(schedule, machine);
    times.push_back(run.call_s.value_or(run.timeline.total_s));
  }
  return times;
}

}  // namespace tutti::inline simulation
