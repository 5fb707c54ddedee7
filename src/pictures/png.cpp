#include "src/pictures/png.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <unistd.h>

#include "base/error.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has it in no header

namespace tutti::inline pictures {

namespace {

// Bytes that another program reads or writes, in memory, so that neither waits for the other.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) {
      throw InvariantError("no memory for a picture");
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  void put(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t done = write(descriptor_, bytes.data(), bytes.size());
      if (done < 0 && errno != EINTR) {
        throw InvariantError("no memory for a picture");
      }
      bytes.remove_prefix(done > 0 ? static_cast<std::size_t>(done) : 0);
    }
    lseek(descriptor_, 0, SEEK_SET);
  }

  [[nodiscard]] std::string take() const {
    lseek(descriptor_, 0, SEEK_SET);
    std::string bytes;
    std::array<char, 65536> piece{};
    for (;;) {
      const ssize_t done = ::read(descriptor_, piece.data(), piece.size());
      if (done <= 0) {
        return bytes;
      }
      bytes.append(piece.data(), static_cast<std::size_t>(done));
    }
  }

  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

std::string png_of(const std::string& svg, double scale) {
  const MemoryFile input("svg");
  const MemoryFile output("png");
  const MemoryFile complaints("complaints");
  input.put(svg);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, complaints.descriptor(), STDERR_FILENO);
  std::string program = "rsvg-convert";
  std::string format = "--format=png";
  std::string zoom = fmt::format("--zoom={}", scale);
  std::array<char*, 4> arguments{program.data(), format.data(), zoom.data(), nullptr};
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, program.c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) {
    throw UserError(
        "PNG is made by rsvg-convert, which is not here (Debian: librsvg2-bin); install it, or "
        "write .svg");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::string png = output.take();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || png.empty()) {
    throw UserError(
        fmt::format("rsvg-convert made no PNG of the picture: {}; write .svg", complaints.take()));
  }
  return png;
}

}  // namespace tutti::inline pictures
