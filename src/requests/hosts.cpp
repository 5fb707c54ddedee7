#include "src/requests/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "src/formats/csv.hpp"

namespace tutti { inline namespace requests {

namespace {

constexpr std::size_t kMostNamedHosts = 8'000'000;
constexpr std::size_t kMostDigits = 9;
constexpr std::size_t kMostLetters = 255;  // maximum length of a name, from RFC 1035
constexpr std::ptrdiff_t kMostBrackets = 8;

// One element of a list, such as "node[001-003]" in "node[001-003],gpu7".
class Element {
 public:
  Element(std::string_view from, std::string_view text) : from_(from), text_(text) {}

  void expand(std::vector<std::string>& names) const {
    if (text_.empty()) {
      refuse("a name is missing; write a,b,c or node[001-064]");
    }
    if (std::count(text_.begin(), text_.end(), '[') > kMostBrackets) {
      refuse(fmt::format("more than {} brackets", kMostBrackets));
    }
    expand(text_, "", names);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError(fmt::format("{}: '{}': {}", from_, printable(text_), why));
  }

  // Adds to `names` all names that consist of `before` and one of the expansions of `rest`.
  void expand(std::string_view rest, const std::string& before,
              std::vector<std::string>& names) const {
    const std::size_t open = rest.find_first_of("[]");
    if (open == std::string_view::npos) {
      if (before.size() + rest.size() > kMostLetters) {
        refuse(fmt::format("a name has more than {} characters", kMostLetters));
      }
      if (names.size() == kMostNamedHosts) {
        refuse(fmt::format("more than {} hosts", kMostNamedHosts));
      }
      names.push_back(before + std::string(rest));
      return;
    }
    const std::size_t close = rest.find(']', open);
    if (rest[open] == ']' || close == std::string_view::npos) {
      refuse("unbalanced brackets");
    }
    const std::string stem = before + std::string(rest.substr(0, open));
    for (const std::string_view range : split(rest.substr(open + 1, close - open - 1), ',')) {
      expand_range(range, stem, rest.substr(close + 1), names);
    }
  }

  // For each number in `range` ("001-064" or "7"), adds all names that consist of `stem`, the
  // number, and one of the expansions of `rest`.
  void expand_range(std::string_view range, const std::string& stem, std::string_view rest,
                    std::vector<std::string>& names) const {
    const std::size_t dash = std::min(range.find('-'), range.size());
    const std::string_view first = range.substr(0, dash);
    const std::string_view last = dash == range.size() ? first : range.substr(dash + 1);
    const auto number = [this, range](std::string_view digits) {
      if (digits.empty() || digits.size() > kMostDigits ||
          digits.find_first_not_of("0123456789") != std::string_view::npos) {
        refuse(fmt::format("'{}' in brackets must be a number or a range such as 001-064",
                           printable(range)));
      }
      return parse_count(from_, digits);
    };
    const std::uint32_t end = number(last);
    const std::uint32_t begin = number(first);
    if (begin > end) {
      refuse(fmt::format("the range {} runs backwards; write the smaller number first", range));
    }
    for (std::uint32_t i = begin; i <= end; ++i) {
      expand(rest, fmt::format("{}{:0{}}", stem, i, first.size()), names);
    }
  }

  std::string_view from_;
  std::string_view text_;
};

// Returns the names in a list such as "node[001-003,7],gpu[1-2]x", in order. Lists have the form of
// Slurm's node lists: https://slurm.schedmd.com/scontrol.html ("hostlist expression"). A number
// with fewer digits than the first number of its range is padded with zeros. Throws UserError if
// the list is invalid. Error messages begin with `from`, for example the name of the option that
// contains the list.
std::vector<std::string> expand_hosts(std::string_view from, std::string_view list) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  bool in_brackets = false;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    if (at == list.size() || (list[at] == ',' && !in_brackets)) {
      Element(from, list.substr(begin, at - begin)).expand(names);
      begin = at + 1;
    } else {
      in_brackets = list[at] == '[' || (in_brackets && list[at] != ']');
    }
  }
  return names;
}

constexpr InputKind kHostsFile{"a host file", std::uint64_t{1} << 30U, true};
constexpr std::string_view kForms =
    "expected CSV with columns rank and host, one host per line, or lines 'rank 0=host slot=0'";

// Reads a file of hosts line by line. If the file has a line for each rank, these lines may be in
// any order.
class HostsReader {
 public:
  HostsReader(const std::string& path, NamedHosts& named) : path_(path), named_(named) {}

