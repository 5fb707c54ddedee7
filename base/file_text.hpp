// The contents of an input file, followed by a NUL byte. All input files are read by this class, so
// that the same limits apply to all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tutti { inline namespace base {

// Kind of a file's content, judged by its first bytes. Messages name it if a file is given in a
// wrong place.
enum class FileContent : std::uint8_t {
  unknown,
  platform,   // a SimGrid platform
  xml,        // other XML
  json,       // including the parameters and results that tutti writes
  schedule,   // a schedule or program in tutti's notation, or in GOAL
  benchmark,  // output of OSU's benchmarks, Intel's or nccl-tests
  database    // of SQLite
};

// A kind of input file: its description for error messages, and its largest size in bytes.
struct InputKind {
  std::string_view in_words;
  std::uint64_t most_bytes;
  // True if the file may be a pipe, or compressed with gzip. False if it is read more than once, or
  // by other processes too.
  bool through_pipes;
  // Contents that this kind of file may have, apart from FileContent::unknown. A file of another
  // content is not suggested in place of a file that does not exist.
  std::array<FileContent, 2> contents{};
};
// A schedule in text form takes about 60 bytes per operation, and has at most 2^32 operations,
// hence the limit of 256 GiB.
inline constexpr InputKind kScheduleFile{"a schedule or program",
                                         std::uint64_t{256} << 30U,
                                         true,
                                         {FileContent::schedule, FileContent::xml}};
inline constexpr InputKind kPlatformFile{
    "a platform", std::uint64_t{256} << 20U, false, {FileContent::platform, FileContent::xml}};
inline constexpr InputKind kParametersFile{
    "a parameter file", std::uint64_t{16} << 20U, false, {FileContent::json}};
inline constexpr InputKind kRunsFile{
    "a file of runs", std::uint64_t{256} << 20U, true, {FileContent::json, FileContent::benchmark}};
inline constexpr InputKind kSizesFile{"a table of sizes", std::uint64_t{4} << 30U, true};
inline constexpr InputKind kRuleFile{
    "a table or rule file", std::uint64_t{64} << 20U, true, {FileContent::json}};

// Input files must be regular files or anonymous pipes (standard input, or <(command) in a shell).
// Devices may have no end, and opening a named pipe blocks until another process writes to it.
//
// Large files are mapped: if they were read into new memory, most of the time would go into
// clearing that memory. As in other programs that map their input, the file must not be shortened
// while it is in use.
class FileText {
 public:
  // Throws UserError with the name of the file if the file cannot be read or is too large.
  FileText(const std::string& path, const InputKind& kind);
  FileText(const FileText&) = delete;
  FileText& operator=(const FileText&) = delete;
  ~FileText();

  // The byte after the end of the view is a NUL.
  [[nodiscard]] std::string_view view() const {
    return mapped_ != nullptr ? std::string_view(static_cast<const char*>(mapped_), size_)
                              : std::string_view(read_);
  }

 private:
  bool map(int file, std::size_t size);
  void unmap();
  void read(int file, const std::string& path, const InputKind& kind);

  std::string read_;
  void* mapped_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_bytes_ = 0;
};

// Returns a copy of the file's text.
[[nodiscard]] std::string read_file(const std::string& path, const InputKind& kind);

// Returns what kind of file `path` is, such as "a folder" or "a pipe". Returns nothing if it is a
// regular file or does not exist. Follows symbolic links.
[[nodiscard]] std::optional<std::string_view> special_file(const std::string& path);

[[nodiscard]] FileContent content_of(std::string_view text);
// Returns FileContent::unknown, too, if `path` is not a regular file that can be read.
[[nodiscard]] FileContent content_of_file(const std::string& path);
// Returns a phrase such as "a platform in XML"; "a file" if the content is unknown.
[[nodiscard]] std::string_view in_words(FileContent content);

}}  // namespace tutti::base
