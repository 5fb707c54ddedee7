#include "tutti/schedule.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "schedules/notation/parse.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/registry.hpp"
#include "src/public_api/inside.hpp"
#include "src/requests/problem_options.hpp"
#include "src/requests/simulation_input.hpp"

namespace tutti::v1 {

Schedule::Schedule(std::string_view algorithm, const v1::Problem& problem)
    : inside_(guarded([&] {
        const tutti::Algorithm& known = algorithm_named(algorithm);
        return std::make_shared<const Inside>(known.full_name(), &known, problem,
                                              make_schedule(known, inner(problem, known)));
      })) {}

Schedule::Schedule(const std::string& algorithm_or_file, const std::vector<std::string>& options,
                   const OpenMachine& machine)
    : inside_(guarded([&] {
        Command command("tutti simulate", "");
        ProblemOptions problem;
        problem.add_to(command, Values::one);
        command.remove_option("--ranks-per-host");
        parse_options(command, options);
        const OpenMachine::Inside& on = machine.inside();
        problem.ranks_per_host = {{on.ranks_per_host}, fmt::format("{}", on.ranks_per_host)};
        SimulationInput subject = simulation_input(algorithm_or_file, problem, on.opened, false);
        const tutti::Algorithm& algorithm = *subject.algorithm;
        const bool registered = !subject.file && !subject.program;
        return std::make_shared<const Inside>(
            algorithm.full_name(), registered ? &algorithm : nullptr,
            outer(subject.problem, algorithm),
            subject.file ? std::move(subject.file->schedule)
                         : make_schedule(algorithm, subject.problem));
      })) {}

Schedule Schedule::from_notation(std::string_view text) {
  return guarded([&] {
    ParsedSchedule parsed = parse_notation(std::string(text), "the text");
    tutti::Algorithm written{};
    written.collective = parsed.schedule.problem().collective;
    written.name = parsed.algorithm;
    const v1::Problem problem = outer(parsed.schedule.problem(), written);
    return Schedule(std::make_shared<const Inside>(written.full_name(), nullptr, problem,
                                                   std::move(parsed.schedule)));
  });
}

const std::string& Schedule::algorithm() const { return inside_->algorithm; }
bool Schedule::registered() const { return inside_->registered != nullptr; }
const v1::Problem& Schedule::problem() const { return inside_->problem; }
std::uint32_t Schedule::size() const { return inside_->schedule.size(); }
std::uint32_t Schedule::switches() const { return inside_->schedule.switches(); }

Operation Schedule::operation(std::uint32_t id) const {
  const Op& op = inside_->schedule.op(id);
  return {static_cast<OperationKind>(op.kind()),
          op.src(),
          op.dst(),
          op.bytes(),
          op.label().level,
          op.label().segment};
}
static_assert(static_cast<int>(OperationKind::comm) == static_cast<int>(OpKind::comm) &&
              static_cast<int>(OperationKind::reduce) == static_cast<int>(OpKind::reduce) &&
              static_cast<int>(OperationKind::copy) == static_cast<int>(OpKind::copy));

std::span<const std::uint32_t> Schedule::predecessors(std::uint32_t id) const {
  return inside_->lists().predecessors.row(id).listed();
}
std::span<const std::uint32_t> Schedule::successors(std::uint32_t id) const {
  return inside_->lists().successors.row(id).listed();
}

std::uint64_t Schedule::messages() const { return inside_->schedule.messages(); }
std::uint64_t Schedule::bytes_sent() const { return inside_->schedule.bytes_sent(); }
std::uint64_t Schedule::bytes_reduced() const { return inside_->schedule.bytes_reduced(); }
std::uint32_t Schedule::rounds() const { return inside_->schedule.rounds(); }
std::size_t Schedule::dependencies() const { return inside_->schedule.dependencies(); }

std::string Schedule::notation() const {
  std::ostringstream text;
  const std::string& full_name = inside_->algorithm;
  print_notation(inside_->schedule, std::string_view(full_name).substr(full_name.find('/') + 1),
                 text);
  return std::move(text).str();
}

}  // namespace tutti::v1
