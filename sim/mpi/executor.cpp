#include "sim/mpi/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "schedules/notation/print.hpp"
#include "sim/mpi/clock.hpp"
#include "sim/mpi/mpi_error.hpp"

namespace tutti::mpi {

namespace {

constexpr std::uint64_t kMaxCount = std::numeric_limits<int>::max();
// A swapped reduction (see LocalWork::swapped) copies its data. It works on pieces of this size, so
// that the copies stay in the cache.
constexpr std::uint64_t kSwapBytes = 1U << 15U;

enum State : std::uint8_t { waiting, started, finished };

}  // namespace

Executor::Executor(const Schedule& schedule, const World& world, const ElementHandles& handles,
                   std::uint64_t tags)
    : schedule_(schedule),
      world_(world),
      handles_(handles),
      plan_(
          plan_of(schedule, world.rank(), tags == 0 ? world.tags() : std::min(tags, world.tags()))),
      buffers_(schedule) {
  TUTTI_INVARIANT(schedule.has_payload() && schedule.ranks() == world.ranks());
  prepare();
}

void Executor::prepare() {
  const Step size = plan_.size();
  index_.resize(size);
  waits_at_start_.resize(size);
  std::uint32_t locals = 0;
  for (Step step = 0; step < size; ++step) {
    const RankPlan::Entry& entry = plan_.entries[step];
    waits_at_start_[step] = entry.waits_for;
    if (entry.waits_for == 0) {
      ready_at_start_.push_back(step);
    }
    if (entry.role == Role::send || entry.role == Role::receive) {
      prepare_message(step);
    } else {
      prepare_local(step);
      ++locals;
    }
  }
  // Allocates everything now, so that nothing is allocated during timing.
  waits_for_.resize(size);
  receives_.reserve(messages_.size());
  sends_.reserve(messages_.size());
  requests_.reserve(messages_.size());
  request_steps_.reserve(messages_.size());
  completed_.resize(messages_.size());
  statuses_.resize(messages_.size());
  locals_ready_.reserve(locals);
  state_.resize(size);
}

void Executor::prepare_message(Step step) {
  const RankPlan::Entry& entry = plan_.entries[step];
  const Op& op = schedule_.op(entry.id);
  const bool sends = entry.role == Role::send;
  const std::vector<ByteRun> runs =
      sends ? runs_read(schedule_, entry.id) : runs_written(schedule_, entry.id);
  std::byte* const start = buffers_.at(sends ? op.from() : op.into());
  // If there are no reductions, a block may end inside an element. Such blocks are sent as bytes.
  const bool whole = schedule_.layout().element_bytes() % handles_.element().bytes() == 0;
  const Unit unit = whole ? Unit{handles_.type(), handles_.element().bytes()} : Unit{MPI_BYTE, 1};
  Message message{start, 0, unit.type, static_cast<int>(entry.peer)};
  if (runs.size() == 1 && runs[0].bytes / unit.bytes <= kMaxCount) {
    message.data = start + runs[0].offset;
    message.count = static_cast<int>(runs[0].bytes / unit.bytes);
  } else if (!runs.empty()) {
    types_.push_back(type_of_runs(runs, unit));
    message.count = 1;
    message.type = types_.back().get();
  }
  index_[step] = static_cast<std::uint32_t>(messages_.size());
  messages_.push_back(message);
}

void Executor::prepare_local(Step step) {
  const OpId id = plan_.entries[step].id;
  const Op& op = schedule_.op(id);
  LocalWork work;
  work.moves = moves_of(schedule_, id);
  work.from = buffers_.at(op.from());
  work.into = buffers_.at(op.into());
  work.staged = needs_staging(op, work.moves);
  work.swapped = op.kind() == OpKind::reduce && op.from_is() == Operand::right &&
                 !handles_.element().commutative();
  staging_.resize(std::max<std::size_t>(
      staging_.size(), (work.staged ? op.bytes() : 0) + (work.swapped ? kSwapBytes : 0)));
  index_[step] = static_cast<std::uint32_t>(locals_.size());
  locals_.push_back(std::move(work));
}

void Executor::record_times() {
  record_times_ = true;
  record_.start_s.resize(plan_.size());
  record_.end_s.resize(plan_.size());
}

void Executor::reset_buffers() {
  start_contents(schedule_, handles_.element(), world_.rank(), input(), work());
}

void Executor::run() {
  std::copy(waits_at_start_.begin(), waits_at_start_.end(), waits_for_.begin());
  std::fill(state_.begin(), state_.end(), waiting);
  locals_ready_.clear();
  locals_done_ = 0;
  unfinished_ = plan_.size();
  for (const Step step : ready_at_start_) {
    release(step);
  }
  Deadline deadline = world_.deadline();
  while (unfinished_ > 0) {
    // Posts receives before sends, because the MPI library copies the data of a message once more
    // if it arrives before its receive is posted.
    while (!receives_.empty() || !sends_.empty()) {
      std::vector<Step>& queue = receives_.empty() ? sends_ : receives_;
      // The queue may grow in the loop, because a message that is posted can release another.
      for (std::size_t i = 0; i < queue.size(); ++i) {
        post(queue[i]);
      }
      queue.clear();
    }
    if (locals_done_ < locals_ready_.size()) {
      perform(locals_ready_[locals_done_++]);
      if (!receives_.empty() || !sends_.empty()) {
        continue;
      }
    }
    if (!requests_.empty()) {
      poll(deadline);
    } else {
      TUTTI_INVARIANT(unfinished_ == 0 || locals_done_ < locals_ready_.size() ||
                      !receives_.empty() || !sends_.empty());
    }
  }
}

void Executor::release(Step step) {
  switch (plan_.entries[step].role) {
    case Role::receive:
      receives_.push_back(step);
      break;
    case Role::send:
      sends_.push_back(step);
      break;
    default:
      locals_ready_.push_back(step);
      break;
  }
}

void Executor::post(Step step) {
  const RankPlan::Entry& entry = plan_.entries[step];
  const Message& message = messages_[index_[step]];
  if (record_times_) {
    record_.start_s[step] = now_s();
  }
  state_[step] = started;
  MPI_Request request = MPI_REQUEST_NULL;
  if (entry.role == Role::receive) {
    const int code = MPI_Irecv(message.data, message.count, message.type, message.peer, entry.tag,
                               world_.comm(), &request);
    if (code != MPI_SUCCESS) [[unlikely]] {
      fail_in("MPI_Irecv", entry.id, code);
    }
  } else {
    const int code = MPI_Isend(message.data, message.count, message.type, message.peer, entry.tag,
                               world_.comm(), &request);
    if (code != MPI_SUCCESS) [[unlikely]] {
      fail_in("MPI_Isend", entry.id, code);
    }
  }
  requests_.push_back(request);
  request_steps_.push_back(step);
  if (entry.opens != kNoStep && --waits_for_[entry.opens] == 0) {
    release(entry.opens);
  }
}

void Executor::finish(Step step) {
  if (record_times_) {
    record_.end_s[step] = now_s();
  }
  state_[step] = finished;
  --unfinished_;
  for (const Step next : plan_.successors(step)) {
    if (--waits_for_[next] == 0) {
      release(next);
    }
  }
}

void Executor::poll(Deadline& deadline) {
  int count = 0;
#if TUTTI_UNDER_SMPI
  // Waits rather than polls, because polling costs simulated time, even inside MPI_Waitsome. No
  // deadline is needed, because the simulator notices a hang.
  const int code = MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(),
                               completed_.data(), statuses_.data());
  count = 1;
#else
  const int code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                completed_.data(), statuses_.data());
