#include "src/requests/written_schedules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/exact_bytes.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/sentence.hpp"
#include "base/shell_word.hpp"
#include "schedules/notation/parse.hpp"
#include "schedules/registry.hpp"
#include "src/interchange/foreign_file.hpp"

namespace tutti { inline namespace requests {

namespace {

// Reads the schedule of a file for a problem that the file serves.
std::unique_ptr<ScheduleFile> schedule_for(const WrittenFile& file, const Problem& problem) {
  if (!file.serves_any_size) {
    ParsedSchedule parsed = parse_notation(file.text, file.path);
    return std::make_unique<ScheduleFile>(file.path, std::move(parsed.algorithm),
                                          std::move(parsed.schedule), 0);
  }
  ForeignSchedule read = read_foreign(ForeignFormat::msccl, file.text, file.path,
                                      {.bytes = problem.bytes,
                                       .element_bytes = problem.element_bytes,
                                       .root = problem.root,
                                       .collective = problem.collective});
  auto made =
      std::make_unique<ScheduleFile>(file.path, std::move(read.name), std::move(read.schedule), 0);
  made->foreign = true;
  made->out_of_place = read.out_of_place;
  made->in_place = std::move(read.in_place);
  made->notes = std::move(read.notes);
  return made;
}

bool serves(const WrittenFile& file, const Problem& problem) {
  const Problem& own = file.problem;
  return own.ranks == problem.ranks &&
         (file.serves_any_size ||
          (own.bytes == problem.bytes && own.element_bytes == problem.element_bytes &&
           (own.root == problem.root || !has_root(own.collective)) &&
           own.block_bytes == problem.block_bytes));
}

std::string quoted(const std::string& path) { return fmt::format("'{}'", printable(path)); }

// Describes what a file is for: "'a.sched' is for 16 ranks and 1 MiB".
std::string served_by(const WrittenFile& file) {
  return file.serves_any_size
             ? fmt::format("{} is for {}", quoted(file.path), counted(file.problem.ranks, "rank"))
             : fmt::format("{} is for {} and {}", quoted(file.path),
                           counted(file.problem.ranks, "rank"), exact_bytes(file.problem.bytes));
}

// Says in which respect the file does not serve a problem of its number of ranks and bytes.
std::string other_detail(const WrittenFile& file, const Problem& problem) {
  const Problem& own = file.problem;
  if (own.element_bytes != problem.element_bytes) {
    return fmt::format("{} is for elements of {}; set $elem_bytes to {}", quoted(file.path),
                       counted(own.element_bytes, "byte"), own.element_bytes);
  }
  if (has_root(own.collective) && own.root != problem.root) {
    return fmt::format("{} is for root {}; set $root to {}", quoted(file.path), own.root, own.root);
  }
  return fmt::format("{} is for blocks of other sizes", quoted(file.path));
}

[[noreturn]] void refuse(const std::string& algorithm, std::string why) {
  throw UnservedProblem(sentence("{} cannot run: {}", algorithm, std::move(why)));
}

class WrittenFiles final : public WrittenSchedules {
 public:
  WrittenFiles(std::string name, std::vector<WrittenFile> files)
      : name_(std::move(name)), files_(std::move(files)) {}

  [[nodiscard]] std::span<const WrittenFile> files() const { return files_; }

  void check(const Problem& problem) const override {
    if (find(problem) != nullptr) {
      return;
    }
    const std::string algorithm = fmt::format("{}/{}", tutti::name(problem.collective), name_);
    std::vector<std::string> served;
    for (const WrittenFile& file : files_) {
      if (file.problem.ranks == problem.ranks && file.problem.bytes == problem.bytes) {
        refuse(algorithm, other_detail(file, problem));
      }
      served.push_back(served_by(file));
    }
    constexpr std::size_t kShown = 4;
    const std::size_t more = served.size() - std::min(served.size(), kShown);
    served.resize(served.size() - more);
    refuse(algorithm, fmt::format("{}{}", fmt::join(served, ", "),
                                  more == 0 ? "" : fmt::format(", and so on ({} more)", more)));
  }
  [[nodiscard]] const std::string& file(const Problem& problem) const override {
    return at(problem).path;
  }
  [[nodiscard]] const std::string& text(const Problem& problem) const override {
    return at(problem).text;
  }
  [[nodiscard]] Schedule schedule(const Problem& problem) const override {
    return std::move(schedule_for(at(problem), problem)->schedule);
  }
  [[nodiscard]] Verdict prove(const Problem& problem) const override {
    return tutti::prove(*schedule_for(at(problem), problem));
  }

