// The fields of a line of NCCL's and RCCL's tuner files, and the numbers in them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti { inline namespace rule_files {

// The largest number of fields that the tuners read.
inline constexpr std::size_t kMostCsvFields = 10;

// Fields between commas, without the blanks around them. The tuners use strtok(), which skips empty
// fields, but keeps fields that consist of blanks.
struct CsvFields {
  std::vector<std::string_view> kept;
  bool left_out = false;  // true if a field was skipped

  // True if one of the fields that the tuners read consists of blanks.
  [[nodiscard]] bool has_blank() const {
    const auto end =
        kept.begin() + static_cast<std::ptrdiff_t>(std::min(kept.size(), kMostCsvFields));
    return std::find(kept.begin(), end, "") != end;
  }
};
[[nodiscard]] CsvFields csv_fields_of(std::string_view line);

// A number as atoi() and strtoull() read it: the digits before the first other character, or 0 if
// there are none.
struct CNumber {
  std::uint64_t digits = 0;
  bool negative = false;
  bool whole = false;  // true if no characters were skipped
  bool fits = true;    // true if the number fits in 64 bits
};
[[nodiscard]] CNumber c_number(std::string_view text);

}}  // namespace tutti::rule_files
