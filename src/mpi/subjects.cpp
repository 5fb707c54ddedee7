#include "src/mpi/subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/quantities.hpp"
#include "schedules/bytes_only.hpp"
#include "schedules/collective.hpp"
#include "schedules/notation/notation_error.hpp"
#include "schedules/registry.hpp"
#include "src/requests/problem_request.hpp"

namespace tutti::mpi {

namespace {

constexpr std::string_view kNeedsBlocks =
    "MPI cannot run it, because nothing says which data it sends";

Subject subject_of_file(std::shared_ptr<const ScheduleFile> file, const std::string& path,
                        const ProblemOptions& wanted, const Element& element, const World& world) {
  Subject subject;
  refuse_bytes_only(file->schedule, path, kNeedsBlocks);
  subject.file = std::move(file);
  subject.algorithm = &subject.file->algorithm;
  subject.problem = problem_of(*subject.file, wanted);
  if (subject.problem.ranks != world.ranks()) {
    throw UserError(fmt::format(
        "mpirun -np {}: the schedule in '{}' needs {} ranks; start that number of ranks",
        world.ranks(), path, subject.problem.ranks));
  }
  if (subject.problem.element_bytes != element.bytes()) {
    throw UserError(
        fmt::format("'{}' has {}-byte elements, but elements of --type {}{} have {} bytes; give a "
                    "--type of the same size",
                    path, subject.problem.element_bytes, name(element.type),
                    element.op == Operator::matrix ? " --op matrix" : "", element.bytes()));
  }
  return subject;
}

// Throws UserError unless the bytes of the problem are a whole number of elements. This is checked
// here because tutti-mpi has no option for the element size.
void check_elements(const Problem& problem, const Element& element) {
  if (problem.bytes % element.bytes() != 0) {
    throw UserError(fmt::format(
        "{} {} not a whole number of {}-byte elements (--type {}{}); use a multiple of {}{}",
        counted(problem.bytes, "byte"), problem.bytes == 1 ? "is" : "are", element.bytes(),
        name(element.type), element.op == Operator::matrix ? " --op matrix" : "", element.bytes(),
        element.bytes() > 4 ? ", or a smaller type" : ""));
  }
}

struct NamedAlgorithm {
  const Algorithm* algorithm = nullptr;
  // True if the user named the collective, not this algorithm.
  bool by_collective = false;
};

std::vector<NamedAlgorithm> algorithms_named(const std::string& text) {
  std::vector<NamedAlgorithm> named;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string part = text.substr(start, end - start);
    if (const auto collective = collective_meant(part)) {
      for (const Algorithm* algorithm : algorithms()) {
        // MPI cannot run algorithms in which switches take part. Such algorithms are silently left
        // out of a collective; naming one explicitly is an error.
        if (algorithm->collective == *collective && !algorithm->in_network()) {
          named.push_back({algorithm, true});
        }
      }
    } else if (part.find('/') == std::string::npos) {
      // A file cannot be part of a list, so this name was meant as a collective.
      throw UserError(part.empty() ? fmt::format("'{}': missing name next to a comma", text)
                                   : unknown_collective(part, {.algorithms = true}));
    } else {
      named.push_back({&algorithm_named(part), false});
    }
    start = end + 1;
  }
  return named;
}

}  // namespace

std::shared_ptr<const Schedule> Subject::schedule() const {
  if (file) {
    return {file, &file->schedule};
  }
  return std::make_shared<const Schedule>(make_schedule(*algorithm, problem));
}

std::vector<Subject> subjects_of(const std::string& algorithms, ProblemOptions wanted,
                                 const Element& element, const World& world) {
  if (wanted.ranks && wanted.ranks->value != std::vector{world.ranks()}) {
    throw UserError(fmt::format("$ranks '{}': mpirun started {}; leave the option out",
                                wanted.ranks->text, counted(world.ranks(), "rank")));
  }
  std::shared_ptr<const ProgramFile> program;
  if (means_file(algorithms)) {
    auto read = read_notation_file(algorithms, wanted);
    if (read.schedule) {
      return {subject_of_file(std::move(read.schedule), algorithms, wanted, element, world)};
    }
    program = std::move(read.program);
  }
  const std::vector<NamedAlgorithm> named =
      program ? std::vector<NamedAlgorithm>{{&program->algorithm, false}}
              : algorithms_named(algorithms);
  std::vector<const Algorithm*> all;
  all.reserve(named.size());
  for (const NamedAlgorithm& each : named) {
    all.push_back(each.algorithm);
  }
  // This check is skipped if the user named an algorithm: that algorithm's own error then reports
  // the options that it does not accept.
  if (std::all_of(named.begin(), named.end(),
                  [](const NamedAlgorithm& each) { return each.by_collective; })) {
    wanted.refuse_what_none_takes(all);
  }
  wanted.element_bytes.reset();
  ProblemRequest request = parse_request(wanted, all, {});
  request.each.element_bytes = element.bytes();
  const auto sizes = request.sizes();
  check_number_of("run", sizes.size() * named.size());
  std::vector<Subject> subjects;
  for (const auto& size : sizes) {
    for (const NamedAlgorithm& each : named) {
      const ProblemTemplate problem_template =
          each.by_collective ? request.each.applicable_to(*each.algorithm) : request.each;
      Subject subject;
      subject.algorithm = each.algorithm;
      subject.program = program;
      const auto why_not =
          each.by_collective ? problem_template.why_not_these_blocks(*each.algorithm, world.ranks())
                             : std::nullopt;
      subject.problem = why_not
                            ? problem_template.even_problem(*each.algorithm, world.ranks(), size)
                            : problem_template.problem(*each.algorithm, world.ranks(), size);
      subject.refusal = why_not.value_or("");
      if (why_not) {
        subjects.push_back(std::move(subject));
        continue;
      }
      try {
        check_elements(subject.problem, element);
        check(*each.algorithm, subject.problem);
        if (each.algorithm->in_network()) {
          throw UserError(
              fmt::format("{} uses switches, but MPI has only ranks; 'tutti simulate' runs it on a "
                          "platform that declares switches",
                          each.algorithm->full_name()));
        }
        if (program) {
          refuse_bytes_only(make_schedule(*each.algorithm, subject.problem, Detail::times_only),
                            algorithms, kNeedsBlocks);
        }
      } catch (const NotationError&) {
        throw;  // an error in a program is not a refusal
      } catch (const UserError& error) {
        subject.refusal = error.what();
      }
      subjects.push_back(std::move(subject));
    }
  }
  if (std::all_of(subjects.begin(), subjects.end(),
                  [](const Subject& subject) { return !subject.refusal.empty(); })) {
    throw UserError(subjects.front().refusal);
  }
  return subjects;
}

}  // namespace tutti::mpi
