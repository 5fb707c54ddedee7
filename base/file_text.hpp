// The contents of a file, with a NUL behind it. Whatever a user names as input is read by this, so
// that there is one answer to what may be read, and how much of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::inline base {

// What a file is read as: in words, and the most bytes that it may have.
struct InputKind {
  std::string_view in_words;
  std::uint64_t most_bytes;
  bool through_pipes;  // what is read more than once, or by others too, cannot come through one
};
// A schedule written out takes some 60 bytes per operation, and ids end at 2^32.
inline constexpr InputKind kScheduleFile{"a schedule or program", std::uint64_t{256} << 30U, true};
inline constexpr InputKind kPlatformFile{"a platform", std::uint64_t{256} << 20U, false};
inline constexpr InputKind kParametersFile{"a file of parameters", std::uint64_t{16} << 20U, false};
inline constexpr InputKind kRunsFile{"a file of runs", std::uint64_t{256} << 20U, true};
inline constexpr InputKind kSizesFile{"a table of sizes", std::uint64_t{4} << 30U, true};
inline constexpr InputKind kRuleFile{"a table or rules", std::uint64_t{64} << 20U, true};

// Read are regular files, and pipes without a name: standard input, and what a shell makes of
// <(command). Nothing else, since of a device nobody knows the end, and who opens a named pipe
// waits until somebody writes to it.
//
// A large file is mapped: most of the time to read one into memory goes into clearing that memory
// first. As with other programs that map their input, nobody may shorten the file meanwhile.
class FileText {
 public:
  // Throws UserError, which names the file, when it cannot be read or is too large.
  FileText(const std::string& path, const InputKind& kind);
  FileText(const FileText&) = delete;
  FileText& operator=(const FileText&) = delete;
  ~FileText();

  // view().data()[view().size()] is a NUL.
  [[nodiscard]] std::string_view view() const {
    return mapped_ != nullptr ? std::string_view(static_cast<const char*>(mapped_), size_)
                              : std::string_view(read_);
  }

 private:
  bool map(int file, std::size_t size);
  void read(int file, const std::string& path, const InputKind& kind);

  std::string read_;
  void* mapped_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_bytes_ = 0;
};

// Gives a copy of the text.
[[nodiscard]] std::string read_file(const std::string& path, const InputKind& kind);

// Says what a path is that is no regular file: "a folder", "a pipe"; links are followed.
[[nodiscard]] std::optional<std::string_view> special_file(const std::string& path);

}  // namespace tutti::inline base
