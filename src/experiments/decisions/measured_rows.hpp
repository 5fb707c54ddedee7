// Runs of a file of measured times, as text, however the file had them.
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
  // By column of a table, or key of JSON: collective (or none), ranks, bytes, algorithm, seconds or
  // median_s, and those of options.
  std::map<std::string, std::string> fields;

  // "" where there is none.
  [[nodiscard]] std::string get(const std::string& key) const {
    const auto found = fields.find(key);
    return found == fields.end() ? "" : found->second;
  }
};

// Of a file's text, which is as fill_in_measured() (measured.hpp) takes it. Throws UserError that
// names the line of what is wrong.
[[nodiscard]] std::vector<MeasuredRow> measured_rows(const std::string& text,
                                                     const MeasuredSource& source);

}  // namespace tutti::inline experiments
