#include "src/commands/picture_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "src/commands/json_inputs.hpp"
#include "src/page/page.hpp"

namespace tutti { inline namespace commands {

PictureFile::Form PictureFile::form_of(std::string_view option, const std::string& path) {
  if (path == "-") {
    return Form::svg;
  }
  for (const auto& [ending, form] :
       {std::pair(".svg", Form::svg), std::pair(".png", Form::png), std::pair(".pdf", Form::pdf),
        std::pair(".html", Form::html)}) {
    if (path.ends_with(ending)) {
      return form;
    }
  }
  throw UserError(fmt::format(
      "{} '{}': unknown picture format; the name must end in .svg, .png, .pdf or .html, or be "
      "- (SVG on standard output)",
      option, path));
}

PictureFile::PictureFile(std::string_view option, const std::string& path, Streams streams)
    : streams_(streams), path_(path), form_(form_of(option, path)), file_(path, streams.out) {}

void PictureFile::write(const Picture& picture, const std::string& source) {
  if (form_ == Form::html) {
    ReportPage page;
    page.title = picture.title;
    page.made_by = made_by();
    PagePart& part = page.parts.emplace_back();
    part.kind = "picture";
    part.source = source;
    part.title = picture.title;
    part.pictures = {picture};
    write_page(page, file_.stream());
  } else {
    // Pixels of the PNG per unit of length of the SVG, in each direction. The value 2 suits
    // high-resolution screens and print.
    constexpr double kPixels = 2;
    file_.stream() << (form_ == Form::png   ? png_of(picture, kPixels)
                       : form_ == Form::pdf ? pdf_of(picture)
                                            : svg_file(picture, !is_standard_output()));
  }
  file_.commit();
  if (is_standard_output()) {
    return;
  }
  streams_.out << fmt::format("{} written: {}\n", printable(path_), printable(picture.title));
}

}}  // namespace tutti::commands
