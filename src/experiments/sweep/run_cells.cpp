#include "src/experiments/sweep/run_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_use.hpp"
#include "base/human.hpp"
#include "base/messages.hpp"
#include "base/parallel.hpp"
#include "base/printable.hpp"
#include "src/experiments/compare/tie_runs.hpp"
#include "src/experiments/runner/work_estimate.hpp"
#include "src/experiments/sweep/cell_answer.hpp"
#include "src/experiments/sweep/result_store.hpp"
#include "src/formats/progress.hpp"
#include "src/requests/exit_codes.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/machine_bound.hpp"
#include "src/workers/build_id.hpp"
#include "src/workers/worker_pool.hpp"

namespace tutti { inline namespace experiments {

namespace {

// A result is written to the database at most this long after it has arrived.
constexpr std::chrono::milliseconds kKeepWithin{20};
constexpr int kLookForInterrupts_ms = 100;
constexpr unsigned kMostDeaths = 2;
// SQLite's name of a database that only this process sees. A sweep that hands out cells but keeps
// no results uses it.
const std::string kInMemory = ":memory:";

struct PendingCell {
  CaseRun* run = nullptr;
  CellKey key;
  unsigned deaths = 0;
};

// A result in the database that another build of tutti wrote for a cell.
struct CachedResult {
  PendingCell todo;
  CellRow row;
  bool holds = false;
};

// Sorts cells by decreasing work, rounded to powers of two. Cells of equal work are in random
// order, so that two sweeps with one database seldom run the same cell at the same time. Among the
// cells of equal work, those with the same algorithm and number of ranks are adjacent, since a
// worker can use one schedule for all of them.
void put_in_order(std::vector<PendingCell>& todo) {
  std::shuffle(todo.begin(), todo.end(), std::mt19937_64{std::random_device{}()});
  std::map<std::pair<const Algorithm*, std::uint32_t>, std::size_t> groups;
  const auto group_of = [&groups](const PendingCell& each) {
    return groups.try_emplace({each.run->algorithm, each.run->problem.ranks}, groups.size())
        .first->second;
  };
  for (const PendingCell& each : todo) {
    (void)group_of(each);
  }
  std::stable_sort(todo.begin(), todo.end(), [&](const PendingCell& a, const PendingCell& b) {
    const int work = std::ilogb(expected_work(*a.run));
    const int other = std::ilogb(expected_work(*b.run));
    return work != other ? work > other : group_of(a) < group_of(b);
  });
}

// True if the row has a result, and this build makes the same schedule as the build that wrote the
// row.
bool is_of_same_schedule(const CellRow& row, const Case& what) {
  return row.answer.status == CellStatus::done &&
         row.schedule == fingerprint_like(row.schedule, what);
}

// True if the row answers the case. A row does not answer a case that asks for a check of ties if
// the row's time may depend on ties and was not checked.
bool has_answer(const CellRow& row, const Case& what) {
  if (!what.ties || row.knows_ties() || row.answer.status != CellStatus::done) {
    return true;
  }
  CaseRun plain{what, outcome_of(what, row.answer)};
  plain.ties = false;
  return !may_tie(plain);
}

// Returns the turn of each run in the order in which runs are dealt out over the shards. All
// processes of a sweep have the same runs, and so the same turns. Large runs come first. The runs
// of one algorithm and number of ranks, which take similar times, have consecutive turns.
std::vector<std::size_t> turns_of(const std::vector<CaseRun>& runs) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t place) {
    return std::pair(-expected_work(runs[place]), runs[place].algorithm->name);
  });
  std::vector<std::size_t> turns(runs.size());
  for (std::size_t turn = 0; turn < order.size(); ++turn) {
    turns[order[turn]] = turn;
  }
  return turns;
}

std::string found_text(const std::string& path, std::size_t found, std::size_t of,
                       const char* are) {
  return fmt::format("{} of {} {} in {} already", counted(found, "result"), human_count(of), are,
                     path);
}

