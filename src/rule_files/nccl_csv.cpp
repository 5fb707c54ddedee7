// The CSV of NCCL's example tuner, read as ext-tuner/example/plugin.c reads it:
//
//   collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks[,pipe_ops[,buffers]]
//
// The first line that matches is taken; -1 matches any. Names that it does not know stand for
// allreduce, ring and simple, without a word. Before it looks for a line it asks for one channel,
// and -1 in a line leaves it at that, against what its README says; NCCL takes 0 for its own
// number.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

#include "base/nearest.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/unreachable.hpp"

namespace tutti {

namespace {

constexpr std::size_t kFewestFields = 8;
constexpr std::size_t kMostFields = 10;
constexpr std::size_t kLongestLine = 255;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    std::string_view field = line.substr(begin, end - begin);
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!field.empty() && blank(field.front())) {
      field.remove_prefix(1);
    }
    while (!field.empty() && blank(field.back())) {
      field.remove_suffix(1);
    }
    fields.push_back(field);
    begin = end + 1;
  }
  return fields;
}

std::optional<Collective> collective_of(std::string_view name) {
  if (name == "broadcast") {
    return Collective::bcast;
  }
  if (name == "reducescatter") {
    return Collective::reduce_scatter;
  }
  if (name == "allreduce" || name == "allgather" || name == "reduce") {
    return collective_named(name);
  }
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(RuleFile& file) : file_(file) {}

  void read_line(std::string_view line, std::size_t number) {
    if (line.empty() || line.front() == '#') {
      return;
    }
    if (line.size() > kLongestLine) {
      file_.error(number,
                  fmt::format("{} characters: what is beyond {} is read as a line of its own",
                              line.size(), kLongestLine));
    }
    if (line.back() == '\r') {
      file_.error(number,
                  "the line ends with a carriage return, which becomes part of the last "
                  "field");
      line.remove_suffix(1);
    }
    const std::vector<std::string_view> fields = split(line);
    if (fields.size() < kFewestFields || fields.size() > kMostFields) {
      file_.error(number, fmt::format("{} fields, and a rule has {} to {}: {}", fields.size(),
                                      kFewestFields, kMostFields,
                                      fields.size() > kMostFields ? "the last are not read"
                                                                  : "the line is passed over"));
      if (fields.size() < kFewestFields) {
        return;
      }
    }
    for (const std::string_view field : fields) {
      if (field.empty()) {
        file_.error(number, "an empty field does not count: all that follow move up by one");
        return;
      }
    }
    read_fields(fields, number);
  }

  void finish() {
    for (auto& [collective, rules] : rules_) {
      find_unreachable(rules, file_);
      DecisionTable table;
      table.collective = collective;
      table.name = std::string(description(RuleFormat::nccl));
      table.rules = std::move(rules);
      file_.tables.push_back(std::move(table));
    }
  }

 private:
  std::int64_t number_of(std::string_view text, const char* what, std::size_t line) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < -1) {
      file_.error(line, fmt::format("{} '{}' is no number; it is read as {}", what, text, number));
    }
    return number;
  }

  // NCCL keeps it in an int.
  std::int64_t int_of(std::string_view text, const char* what, std::size_t line) {
    const std::int64_t number = number_of(text, what, line);
    if (number > std::numeric_limits<std::int32_t>::max()) {
      file_.error(line, fmt::format("{} '{}' does not fit an int, and what atoi makes of it is "
                                    "anybody's guess; the largest is 2147483647",
                                    what, text));
      return -1;
    }
    return number;
  }

  void read_fields(const std::vector<std::string_view>& fields, std::size_t line) {
    const auto collective = collective_of(fields[0]);
    if (!collective && fields[1].find_first_of("0123456789") == fields[1].npos) {
      file_.error(line, fmt::format("a line of names must begin with #; this one is a rule for "
                                    "allreduce, of 0 bytes, since '{}' is no collective",
                                    fields[0]));
      return;
    }
    if (!collective) {
      file_.error(line, fmt::format("unknown collective '{}' is taken for allreduce", fields[0]));
    }
    const auto least = number_of(fields[1], "the least size", line);
    const auto most = number_of(fields[2], "the largest size", line);
    if (fields[4] != "ll" && fields[4] != "ll128" && fields[4] != "simple") {
      file_.error(line, fmt::format("unknown protocol '{}' is taken for simple", fields[4]));
    }
    if (int_of(fields[5], "channels", line) == -1 && !said_channels_) {
      said_channels_ = true;
      file_.warn(line,
                 "channels -1 is one channel, and not as many as NCCL likes; 0 leaves their number "
                 "to NCCL");
    }
    const auto nodes = int_of(fields[6], "nodes", line);
    const auto ranks = int_of(fields[7], "ranks", line);
    if (nodes > 0) {
      file_.warn(line, "the number of nodes is not looked at here: the rule is taken to hold");
    }
    Rule rule;
    rule.line = line;
    if (least == -1) {
      file_.error(line, "the least size -1 is the largest number there is: the rule never holds");
    } else if (least > 0) {
      rule.bytes_from = static_cast<std::uint64_t>(least);
    }
    if (most >= 0) {
      rule.bytes_below = static_cast<std::uint64_t>(most) + 1;
      if (least > most) {
        file_.error(line, fmt::format("the least size {} is above the largest, {}: the rule never "
                                      "holds",
                                      least, most));
      }
    }
    if (ranks >= 0) {
      rule.ranks_from = static_cast<std::uint32_t>(ranks);
      rule.ranks_below = static_cast<std::uint32_t>(ranks) + 1;
    }
    const Collective which = collective.value_or(Collective::allreduce);
    rule.choice = read_algorithm(fields[3], which, line);
    rules_[which].push_back(std::move(rule));
  }

  Choice read_algorithm(std::string_view algorithm, Collective collective, std::size_t line) {
    Choice choice;
    choice.library_algorithm = printable(algorithm);
    if (const LibraryAlgorithm* known = find_by_name(RuleFormat::nccl, collective, algorithm)) {
      return choice_of(RuleFormat::nccl, *known, 0);
    }
    const std::vector<std::string> names{
        "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
    if (std::find(names.begin(), names.end(), algorithm) == names.end()) {
      const std::string near = nearest(algorithm, names);
      file_.error(
          line, fmt::format(
                    "unknown algorithm '{}' is taken for ring{}", algorithm,
                    near.empty() || near == "ring" ? "" : fmt::format("; did you mean {}?", near)));
    }
    return choice;
  }

  RuleFile& file_;
  bool said_channels_ = false;
  std::map<Collective, std::vector<Rule>> rules_;
};

}  // namespace

RuleFile read_nccl_csv(std::string_view text) {
  RuleFile file;
  file.format = RuleFormat::nccl;
  Reader reader(file);
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    reader.read_line(text.substr(begin, end - begin), number);
    begin = end + 1;
  }
  reader.finish();
  return file;
}

}  // namespace tutti
