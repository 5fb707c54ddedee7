#include "src/mpi/sweep/mail.hpp"

#include "sim/mpi/mpi_error.hpp"

namespace tutti::sweep {

using mpi::check;

namespace {

constexpr int kTag = 1;
constexpr std::chrono::seconds kSignOfLife{2};
// Larger ones are not sent before the receiver asks for them, and keep it waiting then.
constexpr std::size_t kSmallLetterBytes = 3500;

}  // namespace

Mail::Mail() {
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &ranks_), "MPI_Comm_size");
  last_sent_.assign(static_cast<std::size_t>(ranks_), Clock::now());
  last_heard_ = last_sent_;
}

void Mail::send(int to, std::string_view lines) {
  drop_delivered();
  while (!lines.empty()) {
    // As many lines as fit, but one at least.
    std::size_t end = lines.size();
    if (end > kSmallLetterBytes) {
      const std::size_t last = lines.rfind('\n', kSmallLetterBytes - 1);
      end = (last != std::string_view::npos ? last : lines.find('\n')) + 1;
    }
    send_letter(to, std::string(lines.substr(0, end)));
    lines.remove_prefix(end);
  }
}

void Mail::send_letter(int to, std::string text) {
  sent_.push_back({std::move(text), MPI_REQUEST_NULL});
  Sent& letter = sent_.back();
  check(MPI_Isend(letter.text.data(), static_cast<int>(letter.text.size()), MPI_CHAR, to, kTag,
                  MPI_COMM_WORLD, &letter.request),
        "MPI_Isend");
  last_sent_[static_cast<std::size_t>(to)] = Clock::now();
}

std::optional<Letter> Mail::receive() {
  drop_delivered();
  int there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  check(MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &message, &status),
        "MPI_Improbe");
  if (there == 0) {
    return std::nullopt;
  }
  int size = 0;
  check(MPI_Get_count(&status, MPI_CHAR, &size), "MPI_Get_count");
  Letter letter{status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), '\0')};
  check(MPI_Mrecv(letter.text.data(), size, MPI_CHAR, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  last_heard_[static_cast<std::size_t>(letter.from)] = Clock::now();
  return letter;
}

// In the order in which they were sent, which is nearly that of their delivery.
void Mail::drop_delivered() {
  while (!sent_.empty()) {
    int done = 0;
    check(MPI_Test(&sent_.front().request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) {
      return;
    }
    sent_.pop_front();
  }
}

void Mail::flush() {
  for (Sent& letter : sent_) {
    check(MPI_Wait(&letter.request, MPI_STATUS_IGNORE), "MPI_Wait");
  }
  sent_.clear();
}

void Mail::show_life(int to) {
  if (Clock::now() - last_sent_[static_cast<std::size_t>(to)] > kSignOfLife) {
    send(to, "alive 0\n");
  }
}

double Mail::silent_s(int from) const {
  return std::chrono::duration<double>(Clock::now() - last_heard_[static_cast<std::size_t>(from)])
      .count();
}

}  // namespace tutti::sweep
