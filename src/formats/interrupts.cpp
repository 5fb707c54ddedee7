#include "src/formats/interrupts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <exception>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "base/field_names.hpp"
#include "base/printable.hpp"
#include "base/shell_word.hpp"
#include "base/work_ticker.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/progress.hpp"
#include "src/formats/terminal_line.hpp"

namespace tutti { inline namespace formats {

namespace {

// Some senders (timeout, mpirun) signal a process and then its group. A second signal within this
// time counts as a repetition of the first.
constexpr double kSameSignal_s = 0.3;

std::atomic<pid_t> owner = 0;
std::atomic<int> writing_end = -1;
std::atomic<int> first_signal = 0;
std::atomic<double> first_at_s = 0;
// True once Interrupted was thrown. The watcher must then not end the process, because the
// InterruptMessage object may no longer exist.
std::atomic<bool> ends_by_itself = false;
std::string& command() {
  static std::string text;
  return text;
}

std::mutex scopes_mutex;
InterruptMessage* latest = nullptr;

double now_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Calls only functions that are async-signal-safe.
extern "C" void on_interrupt(int signal) {
  const int error = errno;
  if (::getpid() != owner.load()) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  int none = 0;
  const double at_s = now_s();
  if (first_signal.compare_exchange_strong(none, signal)) {
    first_at_s = at_s;
    const char byte = 1;
    static_cast<void>(::write(writing_end, &byte, 1) == 1);
  } else if (first_at_s > 0 && at_s - first_at_s > kSameSignal_s &&  // 0: time not set yet
             !names_change()) {
    remove_part_files();
    ::_exit(exit_code_of_signal(signal));
  }
  errno = error;
}

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
}

[[noreturn]] void end_now(const std::function<std::string()>& text) {
  keep_names();
  try {
    const auto nobody_else = wipe_lines_for_good();
    write_all("tutti: interrupted" + with_fields(text ? text() : "") + "\n");
  } catch (const std::exception&) {
    // There is not enough memory for the message, so no message is printed.
  }
  remove_part_files();
  ::_exit(exit_code_of_signal(first_signal));
}

}  // namespace

int exit_code_of_signal(int signal) { return 128 + signal; }

int interrupted() { return first_signal; }

std::string command_to_repeat() {
  return command().empty() || printable(command()) != command() ? "the same command" : command();
}

Interrupts::Interrupts(int argc, char** argv) {
  for (int i = 0; i < argc; ++i) {
    command() += (i == 0 ? "" : " ") + shell_word(argv[i]);
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return;  // signals keep their default action
  }
  owner = ::getpid();
  const auto watch = [from = ends[0], this] {
    watching_.count_down();
    char byte = 0;
    while (true) {
      constexpr int kBetweenLooks_ms = 250;
      pollfd ready{from, POLLIN, 0};
      if (const int found = ::poll(&ready, 1, kBetweenLooks_ms); found <= 0) {
        if (found == 0) {
          say_still_running();
        }
        continue;
      }
      const ssize_t got = ::read(from, &byte, 1);
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got != 1 || byte == 0) {
        ::close(from);
        return;
      }
      const std::lock_guard lock(scopes_mutex);
      if (ends_by_itself) {
        continue;
      }
      if (latest == nullptr || latest->end_ == InterruptMessage::End::at_once) {
        end_now(latest != nullptr ? latest->text_ : nullptr);
      }
      stop_requested = latest->end_ == InterruptMessage::End::stops_work;
    }
  };
  try {
    watcher_ = std::thread(watch);
  } catch (
      const std::system_error&) {  // no thread can be started: signals keep their default action
    ::close(ends[0]);
    ::close(ends[1]);
    return;
  }
  watching_.wait();
  writing_end = ends[1];
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
      struct sigaction action {};
      action.sa_handler = on_interrupt;
      action.sa_flags = SA_RESTART;
      ::sigaction(signal, &action, nullptr);
    }
  }
}

Interrupts::~Interrupts() {
  if (!watcher_.joinable()) {
    return;
  }
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == on_interrupt) {
      std::signal(signal, SIG_DFL);
    }
  }
  const char enough = 0;
  if (::write(writing_end, &enough, 1) == 1) {
    watcher_.join();
  } else {
    watcher_.detach();
  }
  ::close(writing_end.exchange(-1));
}

InterruptMessage::InterruptMessage(std::function<std::string()> text, End end)
    : text_(std::move(text)), end_(end) {
  const std::lock_guard lock(scopes_mutex);
  before_ = latest;
  latest = this;
}

InterruptMessage::~InterruptMessage() {
  const std::lock_guard lock(scopes_mutex);
  // If the signal came after the owner's last call to stop_if_interrupted(), nothing else ends the
  // process.
  if (end_ != End::at_once && interrupted() != 0 && std::uncaught_exceptions() == 0) {
    end_now(text_);
  }
  latest = before_;
}

void InterruptMessage::stop_if_interrupted() const {
  if (const int signal = interrupted(); signal != 0) {
    ends_by_itself = true;
    stop_requested = false;
    throw InterruptSignal{signal, text_()};
  }
}

void wait_for_end_if_interrupted() {
  constexpr int kTries = 200;
  for (int tries = 0; interrupted() != 0 && !ends_by_itself && tries < kTries; ++tries) {
    ::usleep(10'000);
  }
}

}}  // namespace tutti::formats
