#include "sim/isolated_process.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "base/text_lines.hpp"
#include "base/work_ticker.hpp"

namespace tutti { inline namespace sim {

namespace {

constexpr std::size_t kDoingBytes = 512;
constexpr std::size_t kMaxOutputBytes = 1U << 16U;
constexpr char kAnswer = 'a';
constexpr char kUserError = 'u';
constexpr char kOurError = 'e';
constexpr char kCrash = 'c';
constexpr char kEnd = '\0';  // ends each part of a crash report

[[noreturn]] void fail(const char* what) {
  throw InvariantError(fmt::format("{}: {}", what, std::strerror(errno)));
}

// Returns false if the other end is closed.
bool write_all(int socket, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t count = send(socket, bytes, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return false;
    }
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

// Throws Stopped if the work must end while the other end computes.
bool read_all(int socket, char* bytes, std::size_t size) {
  constexpr int kLookForStop_ms = 100;
  while (size > 0) {
    pollfd ready{socket, POLLIN, 0};
    while (poll(&ready, 1, kLookForStop_ms) == 0) {
      stop_if_requested();
    }
    const ssize_t count = recv(socket, bytes, size, 0);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return false;
    }
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

// Writes a message: its kind, its length, and its bytes.
bool write_message(int socket, char kind, std::string_view bytes) {
  char header[1 + sizeof(std::uint64_t)];
  const std::uint64_t size = bytes.size();
  header[0] = kind;
  std::memcpy(header + 1, &size, sizeof size);
  return write_all(socket, header, sizeof header) && write_all(socket, bytes.data(), bytes.size());
}

std::optional<std::pair<char, std::string>> read_message(int socket) {
  char header[1 + sizeof(std::uint64_t)];
  if (!read_all(socket, header, sizeof header)) {
    return std::nullopt;
  }
  std::uint64_t size = 0;
  std::memcpy(&size, header + 1, sizeof size);
  std::string bytes(size, '\0');
  if (!read_all(socket, bytes.data(), bytes.size())) {
    return std::nullopt;
  }
  return std::pair{header[0], std::move(bytes)};
}

std::string crash_message(const std::string& how, const std::string& doing,
                          const std::string& last_words) {
  std::string message = fmt::format("the process that ran the simulation {}", how);
  if (!doing.empty()) {
    message += fmt::format(" while {}", doing);
  }
  if (!last_words.empty()) {
    message += fmt::format("; its last output: {}", last_words);
  }
  return message;
}

// True if the child was ended by a signal that another process must have sent. The signals of a
// failing program itself are SIGABRT, SIGSEGV, ...
bool was_killed(int status) {
  if (!WIFSIGNALED(status)) {
    return false;
  }
  switch (WTERMSIG(status)) {
    case SIGKILL:
    case SIGTERM:
    case SIGINT:
    case SIGHUP:
    case SIGQUIT:
      return true;
    default:
      return false;
  }
}

ChildCrash crash_in(std::string_view report) {
  const bool killed = report.substr(0, 1) == "k";
  std::array<std::string, 3> parts;
  report.remove_prefix(std::min<std::size_t>(1, report.size()));
  for (std::string& part : parts) {
    const std::size_t end = std::min(report.find(kEnd), report.size());
    part = report.substr(0, end);
    report.remove_prefix(std::min(end + 1, report.size()));
  }
  return {parts[0], parts[1], parts[2], killed};
}

// Closes every descriptor that the child does not need: files being written, other children's
// sockets, and the parent's standard input.
void close_all_but(int kept) {
  if (kept > STDERR_FILENO + 1) {
    (void)close_range(STDERR_FILENO + 1, static_cast<unsigned>(kept) - 1, 0);
  }
  (void)close_range(static_cast<unsigned>(kept) + 1, ~0U, 0);
  if (const int nothing = open("/dev/null", O_RDONLY); nothing >= 0) {
    dup2(nothing, STDIN_FILENO);
    close(nothing);
  }
}

}  // namespace

std::string last_words_in(int output) {
  std::string text(kMaxOutputBytes, '\0');
  const off_t size = lseek(output, 0, SEEK_END);
  const ssize_t count = pread(output, text.data(), text.size(),
                              std::max<off_t>(0, size - static_cast<off_t>(text.size())));
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  constexpr std::string_view kMark = "SimGrid:";
  std::string_view last;
  std::string_view last_marked;
  std::string_view rest = text;
  std::string_view line;
  while (next_line(rest, line)) {
    // A marked line says what is wrong. A backtrace, which is marked too, may follow it.
    if (line.starts_with(kMark) && line.find("acktrace") == std::string_view::npos) {
      last_marked = line.substr(kMark.size());
    } else if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      last = line;
    }
  }
  return std::string(last_marked.empty() ? last : last_marked);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("was killed by signal {} ({}{})", signal, strsignal(signal),
                       signal == SIGKILL ? ", perhaps out of memory" : "");
  }
  return WEXITSTATUS(status) != 0 ? fmt::format("ended with exit code {}", WEXITSTATUS(status))
                                  : "ended without a result";
}

ChildCrash::ChildCrash(const std::string& how, std::string doing, std::string last_words,
                       bool killed)
    : InvariantError(crash_message(how, doing, last_words)),
      how_(how),
      doing_(std::move(doing)),
      last_words_(std::move(last_words)),
      killed_(killed) {}

void ParentLink::send(std::string_view bytes) {
  if (!write_message(socket_, kAnswer, bytes)) {
    _exit(1);  // the parent is gone
  }
}

void ParentLink::send_error(const std::exception& error) {
  const bool users = dynamic_cast<const UserError*>(&error) != nullptr;
  const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  if (!write_message(socket_, users ? kUserError : kOurError,
                     memory ? "out of memory" : error.what())) {
    _exit(1);
  }
}

void ParentLink::send_crash(const ChildCrash& crash) {
  const std::string report = fmt::format("{}{}{}{}{}{}", crash.killed() ? 'k' : '-', crash.how(),
                                         kEnd, crash.doing(), kEnd, crash.last_words());
  if (!write_message(socket_, kCrash, report)) {
    _exit(1);
  }
}

std::optional<std::string> ParentLink::receive() {
  std::optional<std::pair<char, std::string>> message = read_message(socket_);
  if (!message) {
    return std::nullopt;
  }
  return std::move(message->second);
}

void ParentLink::doing(std::string_view what) {
  const std::size_t size = std::min(what.size(), kDoingBytes - 1);
  std::memcpy(doing_, what.data(), size);
  doing_[size] = '\0';
}

ChildProcess::ChildProcess(const std::function<void(ParentLink&)>& body) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    fail("cannot make a socket pair");
  }
  output_ = memfd_create("tutti-output", MFD_CLOEXEC);
  void* shared =
      mmap(nullptr, kDoingBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  // Without this call, both processes would write the output that is buffered now.
  (void)std::fflush(nullptr);
  const pid_t parent = getpid();
  pid_ = output_ < 0 || shared == MAP_FAILED ? -1 : fork();
  if (pid_ < 0) {
    const int error = errno;
    close(sockets[0]);
    close(sockets[1]);
    if (output_ >= 0) {
      close(output_);
    }
    if (shared != MAP_FAILED) {
      munmap(shared, kDoingBytes);
    }
    errno = error;
    fail("cannot start a process");
  }
  doing_ = static_cast<char*>(shared);
  if (pid_ > 0) {
    close(sockets[1]);
    socket_ = sockets[0];
    return;
  }

  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(1);
  }
  dup2(output_, STDOUT_FILENO);
  dup2(output_, STDERR_FILENO);
  close_all_but(sockets[1]);
  // Disables core files, because the parent reports crashes.
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  ParentLink link(sockets[1], doing_);
  stop_requested = false;  // the parent kills this process if the work must end
  try {
    body(link);
  } catch (const std::exception& error) {
    link.send_error(error);
  }
  (void)std::fflush(nullptr);
  _exit(0);
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    wait();
  }
  close(socket_);
  close(output_);
  munmap(doing_, kDoingBytes);
}

