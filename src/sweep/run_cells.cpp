#include "src/sweep/run_cells.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>

#include "files/printable.hpp"
#include "schedules/error.hpp"
#include "src/file_roles.hpp"
#include "src/human.hpp"
#include "src/sweep/build_id.hpp"
#include "src/sweep/sweep_channel.hpp"
#include "src/sweep/worker_pool.hpp"

namespace tutti {

namespace {

constexpr std::chrono::milliseconds kKeepWithin{20};  // a result is in the database
constexpr std::chrono::milliseconds kLookAgain{100};  // for the results of others
constexpr std::chrono::seconds kSayFirst{5};          // that there is only to wait for others
constexpr std::chrono::seconds kSayAgain{60};
constexpr unsigned kMostDeaths = 2;

// For tests of sweeps on other machines that are gone: TUTTI_TEST_SWEEP_LOST_AFTER_MS=500.
std::chrono::milliseconds lost_after() {
  const char* const ms = std::getenv("TUTTI_TEST_SWEEP_LOST_AFTER_MS");
  return ms != nullptr ? std::chrono::milliseconds(std::atoi(ms)) : CellClaims::kLost;
}

void set(RunOutcome& outcome, const CellAnswer& answer, const Cell& cell) {
  switch (answer.status) {
    case CellStatus::done:
      outcome.result = result_of(answer, cell);
      return;
    case CellStatus::refused:
      outcome.refusal = answer.message;
      return;
    case CellStatus::failed:
      outcome.refusal = answer.message;
      outcome.failed = true;
      return;
  }
}

// Longest first, by powers of two; within these in an order of each sweep's own, so that several
// with one database seldom do the same cell at the same time.
template <typename Todo>
void put_in_order(std::vector<Todo>& todo) {
  std::shuffle(todo.begin(), todo.end(), std::mt19937_64{std::random_device{}()});
  std::stable_sort(todo.begin(), todo.end(), [](const Todo& a, const Todo& b) {
    return std::ilogb(a.task->expected_work) > std::ilogb(b.task->expected_work);
  });
}

// They stay where they are, and are not mixed with those of this one.
void say_other_builds(ResultStore& store, std::ostream& err) {
  std::vector<std::string> others;
  std::int64_t cells = 0;
  for (const auto& [version, count] : store.others_than(version_and_build())) {
    others.push_back(version);
    cells += count;
  }
  if (cells > 0) {
    err << fmt::format(
        "tutti: {} also holds {} of another build of tutti ({}; this one is {}): "
        "they are kept, and not taken for this one's\n",
        printable(store.path()), counted(static_cast<std::size_t>(cells), "result"),
        printable(fmt::format("{}", fmt::join(others, ", "))), version_and_build());
  }
}

}  // namespace

std::vector<CellTask> tasks_of(const Runs& runs) {
  std::vector<CellTask> tasks;
  tasks.reserve(runs.outcomes.size());
  for (std::size_t i = 0; i < runs.outcomes.size(); ++i) {
    RunOutcome& outcome = runs.outcomes[i];
    tasks.push_back({&outcome, &runs.machines[runs.machine_of[i]], expected_work(outcome)});
  }
  return tasks;
}

struct Sweep::Todo {
  CellTask* task = nullptr;
  CellKey key;
  std::int64_t claim = 0;
  unsigned deaths = 0;
  bool was_elsewhere = false;

  [[nodiscard]] Cell cell() const {
    return {task->outcome->algorithm, task->outcome->problem, *task->machine};
  }
};

// The cells of one wave: from `pending_`, which nobody has, over `ready_`, which are ours, to the
// workers; or, where another sweep is at them, to `elsewhere_`, until it has a result or is gone.
class Sweep::Run {
 public:
  Run(Sweep& sweep, std::vector<Todo>& todo, Progress& progress)
      : sweep_(sweep), todo_(todo), progress_(progress) {
    double work = 0;
    for (CellTicket ticket = 0; ticket < todo.size(); ++ticket) {
      pending_.push_back(ticket);
      work += todo[ticket].task->expected_work;
    }
    progress_.set_total_work(work);
  }

