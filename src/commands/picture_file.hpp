// A picture as a file: SVG, PNG or a page with it alone, by the ending of its name.
#pragma once

#include <string>
#include <string_view>

#include "src/commands/command.hpp"
#include "src/pictures/document.hpp"
#include "src/pictures/picture.hpp"

namespace tutti {

// Throws UserError, which begins with `option`, for another ending, or where nothing can be
// written.
void check_picture_file(std::string_view option, const std::string& path);

// `source` says what it was made of. Says to the user what was written.
void write_picture_file(const Picture& picture, const std::string& path, const std::string& source,
                        Streams streams);

}  // namespace tutti
