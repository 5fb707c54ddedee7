// Converts pictures to PNG with rsvg-convert (librsvg, https://gitlab.gnome.org/GNOME/librsvg).
// rsvg-convert runs as a separate program: if librsvg were linked, every start of tutti would load
// it and its dependencies.
#pragma once

#include <string>

namespace tutti::inline pictures {

// Returns the bytes of a PNG file. `scale`: pixels per unit of the picture. Throws UserError if
// rsvg-convert is not installed, or fails.
[[nodiscard]] std::string png_of(const std::string& svg, double scale);

}  // namespace tutti::inline pictures
