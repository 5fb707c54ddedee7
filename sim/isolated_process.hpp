// Runs work in a separate process, for libraries that keep state per process or that may abort.
//
// A child is a fork of its parent. It sees the memory that the parent had at the fork, and returns
// only the bytes that it sends. Its stdout and stderr are captured. The child ends without running
// exit handlers, and without flushing output that the parent had buffered. It is killed if the
// thread that forked it ends first.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tutti { inline namespace sim {

// Thrown if a child was ended by a signal, or ended without an answer. The message says what the
// child was doing and what it wrote last.
class ChildCrash : public InvariantError {
 public:
  ChildCrash(const std::string& how, std::string doing, std::string last_words, bool killed);

  // For example "was killed by signal 6 (Aborted)".
  [[nodiscard]] const std::string& how() const { return how_; }
  [[nodiscard]] const std::string& doing() const { return doing_; }  // may be empty
  // The last line of the child's output that begins with "SimGrid:", without that prefix. If there
  // is no such line, the last line of output. May be empty.
  [[nodiscard]] const std::string& last_words() const { return last_words_; }
  // True if another process ended the child by SIGKILL, SIGTERM or a similar signal. False if an
  // error of the child itself ended it.
  [[nodiscard]] bool killed() const { return killed_; }

 private:
  std::string how_;
  std::string doing_;
  std::string last_words_;
  bool killed_;
};

// The child's end of the connection, used inside the child.
class ParentLink {
 public:
  ParentLink(int socket, char* doing) : socket_(socket), doing_(doing) {}

  void send(std::string_view bytes);
  // Makes the parent's receive() throw an equivalent error.
  void send_error(const std::exception& error);
  // Reports that a child of this child has crashed. The parent's receive() throws ChildCrash,
  // although this child goes on running.
  void send_crash(const ChildCrash& crash);
  // Waits for a message from the parent. Returns nothing if the parent has closed the connection.
  [[nodiscard]] std::optional<std::string> receive();
  // Sets a short description of the current work, for crash messages. Costs little.
  void doing(std::string_view what);

 private:
  int socket_;
  char* doing_;  // shared with the parent
};

class ChildProcess {
 public:
  // Forks, and runs body(link) in the child. If body throws, the parent's receive() throws
  // UserError for a UserError, and InvariantError for any other exception. The child inherits no
  // open files.
  explicit ChildProcess(const std::function<void(ParentLink&)>& body);
  ~ChildProcess();  // kills the child if it still runs, and leaves no zombie process
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void send(std::string_view bytes);
  // Waits for the child's next answer. Throws what the child threw, or ChildCrash.
  [[nodiscard]] std::string receive();
  // False once the child has ended, even if no call has reported the end yet.
  [[nodiscard]] bool is_alive();
  // Waits for the end of the child. Returns the child's peak resident memory in bytes, including
  // shared pages.
  std::uint64_t wait();

 private:
  [[noreturn]] void report_crash();
  void reap(int options);

  pid_t pid_ = -1;
  int status_ = 0;
  std::uint64_t peak_rss_bytes_ = 0;
  int socket_ = -1;
  int output_ = -1;  // in-memory file with the child's stdout and stderr
  char* doing_ = nullptr;
};

// Functions for code that watches other kinds of processes. how_it_ended() describes a status that
// waitpid() has returned: "was killed by signal 6 (Aborted)" or "ended with exit code 1".
// last_words_in() finds the last words (see ChildCrash) in an output file, given by its descriptor.
[[nodiscard]] std::string how_it_ended(int status);
[[nodiscard]] std::string last_words_in(int output);

struct ChildResult {
  std::string bytes;
  std::uint64_t peak_rss_bytes = 0;
};

// Runs body() in a child and returns the result of body(). Calls can be nested.
[[nodiscard]] ChildResult run_in_child(const std::function<std::string(ParentLink&)>& body);

}}  // namespace tutti::sim
