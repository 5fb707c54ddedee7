// The comparison of a step's layouts, as text and as JSON.
#pragma once

#include <ostream>

#include "src/formats/document.hpp"
#include "src/steps/layouts.hpp"

namespace tutti { inline namespace output {

void print_layouts(const LayoutComparison& comparison, std::ostream& out);

extern const DocumentOf<LayoutComparison> kLayoutsDocument;

}}  // namespace tutti::output
