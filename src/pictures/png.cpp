#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "src/pictures/picture.hpp"

namespace tutti::inline pictures {

namespace {

namespace fs = std::filesystem;

// A temporary SVG file. The destructor removes it.
class TemporarySvg {
 public:
  explicit TemporarySvg(const std::string& svg)
      : path_((fs::temp_directory_path() / "tutti-XXXXXX.svg").string()) {
    constexpr int kEnding = 4;
    const int file = mkstemps(path_.data(), kEnding);
    if (file < 0 || !(std::ofstream(path_) << svg << std::flush)) {
      throw UserError(
          fmt::format("cannot write the temporary file '{}', from which the PNG is made", path_));
    }
    close(file);
  }
  TemporarySvg(const TemporarySvg&) = delete;
  TemporarySvg& operator=(const TemporarySvg&) = delete;
  ~TemporarySvg() { unlink(path_.c_str()); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

std::string png_of(const std::string& svg, double scale) {
  const TemporarySvg input(svg);
  const std::string command = fmt::format("rsvg-convert --format=png --zoom={} {} 2>/dev/null",
                                          scale, shell_word(input.path()));
  std::FILE* const output = popen(command.c_str(), "r");
  std::string png;
  std::array<char, 65536> piece{};
  while (const std::size_t size =
             output == nullptr ? 0 : std::fread(piece.data(), 1, piece.size(), output)) {
    png.append(piece.data(), size);
  }
  const int status = output == nullptr ? -1 : pclose(output);
  constexpr int kNoSuchProgram = 127;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchProgram) {
    throw UserError(
        "PNG needs rsvg-convert, which is not installed (Debian: librsvg2-bin); install it, or "
        "write an .svg file");
  }
  if (status != 0 || png.empty()) {
    throw UserError("rsvg-convert failed to make a PNG; write an .svg file");
  }
  return png;
}

}  // namespace tutti::inline pictures
