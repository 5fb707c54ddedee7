#include "src/requests/simulation_input.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/messages.hpp"
#include "base/printable.hpp"
#include "schedules/registry.hpp"
#include "src/formats/run_watch.hpp"
#include "src/requests/written_schedules.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/rank_groups.hpp"

namespace tutti { inline namespace requests {

namespace {

bool is_file(const SimulationInput& subject) { return subject.file || subject.program; }

// Returns the input without its problem and machine. `text` is collective/algorithm, or the path of
// a file. If `collective` is given, `text` may also be the name of an algorithm without its
// collective.
SimulationInput named(const std::string& text, const ProblemOptions& problem, bool no_verify,
                      std::optional<Collective> collective = std::nullopt) {
  SimulationInput subject;
  subject.text = text;
  if (means_file(text)) {
    auto read = read_notation_file(text, problem);
    subject.file = std::move(read.schedule);
    subject.program = std::move(read.program);
  }
  subject.algorithm = subject.file                                ? &subject.file->algorithm
                      : subject.program                           ? &subject.program->algorithm
                      : collective && text.find('/') == text.npos ? &algorithm_of(*collective, text)
                                                                  : &algorithm_named(text);
  subject.unverified = no_verify && is_file(subject);
  if (subject.unverified && subject.program) {
    subject.program->program.leave_unverified();
  }
  return subject;
}

void refuse_unneeded_no_verify(const SimulationInput& subject) {
  throw UserError(
      fmt::format("$no_verify: '{}' is not a file, and only files are proved before they run; "
                  "leave $no_verify out",
                  subject.text));
}

void place(SimulationInput& subject, const ProblemOptions& problem, const OpenedMachine& machine) {
  subject.machine = machine_for(subject.problem, problem.ranks_per_host_count(), machine);
  if (subject.file) {
    return;
  }
  place_groups(subject.machine, subject.problem);
  if (takes(*subject.algorithm, Option::segment)) {
    subject.best = take_best_segment(problem, *subject.algorithm, subject.machine, subject.problem);
  }
  check(*subject.algorithm, subject.problem);
}

// Returns a copy without the options of algorithms and programs, which do not apply to a schedule
// in a file.
ProblemOptions for_file(const ProblemOptions& problem) {
  ProblemOptions left = problem;
  left.own = {};
  left.block_skew.reset();
  left.pair_sizes.reset();
  left.limit.reset();
  left.set.clear();
  return left;
}

}  // namespace

Machine machine_for(const Problem& problem, std::uint32_t ranks_per_host,
                    const OpenedMachine& machine) {
  if (problem.collective != Collective::application) {
    return machine.machine(problem.ranks, ranks_per_host, problem.element_bytes);
  }
  if (machine.spec.prices.gamma_s_per_byte) {
    throw UserError(
        fmt::format("$gamma '{} ns': an application gives the times of its calculations; leave "
                    "$gamma out",
                    *machine.spec.prices.gamma_s_per_byte * 1e9));
  }
  constexpr double kNanosecond = 1e-9;
  OpenedMachine with_times = machine;
  with_times.spec.prices.gamma_s_per_byte = kNanosecond;
  return with_times.machine(problem.ranks, ranks_per_host, problem.element_bytes);
}

SimulationInput simulation_input(const std::string& text, const ProblemOptions& problem,
                                 const OpenedMachine& machine, bool no_verify) {
  SimulationInput subject = named(text, problem, no_verify);
  if (no_verify && !is_file(subject)) {
    refuse_unneeded_no_verify(subject);
  }
  if (subject.file && subject.file->serves_any_size && !problem.bytes) {
    throw UserError("the size is missing; give $bytes, such as 1MiB");
  }
  subject.problem = subject.file ? problem_of(*subject.file, problem)
                                 : parse_problem(problem, *subject.algorithm, true);
  place(subject, problem, machine);
  return subject;
}

std::array<SimulationInput, 2> simulation_inputs(const std::array<std::string, 2>& texts,
                                                 const ProblemOptions& problem,
                                                 const OpenedMachine& machine, bool no_verify) {
  std::array<SimulationInput, 2> subjects{named(texts[0], problem, no_verify), {}};
  subjects[1] = named(texts[1], problem, no_verify, subjects[0].algorithm->collective);
  if (no_verify && !is_file(subjects[0]) && !is_file(subjects[1])) {
    refuse_unneeded_no_verify(subjects[0]);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    SimulationInput& own = subjects[i];
    const SimulationInput& other = subjects[1 - i];
    ProblemOptions without_file = problem;
    if (other.file) {
      without_file.collective.reset();
      take_problem(other.file->schedule.problem(), other.file->serves_any_size, without_file);
    }
    own.problem = own.file     ? problem_of(*own.file, other.file ? problem : for_file(problem))
                      : other.file ? parse_problem(without_file, *own.algorithm, true)
                               : parse_problem_beside(problem, *own.algorithm, *other.algorithm);
    place(own, problem, machine);
  }
  return subjects;
}

void show_single_ranks(Machine& machine, std::string_view option) {
  if (machine.spec.symmetry == SymmetryUse::on) {
    throw UserError(
        fmt::format("$symmetry=on: one rank cannot represent others, because {} shows every rank; "
                    "leave $symmetry out",
                    option));
  }
  machine.spec.symmetry = SymmetryUse::off;
}

bool proved(const SimulationInput& subject, Messages& messages) {
  if (subject.file) {
    for (const std::string& note : subject.file->notes) {
      messages.warning(fmt::format("'{}': {}", printable(subject.text), note));
    }
  }
  if (subject.unverified || !is_file(subject)) {
    return true;
  }
  const Verdict verdict = [&] {
    const RunWatch watch("proving", messages);
    return subject.file ? prove(*subject.file)
                        : prove(make_schedule(*subject.algorithm, subject.problem), subject.text);
  }();
  return proved_or_explained(verdict, subject.text, messages);
}

std::optional<BestSegment> take_best_segment(const ProblemOptions& given,
                                             const Algorithm& algorithm, const Machine& machine,
                                             Problem& problem) {
  if (!given.wants_best_segment()) {
    return std::nullopt;
  }
  const BestSegment best =
      best_segment(algorithm, problem, describe(machine).prices, machine.setup);
  problem.segment_bytes = best.bytes;
  return best;
}

Simulation simulate(SimulationInput& subject, Detail detail) {
  Simulation run =
      subject.file
          ? simulate_file(subject.file->path, *subject.algorithm, std::move(subject.file->schedule),
                          subject.machine, subject.file->read_wall_s)
          : simulate(*subject.algorithm, subject.problem, subject.machine, detail);
  run.result.best_segment = subject.best;
  if (subject.file && subject.unverified && run.result.unproved.empty()) {
    run.result.unproved = with_fields(kNoVerify);
  }
  return run;
}

}}  // namespace tutti::requests