  void read() {
    const std::string text = read_file(path_, kHostsFile);
    std::string_view rest = text;
    std::string_view line;
    while (next_line(rest, line)) {
      ++line_;
      line = trimmed(line.substr(0, line.find('#')));
      if (!line.empty()) {
        read_line(line);
      }
    }
    if (form_ == Form::by_rank) {
      in_order_of_ranks();
    }
    if (named_.names.empty()) {
      throw UserError(fmt::format("{}: the file lists no hosts; {}", named_.option, kForms));
    }
    if (!named_.by_rank) {
      refuse_twice();
    }
  }

  // Throws UserError if a host is listed twice.
  void refuse_twice() const {
    std::unordered_map<std::string_view, std::size_t> first;
    for (std::size_t i = 0; i < named_.names.size(); ++i) {
      const auto [at, is_new] = first.emplace(named_.names[i], i);
      if (!is_new) {
        const std::string where = named_.lines.empty() ? std::string(named_.option) : place(i);
        const std::string before =
            named_.lines.empty() ? ""
                                 : fmt::format(" (first on line {})", named_.lines[at->second]);
        throw UserError(fmt::format(
            "{}: host '{}' is listed twice{}; list each host once and use $ranks_per_host for "
            "several ranks, or write CSV with columns rank and host",
            where, printable(named_.names[i]), before));
      }
    }
  }

 private:
  enum class Form : std::uint8_t { unknown, csv, by_rank, list };

  [[nodiscard]] std::string place(std::size_t which) const {
    return place_in_file(path_, named_.lines[which]);
  }
  [[nodiscard]] std::string here() const { return place_in_file(path_, line_); }
  [[noreturn]] void refuse(std::string_view line) const {
    throw UserError(fmt::format("{}: invalid line '{}'; {}", here(), printable(line), kForms));
  }

  void read_line(std::string_view line) {
    if (form_ == Form::unknown && read_header(line)) {
      return;
    }
    if (columns_) {
      read_row(line);
    } else if (form_ != Form::list && line.starts_with("rank ")) {
      form_ = Form::by_rank;
      read_rank(line.substr(line.find(' ')));
    } else if (form_ == Form::by_rank) {
      refuse(line);
    } else {
      form_ = Form::list;
      read_hosts_of_line(line);
    }
  }

  // Reads the header of a CSV file. Returns false if the line is not a header but lists hosts.
  bool read_header(std::string_view line) {
    const std::vector<std::string> names = csv_fields(line);
    const auto column = [&names](std::string_view name) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    const std::size_t rank = column("rank");
    const std::size_t host = column("host");
    if (rank == names.size() || host == names.size()) {
      if (names.size() > 1 && line.find_first_of("[]") == std::string_view::npos &&
          (rank < names.size() || host < names.size())) {
        refuse(line);
      }
      return false;
    }
    form_ = Form::by_rank;
    columns_ = {rank, host};
    return true;
  }

  void read_row(std::string_view line) {
    const std::vector<std::string> values = csv_fields(line);
    if (values.size() <= std::max(columns_->first, columns_->second)) {
      throw UserError(fmt::format("{}: '{}' has {}, but rank and host are in columns {} and {}",
                                  here(), printable(line), counted(values.size(), "column"),
                                  columns_->first + 1, columns_->second + 1));
    }
    add(values[columns_->first], values[columns_->second]);
  }

  // Reads a line of an Open MPI rankfile. `text` is the part after the word "rank": "0=node1
  // slot=0:1". Ignores the slot.
  void read_rank(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      refuse(text);
    }
    const std::string_view host = trimmed(text.substr(equals + 1));
    add(trimmed(text.substr(0, equals)), host.substr(0, host.find_first_of(" \t")));
  }