// Returns `database`. Throws UserError unless the paths of all input files are UTF-8, because the
// database stores names of files as text.
const std::string& with_utf8_inputs(const std::string& database) {
  for (const std::string& input : registered_inputs()) {
    if (!is_utf8(std::filesystem::absolute(input).string())) {
      throw UserError(fmt::format(
          "'{}': with $db the path must be UTF-8; rename the file, or a folder in its path",
          input));
    }
  }
  return database;
}

// Runs cases in `jobs` worker processes on this machine. If a worker dies while it runs a case,
// another worker runs the case again. If that worker dies too, the case counts as failed.
class Sweep final : public Runner {
 public:
  // Opens the database. Throws UserError if it cannot be opened. run() throws UserError if the
  // database cannot be written or if no worker can be started; the results that are already in the
  // database are kept for the next sweep. If some cells belong to other shards, run() throws
  // ShardEnd after the cells of this shard are run and stored.
  Sweep(const SweepOptions& options, std::size_t jobs, Waves waves, Messages& messages);

 private:
  class Run;

  void run_open(std::vector<CaseRun>& runs, const std::string& doing) override;
  void say_found() override;

  std::vector<PendingCell> take_from_store(std::vector<CaseRun>& runs);
  void check_rows_of_other_builds(std::vector<CachedResult>& others,
                                  std::vector<PendingCell>& todo);
  // Returns the text that an interrupt prints: how many results are kept, and how to continue.
  [[nodiscard]] std::string kept_in_words() const;
  void say_what_else_it_holds(const std::vector<PendingCell>& todo);
  bool take_if_there(PendingCell& todo);
  bool others_have_written();
  [[noreturn]] void end_shard(const std::vector<CaseRun>& runs);
  CellPool& workers();

  ResultStore store_;
  CellPool* cells_;
  std::unique_ptr<WorkerPool> workers_;  // null if the user's executor runs the cells
  std::size_t jobs_;
  Waves waves_;
  Shard shard_;
  bool retry_failed_;
  bool reported_others_ = false;
  bool reported_found_ = false;
  bool others_write_ = false;  // another process has written to the database since this sweep began
  PlatformIds ids_;
  std::optional<InterruptMessage> when_interrupted_;
  std::atomic<std::size_t> found_ = 0;  // results found in the database
  std::atomic<std::size_t> known_ = 0;  // cells of all waves so far, without refused ones
  std::size_t changed_ = 0;             // results found in the database whose schedule has changed
  std::size_t elsewhere_ = 0;           // open cells of other shards
  std::atomic<std::size_t> run_ = 0;    // cells run by this sweep, or meanwhile by another sweep
};

// Runs one wave of a sweep: sends the cells to the workers, and writes the results to the database.
class Sweep::Run {
 public:
  Run(Sweep& sweep, std::vector<PendingCell>& todo, Progress& progress)
      : sweep_(sweep), todo_(todo), progress_(progress) {
    for (CellTicket ticket = 0; ticket < todo.size(); ++ticket) {
      pending_.push_back(ticket);
      estimate_.add(ticket, *todo[ticket].run);
    }
  }