void ChildProcess::send(std::string_view bytes) {
  if (!write_message(socket_, kAnswer, bytes)) {
    report_crash();
  }
}

std::string ChildProcess::receive() {
  std::optional<std::pair<char, std::string>> message = read_message(socket_);
  if (!message) {
    report_crash();
  }
  switch (message->first) {
    case kAnswer:
      return std::move(message->second);
    case kUserError:
      throw UserError(message->second);
    case kCrash:
      throw crash_in(message->second);
    default:
      throw InvariantError(message->second);
  }
}

bool ChildProcess::is_alive() {
  reap(WNOHANG);
  return pid_ > 0;
}

std::uint64_t ChildProcess::wait() {
  reap(0);
  return peak_rss_bytes_;
}

void ChildProcess::reap(int options) {
  if (pid_ <= 0) {
    return;
  }
  rusage usage{};
  pid_t ended = 0;
  while ((ended = wait4(pid_, &status_, options, &usage)) < 0 && errno == EINTR) {
  }
  if (ended != 0) {
    pid_ = -1;
    peak_rss_bytes_ = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  }
}

void ChildProcess::report_crash() {
  wait();
  throw ChildCrash(how_it_ended(status_), doing_, last_words_in(output_), was_killed(status_));
}

ChildResult run_in_child(const std::function<std::string(ParentLink&)>& body) {
  ChildProcess child([&body](ParentLink& link) { link.send(body(link)); });
  ChildResult result;
  result.bytes = child.receive();
  result.peak_rss_bytes = child.wait();
  return result;
}

}}  // namespace tutti::sim