 private:
  [[nodiscard]] const WrittenFile* find(const Problem& problem) const {
    const auto found = std::ranges::find_if(
        files_, [&](const WrittenFile& file) { return serves(file, problem); });
    return found == files_.end() ? nullptr : &*found;
  }
  // For a problem that no file serves, which only reports of refusals name, the first file.
  [[nodiscard]] const WrittenFile& at(const Problem& problem) const {
    const WrittenFile* const found = find(problem);
    return found == nullptr ? files_.front() : *found;
  }

  std::string name_;
  std::vector<WrittenFile> files_;
};

// Schedules of a source. Each is asked for once, when check() sees its problem for the first time.
class CalledSchedules final : public WrittenSchedules {
 public:
  CalledSchedules(ScheduleSource& source, bool verifies) : source_(source), verifies_(verifies) {}

  void check(const Problem& problem) const override {
    const WrittenFile* const made = find(problem);
    if (made == nullptr) {
      refuse(full_name(problem),
             fmt::format("{} returns no schedule for {} and {}", printable(source_.name()),
                         counted(problem.ranks, "rank"), exact_bytes(problem.bytes)));
    }
    if (!serves(*made, problem)) {
      refuse(full_name(problem), other_detail(*made, problem));
    }
  }
  [[nodiscard]] const std::string& file(const Problem& problem) const override {
    const WrittenFile* const made = find(problem);
    return made == nullptr ? none_ : made->path;
  }
  [[nodiscard]] const std::string& text(const Problem& problem) const override {
    const WrittenFile* const made = find(problem);
    return made == nullptr ? none_ : made->text;
  }
  [[nodiscard]] Schedule schedule(const Problem& problem) const override {
    return std::move(schedule_for(*find(problem), problem)->schedule);
  }
  [[nodiscard]] Verdict prove(const Problem& problem) const override {
    return tutti::prove(*schedule_for(*find(problem), problem));
  }

 private:
  using Cell = std::pair<std::uint32_t, std::uint64_t>;

  [[nodiscard]] std::string full_name(const Problem& problem) const {
    return fmt::format("{}/{}", name(problem.collective), printable(source_.name()));
  }

  [[nodiscard]] const WrittenFile* find(const Problem& problem) const {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = made_.try_emplace(Cell(problem.ranks, problem.bytes));
    if (is_new) {
      try {
        at->second = make(problem);
      } catch (...) {
        made_.erase(at);
        throw;
      }
    }
    return at->second.get();
  }

  [[nodiscard]] std::unique_ptr<const WrittenFile> make(const Problem& problem) const {
    const std::string path = source_.file(problem.ranks, problem.bytes);
    if (path.empty()) {
      return nullptr;
    }
    const std::string call =
        fmt::format("{}({}, {})", printable(source_.name()), problem.ranks, problem.bytes);
    auto file = std::make_unique<WrittenFile>(
        read_written_file(path, std::string(FileText(path, kScheduleFile).view()), std::nullopt));
    const Problem& own = file->problem;
    const auto wrong = [&](const std::string& what) {
      throw WrongSchedule{fmt::format("{}: {}", call, what)};
    };
    if (own.collective != problem.collective || own.ranks != problem.ranks ||
        own.bytes != problem.bytes) {
      wrong(fmt::format("returns a schedule of {} for {} and {}", name(own.collective),
                        counted(own.ranks, "rank"), counted(own.bytes, "byte")));
    }
    if (verifies_) {
      const Verdict verdict = tutti::prove(*schedule_for(*file, problem));
      if (!verdict.proved() && !verdict.only_lacks_blocks()) {
        const Finding& first = verdict.findings.front();
        wrong(fmt::format("the schedule is wrong: {}: {}", name(first.kind), first.text));
      }
    }
    return file;
  }