  void run() {
    if (!todo_.empty()) {
      sweep_.workers().expect(todo_.size());
    }
    // On an interrupt, first store the results that have arrived, then end the program.
    const InterruptMessage when([this] { return sweep_.kept_in_words(); },
                                InterruptMessage::End::by_itself);
    while (done_ < todo_.size()) {
      if (interrupted() != 0) {
        keep_rows();
        when.stop_if_interrupted();
      }
      hand_out();
      if (done_ < todo_.size()) {
        for (const WorkerEvent& event : sweep_.workers().wait(patience_ms())) {
          hear(event);
        }
      }
      if (Clock::now() - kept_ >= kKeepWithin) {
        keep_rows();
      }
      if (progress_.due()) {
        progress_.show(done_, estimate_.done());
      }
    }
    keep_rows();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void hand_out() {
    while (!pending_.empty() && sweep_.workers().room() > 0) {
      const CellTicket ticket = pending_.front();
      pending_.pop_front();
      PendingCell& next = todo_[ticket];
      if (sweep_.others_have_written() && sweep_.take_if_there(next)) {
        is_over(ticket, std::nullopt);
      } else {
        estimate_.begin(ticket);
        sweep_.workers().submit(ticket, to_line(*next.run, text_of(next)));
      }
    }
  }

  // Returns the machine_text() of a cell's machine. This text is made only once for all cells on
  // the same machine.
  const std::string& text_of(const PendingCell& cell) {
    const Machine* machine = cell.run->machine;
    const auto [at, is_new] = machine_texts_.try_emplace(machine);
    if (is_new) {
      at->second = machine_text(*machine, cell.key.platform_id);
    }
    return at->second;
  }

  // Returns how many milliseconds to wait for workers before results are written to the database.
  // Results are written soon after they arrive, but in batches if many arrive at a time.
  [[nodiscard]] int patience_ms() const {
    if (rows_.empty()) {
      return kLookForInterrupts_ms;
    }
    const auto left = kKeepWithin - std::min<Clock::duration>(kKeepWithin, Clock::now() - kept_);
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
  }

  void keep_rows() {
    sweep_.store_.put(rows_);
    rows_.clear();
    kept_ = Clock::now();
  }

  void hear(const WorkerEvent& event) {
    PendingCell& cell = todo_.at(event.ticket);
    if (!event.died) {
      cell.run->outcome = outcome_of_answer_line(*cell.run, event.text);
    } else if (++cell.deaths < kMostDeaths) {
      estimate_.give_up(event.ticket);
      pending_.push_front(event.ticket);
      return;
    } else {
      cell.run->outcome = Failure{
          fmt::format("{}, in {} tries; $retry_failed tries again", event.text, cell.deaths)};
    }
    if (RunResult* const result = cell.run->outcome.result()) {
      const Machine* const machine = cell.run->machine;
      limits_.try_emplace(machine, *machine).first->second.put_in(*result);
    }
    rows_.push_back(row_of(cell.key, *cell.run));
    const Outcome& outcome = cell.run->outcome;
    is_over(event.ticket,
            event.seconds ? seconds_if_run(outcome, *event.seconds) : seconds_of(outcome));
  }

  // Marks a cell as finished. `seconds` is the wall time of the cell, if the cell was run here and
  // has a result.
  void is_over(CellTicket ticket, std::optional<double> seconds) {
    ++done_;
    ++sweep_.run_;
    estimate_.end(ticket, seconds);
  }

  Sweep& sweep_;
  std::vector<PendingCell>& todo_;
  Progress& progress_;
  std::deque<CellTicket> pending_;
  std::vector<CellRow> rows_;  // results that are not in the database yet
  std::map<const Machine*, std::string> machine_texts_;
  std::map<const Machine*, Limits> limits_;
  std::size_t done_ = 0;
  WorkEstimate estimate_;
  Clock::time_point kept_ = Clock::now();
};

Sweep::Sweep(const SweepOptions& options, std::size_t jobs, Waves waves, Messages& messages)
    : Runner(messages),
      store_(with_utf8_inputs(options.database.value_or(kInMemory)), Database::Mode::write),
      cells_(options.cells),
      jobs_(jobs),
      waves_(waves),
      shard_(options.shard.value_or(Shard())),
      retry_failed_(options.retry_failed) {
  when_interrupted_.emplace([this] { return kept_in_words(); });
}

CellPool& Sweep::workers() {
  if (cells_ != nullptr) {
    return *cells_;
  }
  if (!workers_) {
    workers_ = std::make_unique<WorkerPool>("/proc/self/exe", jobs_);
  }
  return *workers_;
}

bool Sweep::others_have_written() {
  others_write_ = store_.changed_by_others() || others_write_;
  return others_write_;
}

bool Sweep::take_if_there(PendingCell& todo) {
  std::optional<CellRow> row = store_.find(todo.key);
  if (!row || !has_answer(*row, *todo.run) ||
      (retry_failed_ && row->answer.status == CellStatus::failed)) {
    return false;
  }
  if (row->build != version_and_build()) {
    if (!is_of_same_schedule(*row, *todo.run)) {
      return false;
    }
    row->build = version_and_build();
    store_.add(*row);
  }
  todo.run->outcome = outcome_of(*todo.run, row->answer);
  return true;
}

// Checks the rows in `others`, which other builds wrote. Such a row is valid if the schedule is
// still the same; to check this, makes the schedule again. Marks valid rows as rows of this build,
// so that they are checked only once. Adds the cells of invalid rows to `todo`.
void Sweep::check_rows_of_other_builds(std::vector<CachedResult>& others,
                                       std::vector<PendingCell>& todo) {
  {
    Progress progress("checking results of other builds", "result", others.size(), messages());
    const ParallelWork work{.jobs = jobs_,
                            .progress = [&](std::size_t done) { progress.show(done); }};
    for_each_parallel(others.size(), work, [&](std::size_t i) {
      others[i].holds = is_of_same_schedule(others[i].row, *others[i].todo.run);
    });
  }
  std::vector<CellRow> confirmed;
  for (CachedResult& known : others) {
    if (!known.holds) {
      changed_ += known.row.answer.status == CellStatus::done ? 1 : 0;
      todo.push_back(std::move(known.todo));
      continue;
    }
    known.todo.run->outcome = outcome_of(*known.todo.run, known.row.answer);
    known.row.build = version_and_build();
    confirmed.push_back(std::move(known.row));
    ++found_;
  }
  store_.put(confirmed);
}

std::vector<PendingCell> Sweep::take_from_store(std::vector<CaseRun>& runs) {
  std::vector<PendingCell> todo;
  std::vector<CachedResult> others;
  std::vector<CellRow> refused;
  // This call must come first. Later calls then notice the rows that other processes write from now
  // on, even if the loop below misses them.
  (void)others_have_written();
  for (CaseRun& run : runs) {
    PendingCell next{&run, key_of(run, ids_.of(*run.machine))};
    std::optional<CellRow> row = store_.find(next.key);
    const bool own = row && row->build == version_and_build();
    if (!run.outcome.open()) {  // refused without a run
      if (!own) {
        refused.push_back(row_of(next.key, run));
      }
    } else if (!row || !has_answer(*row, run) ||
               (retry_failed_ && row->answer.status == CellStatus::failed)) {
      todo.push_back(std::move(next));
    } else if (own) {
      run.outcome = outcome_of(run, row->answer);
      ++found_;
    } else {
      others.push_back({std::move(next), std::move(*row)});
    }
  }
  store_.put(refused);
  check_rows_of_other_builds(others, todo);
  const std::vector<std::size_t> turns = turns_of(runs);
  elsewhere_ = std::erase_if(todo, [&](const PendingCell& each) {
    return !shard_.has(turns[static_cast<std::size_t>(each.run - runs.data())]);
  });
  put_in_order(todo);
  return todo;
}

void Sweep::run_open(std::vector<CaseRun>& runs, const std::string& doing) {
  std::vector<PendingCell> todo = take_from_store(runs);
  if (waves_ == Waves::one && found_ > 0 && run_ == 0 && !reported_found_) {
    reported_found_ = true;
    messages().status(found_text(store_.path(), found_, found_ + todo.size(), "are"));
  }
  if (!reported_others_) {
    reported_others_ = true;
    say_what_else_it_holds(todo);
  }
  known_ = found_ + run_ + todo.size();
  Progress progress = new_progress(doing, todo.size());
  Run(*this, todo, progress).run();
  if (elsewhere_ > 0) {
    end_shard(runs);
  }
}

void Sweep::end_shard(const std::vector<CaseRun>& runs) {
  const auto failed = static_cast<std::size_t>(std::ranges::count_if(
      runs, [](const CaseRun& run) { return run.outcome.failure() != nullptr; }));
  throw ShardEnd{
      failed == 0 ? kExitOk : kExitCheckFailed,
      fmt::format("shard {}: {} {} in {}{}; {} to other shards: join the databases with {}, then "
                  "repeat this command with $db all.db and without $shard",
                  shard_.text(), counted(found_ + run_, "result"),
                  found_ + run_ == 1 ? "is" : "are", printable(store_.path()),
                  failed == 0 ? "" : fmt::format(", {} of them failed", human_count(failed)),
                  counted(elsewhere_, "cell") + (elsewhere_ == 1 ? " belongs" : " belong"),
                  shell_command("tutti query ... $into all.db"))};
}

std::string Sweep::kept_in_words() const {
  const std::size_t kept = found_ + run_;
  const std::string of =
      fmt::format("{} of {}{} {}", human_count(kept), counted(known_, "cell"),
                  waves_ == Waves::several ? " known so far" : "", kept == 1 ? "is" : "are");
  return fmt::format(": {} kept in {}; to continue:\n  {}", of, printable(store_.path()),
                     command_to_repeat());
}

void Sweep::say_found() {
  if (waves_ == Waves::several && found_ > 0) {
    messages().status(found_text(store_.path(), found_, found_ + run_, "were"));
  }
}

void Sweep::say_what_else_it_holds(const std::vector<PendingCell>& todo) {
  if (changed_ > 0) {
    messages().warning(fmt::format("{} in {} {} outdated because the schedule changed; recomputing",
                                   counted(changed_, "result"), store_.path(),
                                   changed_ == 1 ? "is" : "are"));
  }
  // Rows of other versions of an engine stay in the database, and are not mixed with those of this
  // version.
  std::set<std::tuple<std::string, std::string, std::string>> known_versions;
  std::set<std::string> versions;
  std::set<std::string> own;
  std::int64_t cells = 0;
  for (const PendingCell& each : todo) {
    if (known_versions.emplace(each.key.engine, each.key.platform_id, each.key.version).second) {
      own.insert(each.key.version);
      for (const auto& [version, count] : store_.other_versions(each.key)) {
        versions.insert(version);
        cells += count;
      }
    }
  }
  if (cells > 0) {
    messages().warning(
        fmt::format("{} also holds {} of another version of the engine ({}; this one is {}): they "
                    "are kept, but "
                    "not used",
                    store_.path(), counted(static_cast<std::size_t>(cells), "result"),
                    fmt::join(versions, "; "), fmt::join(own, "; ")));
  }
  if (const std::string remark = store_.remark(); !remark.empty()) {
    messages().warning(remark);
  }
}

}  // namespace

