#include "tutti/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cost_models/published.hpp"
#include "src/public_api/inside.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/problem_options.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti::v1 {

namespace {

// Largest plausible latency, bandwidth, speed or time per byte. The smallest plausible value, apart
// from 0, is 1 / kLargest.
constexpr double kLargest = 1e24;

void check_number(const char* what, double value, bool may_be_zero) {
  const bool fits = value >= 1 / kLargest && value <= kLargest;
  if (!(fits || (may_be_zero && value == 0))) {
    throw UserError(fmt::format("Machine::{} {}: must be {}", what, value,
                                may_be_zero ? "0, or from 1e-24 to 1e24" : "from 1e-24 to 1e24"));
  }
}

void check_numbers(const v1::Machine& machine) {
  if (machine.platform.empty()) {
    check_number("latency_s", machine.latency_s, true);
    check_number("bandwidth_bytes_per_s", machine.bandwidth_bytes_per_s, false);
    check_number("speed_flops_per_s", machine.speed_flops_per_s, false);
  }
  check_number("alpha_s", machine.alpha_s.value_or(0), true);
  check_number("beta_s_per_byte", machine.beta_s_per_byte.value_or(0), true);
  check_number("gamma_s_per_byte", machine.gamma_s_per_byte.value_or(0), true);
  check_number("copy_s_per_byte", machine.copy_s_per_byte, true);
  if (machine.ranks_per_host == 0) {
    throw UserError("Machine::ranks_per_host 0: must be at least 1");
  }
}

}  // namespace

OpenedMachine inner(const v1::Machine& machine) {
  check_numbers(machine);
  OpenedMachine inside;
  MachineSpec& spec = inside.spec;
  if (machine.engine != "auto" && find_engine(machine.engine) == nullptr) {
    throw UserError(
        fmt::format("Machine::engine '{}': expected auto, {}", machine.engine, engine_names()));
  }
  spec.engine = machine.engine;
  spec.source = {machine.platform,
                 {1, machine.latency_s, machine.bandwidth_bytes_per_s, machine.speed_flops_per_s}};
  spec.ports = machine.ports;
  if (machine.eager_bytes) {
    spec.eager_bytes = std::min(*machine.eager_bytes, kMaxMessageBytes);
  }
  spec.prices = {machine.alpha_s, machine.beta_s_per_byte, machine.gamma_s_per_byte};
  spec.copy.s_per_byte = machine.copy_s_per_byte;
  spec.placement = static_cast<tutti::Placement>(machine.placement);
  if (!machine.host_of_rank.empty()) {
    if (spec.placement != tutti::Placement::block || machine.ranks_per_host != 1) {
      throw UserError(
          "Machine::host_of_rank: this list already places each rank; leave placement and "
          "ranks_per_host at their defaults");
    }
    spec.hosts = SharedHosts(new NamedHosts{.option = "Machine::host_of_rank",
                                            .from = "Machine::host_of_rank",
                                            .file = "",
                                            .by_rank = true,
                                            .names = machine.host_of_rank,
                                            .lines = {}});
  }
  open_platform(spec, inside.files);
  return inside;
}

OpenMachine::OpenMachine(const v1::Machine& machine)
    : inside_(guarded([&] {
        return std::make_shared<const Inside>(inner(machine), machine.ranks_per_host);
      })) {}

OpenMachine::OpenMachine(const std::vector<std::string>& options)
    : inside_(guarded([&] {
        Command command("tutti simulate", "");
        MachineOptions machine;
        machine.add_to(command, true);
        machine.what_if.add_to(command, true);
        ProblemOptions problem;
        problem.add_ranks_per_host(OptionGroup(command, "Problem"));
        parse_options(command, options);
        KeptMessages messages;
        Inside inside{machine.open(messages), problem.ranks_per_host_count()};
        for (const tutti::Message& each : messages.all()) {
          inside.warnings.push_back(line_of(each, tutti::FieldNames::arguments));
        }
        return std::make_shared<const Inside>(std::move(inside));
      })) {}

const std::vector<std::string>& OpenMachine::warnings() const { return inside_->warnings; }

Run simulate(const v1::Schedule& schedule, const v1::Machine& machine) {
  return simulate(schedule, OpenMachine(machine));
}

Run simulate(const v1::Schedule& schedule, const OpenMachine& machine) {
  return guarded([&] {
    const tutti::Schedule& inside = schedule.inside().schedule;
    const tutti::Problem& problem = inside.problem();
    const OpenMachine::Inside& opened = machine.inside();
    tutti::Machine on =
        opened.opened.machine(problem.ranks, opened.ranks_per_host, problem.element_bytes);
    on.setup.ties = default_tie_probe(on);
    EngineRun done = run_engine(inside, on);
    const Prices& prices = done.machine.prices;
    Run run;
    run.total_s = done.timeline.total_s;
    run.start_s = std::move(done.timeline.start_s);
    run.end_s = std::move(done.timeline.end_s);
    run.engine = on.engine->name;
    if (const TieRange& ties = done.ties; ties.runs > 0) {
      run.ties = {ties.runs, ties.least_s, ties.median_s, ties.most_s,
                  ranged_time(run.total_s, ties).ties_matter()};
    }
    run.alpha_s = prices.alpha_s;
    run.beta_s_per_byte = prices.beta_s_per_byte;
    run.gamma_s_per_byte = prices.gamma_s_per_byte;
    if (const tutti::Algorithm* algorithm = schedule.inside().registered) {
      run.exact_s =
          algorithm->exact_s != nullptr ? algorithm->exact_s(problem, prices) : std::nullopt;
      for (const PublishedCost& cost : published_costs(*algorithm, problem, prices)) {
        if (!cost.misprint()) {
          run.published.push_back(
              {std::string(cost.formula), std::string(cost.citation), cost.seconds});
        }
      }
    }
    return run;
  });
}

}  // namespace tutti::v1
