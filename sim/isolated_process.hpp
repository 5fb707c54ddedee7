// Work in a process of its own: for libraries that keep one state per process, or that abort.
//
// A child is a fork: it sees all that its parent had, and nothing it does comes back except the
// bytes that it sends. Its stdout and stderr are captured. It ends without running exit handlers or
// flushing what the parent had buffered, and is killed should the thread that forked it end first.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tutti::inline sim {

// A child ended by a signal, or left without an answer. What it was doing, and what it wrote last,
// are part of the message.
class ChildCrash : public InvariantError {
 public:
  ChildCrash(const std::string& how, std::string doing, std::string last_words, bool killed);

  [[nodiscard]] const std::string& how() const { return how_; }  // "ended by signal 6 (Aborted)"
  [[nodiscard]] const std::string& doing() const { return doing_; }  // may be empty
  // What it last said: the last line that begins with "SimGrid:" if there is one, without that
  // mark, and else the last line. May be empty.
  [[nodiscard]] const std::string& last_words() const { return last_words_; }
  // By somebody else, who had reasons of his own: by SIGKILL, SIGTERM, ..., and not for what it
  // did.
  [[nodiscard]] bool killed() const { return killed_; }

 private:
  std::string how_;
  std::string doing_;
  std::string last_words_;
  bool killed_;
};

// The child's end, inside the child.
class ParentLink {
 public:
  ParentLink(int socket, char* doing) : socket_(socket), doing_(doing) {}

  void send(std::string_view bytes);
  void send_error(const std::exception& error);  // thrown by the parent's receive()
  // A child of ours has crashed: thrown by the parent's receive(), which has not lost this one.
  void send_crash(const ChildCrash& crash);
  // Blocks; nothing when the parent wants no more.
  [[nodiscard]] std::optional<std::string> receive();
  // A few words on what comes next, for the report of a crash. Cheap.
  void doing(std::string_view what);

 private:
  int socket_;
  char* doing_;  // shared with the parent
};

class ChildProcess {
 public:
  // Forks and runs body(link) in the child. What body throws reaches the parent's receive() as
  // UserError if it was one, else as InvariantError. The child has none of the files that are open
  // here.
  explicit ChildProcess(const std::function<void(ParentLink&)>& body);
  ~ChildProcess();  // kills the child if it still runs; leaves no zombie
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void send(std::string_view bytes);
  // Blocks for the child's next answer. Throws what the child threw, or ChildCrash.
  [[nodiscard]] std::string receive();
  // False once it has ended, be it that nobody was told.
  [[nodiscard]] bool is_alive();
  // Waits for the end of the child. Returns its peak resident memory (shared pages counted in).
  std::uint64_t wait();

 private:
  [[noreturn]] void report_crash();
  void reap(int options);

  pid_t pid_ = -1;
  int status_ = 0;
  std::uint64_t peak_rss_bytes_ = 0;
  int socket_ = -1;
  int output_ = -1;  // file in memory that holds stdout and stderr
  char* doing_ = nullptr;
};

// For whoever watches over processes of another kind. A status as wait() has it: "was ended by
// signal 6 (Aborted)", "ended with exit code 1"; and the last words (see ChildCrash) in a file of
// output.
[[nodiscard]] std::string how_it_ended(int status);
[[nodiscard]] std::string last_words_in(int output);

struct ChildResult {
  std::string bytes;
  std::uint64_t peak_rss_bytes = 0;
};

// One child, one answer: what body returns. Can be nested.
[[nodiscard]] ChildResult run_in_child(const std::function<std::string(ParentLink&)>& body);

}  // namespace tutti::inline sim