#endif
  if (code != MPI_SUCCESS) [[unlikely]] {
    int error_class = 0;
    if (MPI_Error_class(code, &error_class) == MPI_SUCCESS && error_class == MPI_ERR_IN_STATUS) {
      for (int i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (statuses_[at].MPI_ERROR != MPI_SUCCESS) {
          const Step step = request_steps_[static_cast<std::size_t>(completed_[at])];
          const RankPlan::Entry& entry = plan_.entries[step];
          fail_in(entry.role == Role::send ? "MPI_Testsome for the MPI_Isend"
                                           : "MPI_Testsome for the MPI_Irecv",
                  entry.id, statuses_[at].MPI_ERROR);
        }
      }
    }
    check(code, "MPI_Testsome");
  }
  if (count <= 0) {
    if (locals_done_ == locals_ready_.size()) {
      if (deadline.idle()) {
        fail_with_unfinished(deadline);
      }
      world_.idle(deadline.idle_calls());
    }
    return;
  }
  deadline.restart();
  for (int i = 0; i < count; ++i) {
    finish(request_steps_[static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)])]);
  }
  // MPI has set finished requests to MPI_REQUEST_NULL.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] != MPI_REQUEST_NULL) {
      requests_[kept] = requests_[i];
      request_steps_[kept] = request_steps_[i];
      ++kept;
    }
  }
  requests_.resize(kept);
  request_steps_.resize(kept);
}

