#include "src/commands/picture_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "src/commands/documents.hpp"
#include "src/formats/output_file.hpp"
#include "src/page/page.hpp"
#include "src/pictures/png.hpp"

namespace tutti {

namespace {

enum class Form : std::uint8_t { svg, png, html };

Form form_of(std::string_view option, const std::string& path) {
  for (const auto& [ending, form] : {std::pair(".svg", Form::svg), std::pair(".png", Form::png),
                                     std::pair(".html", Form::html)}) {
    if (path.ends_with(ending)) {
      return form;
    }
  }
  throw UserError(fmt::format("{} '{}': what form? A picture's name ends in .svg, .png or .html",
                              option, path));
}

}  // namespace

void check_picture_file(std::string_view option, const std::string& path) {
  static_cast<void>(form_of(option, path));
  check_writable(path);
}

void write_picture_file(const Picture& picture, const std::string& path, const std::string& source,
                        Streams streams) {
  const Form form = form_of("-o", path);
  OutputFile file(path, streams.out);
  if (form == Form::html) {
    ReportPage page;
    page.title = picture.title;
    page.made_by = made_by();
    PagePart& part = page.parts.emplace_back();
    part.kind = "picture";
    part.source = source;
    part.title = picture.title;
    part.pictures = {picture};
    write_page(page, file.stream());
  } else {
    constexpr double kPixels = 2;  // for screens of today, and print
    const std::string svg = svg_file(picture);
    file.stream() << (form == Form::png ? png_of(svg, kPixels) : svg);
  }
  file.commit();
  streams.out << fmt::format("{} written: {}\n", printable(path), printable(picture.title));
}

}  // namespace tutti
