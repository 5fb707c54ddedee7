// Lines of text over a socket, neither end of which may keep the other waiting.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutti::inline workers {

class LineSocket {
 public:
  explicit LineSocket(int socket) : socket_(socket) {}  // closed in the end
  LineSocket(const LineSocket&) = delete;
  LineSocket& operator=(const LineSocket&) = delete;
  ~LineSocket();

  // For the next send().
  void add_line(std::string_view line);
  // Sends as much as the other end takes now, and keeps the rest for the next send(). All three are
  // false when the other end is gone; what it said before can still be read.
  bool send();
  bool receive();
  // Blocks until there is something to do, but no longer than the milliseconds given, and does it.
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