  void run() {
    while (done_ < todo_.size()) {
      if (sweep_.claims_) {
        sweep_.claims_->show_life();
      }
      hand_out();
      if (is_time_to_settle()) {
        settle();
        hand_out();
      }
      for (const WorkerEvent& event : sweep_.workers().wait(patience_ms())) {
        hear(event);
      }
      progress_.show(done_, work_);
    }
    settle();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void hand_out() {
    CellWorkers& workers = sweep_.workers();
    while (!ready_.empty() && workers.room() > 0) {
      const CellTicket ticket = ready_.front();
      ready_.pop_front();
      const Todo& next = todo_[ticket];
      workers.submit(ticket, to_line(next.cell(), text_of(next)));
    }
  }

  // Made once for all cells of a machine.
  const std::string& text_of(const Todo& cell) {
    const Machine* machine = cell.task->machine;
    const auto known = machine_texts_.find(machine);
    return known != machine_texts_.end()
               ? known->second
               : machine_texts_.emplace(machine, machine_text(*machine, cell.key.platform_id))
                     .first->second;
  }

  [[nodiscard]] bool wants_cells() const {
    return ready_.empty() && !pending_.empty() && sweep_.workers().room() > 0;
  }

  // Results are kept at once, but not one by one where they come thick and fast.
  [[nodiscard]] bool is_time_to_settle() const {
    const auto since = Clock::now() - settled_;
    return wants_cells() || (!rows_.empty() && since >= kKeepWithin) ||
           (!elsewhere_.empty() && ready_.empty() && since >= kLookAgain);
  }

  [[nodiscard]] int patience_ms() const {
    const auto until = rows_.empty() ? kLookAgain : kKeepWithin;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        until - std::min<Clock::duration>(until, Clock::now() - settled_));
    return static_cast<int>(left.count());
  }

  // One transaction for all there is to say: what is done, and what is begun next.
  void settle() {
    const std::size_t wanted = cells_to_claim();
    if (!sweep_.store_) {
      move_front(pending_, ready_, wanted);
    } else if (!rows_.empty() || wanted > 0) {
      settle_with_store(*sweep_.store_, wanted);
    }
    settled_ = Clock::now();
  }

  // So many that the workers have enough until the next time.
  [[nodiscard]] std::size_t cells_to_claim() const {
    if (pending_.empty() && elsewhere_.empty()) {
      return 0;
    }
    const std::size_t room = sweep_.workers().room();
    if (room <= ready_.size()) {
      return 0;
    }
    const std::chrono::duration<double> passed = Clock::now() - began_;
    const double per_second = static_cast<double>(ran_) / std::max(passed.count(), 1e-3);
    const auto ahead =
        static_cast<std::size_t>(per_second * std::chrono::duration<double>(kKeepWithin).count());
    return std::max(room, ahead) - ready_.size();
  }

  void settle_with_store(ResultStore& store, std::size_t wanted) {
    CellClaims& claims = *sweep_.claims_;
    if (!elsewhere_.empty()) {
      say_others(claims.look_around(), claims.lost_after());
    }
    Transaction transaction(store.database());
    for (const auto& [ticket, row] : rows_) {
      store.add(row);
      claims.give_back(todo_[ticket].claim);
    }
    sweep_.others_write_ = store.changed_by_others() || sweep_.others_write_;
    std::deque<CellTicket> asked;
    // Those that others had are looked at again when there is nothing else to do.
    move_front(pending_, asked, wanted);
    if (asked.size() < wanted) {
      move_front(elsewhere_, asked, elsewhere_.size());
    }
    for (const CellTicket ticket : asked) {
      Todo& next = todo_[ticket];
      const bool may_be_there = sweep_.others_write_ || next.was_elsewhere;
      if (may_be_there && sweep_.take_if_there(next)) {
        is_over(next);
      } else if (claims.take(next.claim)) {
        ready_.push_back(ticket);
      } else {
        next.was_elsewhere = true;
        elsewhere_.push_back(ticket);
      }
    }
    transaction.commit();
    rows_.clear();
  }

