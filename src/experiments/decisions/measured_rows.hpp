// Rows of a file of measured times, as text, independent of the file's format.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "src/experiments/points/measured_source.hpp"

namespace tutti::inline experiments {

struct MeasuredRow {
  std::string path;
  std::size_t line = 0;
  // Values by the column names of a table, or by the keys of a JSON object: collective (may be
  // missing), ranks, bytes, algorithm, seconds or median_s, and the names of algorithm options.
  std::map<std::string, std::string> fields;

  // Returns the value of a field; "" if the field is missing.
  [[nodiscard]] std::string get(const std::string& key) const {
    const auto found = fields.find(key);
    return found == fields.end() ? "" : found->second;
  }
};

// Parses the text of a file, in any format that fill_in_measured() (measured.hpp) accepts. Throws
// UserError, which names the faulty line.
[[nodiscard]] std::vector<MeasuredRow> measured_rows(const std::string& text,
                                                     const MeasuredSource& source);

}  // namespace tutti::inline experiments
