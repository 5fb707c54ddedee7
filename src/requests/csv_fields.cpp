#include "src/requests/csv_fields.hpp"

#include <algorithm>

namespace tutti::inline requests {

std::string_view trimmed_blanks(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

std::vector<std::string_view> csv_fields(std::string_view line) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    std::string_view field = trimmed_blanks(line.substr(at, end - at));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
      field = field.substr(1, field.size() - 2);
    }
    found.push_back(field);
    at = end + 1;
  }
  return found;
}

}  // namespace tutti::inline requests