  // Where all that is left is with others, whoever waits should know for whom, and for how long
  // yet.
  void say_others(const std::vector<CellClaims::Other>& others,
                  std::chrono::milliseconds lost_after) {
    const auto now = Clock::now();
    if (!pending_.empty() || done_ + elsewhere_.size() < todo_.size()) {
      idle_since_ = said_ = now;
      return;
    }
    const auto seconds = [](auto duration) {
      return fmt::format("{:.0f} s", std::chrono::duration<double>(duration).count());
    };
    for (const CellClaims::Other& other : others) {
      if (other.gone && now - idle_since_ >= kSayFirst) {
        progress_.say(fmt::format(
            "tutti: nothing heard from process {} on {} for {}: what it was at is run here",
            other.process, other.host, seconds(other.silent)));
      }
    }
    if (now - said_ < (said_ == idle_since_ ? Clock::duration(kSayFirst) : kSayAgain)) {
      return;
    }
    said_ = now;
    for (const CellClaims::Other& other : others) {
      if (!other.gone && other.cells > 0) {
        progress_.say(fmt::format(
            "tutti: waiting for {}, for {} now: another sweep is at them, process {} on {}, last "
            "heard from {} ago; with no sign of life for {} they are run here",
            counted(elsewhere_.size(), "cell"), seconds(now - idle_since_), other.process,
            other.host, seconds(other.silent), seconds(lost_after)));
      }
    }
  }

  void hear(const WorkerEvent& event) {
    Todo& cell = todo_.at(event.ticket);
    CellAnswer answer;
    if (!event.died) {
      answer = answer_of_line(event.text);
    } else if (++cell.deaths < kMostDeaths) {
      ready_.push_front(event.ticket);
      return;
    } else {
      answer = {CellStatus::failed,
                fmt::format("{}, on {} tries; --retry-failed tries again", event.text, cell.deaths),
                "", ""};
    }
    set(*cell.task->outcome, answer, cell.cell());
    if (sweep_.store_) {
      rows_.emplace_back(event.ticket, row_of(cell.key, *cell.task->machine, std::move(answer),
                                              cell.task->outcome->result));
    }
    ++ran_;
    is_over(cell);
  }

  void is_over(const Todo& cell) {
    ++done_;
    ++sweep_.total_.run;
    work_ += cell.task->expected_work;
  }

  static void move_front(std::deque<CellTicket>& from, std::deque<CellTicket>& to,
                         std::size_t count) {
    for (; count > 0 && !from.empty(); --count) {
      to.push_back(from.front());
      from.pop_front();
    }
  }

