// A picture with its title and data, which can be written as SVG.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/pictures/svg.hpp"

namespace tutti { inline namespace pictures {

// Widths of charts. Each chart is drawn for wide screens, and once more for phones. In narrow
// charts, names are below the frame or above their bars instead of beside them.
inline constexpr double kWide = 960;
inline constexpr double kNarrow = 356;

// Space for the title at the top of a picture. Pages leave this space out, since they show the
// title themselves.
inline constexpr double kTitleHeight = 30;

struct Picture {
  std::string id;     // "times-allreduce-16": letters, digits and hyphens
  std::string group;  // "comparison", "decision", "validation", "why", "schedule"
  std::string title;
  std::string alt;  // text alternative: what the picture shows
  double width = 0;
  double height = 0;
  std::string body;        // SVG elements; the top kTitleHeight pixels are free for the title
  std::string csv;         // the data of the picture
  bool has_title = false;  // true if the body contains the title
  // The narrow version, as returned by svg_in_page(); "" if there is none.
  std::string narrow_svg{};
  // True if a page leaves the picture out, because its tables say as much.
  bool only_in_files = false;
};

// Returns a picture that has not been drawn yet. Its id is made of `name`.
[[nodiscard]] Picture begun(std::string_view group, std::string_view name, std::string title,
                            double width);

// Converts a text to an id or file name: "times all reduce" becomes "times-all-reduce".
[[nodiscard]] std::string id_of(std::string_view text);

// Returns SVG for a page, whose style sheet has colours for the classes.
[[nodiscard]] std::string svg_in_page(const Picture& picture);
// Returns SVG for a file, with its own light colours and background. With `metadata`, it says how
// it was made (base/provenance.hpp).
[[nodiscard]] std::string svg_file(const Picture& picture, bool metadata = false);

// Return the picture as a PNG or PDF file, which librsvg makes of its SVG
// (https://gitlab.gnome.org/GNOME/librsvg). `scale`: pixels per unit of the picture. The PDF has
// real text, and metadata that say how it was made. Throw UserError if librsvg is not installed, or
// fails.
[[nodiscard]] std::string png_of(const Picture& picture, double scale);
[[nodiscard]] std::string pdf_of(const Picture& picture);

}}  // namespace tutti::pictures