  void add(std::string_view rank, std::string_view host) {
    if (host.empty()) {
      throw UserError(fmt::format("{}: rank {} has no host", here(), printable(rank)));
    }
    add_host(host);
    ranks_.push_back(parse_count(here() + ", rank", rank, kMostNamedHosts - 1));
  }

  void add_host(std::string_view host) {
    if (named_.names.size() == kMostNamedHosts) {
      throw UserError(fmt::format("{}: more than {} hosts", here(), kMostNamedHosts));
    }
    named_.names.emplace_back(host);
    named_.lines.push_back(line_);
  }

  // Reads a line of hosts: "node1", "node[1-4]", "a,b", "node1 slots=4", "node1:4".
  void read_hosts_of_line(std::string_view line) {
    std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    std::string_view hosts = line.substr(0, end);
    std::uint32_t slots = 0;
    const std::string_view behind = trimmed(line.substr(end));
    if (behind.starts_with("slots=")) {
      slots = parse_count(here() + ", slots", std::string(behind.substr(6)));
    } else if (!behind.empty()) {
      refuse(line);
    } else if (const std::size_t colon = hosts.rfind(':'); colon != std::string_view::npos) {
      slots = parse_count(here() + ", ranks of the host", std::string(hosts.substr(colon + 1)));
      hosts = hosts.substr(0, colon);
    }
    const std::vector<std::string> names = expand_hosts(here(), hosts);
    const bool counted_here = slots > 0;
    if (!named_.names.empty() && counted_here != named_.by_rank) {
      throw UserError(fmt::format(
          "{}: '{}': some hosts have a number of ranks and others do not; give it for every host "
          "or for none",
          here(), printable(line)));
    }
    named_.by_rank = counted_here;
    for (const std::string& name : names) {
      for (std::uint32_t i = 0; i < std::max(slots, 1U); ++i) {
        add_host(name);
      }
    }
  }

  void in_order_of_ranks() {
    named_.by_rank = true;
    const std::size_t ranks = ranks_.size();
    std::vector<std::uint32_t> row_of(ranks, kNobody);
    std::uint32_t most = 0;
    for (std::uint32_t row = 0; row < ranks; ++row) {
      const std::uint32_t rank = ranks_[row];
      most = std::max(most, rank);
      if (rank >= ranks) {
        continue;
      }
      if (row_of[rank] != kNobody) {
        throw UserError(fmt::format("{}: rank {} is listed twice (first on line {})", place(row),
                                    rank, named_.lines[row_of[rank]]));
      }
      row_of[rank] = row;
    }
    NamedHosts ordered = named_;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      if (row_of[rank] == kNobody) {
        throw UserError(fmt::format(
            "{}: rank {} is missing, but rank {} is listed; list each rank from 0 on once",
            named_.option, rank, most));
      }
      ordered.names[rank] = std::move(named_.names[row_of[rank]]);
      ordered.lines[rank] = named_.lines[row_of[rank]];
    }
    named_ = std::move(ordered);
  }

  static constexpr std::uint32_t kNobody = 0xffffffffU;

  const std::string& path_;
  NamedHosts& named_;
  std::uint32_t line_ = 0;
  Form form_ = Form::unknown;
  // Indices of the columns "rank" and "host"; set if the file is CSV.
  std::optional<std::pair<std::size_t, std::size_t>> columns_;
  std::vector<std::uint32_t> ranks_;  // rank in each row, in the order of the file
};

// True if the text cannot be the name of a host, so that it must be the name of a file.
bool means_a_file(std::string_view text) {
  return text == "-" || text.find('/') != std::string_view::npos || text.ends_with(".csv") ||
         text.ends_with(".txt");
}

}  // namespace

NamedHosts read_hosts(const std::string& text) {
  NamedHosts named;
  named.option = fmt::format("$hosts '{}'", printable(text));
  std::error_code error;
  if (std::filesystem::exists(text, error) || means_a_file(text)) {
    named.file = text;
    named.from = printable(std::filesystem::path(text).filename().string());
    HostsReader(text, named).read();
    return named;
  }
  named.from = "--hosts";
  named.names = expand_hosts(named.option, text);
  HostsReader(text, named).refuse_twice();
  return named;
}

}}  // namespace tutti::requests