  Sweep& sweep_;
  std::vector<Todo>& todo_;
  Progress& progress_;
  std::deque<CellTicket> pending_;
  std::deque<CellTicket> ready_;
  std::deque<CellTicket> elsewhere_;
  std::vector<std::pair<CellTicket, CellRow>> rows_;  // results that are not kept yet
  std::map<const Machine*, std::string> machine_texts_;
  std::size_t done_ = 0;
  std::size_t ran_ = 0;  // by our workers
  double work_ = 0;
  Clock::time_point began_ = Clock::now();
  Clock::time_point settled_ = began_;
  Clock::time_point idle_since_ = began_;  // nothing left but what others are at
  Clock::time_point said_ = began_;        // so, last; or `idle_since_`
};

void SweepOptions::add_to(CLI::App& app) {
  constexpr const char* kGroup = "Sweep";
  app.add_option("--db", database,
                 "Keep each result in this database (SQLite) as soon as it is there, and run only "
                 "what it does not hold yet; 'tutti query' reads it")
      ->type_name(kResultsFile)
      ->group(kGroup);
  app.add_flag("--retry-failed", retry_failed,
               "Run again what the database holds as failed, since its process died")
      ->group(kGroup);
}

bool Sweep::wanted(const SweepOptions& options) {
  return options.database || sweep_channel().has_value();
}

Sweep::Sweep(const SweepOptions& options, std::size_t jobs)
    : jobs_(jobs), retry_failed_(options.retry_failed) {
  if (options.database) {
    store_ = std::make_unique<ResultStore>(*options.database, Database::Mode::write);
    claims_ = std::make_unique<CellClaims>(store_->database(), lost_after());
  }
}

CellWorkers& Sweep::workers() {
  if (!workers_) {
    if (const auto channel = sweep_channel()) {
      workers_ = std::make_unique<SweepChannel>(*channel);
    } else {
      workers_ = std::make_unique<WorkerPool>("/proc/self/exe", jobs_);
    }
  }
  return *workers_;
}

bool Sweep::take_if_there(Todo& todo) {
  const auto answer = store_ ? store_->find(todo.key) : std::nullopt;
  if (!answer || (retry_failed_ && answer->status == CellStatus::failed)) {
    return false;
  }
  set(*todo.task->outcome, *answer, todo.cell());
  return true;
}

std::vector<Sweep::Todo> Sweep::take_from_store(std::vector<CellTask>& tasks) {
  std::vector<Todo> todo;
  std::vector<CellRow> refused;
  // Asked first: what others write from now on may be missed below.
  others_write_ = (store_ && store_->changed_by_others()) || others_write_;
  for (CellTask& task : tasks) {
    Todo next{&task, {}};
    next.key = key_of(next.cell(), ids_.of(*task.machine));
    next.claim = store_ ? CellClaims::number_of(next.key) : 0;
    if (!task.outcome->refusal.empty()) {
      if (store_ && !store_->find(next.key)) {
        refused.push_back(row_of(next.key, *task.machine,
                                 {CellStatus::refused, task.outcome->refusal, "", ""}, {}));
      }
    } else if (take_if_there(next)) {
      ++total_.found;
    } else {
      todo.push_back(std::move(next));
    }
  }
  if (store_) {
    store_->put(refused);
  }
  put_in_order(todo);
  return todo;
}

SweepCount Sweep::run(std::vector<CellTask> tasks, const std::string& doing, std::ostream& err) {
  std::vector<Todo> todo = take_from_store(tasks);
  say_found(total_.found + todo.size(), "are", err);
  finish(tasks, todo, doing, err);
  say_failed(err);
  return total_;
}

void Sweep::run_wave(std::vector<CellTask> tasks, const std::string& doing, std::ostream& err) {
  std::vector<Todo> todo = take_from_store(tasks);
  finish(tasks, todo, doing, err);
}

SweepCount Sweep::sum_up(std::ostream& err) const {
  say_found(total_.found + total_.run, "were", err);
  say_failed(err);
  return total_;
}

void Sweep::say_found(std::size_t of, const char* are, std::ostream& err) const {
  if (total_.found > 0) {
    err << fmt::format("tutti: {} of {} {} in {} already\n", counted(total_.found, "result"), of,
                       are, printable(store_->path()));
  }
}

void Sweep::say_failed(std::ostream& err) const {
  std::vector<const RunOutcome*> failed;
  failed.reserve(failed_.size());
  for (const RunOutcome& outcome : failed_) {
    failed.push_back(&outcome);
  }
  report_failures(failed, err);
}

void Sweep::finish(const std::vector<CellTask>& tasks, std::vector<Todo>& todo,
                   const std::string& doing, std::ostream& err) {
  if (store_ && !said_others_) {
    said_others_ = true;
    say_other_builds(*store_, err);
    if (const std::string remark = store_->remark(); !remark.empty()) {
      err << "tutti: " << printable(remark) << '\n';
    }
  }
  {
    Progress progress(doing, "cell", todo.size(), err, Progress::Elsewhere::lines);
    Run(*this, todo, progress).run();
  }
  for (const CellTask& task : tasks) {
    const RunOutcome& outcome = *task.outcome;
    if (outcome.failed) {
      failed_.push_back(outcome);
      ++total_.failed;
    }
  }
}

}  // namespace tutti
