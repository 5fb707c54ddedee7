// What Ctrl-C (SIGINT) and SIGTERM do: the program says what is kept and how to go on, leaves no
// half-written file, and ends with the code that a shell gives to an end by that signal.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tutti::inline formats {

// For main(). While it lives, the first signal ends the program as WhenInterrupted says, and the
// second at once. A signal that is ignored (nohup) stays ignored, and a child that was forked ends
// as it would without us.
class Interrupts {
 public:
  // The arguments are those of main(), for the command that goes on.
  Interrupts(int argc, char** argv);
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

 private:
  std::thread watcher_;
};

// Thrown by those who end by themselves; no std::exception, so that nobody takes it for the failure
// of a run.
struct Interrupted {
  int signal = 0;
  std::string text;
};

// How a program that one of the signals has ended exits: 130, or 143.
[[nodiscard]] int exit_code_of_signal(int signal);

// The signal that has come, or 0.
[[nodiscard]] int interrupted();

// The command of this process, as one types it into a shell; "the same command" where it has
// words that no terminal should be shown, or nobody knows it.
[[nodiscard]] std::string command_to_repeat();

// What the end by a signal says while this lives; the latest one counts. Without any, it says no
// more than that.
class WhenInterrupted {
 public:
  enum class End : std::uint8_t {
    at_once,    // of the process, whatever it is at
    by_itself,  // by stop_if_interrupted(), which whoever made this calls at least every 100 ms
  };

  // `text` is called in another thread.
  explicit WhenInterrupted(std::function<std::string()> text, End end = End::at_once);
  WhenInterrupted(const WhenInterrupted&) = delete;
  WhenInterrupted& operator=(const WhenInterrupted&) = delete;
  ~WhenInterrupted();

  // Throws Interrupted, with the text, if a signal has come.
  void stop_if_interrupted() const;

 private:
  friend class Interrupts;
  std::function<std::string()> text_;
  End end_;
  WhenInterrupted* before_;
};

// Returns at once unless a signal has come: then whoever looks after signals is about to end the
// process, and what failed may have failed since its children have had the signal, too.
void wait_for_end_if_interrupted();

}  // namespace tutti::inline formats
