#include "src/experiments/sweep/sweep_wave.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "src/experiments/sweep/cell_answer.hpp"

namespace tutti::inline experiments {

namespace {

// A result is written to the database at most this long after it has arrived.
constexpr std::chrono::milliseconds kKeepWithin{20};
constexpr int kLookForInterrupts_ms = 100;
constexpr unsigned kMostDeaths = 2;

}  // namespace

Sweep::Run::Run(Sweep& sweep, std::vector<PendingCell>& todo, Progress& progress)
    : sweep_(sweep), todo_(todo), progress_(progress) {
  for (CellTicket ticket = 0; ticket < todo.size(); ++ticket) {
    pending_.push_back(ticket);
    estimate_.add(ticket, *todo[ticket].run);
  }
}

void Sweep::Run::run() {
  // On an interrupt, first store the results that have arrived, then end the program.
  const WhenInterrupted when([this] { return sweep_.kept_in_words(); },
                             WhenInterrupted::End::by_itself);
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

void Sweep::Run::hand_out() {
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

const std::string& Sweep::Run::text_of(const PendingCell& cell) {
  const Machine* machine = cell.run->machine;
  const auto known = machine_texts_.find(machine);
  return known != machine_texts_.end()
             ? known->second
             : machine_texts_.emplace(machine, machine_text(*machine, cell.key.platform_id))
                   .first->second;
}

int Sweep::Run::patience_ms() const {
  if (rows_.empty()) {
    return kLookForInterrupts_ms;
  }
  const auto left = kKeepWithin - std::min<Clock::duration>(kKeepWithin, Clock::now() - kept_);
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

void Sweep::Run::keep_rows() {
  sweep_.store_.put(rows_);
  rows_.clear();
  kept_ = Clock::now();
}

void Sweep::Run::hear(const WorkerEvent& event) {
  PendingCell& cell = todo_.at(event.ticket);
  if (!event.died) {
    cell.run->outcome = outcome_of_answer_line(*cell.run, event.text);
  } else if (++cell.deaths < kMostDeaths) {
    estimate_.give_up(event.ticket);
    pending_.push_front(event.ticket);
    return;
  } else {
    cell.run->outcome = Failure{
        fmt::format("{}, in {} tries; --retry-failed tries again", event.text, cell.deaths)};
  }
  rows_.push_back(row_of(cell.key, *cell.run));
  const Outcome& outcome = cell.run->outcome;
  is_over(event.ticket,
          event.seconds ? seconds_if_run(outcome, *event.seconds) : seconds_of(outcome));
}

void Sweep::Run::is_over(CellTicket ticket, std::optional<double> seconds) {
  ++done_;
  ++sweep_.run_;
  estimate_.end(ticket, seconds);
}

}  // namespace tutti::inline experiments
