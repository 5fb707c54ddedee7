// All pictures and tables of a document.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/pictures/document.hpp"
#include "src/pictures/picture.hpp"
#include "src/pictures/tables.hpp"

namespace tutti { inline namespace pictures {

struct DocumentView {
  std::string title;
  std::vector<Picture> pictures;
  std::vector<DataTable> tables;
  std::vector<std::string> notes;
};

// Returns all pictures and tables of `document`. `beside`: the other documents of the same page.
// Their measured times are drawn together with the simulated times of `document`. Throws UserError
// if the parts of a recording are inconsistent.
[[nodiscard]] DocumentView shown_of(const Document& document,
                                    std::span<const Document> beside = {});

}}  // namespace tutti::pictures
