// Files compressed with gzip (zlib).
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace base {

// The ending of the name of a compressed file.
inline constexpr std::string_view kGzipEnding = ".gz";
// Returns the path without kGzipEnding, if it has it: the name of the file after unpacking.
[[nodiscard]] std::string_view without_gzip_ending(std::string_view path);

// True if `data` begins like a compressed file.
[[nodiscard]] bool is_gzip(std::string_view data);
// Returns the unpacked data. Throws UserError, which names `path`, if `data` is damaged or cut
// short, or if more than `most_bytes` come out of it.
[[nodiscard]] std::string unpacked(std::string_view data, const std::string& path,
                                   std::uint64_t most_bytes);

// Compresses what is written to it, piece by piece, to `sink`. Equal data give equal files: the
// header has neither a name nor a time.
class GzipBuffer : public std::streambuf {
 public:
  explicit GzipBuffer(std::ostream& sink);
  GzipBuffer(const GzipBuffer&) = delete;
  GzipBuffer& operator=(const GzipBuffer&) = delete;
  ~GzipBuffer() override;

  // Writes the rest and the end of the file. Nothing can be written after that. Returns false if
  // the sink failed.
  bool finish();

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;

 private:
  struct State;
  bool put(std::string_view data, bool last);

  std::ostream& sink_;
  std::unique_ptr<State> state_;
};

}}  // namespace tutti::base
