#include "src/mpi/sweep/router.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include "base/error.hpp"
#include "sim/isolated_process.hpp"
#include "src/mpi/sweep/rank_workers.hpp"
#include "src/requests/exit_codes.hpp"
#include "src/workers/line_socket.hpp"
#include "src/workers/sweep_channel.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace tutti::sweep {

namespace {

constexpr int kPauseMs = 1;
constexpr int kAloneMs = 100;  // where all that can happen wakes us
constexpr const char* kLastWord = "stopped 0\n";

// `tutti compare ...`, with our end of the socket.
class Command {
 public:
  explicit Command(const SweepJob& job) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
      throw UserError(fmt::format("cannot make a socket pair: {}", std::strerror(errno)));
    }
    socket_ = std::make_unique<LineSocket>(sockets[0]);
    std::vector<std::string> words{job.program};
    words.insert(words.end(), job.command.begin(), job.command.end());
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    const std::string variable = fmt::format("{}={}", kSweepChannelVariable, sockets[1]);
    std::vector<char*> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) {
      environment.push_back(*entry);
    }
    std::string own = variable;
    environment.push_back(own.data());
    environment.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    // Onto itself: it stays open there, and only there.
    posix_spawn_file_actions_adddup2(&actions, sockets[1], sockets[1]);
    const int error = posix_spawnp(&pid_, job.program.c_str(), &actions, nullptr, arguments.data(),
                                   environment.data());
    posix_spawn_file_actions_destroy(&actions);
    close(sockets[1]);
    if (error != 0) {
      pid_ = -1;
      throw UserError(fmt::format("cannot start '{}': {}", job.program, std::strerror(error)));
    }
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command() {
    if (pid_ > 0) {
      kill(pid_, SIGTERM);  // it leaves no half-written file
      (void)wait();
    }
  }

  [[nodiscard]] LineSocket& socket() { return *socket_; }

  // Waits for its end.
  int exit_code() {
    const int status = wait();
    if (WIFEXITED(status)) {
      return WEXITSTATUS(status);
    }
    throw UserError(
        fmt::format("the tutti that leads the sweep {}; the same command goes on where "
                    "this one stopped",
                    how_it_ended(status)));
  }

 private:
  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

  pid_t pid_ = -1;
  std::unique_ptr<LineSocket> socket_;
};

class Router {
 public:
  Router(const SweepJob& job, Mail& mail)
      : job_(job),
        mail_(mail),
        room_(static_cast<std::size_t>(mail.ranks()), 0),
        own_(mail.ranks() == 1 ? std::make_unique<RankWorkers>(job.program, job.workers, 1)
                               : std::make_unique<RankWorkers>(job.program, 1, 0)),
        command_(job) {
    if (mail.ranks() > 1) {
      own_.reset();  // it has shown that the program is tutti, and of this version
    }
  }

  int run() {
    LineSocket& socket = command_.socket();
    bool alive = true;
    while (alive) {
      wait_for_something();
      alive = socket.receive();
      for (auto line = socket.next_line(); line; line = socket.next_line()) {
        waiting_.push_back(std::move(*line));
      }
      for (auto letter = mail_.receive(); letter; letter = mail_.receive()) {
        hear(letter->from, letter->text);
      }
      hand_out();
      if (own_) {
        hear(0, own_->say(0));
        hand_out();
      }
      alive = socket.send() && alive;
      for (int rank = 1; rank < mail_.ranks(); ++rank) {
        mail_.show_life(rank);
        if (mail_.silent_s(rank) > job_.lost_after_s) {
          throw RankLost(
              fmt::format("nothing heard from rank {} for {} s: it is lost, and the job "
                          "ends; the same command goes on where this one stopped",
                          rank, job_.lost_after_s));
        }
      }
    }
    return command_.exit_code();
  }

 private:
  // Nobody wakes us for what comes by MPI; but then there is no worker here either, and each rank
  // has cells for longer than the pause.
  void wait_for_something() {
    LineSocket& socket = command_.socket();
    const int events = socket.has_more_to_send() ? POLLIN | POLLOUT : POLLIN;
    awaited_ = {{socket.socket(), static_cast<short>(events), 0}};
    if (own_) {
      own_->add_to(awaited_);
    }
    (void)poll(awaited_.data(), awaited_.size(), own_ ? kAloneMs : kPauseMs);
  }

  void hear(int from, std::string_view lines) {
    while (!lines.empty()) {
      const std::size_t end = lines.find('\n');
      const std::string_view line = lines.substr(0, end);
      lines.remove_prefix(end + 1);
      const ChannelLine parsed = parse_channel_line(line);
      if (parsed.word == "alive") {
        continue;
      }
      if (parsed.word == "error") {
        throw UserError(fmt::format("rank {}: {}", from, parsed.rest));
      }
      if (parsed.word == "room") {
        room_[static_cast<std::size_t>(from)] += parsed.number;
      } else if (parsed.word == "died") {
        died_on_[parsed.number] = from;
      }
      command_.socket().add_line(line);
    }
  }

