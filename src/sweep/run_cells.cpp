#include "src/sweep/run_cells.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>

#include "schedules/error.hpp"
#include "src/human.hpp"
#include "src/sweep/sweep_channel.hpp"
#include "src/sweep/worker_pool.hpp"

namespace tutti {

namespace {

constexpr int kWaitMs = 100;
constexpr unsigned kMostDeaths = 2;

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

}  // namespace

struct Sweep::Todo {
  CellTask* task = nullptr;
  CellKey key;
  unsigned deaths = 0;

  [[nodiscard]] Cell cell() const {
    return {task->outcome->algorithm, task->outcome->problem, *task->machine};
  }
};

void SweepOptions::add_to(CLI::App& app) {
  constexpr const char* kGroup = "Sweep";
  app.add_option("--db", database,
                 "Keep each result in this database (SQLite) as soon as it is there, and run only "
                 "what it does not hold yet; 'tutti query' reads it")
      ->type_name("FILE")
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

void Sweep::take_from_store(std::vector<CellTask>& tasks, std::vector<Todo>& todo,
                            SweepCount& count) {
  std::vector<CellRow> refused;
  for (CellTask& task : tasks) {
    Todo next{&task, {}};
    next.key = key_of(next.cell(), ids_.of(*task.machine));
    if (!task.outcome->refusal.empty()) {
      ++count.refused;
      if (store_ && !store_->find(next.key)) {
        refused.push_back(row_of(next.key, *task.machine,
                                 {CellStatus::refused, task.outcome->refusal, "", ""}, {}));
      }
    } else if (take_if_there(next)) {
      ++count.found;
    } else {
      todo.push_back(std::move(next));
    }
  }
  if (store_) {
    store_->put(refused);
    (void)store_->changed_by_others();
  }
  put_in_order(todo);
}

SweepCount Sweep::run(std::vector<CellTask>& tasks, const std::string& doing, std::ostream& err) {
  SweepCount count;
  std::vector<Todo> todo;
  take_from_store(tasks, todo, count);
  if (count.found > 0) {
    err << fmt::format("tutti: {} of {} are in {} already\n", counted(count.found, "result"),
                       count.found + todo.size(), store_->path());
  }
  {
    Progress progress(doing, "cell", todo.size(), err, Progress::Elsewhere::lines);
    run_todo(todo, count, progress);
  }
  std::vector<const RunOutcome*> failed;
  for (const CellTask& task : tasks) {
    if (task.outcome->failed) {
      failed.push_back(task.outcome);
    }
  }
  count.failed = failed.size();
  report_failures(failed, err);
  return count;
}

void Sweep::run_todo(std::vector<Todo>& todo, SweepCount& count, Progress& progress) {
  std::deque<CellTicket> pending;  // numbers of `todo`
  double work = 0;
  for (CellTicket ticket = 0; ticket < todo.size(); ++ticket) {
    pending.push_back(ticket);
    work += todo[ticket].task->expected_work;
  }
  progress.set_total_work(work);
  work = 0;
  std::size_t under_way = 0;
  std::size_t done = 0;
  bool others_write = false;
  const auto is_over = [&](const Todo& cell) {
    ++done;
    work += cell.task->expected_work;
  };
  while (!pending.empty() || under_way > 0) {
    others_write = others_write || (store_ && store_->changed_by_others());
    while (!pending.empty() && workers().room() > 0) {
      const CellTicket ticket = pending.front();
      pending.pop_front();
      Todo& next = todo[ticket];
      if (others_write && take_if_there(next)) {
        ++count.found;
        is_over(next);
        continue;
      }
      workers().submit(ticket, to_line(next.cell(), next.key.platform_id));
      ++under_way;
    }
    std::vector<CellRow> rows;
    for (const WorkerEvent& event :
         workers().wait(under_way == 0 && pending.empty() ? 0 : kWaitMs)) {
      --under_way;
      Todo& cell = todo.at(event.ticket);
      CellAnswer answer;
      if (!event.died) {
        answer = answer_of_line(event.text);
      } else if (++cell.deaths < kMostDeaths) {
        pending.push_front(event.ticket);
        continue;
      } else {
        answer = {
            CellStatus::failed,
            fmt::format("{}, on {} tries; --retry-failed tries again", event.text, cell.deaths), "",
            ""};
      }
      set(*cell.task->outcome, answer, cell.cell());
      rows.push_back(
          row_of(cell.key, *cell.task->machine, std::move(answer), cell.task->outcome->result));
      ++count.run;
      is_over(cell);
    }
    if (store_) {
      store_->put(rows);
    }
    progress.show(done, work);
  }
}

}  // namespace tutti