void check_database_given(const SweepOptions& options) {
  if (options.retry_failed && !options.database) {
    throw UserError("$retry_failed needs $db, the database with the failed cells");
  }
  if (options.shard && !options.database) {
    throw UserError(
        fmt::format("$shard '{}' needs $db, a separate database for each shard; {} joins them",
                    options.shard->text(), shell_command("tutti query $into")));
  }
}

std::unique_ptr<Runner> runner_for(const SweepOptions& options, Waves waves, const Machine& machine,
                                   std::size_t jobs, Messages& messages) {
  check_database_given(options);
  if (options.database && options.cells == nullptr && !options.can_start_workers) {
    throw UserError("$db: give an executor, which runs the cells");
  }
  if (options.hands_out()) {
    if (!machine.spec.what_ifs.empty()) {
      throw UserError(
          fmt::format("{} runs with what-ifs, late ranks or jitter; leave out {}, or these options",
                      options.database ? "$db does not keep" : "the executor does not take",
                      options.database ? "$db" : "the executor"));
    }
    return std::make_unique<Sweep>(options, jobs, waves, messages);
  }
  auto runner = local_runner(machine, jobs, messages);
  runner->keeps_nothing(
      machine.spec.what_ifs.empty()
          ? "; with $db FILE.db they are, and the same command continues from there"
          : "");
  return runner;
}

}}  // namespace tutti::experiments
