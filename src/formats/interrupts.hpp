// Handles Ctrl-C (SIGINT) and SIGTERM: the program prints which results are kept and how to
// continue, leaves no half-written file, and exits with the code that a shell reports for that
// signal.
#pragma once

#include <cstdint>
#include <functional>
#include <latch>
#include <mutex>
#include <string>
#include <thread>

namespace tutti { inline namespace formats {

// Created by main(). While this object exists, the first signal ends the program as the latest
// InterruptMessage says, and the second ends it at once. A signal that is ignored (nohup) stays
// ignored. In a forked child the signals have their default action.
class Interrupts {
 public:
  // Takes the arguments of main(), for command_to_repeat().
  Interrupts(int argc, char** argv);
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

 private:
  // The watcher counts this latch down when it has started, and the constructor waits for it.
  // Otherwise, a process that is forked meanwhile could inherit a held lock of a sanitizer's
  // allocator, and wait for it for ever.
  std::latch watching_{1};
  std::thread watcher_;
};

// Thrown by stop_if_interrupted(). It is not a std::exception, so that no handler takes it for a
// failed run.
struct InterruptSignal {
  int signal = 0;
  std::string text;
};

// Returns the exit code of a program that the signal has ended: 130 for SIGINT, 143 for SIGTERM.
[[nodiscard]] int exit_code_of_signal(int signal);

// Returns the first signal that was received; 0 if there was none.
[[nodiscard]] int interrupted();

// Returns the command line of this process, quoted for a shell. Returns "the same command" if the
// command line is unknown or has characters that must not be sent to a terminal.
[[nodiscard]] std::string command_to_repeat();

// While an object of this class exists, it determines the message that is printed when a signal
// ends the program. If several objects exist, the latest one counts. If none exists, the message
// only reports the interruption.
class InterruptMessage {
 public:
  enum class End : std::uint8_t {
    at_once,  // the process ends immediately
    // stop_if_interrupted() ends the work; the owner of this object calls it at least every 100 ms
    by_itself,
    // Computations throw Stopped (base/work_ticker.hpp). The owner of this object catches it, keeps
    // what was done, and then calls stop_if_interrupted().
    stops_work,
  };

  // `text` returns the end of the message. It is called on another thread.
  explicit InterruptMessage(std::function<std::string()> text, End end = End::at_once);
  InterruptMessage(const InterruptMessage&) = delete;
  InterruptMessage& operator=(const InterruptMessage&) = delete;
  ~InterruptMessage();

  // Throws Interrupted, with the text, if a signal was received.
  void stop_if_interrupted() const;

 private:
  friend class Interrupts;
  std::function<std::string()> text_;
  End end_;
  InterruptMessage* before_;
};

// If a signal was received, waits until the process ends, for at most 2 s. An error that occurs
// after a signal should not be reported, because child processes that received the signal too may
// have caused it.
void wait_for_end_if_interrupted();

}}  // namespace tutti::formats
