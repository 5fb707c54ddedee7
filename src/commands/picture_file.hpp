// A picture as a file: SVG, PNG or a page with it alone, by the ending of its name.
#pragma once

#include <string>
#include <string_view>

#include "src/commands/command.hpp"
#include "src/formats/output_file.hpp"
#include "src/pictures/picture.hpp"

namespace tutti::inline commands {

class PictureFile {
 public:
  // Opens the file. Throws UserError, which begins with `option`, for another ending, and as
  // OutputFile does.
  PictureFile(std::string_view option, const std::string& path, Streams streams);

  // Writes the picture and prints that it was written. `source` says what it was made of.
  void write(const Picture& picture, const std::string& source);

 private:
  enum class Form : std::uint8_t { svg, png, html };
  static Form form_of(std::string_view option, const std::string& path);

  Streams streams_;
  std::string path_;
  Form form_;
  OutputFile file_;
};

}  // namespace tutti::inline commands
