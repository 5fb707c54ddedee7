#include "src/requests/node_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/shell_word.hpp"
#include "base/text_lines.hpp"
#include "src/formats/csv.hpp"

namespace tutti { inline namespace requests {

namespace {

constexpr InputKind kNodeMapFile{"a host map", std::uint64_t{1} << 30U, true};

class NodeMapReader {
 public:
  NodeMapReader(const std::string& path, const std::optional<std::string>& machine)
      : path_(path), machine_(machine) {}

  std::vector<GroupOfLeaves> read() {
    const std::string text = read_file(path_, kNodeMapFile);
    std::string_view rest = text;
    std::string_view line;
    while (next_line(rest, line)) {
      ++line_;
      if (!trimmed(line).empty()) {
        read_line(line);
      }
    }
    check_machines();
    if (groups_.empty()) {
      throw UserError(fmt::format("$map '{}': the file has no hosts", printable(path_)));
    }
    return std::move(groups_);
  }

 private:
  enum Column : std::uint8_t { kHost, kLeaf, kGroup, kMachine, kColumns };
  static constexpr std::array<std::string_view, kColumns> kNames{"host", "leaf", "group",
                                                                 "machine"};
  static constexpr std::size_t kNone = std::string_view::npos;

  [[nodiscard]] std::string here() const { return place_in_file(path_, line_); }

  void read_line(std::string_view line) {
    const std::vector<std::string> fields = csv_fields(line);
    if (!header_) {
      read_header(fields);
      return;
    }
    std::array<std::string, kColumns> row;
    for (std::size_t column = 0; column < kColumns; ++column) {
      const std::size_t at = columns_[column];
      if (at != kNone && at >= fields.size()) {
        throw UserError(
            fmt::format("{}: the {} is missing: the line ends after column {}, but the header has "
                        "it in column {}",
                        here(), kNames[column], fields.size(), at + 1));
      }
      row[column] = at == kNone ? "" : fields[at];
    }
    machines_.insert(row[kMachine]);
    if (!machine_ || row[kMachine] == *machine_) {
      add(row);
    }
  }

  void read_header(const std::vector<std::string>& fields) {
    header_ = true;
    for (std::size_t column = 0; column < kColumns; ++column) {
      const auto at = std::find(fields.begin(), fields.end(), kNames[column]);
      columns_[column] = at == fields.end() ? kNone : static_cast<std::size_t>(at - fields.begin());
      if (columns_[column] == kNone && column != kMachine) {
        throw UserError(fmt::format(
            "{}: no column '{}'; expected CSV with a header that has host, leaf and group", here(),
            kNames[column]));
      }
    }
    if (machine_ && columns_[kMachine] == kNone) {
      throw UserError(fmt::format("$machine '{}': {} has no column 'machine'; leave $machine out",
                                  printable(*machine_), printable(path_)));
    }
  }

  void add(const std::array<std::string, kColumns>& row) {
    for (const Column column : {kHost, kLeaf, kGroup}) {
      if (row[column].empty()) {
        throw UserError(fmt::format("{}: the {} is empty", here(), kNames[column]));
      }
    }
    const auto [first, is_new_host] = line_of_host_.emplace(row[kHost], line_);
    // Without --machine, the file may list several machines whose hosts have the same names.
    // check_machines() then asks the user to choose a machine.
    if (!is_new_host && (machine_ || machines_.size() == 1)) {
      throw UserError(fmt::format("{}: host '{}' is listed twice (first on line {})", here(),
                                  printable(row[kHost]), first->second));
    }
    const auto [group, is_new_group] = group_of_.emplace(row[kGroup], groups_.size());
    if (is_new_group) {
      groups_.push_back({row[kGroup], {}});
    }
    std::vector<LeafOfHosts>& leaves = groups_[group->second].leaves;
    const auto [leaf, is_new_leaf] =
        leaf_of_.emplace(std::pair(group->second, row[kLeaf]), leaves.size());
    if (is_new_leaf) {
      leaves.push_back({row[kLeaf], {}});
    }
    leaves[leaf->second].hosts.push_back(row[kHost]);
  }

  void check_machines() const {
    const std::vector<std::string> names(machines_.begin(), machines_.end());
    std::vector<std::string> words;
    std::ranges::transform(names, std::back_inserter(words), shell_word);
    if (machine_ && !machines_.contains(*machine_)) {
      throw UserError(
          fmt::format("$machine '{}': {}", printable(*machine_), accepted_words(*machine_, names)));
    }
    if (!machine_ && names.size() > 1) {
      throw UserError(
          fmt::format("$map '{}': the file has several machines; choose one with $machine {}",
                      printable(path_), fmt::join(words, ", or ")));
    }
  }

  const std::string& path_;
  const std::optional<std::string>& machine_;
  std::uint32_t line_ = 0;
  bool header_ = false;
  std::array<std::size_t, kColumns> columns_{};
  std::set<std::string> machines_;
  std::unordered_map<std::string, std::uint32_t> line_of_host_;
  std::unordered_map<std::string, std::size_t> group_of_;
  // Index of each leaf switch in its group; the key is the group's index and the switch's name.
  std::map<std::pair<std::size_t, std::string>, std::size_t> leaf_of_;
  std::vector<GroupOfLeaves> groups_;
};

}  // namespace

std::vector<GroupOfLeaves> read_node_map(const std::string& path,
                                         const std::optional<std::string>& machine) {
  return NodeMapReader(path, machine).read();
}

}}  // namespace tutti::requests
