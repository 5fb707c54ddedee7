#include "src/requests/contender_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/messages.hpp"
#include "base/printable.hpp"
#include "base/shell_word.hpp"
#include "base/text_lines.hpp"
#include "schedules/registry.hpp"
#include "src/requests/command_table.hpp"

namespace tutti { inline namespace requests {

namespace {

constexpr const char* kProblemGroup = "Problem";

// Adds the file to names that programs of several files have; the folder too if the names of the
// files are equal.
void distinguish(const Programs& programs) {
  const auto files_by = [&](const auto& name_of) {
    std::map<std::string, std::set<std::string>> files;
    for (const auto& program : programs) {
      files[name_of(*program)].insert(program->program.file());
    }
    return files;
  };
  const auto short_name = [](const ProgramFile& program) {
    return fmt::format(
        "{} ({})", program.name,
        printable(std::filesystem::path(program.program.file()).filename().string()));
  };
  const auto names = files_by([](const ProgramFile& program) { return program.name; });
  const auto short_names = files_by(short_name);
  for (const auto& program : programs) {
    if (names.at(program->name).size() > 1) {
      const std::string with_file = short_name(*program);
      program->rename(
          short_names.at(with_file).size() == 1
              ? with_file
              : fmt::format("{} ({})", program->name, printable(program->program.file())));
    }
  }
}

}  // namespace

std::vector<const Algorithm*> algorithms_of(const Programs& programs) {
  std::vector<const Algorithm*> found;
  found.reserve(programs.size());
  for (const auto& program : programs) {
    found.push_back(&program->algorithm);
  }
  return found;
}

void ContenderOptions::add_to(Command& app) {
  OptionGroup(app, kProblemGroup)
      .add("--algorithms", algorithms, "NAMES",
           "Use only these algorithms, such as ring,rabenseifner [all for the collective]")
      .usual();
  add_with_to(app);
}

void ContenderOptions::add_with_to(Command& app) {
  const OptionGroup group(app, kProblemGroup);
  group
      .add("--with", with, "FILE",
           "File to compare as well; give the option once for each: a program in tutti's notation; "
           "a "
           "schedule that is written out for some ranks and bytes, which are then the default "
           "of -p and -n; or an MSCCL file")
      .usual();
  group.flag("--no-verify", no_verify, kNoVerifyHelp);
}

std::vector<const Algorithm*> ContenderOptions::only(Collective collective) const {
  std::vector<const Algorithm*> found;
  if (!algorithms) {
    return found;
  }
  for (const std::string_view word : split(*algorithms, ',')) {
    if (const std::string name(trimmed(word));
        find_algorithm(collective, name) == nullptr && means_file(name)) {
      throw UserError(fmt::format(
          "$algorithms '{}': '{}' is a file; leave it out here, and add it with $with {}",
          *algorithms, name, shell_path(name)));
    }
    const Algorithm& algorithm = algorithm_of(collective, trimmed(word));
    if (std::find(found.begin(), found.end(), &algorithm) == found.end()) {
      found.push_back(&algorithm);
    }
  }
  return found;
}

Programs ContenderOptions::programs(std::optional<Collective> collective,
                                    const ProblemOptions& problem,
                                    std::span<ScheduleSource* const> sources) const {
  Programs programs;
  std::vector<const Program*> read;
  std::vector<WrittenFile> written;
  const auto check_collective = [&collective](const std::string& path, Collective own,
                                              std::string_view what) {
    if (own != collective.value_or(own)) {
      throw UserError(fmt::format("'{}' is a {} for {}, but this command compares {} algorithms",
                                  path, what, name(own), name(*collective)));
    }
    collective = own;
  };
  std::set<std::string> seen;
  for (const std::string& path : with) {
    if (!seen.insert(path).second) {
      continue;
    }
    const FileText text(path, kScheduleFile);
    if (!Program::is_program(text.view())) {
      written.push_back(read_written_file(path, std::string(text.view()), collective));
      check_collective(path, written.back().problem.collective, "schedule");
      continue;
    }
    for (auto& program : read_programs(path, text.view(), problem)) {
      check_collective(path, program->program.collective(), "program");
      read.push_back(&program->program);
      programs.push_back(std::move(program));
    }
  }
  for (auto& schedules : written_algorithms(std::move(written))) {
    programs.push_back(std::move(schedules));
  }
  for (ScheduleSource* const source : sources) {
    TUTTI_INVARIANT(collective.has_value());
    programs.push_back(called_algorithm(*collective, *source, !no_verify));
  }
  if (no_verify) {
    for (const auto& program : programs) {
      program->program.leave_unverified();
    }
  }
  if (!read.empty()) {
    check_parameters(problem, read);
  }
  distinguish(programs);
  if (programs.empty() && no_verify) {
    throw UserError(
        "$no_verify has no effect without $with: only programs are proved before they run; "
        "leave $no_verify out");
  }
  if (const auto given = problem.only_for_programs(); given && read.empty()) {
    throw UserError(
        fmt::format("{}: needs a program; give one with $with, or leave the option out", *given));
  }
  return programs;
}

void take_problems(const Programs& programs, ProblemOptions& options, Messages& messages) {
  for (const std::string& note : take_problems(programs, options)) {
    messages.warning(note);
  }
}

void take_several_skips(Command& app, const std::string& help) {
  app.option("--skips").joined_by(';').description(
      help +
      "; to compare several, separate them by ';', such as 'halving;doubling;11,6,3,2,1', or "
      "repeat the option");
}

}}  // namespace tutti::requests
