// Reads a profile that was written by hand or by a script: a table with the columns collective, p
// (the number of ranks), bytes and calls.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/line_reader.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "src/experiments/points/point_text.hpp"
#include "src/experiments/profiles/profile_text.hpp"
#include "src/formats/csv.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::string_view kForms =
    "expected CSV with columns collective, p, bytes and calls, a time-independent SimGrid trace, "
    "an mpiP report, an IPM log, or the output of Open MPI's monitoring";

class CsvProfile {
 public:
  CsvProfile(std::string_view text, const std::string& path) : lines_(text), place_{path, 0} {}

  Profile read() {
    while (lines_.next()) {
      place_.line = lines_.number();
      const std::string_view line = trimmed(lines_.without_comment());
      if (line.empty()) {
        continue;
      }
      const std::vector<std::string> fields = csv_fields(line);
      if (names_.empty()) {
        read_header(fields);
      } else {
        read_row(fields);
      }
    }
    if (names_.empty()) {
      place_.line = 1;
      refuse_profile(place_, fmt::format("the file has no calls; {}", kForms));
    }
    return counts_.profile(place_.file, "a table of calls");
  }

 private:
  void read_header(const std::vector<std::string>& fields) {
    names_ = fields;
    collective_ = column({"collective"});
    ranks_ = column({"p", "ranks"});
    bytes_ = column({"bytes", "n"});
    calls_ = column({"calls"});
    root_ = place_of_column(names_, "root");
  }

  [[nodiscard]] std::size_t column(std::initializer_list<std::string_view> any) const {
    for (const std::string_view name : any) {
      if (const auto found = place_of_column(names_, name)) {
        return *found;
      }
    }
    refuse_profile(place_, fmt::format("there is no column {}{}; {}", *any.begin(),
                                       did_you_mean(*any.begin(), names_), kForms));
  }

  void read_row(const std::vector<std::string>& fields) {
    if (fields.size() != names_.size()) {
      refuse_profile(place_, fmt::format("has {} values; expected {}, one per column",
                                         fields.size(), names_.size()));
    }
    const auto collective = collective_of_call(fields[collective_]);
    if (!collective) {
      refuse_profile(place_, unknown_collective(std::string(fields[collective_])));
    }
    const std::uint32_t ranks = profile_ranks(place_, "p", fields[ranks_]);
    const bool has_bytes = *collective != Collective::barrier || !fields[bytes_].empty();
    const double bytes = has_bytes ? size(fields[bytes_]) : 0;
    if (*collective == Collective::barrier && bytes > 0) {
      refuse_profile(place_, fmt::format("bytes '{}': a barrier moves no data; write 0",
                                         printable(fields[bytes_])));
    }
    if (root_ && !fields[*root_].empty()) {
      const double root = whole("root", fields[*root_]);
      if (root >= ranks) {
        refuse_profile(place_, fmt::format("root '{}': must be a rank from 0 to {}",
                                           printable(fields[*root_]), ranks - 1));
      }
      if (root > 0) {
        counts_.assume("every root is taken to be rank 0");
      }
    }
    counts_.add(place_, *collective, ranks, bytes, whole("calls", fields[calls_]));
  }

  // Reads a size, such as 8192 or 8K.
  [[nodiscard]] double size(std::string_view text) const {
    if (has_only_digits(text)) {
      return whole("bytes", text);
    }
    try {
      return static_cast<double>(parse_bytes("bytes", text));
    } catch (const UserError& error) {
      refuse_profile(place_, shortened(printable(error.what())));
    }
  }

  [[nodiscard]] double whole(std::string_view what, std::string_view text) const {
    if (text.empty() || !has_only_digits(text)) {
      refuse_profile(place_, fmt::format("{} '{}': must be a whole number, 0 or more", what,
                                         shortened(printable(text))));
    }
    return profile_number(place_, what, text);
  }

  LineReader lines_;
  ProfilePlace place_;
  std::vector<std::string> names_;  // names of the columns
  std::size_t collective_ = 0;
  std::size_t ranks_ = 0;
  std::size_t bytes_ = 0;
  std::size_t calls_ = 0;
  std::optional<std::size_t> root_;
  ProfileCounts counts_;
};

}  // namespace

Profile profile_from_csv(std::string_view text, const std::string& path) {
  return CsvProfile(text, path).read();
}

}}  // namespace tutti::experiments
