#include "src/workers/worker_pool.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <unistd.h>

#include "base/error.hpp"
#include "sim/isolated_process.hpp"
#include "src/workers/build_id.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace tutti { inline namespace workers {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kGreetingTimeoutMs = 60'000;
constexpr int kMostStarts = 3;
constexpr std::size_t kDeepest = 64;

[[noreturn]] void refuse(const std::string& program, const std::string& why) {
  throw UserError(fmt::format("cannot start '{} worker': {}", program, why));
}

// Attributes for posix_spawnp() that make the worker block SIGINT and SIGTERM. Terminals and batch
// systems send these signals to all processes of a job. The main process handles them, and kills
// its workers.
class SparedSignals {
 public:
  SparedSignals() {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &blocked);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  SparedSignals(const SparedSignals&) = delete;
  SparedSignals& operator=(const SparedSignals&) = delete;
  ~SparedSignals() { posix_spawnattr_destroy(&attributes_); }

  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

}  // namespace

// Sends and receives lines of text over a socket. Only wait() blocks.
class LineSocket {
 public:
  explicit LineSocket(int socket) : socket_(socket) {}  // takes ownership of the socket
  LineSocket(const LineSocket&) = delete;
  LineSocket& operator=(const LineSocket&) = delete;
  ~LineSocket() { close(socket_); }

  // Queues a line for the next send().
  void add_line(std::string_view line) {
    out_ += line;
    out_ += '\n';
  }

  // Sends as much of the queued text as the socket accepts now, and keeps the rest for the next
  // call. send(), exchange() and wait() return false if the other end is gone; next_line() still
  // returns the lines that were received before.
  bool send() {
    std::size_t sent = 0;
    while (sent < out_.size()) {
      const ssize_t count =
          ::send(socket_, out_.data() + sent, out_.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count >= 0) {
        sent += static_cast<std::size_t>(count);
      } else if (errno != EINTR) {
        out_.erase(0, sent);
        return would_block();
      }
    }
    out_.clear();
    return true;
  }

  // Sends queued text, and receives what has arrived.
  bool exchange() {
    const bool sent = send();
    return receive() && sent;
  }

  // Returns the events that poll() must wait for: input and, if text is queued, room to send it.
  [[nodiscard]] pollfd to_poll() const {
    const int events = out_.empty() ? POLLIN : POLLIN | POLLOUT;
    return {socket_, static_cast<short>(events), 0};
  }

  // Blocks until exchange() can do something, and calls it. Returns true if that takes longer than
  // `at_most_ms` milliseconds.
  bool wait(int at_most_ms) {
    pollfd ready = to_poll();
    return poll(&ready, 1, at_most_ms) <= 0 || exchange();
  }

  // Removes and returns the oldest complete line that was received, without its line end. Returns
  // nothing if there is none.
  std::optional<std::string> next_line() {
    const std::size_t end = in_.find('\n', in_begin_);
    if (end == std::string::npos) {
      in_.erase(0, in_begin_);
      in_begin_ = 0;
      return std::nullopt;
    }
    std::string line = in_.substr(in_begin_, end - in_begin_);
    in_begin_ = end + 1;
    return line;
  }

 private:
  static bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

  bool receive() {
    char bytes[1U << 16U];
    while (true) {
      const ssize_t count = recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
      if (count > 0) {
        in_.append(bytes, static_cast<std::size_t>(count));
      } else if (count == 0) {
        return false;
      } else if (errno != EINTR) {
        return would_block();
      }
    }
  }

  int socket_;
  std::string in_;
  std::size_t in_begin_ = 0;
  std::string out_;
};

std::string worker_greeting() { return fmt::format("tutti worker {}", version_and_build()); }

