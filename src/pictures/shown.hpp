// All that there is to see of a document.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/pictures/document.hpp"
#include "src/pictures/picture.hpp"
#include "src/pictures/table.hpp"

namespace tutti::inline pictures {

struct Shown {
  std::string title;
  std::vector<Picture> pictures;
  std::vector<DataTable> tables;
  std::vector<std::string> notes;
};

// `beside`: the other documents of the same page, whose measured times are drawn with simulated
// ones. Throws UserError for a recording whose parts do not fit each other.
[[nodiscard]] Shown shown_of(const Document& document, std::span<const Document> beside = {});

}  // namespace tutti::inline pictures
