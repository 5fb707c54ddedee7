// Text between the ranks of tutti-sweep: no rank waits for another, and each knows whom it has
// heard of lately.
#pragma once

#include <chrono>
#include <deque>
#include <mpi.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::sweep {

struct Letter {
  int from = 0;
  std::string text;  // lines, as src/workers/sweep_channel.hpp has them
};

// Every call of MPI that fails throws MpiError.
class Mail {
 public:
  Mail();
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;
  ~Mail() = default;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }

  // Whole lines, in one or more letters.
  void send(int to, std::string_view lines);
  // Does not block.
  [[nodiscard]] std::optional<Letter> receive();
  // Blocks until all that was sent has left.
  void flush();

  // Sends a sign of life to `to` where nothing was sent for a while.
  void show_life(int to);
  // Seconds since the last letter from there, or since the beginning.
  [[nodiscard]] double silent_s(int from) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Sent {
    std::string text;
    MPI_Request request;
  };

  void send_letter(int to, std::string text);
  void drop_delivered();

  int rank_ = 0;
  int ranks_ = 1;
  std::deque<Sent> sent_;
  std::vector<Clock::time_point> last_sent_;
  std::vector<Clock::time_point> last_heard_;
};

}  // namespace tutti::sweep