class WorkerPool::Worker {
 public:
  explicit Worker(const std::string& program) {
    int sockets[2];
    output_ = memfd_create("tutti-worker", MFD_CLOEXEC);
    if (output_ < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
      refuse(program, std::strerror(errno));
    }
    socket_ = std::make_unique<LineSocket>(sockets[0]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, sockets[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, sockets[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output_, STDERR_FILENO);
    std::string name = program;
    std::string command = "worker";
    char* arguments[] = {name.data(), command.data(), nullptr};
    const SparedSignals spared;
    const int error =
        posix_spawnp(&pid_, program.c_str(), &actions, spared.get(), arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(sockets[1]);
    if (error != 0) {
      pid_ = -1;
      close(output_);
      refuse(program, std::strerror(error));
    }
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    (void)end();
    close(output_);
  }

  // Waits for the worker's greeting, and returns true if the greeting is right. Throws UserError if
  // the greeting is wrong or missing, with one exception: if SIGKILL ended the worker before it
  // sent the greeting, and `last_try` is false, returns false. The worker itself is then not at
  // fault, and the caller can start another one.
  [[nodiscard]] bool greets(const std::string& program, bool last_try) {
    const auto end = Clock::now() + std::chrono::milliseconds(kGreetingTimeoutMs);
    std::optional<std::string> line;
    while (!(line = socket_->next_line())) {
      if (Clock::now() > end) {
        refuse(program, fmt::format("no answer for {} s", kGreetingTimeoutMs / 1000));
      }
      if (!socket_->wait(kGreetingTimeoutMs)) {
        const std::string how = end_in_words();
        if (killed_ && !last_try) {
          return false;
        }
        refuse(program, how);
      }
    }
    if (line != worker_greeting()) {
      refuse(program,
             fmt::format("it answered '{}' instead of '{}'; all workers must be of the same build",
                         line.value_or(""), worker_greeting()));
    }
    return true;
  }

  void give(QueuedCell cell) {
    if (cells_.empty()) {
      begun_ = Clock::now();
    }
    // Only queues the line. The next WorkerPool::wait() sends it, together with other queued lines.
    socket_->add_line(cell.line);
    cells_.push_back(std::move(cell));
  }

  // Removes the first cell, whose answer has arrived. Returns the cell's ticket, and the time since
  // the worker could begin the cell.
  std::pair<CellTicket, Clock::duration> take_first() {
    const CellTicket ticket = cells_.front().ticket;
    cells_.pop_front();
    const auto now = Clock::now();
    const auto took = now - begun_;
    begun_ = now;
    return {ticket, took};
  }

  // Kills the process if it still runs. Returns a sentence about how the process ended and what it
  // last printed to stderr.
  std::string end_in_words() {
    const int status = end();
    killed_ = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    const std::string last_words = last_words_in(output_);
    return fmt::format("the worker {}{}{}", how_it_ended(status),
                       last_words.empty() ? "" : "; its last output: ", last_words);
  }

  [[nodiscard]] std::deque<QueuedCell>& cells() { return cells_; }
  [[nodiscard]] LineSocket& socket() { return *socket_; }

 private:
  // Kills the process if it still runs, and returns its status as from waitpid(). Returns 0 if an
  // earlier call has returned this status.
  int end() {
    int status = 0;
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
      }
      pid_ = -1;
    }
    return status;
  }

  pid_t pid_ = -1;
  bool killed_ = false;
  std::unique_ptr<LineSocket> socket_;
  int output_ = -1;               // in-memory file that receives the worker's stderr
  std::deque<QueuedCell> cells_;  // cells given to the worker; the first one is running
  Clock::time_point begun_;       // when the worker could begin the first cell
};

WorkerPool::WorkerPool(std::string program, std::size_t workers, double ahead_s)
    : program_(std::move(program)), ahead_s_(ahead_s) {
  for (std::size_t i = 0; i < workers; ++i) {
    workers_.push_back(std::make_unique<Worker>(program_));
  }
  for (auto& worker : workers_) {
    if (!worker->greets(program_, false)) {
      worker = start();
    }
  }
}

WorkerPool::~WorkerPool() = default;

std::unique_ptr<WorkerPool::Worker> WorkerPool::start() const {
  for (int tries = 1;; ++tries) {
    auto worker = std::make_unique<Worker>(program_);
    if (worker->greets(program_, tries == kMostStarts)) {
      return worker;
    }
  }
}

std::size_t WorkerPool::room() const {
  std::size_t room = 0;
  for (const auto& worker : workers_) {
    room += depth_ - std::min(depth_, worker->cells().size());
  }
  return room - std::min(room, waiting_.size());
}

void WorkerPool::submit(CellTicket ticket, std::string line) {
  waiting_.push_back({ticket, std::move(line)});
  hand_out();
}

void WorkerPool::hand_out() {
  while (!waiting_.empty()) {
    Worker& idlest = **std::min_element(
        workers_.begin(), workers_.end(),
        [](const auto& a, const auto& b) { return a->cells().size() < b->cells().size(); });
    if (idlest.cells().size() >= depth_) {
      return;
    }
    idlest.give(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

// Includes the time of one more cell in mean_s_, and sets depth_ accordingly. A single time means
// little, because several answers may arrive at once.
void WorkerPool::note_time(std::chrono::duration<double> took) {
  constexpr double kWeight = 0.05;
  mean_s_ = mean_s_ < 0 ? took.count() : mean_s_ + kWeight * (took.count() - mean_s_);
  depth_ = std::min(1 + static_cast<std::size_t>(ahead_s_ / std::max(mean_s_, 1e-6)), kDeepest);
}

std::vector<WorkerEvent> WorkerPool::wait(int at_most_ms) {
  std::vector<pollfd> ready;
  ready.reserve(workers_.size());
  for (const auto& worker : workers_) {
    (void)worker->socket().send();  // if the worker is gone, poll() reports it
    ready.push_back(worker->socket().to_poll());
  }
  std::vector<WorkerEvent> events;
  if (poll(ready.data(), ready.size(), at_most_ms) <= 0) {
    return events;
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (ready[i].revents == 0) {
      continue;
    }
    Worker& worker = *workers_[i];
    const bool alive = worker.socket().exchange();
    for (auto line = worker.socket().next_line(); line; line = worker.socket().next_line()) {
      if (worker.cells().empty()) {
        break;  // ignores an answer that belongs to no cell
      }
      const auto [ticket, took] = worker.take_first();
      note_time(took);
      events.push_back(
          {ticket, false, std::move(*line), std::chrono::duration<double>(took).count()});
    }
    if (!alive) {
      std::deque<QueuedCell> left = std::move(worker.cells());
      const std::string how = worker.end_in_words();
      if (!left.empty()) {
        events.push_back({left.front().ticket, true, how});
        left.pop_front();
      }
      waiting_.insert(waiting_.begin(), std::make_move_iterator(left.begin()),
                      std::make_move_iterator(left.end()));
      workers_[i] = start();
    }
  }
  hand_out();
  return events;
}

}}  // namespace tutti::workers
