// A file with a single picture: SVG, PNG, PDF or an HTML page, depending on the file name's
// extension.
#pragma once

#include <string>
#include <string_view>

#include "src/commands/command.hpp"
#include "src/formats/output_file.hpp"
#include "src/pictures/picture.hpp"

namespace tutti { inline namespace commands {

class PictureFile {
 public:
  // Opens the file. "-" is standard output, to which the picture goes as SVG. Throws UserError if
  // `path` does not end in .svg, .png, .pdf or .html, or if the file cannot be written. `option` is
  // the option that names the file, for error messages.
  PictureFile(std::string_view option, const std::string& path, Streams streams);

  // True if nothing else may go to standard output.
  [[nodiscard]] bool is_standard_output() const { return path_ == "-"; }
  // Writes the picture, and prints that it was written. `source` is the command or file that the
  // picture shows. If the file is an HTML page, the page also displays the text `source`.
  void write(const Picture& picture, const std::string& source);

 private:
  enum class Form : std::uint8_t { svg, png, pdf, html };
  static Form form_of(std::string_view option, const std::string& path);

  Streams streams_;
  std::string path_;
  Form form_;
  OutputFile file_;
};

}}  // namespace tutti::commands
