// Pictures as PNG, by rsvg-convert (librsvg, https://gitlab.gnome.org/GNOME/librsvg): a program and
// no library, which would be loaded, with what it draws on, by each call of tutti.
#pragma once

#include <string>

namespace tutti::inline pictures {

// `scale` pixels for each unit of the picture. Throws UserError where the program is not there, or
// fails.
[[nodiscard]] std::string png_of(const std::string& svg, double scale);

}  // namespace tutti::inline pictures
