// Converts pictures to PNG with rsvg-convert (librsvg, https://gitlab.gnome.org/GNOME/librsvg).
// rsvg-convert is run as a program, because every call of tutti would load a linked library and its
// dependencies.
#pragma once

#include <string>

namespace tutti::inline pictures {

// `scale`: pixels per unit of the picture. Throws UserError if rsvg-convert is not installed, or
// fails.
[[nodiscard]] std::string png_of(const std::string& svg, double scale);

}  // namespace tutti::inline pictures
