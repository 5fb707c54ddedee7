#include "src/workers/line_socket.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace tutti::inline workers {

namespace {

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

LineSocket::~LineSocket() { close(socket_); }

void LineSocket::add_line(std::string_view line) {
  out_ += line;
  out_ += '\n';
}

bool LineSocket::send() {
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

bool LineSocket::receive() {
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

bool LineSocket::wait(int at_most_ms) {
  const int events = has_more_to_send() ? POLLIN | POLLOUT : POLLIN;
  pollfd ready{socket_, static_cast<short>(events), 0};
  if (poll(&ready, 1, at_most_ms) <= 0) {
    return true;
  }
  const bool sent = send();
  return receive() && sent;
}

std::optional<std::string> LineSocket::next_line() {
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

}  // namespace tutti::inline workers