template <typename Apply>
void Executor::for_each_move(const LocalWork& work, Apply&& apply) {
  std::byte* staged = staging_.data();
  if (work.staged) {
    for (const ByteMove& move : work.moves) {
      std::memcpy(staged, work.from + move.from, move.bytes);
      staged += move.bytes;
    }
    staged = staging_.data();
  }
  for (const ByteMove& move : work.moves) {
    const std::byte* from = work.from + move.from;
    if (work.staged) {
      from = staged;
      staged += move.bytes;
    }
    apply(from, work.into + move.into, move.bytes);
  }
}

void Executor::perform(Step step) {
  if (record_times_) {
    record_.start_s[step] = now_s();
  }
  state_[step] = started;
  const LocalWork& work = locals_[index_[step]];
  if (plan_.entries[step].role == Role::reduce) {
    for_each_move(work, [&](const std::byte* from, std::byte* into, std::uint64_t bytes) {
      reduce_run(from, into, bytes, work.swapped, plan_.entries[step].id);
    });
  } else {
    for_each_move(work, [](const std::byte* from, std::byte* into, std::uint64_t bytes) {
      std::memmove(into, from, bytes);
    });
  }
  finish(step);
}

void Executor::reduce_run(const std::byte* from, std::byte* into, std::uint64_t bytes, bool swapped,
                          OpId id) {
  const std::uint64_t element_bytes = handles_.element().bytes();
  std::byte* const piece = staging_.data() + staging_.size() - (swapped ? kSwapBytes : 0);
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t most = swapped ? kSwapBytes / element_bytes : kMaxCount;
    const std::uint64_t count = std::min((bytes - done) / element_bytes, most);
    const std::uint64_t length = count * element_bytes;
    int code = MPI_SUCCESS;
    if (swapped) {
      std::memcpy(piece, from + done, length);
      code = MPI_Reduce_local(into + done, piece, static_cast<int>(count), handles_.type(),
                              handles_.op());
      std::memcpy(into + done, piece, length);
    } else {
      code = MPI_Reduce_local(from + done, into + done, static_cast<int>(count), handles_.type(),
                              handles_.op());
    }
    if (code != MPI_SUCCESS) [[unlikely]] {
      fail_in("MPI_Reduce_local", id, code);
    }
    done += length;
  }
}

void Executor::fail_in(const char* call, OpId id, int code) const {
  throw MpiError(call, label_text(schedule_.op(id)), code);
}

void Executor::fail_with_unfinished(const Deadline& deadline) const {
  constexpr Step kShown = 4;
  std::string text;
  Step shown = 0;
  // Lists started operations first, because the other operations wait for them.
  for (const State state : {started, waiting}) {
    for (Step step = 0; step < plan_.size(); ++step) {
      if (state_[step] != state || shown == kShown) {
        continue;
      }
      const RankPlan::Entry& entry = plan_.entries[step];
      const char* const role = entry.role == Role::send      ? "send"
                               : entry.role == Role::receive ? "receive"
                               : entry.role == Role::reduce  ? "reduction"
                                                             : "copy";
      text +=
          fmt::format("{}{} ({}, {})", shown == 0 ? "" : ", ", label_text(schedule_.op(entry.id)),
                      role, state == started ? "posted" : "waits for others");
      ++shown;
    }
  }
  if (unfinished_ > shown) {
    text += fmt::format(", and {} more", unfinished_ - shown);
  }
  throw Timeout(fmt::format("no progress for {} s; unfinished: {}", deadline.seconds(), text));
}

}  // namespace tutti::mpi
