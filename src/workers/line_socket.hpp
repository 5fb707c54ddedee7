// Non-blocking transfer of text lines over a socket, so that neither end can block the other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutti::inline workers {

class LineSocket {
 public:
  explicit LineSocket(int socket) : socket_(socket) {}  // the object owns the socket
  LineSocket(const LineSocket&) = delete;
  LineSocket& operator=(const LineSocket&) = delete;
  ~LineSocket();

  // Queues a line for the next send().
  void add_line(std::string_view line);
  // send() sends as much as the other end accepts now, and keeps the rest for the next call.
  // send(), receive() and wait() return false if the other end is gone; lines received before can
  // still be read.
  bool send();
  bool receive();
  // Blocks until the socket can be read or written, but at most for the given number of
  // milliseconds. Then receives and sends what it can.
  bool wait(int at_most_ms);
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
