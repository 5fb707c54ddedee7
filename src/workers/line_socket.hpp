// Sends and receives lines of text over a socket. Only wait() blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutti::inline workers {

class LineSocket {
 public:
  explicit LineSocket(int socket) : socket_(socket) {}  // takes ownership of the socket
  LineSocket(const LineSocket&) = delete;
  LineSocket& operator=(const LineSocket&) = delete;
  ~LineSocket();

  // Queues a line for the next send().
  void add_line(std::string_view line);
  // send() sends as much of the queued text as the socket accepts now, and keeps the rest for the
  // next call. send(), receive() and wait() return false if the other end is gone; next_line()
  // still returns the lines that were received before.
  bool send();
  bool receive();
  // Blocks until there is something to receive, or until queued text can be sent. Then calls send()
  // and receive(). If neither is possible within `at_most_ms` milliseconds, returns true.
  bool wait(int at_most_ms);
  // Removes and returns the oldest complete line that was received, without its line end. Returns
  // nothing if there is none.
  [[nodiscard]] std::optional<std::string> next_line();

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] bool has_more_to_send() const { return !out_.empty(); }

 private:
  int socket_;
  std::string in_;
  std::size_t in_begin_ = 0;
  std::string out_;
};

}  // namespace tutti::inline workers
