#include "src/experiments/sweep/sweep_wave.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/human.hpp"
#include "src/experiments/sweep/cell_answer.hpp"

namespace tutti::inline experiments {

namespace {

constexpr std::chrono::milliseconds kKeepWithin{20};  // a result is in the database
constexpr std::chrono::milliseconds kLookAgain{100};  // for the results of others
constexpr std::chrono::seconds kSayFirst{5};          // that there is only to wait for others
constexpr std::chrono::seconds kSayAgain{60};
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
  // Results that have come are kept, and claims are given back, before the program ends.
  const WhenInterrupted when([this] { return sweep_.kept_in_words(); },
                             WhenInterrupted::End::by_itself);
  while (done_ < todo_.size()) {
    if (interrupted() != 0) {
      keep_what_is_there();
      when.stop_if_interrupted();
    }
    if (sweep_.claims_) {
      sweep_.claims_->show_life();
    }
    hand_out();
    if (is_time_to_settle()) {
      settle();
      hand_out();
    }
    hear_workers();
    if (progress_.due()) {
      progress_.show(done_, estimate_.done());
    }
  }
  settle();
}

void Sweep::Run::hear_workers() {
  try {
    for (const WorkerEvent& event : sweep_.workers().wait(patience_ms())) {
      hear(event);
    }
  } catch (const UserError&) {
    // Workers on other machines may have had the signal, too.
    if (interrupted() == 0) {
      throw;
    }
  }
}

void Sweep::Run::keep_what_is_there() {
  if (sweep_.store_) {
    settle_with_store(*sweep_.store_, 0);
  }
}

void Sweep::Run::hand_out() {
  CellWorkers& workers = sweep_.workers();
  while (!ready_.empty() && workers.room() > 0) {
    const CellTicket ticket = ready_.front();
    ready_.pop_front();
    const PendingCell& next = todo_[ticket];
    estimate_.begin(ticket);
    workers.submit(ticket, to_line(*next.run, text_of(next)));
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

bool Sweep::Run::wants_cells() const {
  return ready_.empty() && !pending_.empty() && sweep_.workers().room() > 0;
}

bool Sweep::Run::is_time_to_settle() const {
  const auto since = Clock::now() - settled_;
  return wants_cells() || (!rows_.empty() && since >= kKeepWithin) ||
         (!elsewhere_.empty() && ready_.empty() && since >= kLookAgain);
}

int Sweep::Run::patience_ms() const {
  if (wants_cells()) {  // those asked for last were there already
    return 0;
  }
  const auto until = rows_.empty() ? kLookAgain : kKeepWithin;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      until - std::min<Clock::duration>(until, Clock::now() - settled_));
  return static_cast<int>(left.count());
}

void Sweep::Run::settle() {
  const std::size_t wanted = cells_to_claim();
  if (!sweep_.store_) {
    move_front(pending_, ready_, wanted);
  } else if (!rows_.empty() || wanted > 0) {
    settle_with_store(*sweep_.store_, wanted);
  }
  settled_ = Clock::now();
}

std::size_t Sweep::Run::cells_to_claim() const {
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

void Sweep::Run::settle_with_store(ResultStore& store, std::size_t wanted) {
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
    PendingCell& next = todo_[ticket];
    const bool may_be_there = sweep_.others_write_ || next.was_elsewhere;
    if (may_be_there && sweep_.take_if_there(next)) {
      is_over(ticket, std::nullopt);
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

void Sweep::Run::say_others(const std::vector<CellClaims::Other>& others,
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
          counted(elsewhere_.size(), "cell"), seconds(now - idle_since_), other.process, other.host,
          seconds(other.silent), seconds(lost_after)));
    }
  }
}

void Sweep::Run::hear(const WorkerEvent& event) {
  PendingCell& cell = todo_.at(event.ticket);
  if (!event.died) {
    cell.run->outcome = outcome_of_answer_line(*cell.run, event.text);
  } else if (++cell.deaths < kMostDeaths) {
    estimate_.give_up(event.ticket);
    ready_.push_front(event.ticket);
    return;
  } else {
    cell.run->outcome = Failure{
        fmt::format("{}, on {} tries; --retry-failed tries again", event.text, cell.deaths)};
  }
  if (sweep_.store_) {
    rows_.emplace_back(event.ticket, row_of(cell.key, *cell.run));
  }
  ++ran_;
  const Outcome& outcome = cell.run->outcome;
  is_over(event.ticket,
          event.seconds ? seconds_if_run(outcome, *event.seconds) : seconds_of(outcome));
}

void Sweep::Run::is_over(CellTicket ticket, std::optional<double> seconds) {
  ++done_;
  ++sweep_.run_;
  estimate_.end(ticket, seconds);
}

void Sweep::Run::move_front(std::deque<CellTicket>& from, std::deque<CellTicket>& to,
                            std::size_t count) {
  for (; count > 0 && !from.empty(); --count) {
    to.push_back(from.front());
    from.pop_front();
  }
}

}  // namespace tutti::inline experiments
