#include "src/requests/simulation_subject.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "schedules/registry.hpp"
#include "simulation/engines/engine_type.hpp"
#include "src/requests/segment_auto.hpp"

namespace tutti {

SimulationSubject simulation_subject(const std::string& text, const ProblemOptions& problem,
                                     const MachineOptions& machine, bool no_verify) {
  SimulationSubject subject;
  subject.text = text;
  if (means_file(text)) {
    auto read = read_notation_file(text, problem);
    subject.file = std::move(read.schedule);
    subject.program = std::move(read.program);
  }
  if (subject.file) {
    subject.algorithm = &subject.file->algorithm;
    subject.problem = problem_of(*subject.file, problem);
  } else {
    subject.algorithm = subject.program ? &subject.program->algorithm : &algorithm_named(text);
    if (no_verify && !subject.program) {
      throw UserError(fmt::format(
          "--no-verify: '{}' is no file, and only those are proved first; leave it out", text));
    }
    subject.problem = parse_problem(problem, *subject.algorithm, true);
  }
  subject.machine = machine.machine(subject.problem, problem.ranks_per_host_count());
  if (!subject.file) {
    subject.best = take_best_segment(problem, *subject.algorithm, subject.machine, subject.problem);
    check(*subject.algorithm, subject.problem);
  }
  return subject;
}

TieProbe unasked_ties(const Machine& machine) {
  // In fifty tries over five schedules whose totals hang on ties, three runs always showed it; and
  // of so many operations they take a second at most.
  TieProbe probe;
  probe.runs = machine.engine->moves_starts ? 3 : 0;
  probe.most_ops = 20'000;
  return probe;
}

void show_single_ranks(Machine& machine, std::string_view option) {
  if (machine.symmetry == SymmetryUse::on) {
    throw UserError(fmt::format(
        "--symmetry on: one rank cannot stand for others where {} shows each of them; leave out "
        "one of the two",
        option));
  }
  machine.symmetry = SymmetryUse::off;
}

bool proved(const SimulationSubject& subject, bool no_verify, std::ostream& err) {
  if (no_verify || (!subject.file && !subject.program)) {
    return true;
  }
  const Verdict verdict =
      subject.file ? prove(subject.file->schedule, subject.text)
                   : prove(make_schedule(*subject.algorithm, subject.problem), subject.text);
  return proved_or_explained(verdict, subject.text, err);
}

Simulation simulate(SimulationSubject& subject, Detail detail) {
  Simulation run =
      subject.file
          ? simulate_file(subject.file->path, *subject.algorithm, std::move(subject.file->schedule),
                          subject.machine, subject.file->read_wall_s)
          : simulate(*subject.algorithm, subject.problem, subject.machine, detail);
  run.result.best_segment = subject.best;
  return run;
}

}  // namespace tutti
