#include "src/simulation/model_uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/simulation/library_work.hpp"
#include "src/simulation/message_setup.hpp"
#include "src/simulation/switch_places.hpp"

namespace tutti { inline namespace simulation {

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

MovedModels moved_models(const MessageModel& model, const ModelUncertainty& uncertainty) {
  const std::size_t size = uncertainty.parameters.size();
  const std::vector<double> root = root_of(uncertainty.covariance, size);
  TUTTI_INVARIANT(root.size() == size * size);
  MovedModels found{{std::make_shared<const MessageModel>(model)}, {0}};
  for (std::size_t j = 0; j < size; ++j) {
    const auto value = [&](std::size_t i, double by) {
      return model.*uncertainty.parameters[i]->value * std::exp(by * root[i * size + j]);
    };
    double by = uncertainty.parameters[j]->unit == "B/s" ? -kMove : kMove;
    for (std::size_t i = j; i < size; ++i) {
      const MessageParameter& parameter = *uncertainty.parameters[i];
      if (const double there = value(i, by); there > parameter.most || there < parameter.least) {
        by = -by;
        break;
      }
    }
    MessageModel moved = model;
    for (std::size_t i = j; i < size; ++i) {
      const MessageParameter& parameter = *uncertainty.parameters[i];
      moved.*parameter.value = std::clamp(value(i, by), parameter.least, parameter.most);
    }
    found.models.push_back(std::make_shared<const MessageModel>(moved));
    found.by.push_back(by);
  }
  return found;
}

const ModelUncertainty& uncertainty_of(const Machine& machine) {
  if (!machine.files.messages) {
    throw UserError(
        "$sure: needs a message model whose uncertainty is known; give $parameters with a file "
        "that "
        "'tutti fit -o' wrote");
  }
  if (!machine.files.uncertainty) {
    throw UserError(fmt::format(
        "$parameters '{}': does not state how uncertain its parameters are, which $sure needs; "
        "write it with 'tutti fit -o'",
        printable(machine.spec.parameters)));
  }
  return *machine.files.uncertainty;
}

std::vector<double> times_with(const MessageModels& models, const Case& what,
                               std::optional<double> first_s) {
  const auto other = as_run_by(what.machine->files.library, *what.algorithm, what.problem);
  const Schedule schedule =
      make_schedule(other ? *other->algorithm : *what.algorithm,
                    other ? other->problem : what.problem, Detail::times_only);
  Machine machine = *what.machine;
  machine.library_work = library_work(machine.files.library, what.problem, what.algorithm->name);
  machine.record.message_ends = false;
  check_switches(schedule, machine);
  const ParametersInUse parameters(schedule, machine);
  std::vector<ModelInRun> known;
  std::vector<double> times;
  for (const auto& model : models) {
    machine.files.messages = model;
    known.push_back(parameters.model_of(machine));
    const auto same = std::ranges::find(known, known.back()) - known.begin();
    if (same < std::ssize(times)) {
      times.push_back(times[static_cast<std::size_t>(same)]);
    } else if (times.empty() && first_s) {
      times.push_back(*first_s);
    } else {
      const EngineRun run = engine_of(machine).run(schedule, machine);
      times.push_back(run.call_s.value_or(run.timeline.total_s));
    }
  }
  return times;
}

UncertainTime uncertain_time(const MovedModels& moved, const Case& what,
                             std::optional<double> fitted_s) {
  const std::vector<double> times = times_with(moved.models, what, fitted_s);
  UncertainTime found{times.front(), {}};
  for (std::size_t i = 1; i < times.size(); ++i) {
    found.changes.push_back((log_s(times[i]) - log_s(times.front())) / moved.by[i]);
  }
  return found;
}

}}  // namespace tutti::simulation