  ScheduleSource& source_;
  bool verifies_;
  std::string none_;
  mutable std::mutex mutex_;
  mutable std::map<Cell, std::unique_ptr<const WrittenFile>> made_;
};

// True if the two files would be taken for the same problem.
bool collide(const WrittenFile& a, const WrittenFile& b) {
  return a.serves_any_size || b.serves_any_size ? a.problem.ranks == b.problem.ranks
                                                : serves(a, b.problem);
}

bool belong_together(const std::vector<WrittenFile>& group, const WrittenFile& file) {
  return group.front().name == file.name && file.name != "unnamed" &&
         group.front().problem.collective == file.problem.collective &&
         std::ranges::none_of(group,
                              [&](const WrittenFile& other) { return collide(other, file); });
}

// Returns a name that no algorithm of tutti has. Results name the algorithm by it.
std::string own_name(const std::vector<WrittenFile>& group) {
  const WrittenFile& first = group.front();
  std::string of_file = printable(std::filesystem::path(first.path).filename().string());
  if (first.name == "unnamed") {
    return of_file;
  }
  if (find_algorithm(first.problem.collective, first.name) == nullptr) {
    return first.name;
  }
  return fmt::format("{} ({})", first.name,
                     group.size() == 1 ? of_file : counted(group.size(), "file"));
}

}  // namespace

WrittenFile read_written_file(const std::string& path, std::string text,
                              std::optional<Collective> collective) {
  WrittenFile file{.path = path, .text = std::move(text), .name = "", .problem = {}};
  const auto format = foreign_format(file.text);
  if (!format) {
    refuse_other_file(file.text, path);
    ParsedSchedule parsed = parse_notation(file.text, path);
    file.name = std::move(parsed.algorithm);
    file.problem = parsed.schedule.problem();
    file.switches = parsed.schedule.switches();
  } else if (serves_any_size(*format)) {
    MscclCall call;
    call.collective = collective;
    ForeignSchedule read = read_foreign(*format, file.text, path, call);
    file.name = std::move(read.name);
    file.notes = std::move(read.notes);
    // Other notes are about the size with which the file was read.
    std::erase_if(file.notes, [](const std::string& note) {
      return !note.starts_with("the executor would not load the file");
    });
    file.problem = read.schedule.problem();
    file.serves_any_size = true;
  } else {
    file.problem.collective = Collective::application;
  }
  if (file.problem.collective == Collective::application) {
    throw UserError(
        fmt::format("'{}' is the trace of an application, not of a single collective, so it cannot "
                    "be compared with algorithms; 'tutti simulate {}' runs it",
                    path, shell_path(path)));
  }
  return file;
}

std::vector<std::unique_ptr<ProgramFile>> written_algorithms(std::vector<WrittenFile> files) {
  std::vector<std::vector<WrittenFile>> groups;
  for (WrittenFile& file : files) {
    const auto group =
        std::ranges::find_if(groups, [&](const auto& each) { return belong_together(each, file); });
    (group == groups.end() ? groups.emplace_back() : *group).push_back(std::move(file));
  }
  std::vector<std::unique_ptr<ProgramFile>> made;
  for (std::vector<WrittenFile>& group : groups) {
    const Collective collective = group.front().problem.collective;
    const std::string path = group.front().path;
    const bool in_network =
        std::ranges::any_of(group, [](const WrittenFile& file) { return file.switches > 0; });
    const std::string name = own_name(group);
    made.push_back(std::make_unique<ProgramFile>(
        Program(collective, name, path, std::make_unique<WrittenFiles>(name, std::move(group)))));
    if (in_network) {
      // As in ScheduleFile: the schedule itself has the number of switches.
      made.back()->algorithm.switches = [](const Problem&) { return 0U; };
    }
  }
  return made;
}

std::unique_ptr<ProgramFile> called_algorithm(Collective collective, ScheduleSource& source,
                                              bool verifies) {
  const std::string name = printable(source.name());
  const bool taken = find_algorithm(collective, name) != nullptr;
  return std::make_unique<ProgramFile>(
      Program(collective, taken ? name + " (function)" : name, name,
              std::make_unique<CalledSchedules>(source, verifies)));
}

namespace {

// Sets an option that the user has not given to these values.
template <typename Value>
void take(std::optional<ValueWithText<std::vector<Value>>>& option, std::vector<Value> values) {
  if (option || values.empty()) {
    return;
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  option = {values, fmt::format("{}", fmt::join(values, ","))};
}

// Sets the size of an element and the root, if the user has not given them.
void take_element(const Problem& problem, ProblemOptions& options) {
  if (!options.element_bytes) {
    options.element_bytes = {problem.element_bytes, std::to_string(problem.element_bytes)};
  }
  if (has_root(problem.collective) && !options.root) {
    options.root = {RootChoice{.rank = problem.root}, std::to_string(problem.root)};
  }
}

}  // namespace

void take_problem(const Problem& problem, bool serves_any_size, ProblemOptions& options) {
  take(options.ranks, {problem.ranks});
  if (serves_any_size || problem.collective == Collective::application) {
    return;
  }
  const bool has_blocks =
      options.of(Option::block_sizes) || options.block_skew || options.pair_sizes;
  if (!problem.block_bytes.empty() && !has_blocks) {
    options.own[index_of(Option::block_sizes)] =
        fmt::format("{}", fmt::join(problem.block_bytes, ","));
  }
  if (problem.collective != Collective::barrier && !has_blocks) {
    take(options.bytes, {problem.bytes});
  }
  take_element(problem, options);
}

namespace {

// Returns the option that excludes the file, and what the file has in its place.
std::optional<std::pair<std::string, std::string>> excluded(const WrittenFile& file,
                                                            const ProblemOptions& options) {
  const Problem& own = file.problem;
  if (options.ranks &&
      std::ranges::find(options.ranks->value, own.ranks) == options.ranks->value.end()) {
    return std::pair(fmt::format("$ranks '{}'", options.ranks->text), counted(own.ranks, "rank"));
  }
  if (file.serves_any_size) {
    return std::nullopt;
  }
  if (options.bytes &&
      std::ranges::find(options.bytes->value, own.bytes) == options.bytes->value.end()) {
    return std::pair(fmt::format("$bytes '{}'", options.bytes->text), exact_bytes(own.bytes));
  }
  if (options.element_bytes && options.element_bytes->value != own.element_bytes) {
    return std::pair(fmt::format("$elem_bytes '{}'", options.element_bytes->text),
                     "elements of " + counted(own.element_bytes, "byte"));
  }
  if (options.root && has_root(own.collective) && options.root->value.rank != own.root) {
    return std::pair(fmt::format("$root '{}'", options.root->text),
                     fmt::format("root {}", own.root));
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> take_problems(std::span<const std::unique_ptr<ProgramFile>> programs,
                                       ProblemOptions& options) {
  std::vector<const WrittenFile*> all;
  std::vector<std::string> notes;
  // take() must not exclude files.
  const ProblemOptions given = options;
  for (const auto& program : programs) {
    const std::span<const WrittenFile> files = files_of(program->program);
    std::size_t used = 0;
    for (const WrittenFile& file : files) {
      for (const std::string& note : file.notes) {
        notes.push_back(fmt::format("{}: {}", quoted(file.path), note));
      }
      if (const auto why = excluded(file, given)) {
        notes.push_back(fmt::format("{} is for {}, so it is not used with {}", quoted(file.path),
                                    why->second, why->first));
      } else {
        all.push_back(&file);
        ++used;
      }
    }
    if (!files.empty() && used == 0) {
      const auto first = excluded(files.front(), given);
      throw UserError(fmt::format("{}: {} is for {}; leave the option out, or add this value",
                                  first->first, quoted(files.front().path), first->second));
    }
  }
  if (all.size() == 1) {
    take_problem(all.front()->problem, all.front()->serves_any_size, options);
  }
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint64_t> bytes;
  for (const WrittenFile* file : all) {
    ranks.push_back(file->problem.ranks);
    if (!file->serves_any_size) {
      bytes.push_back(file->problem.bytes);
    }
  }
  take(options.ranks, std::move(ranks));
  if (!all.empty() && all.front()->problem.collective != Collective::barrier &&
      !options.of(Option::block_sizes)) {
    take(options.bytes, std::move(bytes));
  }
  // A command has one element size and one root for all its problems.
  const Problem* const first = all.empty() ? nullptr : &all.front()->problem;
  if (first != nullptr && std::ranges::all_of(all, [&](const WrittenFile* file) {
        return !file->serves_any_size && file->problem.element_bytes == first->element_bytes &&
               file->problem.root == first->root;
      })) {
    take_element(*first, options);
  }
  return notes;
}

std::span<const WrittenFile> files_of(const Program& program) {
  const auto* const written = dynamic_cast<const WrittenFiles*>(program.written());
  return written == nullptr ? std::span<const WrittenFile>() : written->files();
}

}}  // namespace tutti::requests