  // The one with most room that has not lost a worker on this cell, unless there is only one.
  [[nodiscard]] std::optional<std::size_t> rank_for(CellTicket ticket) const {
    const auto died = died_on_.find(ticket);
    const bool picky = died != died_on_.end() && mail_.ranks() > 2;
    std::optional<std::size_t> best;
    for (std::size_t rank = 0; rank < room_.size(); ++rank) {
      if (room_[rank] > 0 && !(picky && static_cast<std::size_t>(died->second) == rank) &&
          (!best || room_[rank] > room_[*best])) {
        best = rank;
      }
    }
    return best;
  }

  void hand_out() {
    std::deque<std::string> left;
    std::map<std::size_t, std::string> letters;
    for (std::string& line : waiting_) {
      const auto rank = rank_for(parse_channel_line(line).number);
      if (!rank) {
        left.push_back(std::move(line));
        continue;
      }
      --room_[*rank];
      if (own_) {
        own_->take(line);
      } else {
        letters[*rank] += line + '\n';
      }
    }
    waiting_ = std::move(left);
    for (const auto& [rank, text] : letters) {
      mail_.send(static_cast<int>(rank), text);
    }
  }

  const SweepJob& job_;
  Mail& mail_;
  std::vector<std::size_t> room_;  // by rank: how many cells it would take
  std::map<CellTicket, int> died_on_;
  std::deque<std::string> waiting_;   // cells that nobody has yet
  std::unique_ptr<RankWorkers> own_;  // where there is no other rank
  Command command_;
  std::vector<pollfd> awaited_;
};

// Tells all other ranks to stop and takes in what they had still to say, up to their last word: a
// message that nobody received is an error in MPI, of which some libraries complain on stdout.
void stop_ranks(Mail& mail, double lost_after_s) {
  for (int rank = 1; rank < mail.ranks(); ++rank) {
    mail.send(rank, "stop 0\n");
  }
  std::vector<bool> stopped(static_cast<std::size_t>(mail.ranks()), false);
  stopped[0] = true;
  while (std::find(stopped.begin(), stopped.end(), false) != stopped.end()) {
    if (auto letter = mail.receive()) {
      if (letter->text == kLastWord) {
        stopped[static_cast<std::size_t>(letter->from)] = true;
      }
      continue;
    }
    for (int rank = 1; rank < mail.ranks(); ++rank) {
      if (!stopped[static_cast<std::size_t>(rank)] && mail.silent_s(rank) > lost_after_s) {
        throw RankLost(
            fmt::format("nothing heard from rank {} for {} s: it is lost, after the "
                        "sweep was done",
                        rank, lost_after_s));
      }
    }
    usleep(kPauseMs * 1000);
  }
  mail.flush();
}

}  // namespace

int route(const SweepJob& job, Mail& mail) {
  const auto stop_all = [&] { stop_ranks(mail, job.lost_after_s); };
  try {
    const int code = Router(job, mail).run();
    stop_all();
    return code;
  } catch (const UserError&) {
    stop_all();
    throw;
  }
}

void serve(const SweepJob& job, Mail& mail) {
  std::unique_ptr<RankWorkers> workers;
  std::string trouble;
  const auto guarded = [&](const auto& action) {
    try {
      action();
    } catch (const UserError& error) {
      trouble = error.what();
      workers.reset();
      mail.send(0, fmt::format("error 0 {}\n", trouble));
    }
  };
  guarded([&] { workers = std::make_unique<RankWorkers>(job.program, job.workers, 0); });
  while (true) {
    guarded([&] {
      if (workers) {
        if (std::string text = workers->say(kPauseMs); !text.empty()) {
          mail.send(0, text);
        }
      }
    });
    for (auto letter = mail.receive(); letter; letter = mail.receive()) {
      std::string_view lines = letter->text;
      while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        const std::string_view line = lines.substr(0, end);
        lines.remove_prefix(end + 1);
        if (line.starts_with("stop")) {
          mail.send(0, kLastWord);
          mail.flush();
          return;
        }
        if (line.starts_with("cell") && workers) {
          workers->take(line);
        }
      }
    }
    mail.show_life(0);
    if (mail.silent_s(0) > job.lost_after_s) {
      throw RankLost(
          fmt::format("nothing heard from rank 0 for {} s: it is lost", job.lost_after_s));
    }
    if (!workers) {
      usleep(kPauseMs * 1000);
    }
  }
}

}  // namespace tutti::sweep
