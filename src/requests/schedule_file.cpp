#include "src/requests/schedule_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <utility>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/machine_memory.hpp"
#include "base/messages.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "schedules/notation/parse.hpp"
#include "schedules/registry.hpp"
#include "src/interchange/foreign_file.hpp"
#include "src/interchange/other_files.hpp"

namespace tutti { inline namespace requests {

namespace {

// Throws UserError for an option that only algorithms take: `given` is the option with its value.
[[noreturn]] void refuse(const ScheduleFile& file, std::string_view given) {
  throw UserError(fmt::format("{}: '{}' is a complete schedule; only algorithms take this option",
                              given, file.path));
}

// Returns an upper bound on the memory, in bytes, that the proof needs.
double proof_bytes(const Schedule& schedule) {
  constexpr double kValueBytes = 4;
  constexpr double kAccessBytes = 8;
  constexpr double kPageBytes = 24;
  constexpr double kOpBytes = 200;  // for the expressions and clocks at both ends of a message
  const double blocks = schedule.blocks();
  std::vector<std::uint64_t> places;
  std::vector<std::uint32_t> slots(schedule.places());
  const auto touch = [&](Rank rank, Buffer buffer, std::uint32_t index) {
    if (buffer == Buffer::scratch) {
      const std::uint32_t slot = index / schedule.blocks();
      slots[rank] = std::max(slots[rank], slot + 1);
      places.push_back(std::uint64_t{rank} << 32U | slot);
    }
  };
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    const Payload& payload = schedule.payload(id);
    const BlockPair first = op.pooled() ? schedule.pool()[payload.from.first]
                                        : BlockPair{payload.from.first, payload.into_first};
    touch(op.src(), op.from(), first.from);
    touch(op.dst(), op.into(), first.into);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  double pages = 0;
  for (const std::uint32_t of_rank : slots) {
    pages += 2.0 + of_rank;
  }
  return 2 * kValueBytes * schedule.places() * blocks +
         kValueBytes * static_cast<double>(places.size()) * blocks + kPageBytes * pages +
         2 * kAccessBytes * (2.0 + schedule.scratch_slots()) * blocks +
         kOpBytes * static_cast<double>(schedule.size());
}

MscclCall call_of(const ProblemOptions& options) {
  MscclCall call;
  if (options.bytes) {
    call.bytes = options.bytes->value.front();
  }
  if (options.element_bytes) {
    call.element_bytes = options.element_bytes->value;
  }
  if (options.root) {
    call.root = options.root->value.rank;
  }
  if (options.collective) {
    call.collective = parse_collective(*options.collective);
  }
  return call;
}

}  // namespace

ScheduleFile::ScheduleFile(std::string file_path, std::string header_name, Schedule parsed,
                           double wall_s)
    : path(std::move(file_path)),
      name(std::move(header_name)),
      schedule(std::move(parsed)),
      read_wall_s(wall_s) {
  algorithm.collective = schedule.problem().collective;
  algorithm.name = name;
  if (schedule.switches() > 0) {
    // A function that is not null marks the algorithm as one that uses switches. Its result does
    // not matter, because the schedule itself contains the number of switches.
    algorithm.switches = [](const Problem&) { return 0U; };
  }
}

ProgramFile::ProgramFile(Program read)
    : program(std::move(read)), name(program.algorithm() + program.settings()) {
  algorithm.collective = program.collective();
  algorithm.name = name;
  algorithm.options = program.options();
  algorithm.program = &program;
}

void ProgramFile::rename(std::string new_name) {
  name = std::move(new_name);
  algorithm.name = name;
}

bool means_file(const std::string& what) {
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->full_name() == what) {
      return false;
    }
  }
  for (const std::string_view ending : {".tutti", ".sched", ".goal", ".xml", ".et"}) {
    if (what.ends_with(ending)) {
      return true;
    }
  }
  std::error_code none;
  const auto status = std::filesystem::status(what, none);
  return !none && std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

NotationFile read_notation_file(const std::string& path, const ProblemOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const FileText text(path, kScheduleFile);
  if (Program::is_program(text.view())) {
    std::vector<ProgramParameter> set;
    for (const ParameterValues& each : options.set) {
      if (each.values.size() > 1) {
        throw UserError(
            fmt::format("$set '{}': this command takes only one value per parameter; 'tutti "
                        "compare' takes several",
                        each.text));
      }
      set.push_back({each.name, each.values.front()});
    }
    auto program = std::make_unique<ProgramFile>(
        Program(std::string(text.view()), path, options.program_limits(), set));
    const Program* const only = &program->program;
    check_parameters(options, {&only, 1});
    return {nullptr, std::move(program)};
  }
  const auto wall_s = [&start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (const auto format = foreign_format(text.view())) {
    ForeignSchedule read = read_foreign(*format, text.view(), path, call_of(options));
    auto file = std::make_unique<ScheduleFile>(path, std::move(read.name), std::move(read.schedule),
                                               wall_s());
    file->foreign = true;
    file->out_of_place = read.out_of_place;
    file->in_place = std::move(read.in_place);
    file->notes = std::move(read.notes);
    file->serves_any_size = serves_any_size(*format);
    return {std::move(file), nullptr};
  }
  refuse_other_file(text.view(), path);
  ParsedSchedule parsed = read_notation(text, path);
  return {std::make_unique<ScheduleFile>(path, std::move(parsed.algorithm),
                                         std::move(parsed.schedule), wall_s()),
          nullptr};
}

void refuse_other_file(std::string_view text, const std::string& path) {
  if (const std::string what = other_file_in_words(text); !what.empty()) {
    throw UserError(fmt::format("'{}' {}", path, what));
  }
}

std::vector<std::unique_ptr<ProgramFile>> read_programs(const std::string& path,
                                                        std::string_view text,
                                                        const ProblemOptions& options) {
  const std::vector<ParameterValues>& values = options.set;
  std::vector<std::unique_ptr<ProgramFile>> programs;
  std::vector<ProgramParameter> set;
  const auto add_all = [&](auto&& self) -> void {
    if (set.size() == values.size()) {
      programs.push_back(std::make_unique<ProgramFile>(
          Program(std::string(text), path, options.program_limits(), set)));
      return;
    }
    const ParameterValues& next = values[set.size()];
    for (const std::uint32_t value : next.values) {
      set.push_back({next.name, value});
      self(self);
      set.pop_back();
      const auto& own = programs.back()->program.parameters();
      if (std::ranges::find(own, next.name, &ProgramParameter::name) == own.end()) {
        // The program does not declare the parameter, so all values result in the same program.
        break;
      }
    }
  };
  add_all(add_all);
  return programs;
}

void check_parameters(const ProblemOptions& options, std::span<const Program* const> programs) {
  std::vector<std::string> names;
  for (const Program* program : programs) {
    for (const ProgramParameter& parameter : program->parameters()) {
      names.push_back(parameter.name);
    }
  }
  for (const ParameterValues& each : options.set) {
    if (std::ranges::find(names, each.name) == names.end()) {
      throw UserError(fmt::format(
          "$set '{}': {} has no parameter '{}'; {}", each.text, programs.front()->file(), each.name,
          names.empty() ? fmt::format("write 'param {} = {}' in its header to declare it",
                                      each.name, each.values.front())
                        : accepted_words(each.name, names)));
    }
  }
}

Problem problem_of(const ScheduleFile& file, const ProblemOptions& options) {
  const Problem& problem = file.schedule.problem();
  // Throws UserError if an option contradicts the header of the file.
  const auto check_header = [&file](std::string_view option, const auto& given,
                                    const auto& in_file) {
    if (given && !(given->value == decltype(given->value){in_file})) {
      throw UserError(fmt::format("{} '{}': the schedule in '{}' has {}; leave the option out",
                                  option, given->text, file.path, in_file));
    }
  };
  check_header("$ranks", options.ranks, problem.ranks);
  check_header("$bytes", options.bytes, problem.bytes);
  check_header("$elem_bytes", options.element_bytes, problem.element_bytes);
  if (problem.collective == Collective::application) {
    const auto refuse_size = [&file](std::string_view option, const auto& given) {
      if (given) {
        throw UserError(
            fmt::format("{} '{}': '{}' is an application, whose messages have the sizes that the "
                        "file gives; leave the option out",
                        option, given->text, file.path));
      }
    };
    refuse_size("$root", options.root);
    refuse_size("$bytes", options.bytes);
    refuse_size("$elem_bytes", options.element_bytes);
  }
  if (options.collective &&
      (!file.serves_any_size || parse_collective(*options.collective) != problem.collective)) {
    throw UserError(fmt::format("$collective '{}': '{}' is a schedule of {}; leave the option out",
                                *options.collective, file.path, name(problem.collective)));
  }
  check_header("$root", options.root, problem.root);
  for (const GivenOption& given : options.given_options()) {
    refuse(file, fmt::format("{} '{}'", given.field, given.text));
  }
  if (const auto given = options.only_for_programs()) {
    refuse(file, *given);
  }
  return problem;
}

void check_proof_fits(const Schedule& schedule, const std::string& path) {
  if (schedule.bytes_only()) {
    return;  // without blocks, the proof checks only the structure, which needs little memory
  }
  const double needed = proof_bytes(schedule);
  const auto present = static_cast<double>(usable_memory_bytes());
  if (needed > present) {
    throw UserError(
        fmt::format("the proof of '{}' ({}, {}) needs about {} of memory, but only {} may be used",
                    path, counted(schedule.ranks(), "rank"), counted(schedule.blocks(), "block"),
                    human_bytes(static_cast<std::uint64_t>(needed)),
                    human_bytes(static_cast<std::uint64_t>(present))));
  }
}

Verdict prove(const Schedule& schedule, const std::string& path) {
  check_proof_fits(schedule, path);
  return verify(schedule);
}

Verdict prove(const ScheduleFile& file) {
  check_proof_fits(file.schedule, file.path);
  VerifyOptions options;
  options.work_starts_undefined = file.out_of_place;
  Verdict verdict = verify(file.schedule, options);
  if (file.in_place && verdict.proved()) {
    Verdict in_place = verify(*file.in_place);
    if (!in_place.proved()) {
      for (Finding& finding : in_place.findings) {
        finding.text += ", if the call is in place";
      }
      return in_place;
    }
  }
  return verdict;
}

bool proved_or_explained(const Verdict& verdict, const std::string& path, Messages& messages) {
  if (verdict.proved() || verdict.only_lacks_blocks()) {
    return true;
  }
  std::string details;
  for (const Finding& finding : verdict.findings) {
    details += fmt::format("  {}: {}\n", name(finding.kind), finding.text);
  }
  for (std::size_t kind = 0; kind < kFindingKinds; ++kind) {
    const auto listed = static_cast<std::size_t>(std::count_if(
        verdict.findings.begin(), verdict.findings.end(),
        [&](const Finding& finding) { return static_cast<std::size_t>(finding.kind) == kind; }));
    if (verdict.counts[kind] > listed) {
      details += fmt::format("  {} more of kind '{}'\n", verdict.counts[kind] - listed,
                             name(static_cast<FindingKind>(kind)));
    }
  }
  messages.error(
      fmt::format("the schedule in '{}' is wrong ($no_verify continues anyway)", printable(path)),
      std::move(details));
  return false;
}

}}  // namespace tutti::requests
