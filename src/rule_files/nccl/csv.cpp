// Reads the CSV of NCCL's example tuner as ext-tuner/example/plugin.c does:
//
//   collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks[,pipe_ops[,buffers]]
//
// The tuner uses the first line that matches the call; -1 matches any value. Unknown names silently
// become allreduce, ring and simple. Before the tuner looks for a line, it sets the number of
// channels to 1. If `channels` is -1 in the line, the number stays 1, although the tuner's README
// says otherwise; if `channels` is 0, NCCL chooses the number itself. If NCCL does not have the
// algorithm of a line for the call, the tuner uses the next line that matches.
//
// RCCL from 2.28.3 on has a tuner built in that reads the same fields. It skips a line with an
// unknown name or with a field of blanks only, and warns in its log. It also skips blanks before
// the # of a comment, and ignores a carriage return at the end of a line. If `channels` is -1, RCCL
// chooses the number; 0 does the same, with a warning at each call. RCCL itself decides a call that
// no line matches. The file replaces the table that AMD ships for the GPU, also for such calls.
//
// Sources: NVIDIA/nccl 73cf1122 (2.30.7), plugins/tuner/example/plugin.c, loadConfig and
// pluginGetCollInfo; ROCm/rocm-systems 22af4d53, projects/rccl/src/plugin/tuner/csv_tuner.cc,
// loadConfigFromBuffer and csvTunerGetCollInfo, and projects/rccl/src/graph/tuning.cc.
#include "src/rule_files/nccl/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "base/characters.hpp"
#include "base/human.hpp"
#include "base/line_reader.hpp"
#include "base/nearest.hpp"
#include "base/text_cursor.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/nccl/csv_fields.hpp"
#include "src/rule_files/nccl/rccl_sizes.hpp"
#include "src/rule_files/rule_checks.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr std::size_t kFewestFields = 8;
constexpr std::size_t kLongestLine = 255;

constexpr std::array<std::string_view, 7> kNcclNames{
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};

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

class NcclReader {
 public:
  NcclReader(RuleFile& file, RuleFormat format)
      : file_(file), rccl_(format == RuleFormat::rccl), library_(rccl_ ? "RCCL" : "NCCL") {}

  // Reads a line of the file, as one or more lines of at most kLongestLine characters: the tuners
  // read with fgets() into a buffer of that length.
  void read_line(std::string_view line, std::size_t number) {
    read_part(line.substr(0, kLongestLine), number);
    if (line.size() > kLongestLine) {
      const std::string_view rest = line.substr(kLongestLine);
      // The rest of a comment is ignored unless it has the fields of a rule.
      if (!is_comment(line) || csv_fields_of(rest).kept.size() >= kFewestFields) {
        file_.error(
            number,
            fmt::format("{} characters: the part after character {} is read as another line",
                        line.size(), kLongestLine));
      }
      if (csv_fields_of(rest).kept.size() >= kFewestFields) {
        read_line(rest, number);
      }
    }
  }

  void finish() {
    for (auto& [collective, lines] : lines_) {
      DecisionTable table;
      table.collective = collective;
      table.name = std::string(description(format()));
      for (auto line = lines.begin(); line != lines.end(); ++line) {
        const auto before = std::find_if(lines.begin(), line, [&](const Line& earlier) {
          return !earlier.never && earlier.holds_wherever(*line) &&
                 covers(earlier.rule, line->rule);
        });
        if (before != line && !line->never) {
          file_.error(line->rule.line,
                      fmt::format("never reached: the rule of line {} holds whenever this one does",
                                  before->rule.line));
        }
        if (!line->never && line->of_plain_calls()) {
          table.rules.push_back(line->rule);
        }
      }
      file_.tables.push_back(std::move(table));
    }
    if (rccl_) {
      note_rccl_sizes_without_rule(file_);
    }
  }

 private:
  [[nodiscard]] bool is_comment(std::string_view line) const {
    const std::size_t first = rccl_ ? line.find_first_not_of(" \t") : 0;
    return first < line.size() && line[first] == '#';
  }

  void read_part(std::string_view line, std::size_t number) {
    if (line.empty() || is_comment(line)) {
      return;
    }
    if (line.back() == '\r') {
      if (!returns_reported_ && !rccl_) {
        returns_reported_ = true;
        file_.warn(number,
                   "lines end with a carriage return, which becomes part of the last field; a "
                   "number there is still read correctly");
      }
      line.remove_suffix(1);
    }
    if (line.empty() || (rccl_ && line.find_first_not_of(" \t") == line.npos)) {
      return;
    }
    const CsvFields fields = csv_fields_of(line);
    if (fields.left_out) {
      file_.error(number, "an empty field is skipped: all fields after it move up by one");
    }
    if (rccl_ && fields.has_blank()) {
      file_.error(number, "a field consists of blanks: RCCL skips the line");
      return;
    }
    const std::size_t count = fields.kept.size();
    if (count < kFewestFields || count > kMostCsvFields) {
      file_.error(number, fmt::format("{}, but a rule has {} to {}: {}", counted(count, "field"),
                                      kFewestFields, kMostCsvFields,
                                      count > kMostCsvFields ? "the last ones are ignored"
                                                             : "the line is ignored"));
    }
    if (count >= kFewestFields) {
      read_fields(fields.kept, number);
    }
  }

  // A line of the file. In the numbers below, -1 stands for any value.
  struct Line {
    Rule rule;
    std::int32_t calls = -1;       // number of calls that are grouped (numPipeOps)
    std::int32_t registered = -1;  // 1: registered buffers only; 0: other buffers only
    bool never = false;            // true if NCCL never uses this line

    // True if the calls and buffers that `other` matches also match this line.
    [[nodiscard]] bool holds_wherever(const Line& other) const {
      const auto any_or = [](std::int32_t mine, std::int32_t its) {
        return mine == -1 || mine == its;
      };
      return any_or(calls, other.calls) && any_or(registered, other.registered);
    }
    // True if the line matches a call that is not in a group and whose buffers are not registered.
    [[nodiscard]] bool of_plain_calls() const {
      return (calls == -1 || calls == 1) && (registered == -1 || registered == 0);
    }
  };

  // Converts a size as strtoull() does, and reports an invalid text.
  std::uint64_t size_of(std::string_view text, const char* what, std::size_t line) {
    const CNumber number = c_number(text);
    const std::uint64_t value = number.fits && number.negative ? 0 - number.digits : number.digits;
    if (!number.whole || !number.fits || (number.negative && number.digits != 1)) {
      file_.error(line, fmt::format("{} '{}' is not a number of bytes; it is read as {}", what,
                                    text, value));
    }
    return value;
  }

  // Converts a number as atoi() does, and reports an invalid text.
  std::int32_t int_of(std::string_view text, const char* what, std::size_t line) {
    const CNumber number = c_number(text);
    const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
    if (!number.fits || number.digits > most) {
      file_.error(line, fmt::format("{} '{}' does not fit an int, so that the result of atoi is "
                                    "undefined; the largest is 2147483647",
                                    what, text));
      return -1;
    }
    const auto value = static_cast<std::int32_t>(number.digits) * (number.negative ? -1 : 1);
    if (!number.whole || value < -1) {
      file_.error(line,
                  fmt::format("{} '{}' is not a number; it is read as {}", what, text, value));
    }
    return value;
  }

  // Converts a condition, where -1 stands for any value. Sets `never` if no call can satisfy it.
  std::int32_t condition_of(std::string_view text, const char* what, std::int32_t least,
                            std::int32_t most, std::size_t line, bool& never) {
    const std::int32_t value = int_of(text, what, line);
    if (value != -1 && (value < least || value > most)) {
      file_.error(
          line, fmt::format("{} {}: no call has this value, so the rule never holds", what, value));
      never = true;
    }
    return value;
  }

  void read_fields(const std::vector<std::string_view>& fields, std::size_t line) {
    const auto collective = collective_of(fields[0]);
    if (!collective && fields[1].find_first_of(kDecimalDigits) == fields[1].npos) {
      report_header(fields[0], line);
      return;
    }
    if (!check_names(fields, collective.has_value(), line)) {
      return;
    }
    Line read;
    read.rule.line = line;
    read_sizes(fields, read);
    const std::int32_t channels = int_of(fields[5], "channels", line);
    warn_of_channels(channels, line);
    read_conditions(fields, read);
    const Collective which = collective.value_or(Collective::allreduce);
    const std::string_view algorithm = is_algorithm(fields[3]) ? fields[3] : "ring";
    const std::string_view protocol = is_protocol(fields[4]) ? fields[4] : "simple";
    Rule& rule = read.rule;
    rule.choice = read_algorithm(algorithm, which);
    rule.choice->protocol = protocol;
    rule.choice->channels = static_cast<std::uint32_t>(channels > 0               ? channels
                                                       : channels == -1 && !rccl_ ? 1
                                                                                  : 0);
    if (!nccl_has(which, algorithm, protocol)) {
      file_.error(line, fmt::format("{} cannot run {} with {} for {}: it skips the line, and "
                                    "uses the next one that matches",
                                    library_, algorithm, protocol, fields[0]));
      read.never = true;
    } else if (rccl_ && algorithm == "tree" && protocol == "simple" &&
               rule.nodes.value_or(1) <= 1 && !tree_reported_) {
      tree_reported_ = true;
      file_.warn(
          line,
          "on one node of gfx942 or gfx950, RCCL cannot run tree with simple: there it skips "
          "the line, and uses the next one that matches");
    }
    lines_[which].push_back(std::move(read));
  }

  // Reports a line with the names of the columns in place of values.
  void report_header(std::string_view first, std::size_t line) {
    if (rccl_) {
      file_.warn(line, "RCCL skips this header line, and warns in its log; begin the line with #");
      return;
    }
    file_.error(line, fmt::format("a header line must begin with #; this one is read as a rule "
                                  "for allreduce of 0 bytes, because '{}' is not a collective",
                                  first));
  }

  // Reports unknown names. Returns false if the tuner skips the line because of them.
  bool check_names(const std::vector<std::string_view>& fields, bool known_collective,
                   std::size_t line) {
    if (!known_collective) {
      file_.error(line, fmt::format("unknown collective '{}'{}", fields[0], read_as("allreduce")));
    }
    if (!is_protocol(fields[4])) {
      file_.error(line, fmt::format("unknown protocol '{}'{}", fields[4], read_as("simple")));
    }
    if (!is_algorithm(fields[3])) {
      const std::vector<std::string> names(kNcclNames.begin(), kNcclNames.end());
      const std::string near = nearest(fields[3], names);
      file_.error(line, fmt::format("unknown algorithm '{}'{}{}", fields[3], read_as("ring"),
                                    near.empty() || (near == "ring" && !rccl_)
                                        ? ""
                                        : fmt::format("; did you mean {}?", near)));
    }
    return !rccl_ || (known_collective && is_protocol(fields[4]) && is_algorithm(fields[3]));
  }

  void read_sizes(const std::vector<std::string_view>& fields, Line& read) {
    constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
    const std::size_t line = read.rule.line;
    const std::uint64_t least = size_of(fields[1], "the smallest size", line);
    const std::uint64_t most = size_of(fields[2], "the largest size", line);
    if (least > 0) {
      read.rule.bytes_from = least;
    }
    if (most < kAll) {
      read.rule.bytes_below = most + 1;
    }
    if (fields[1] == "-1") {
      file_.error(line,
                  "the smallest size -1 is read as the largest number, so the rule never holds");
      read.never = true;
    } else if (least > most) {
      file_.error(
          line,
          fmt::format("the smallest size {} is above the largest, {}, so the rule never holds",
                      least, most));
      read.never = true;
    }
  }

  // Warns, once, of a number of channels that means something else than the other tuner's.
  void warn_of_channels(std::int32_t channels, std::size_t line) {
    if ((rccl_ ? channels == 0 : channels == -1) && !channels_reported_) {
      channels_reported_ = true;
      file_.warn(line,
                 rccl_ ? "with 0 channels RCCL chooses the number, as with -1, but warns in its "
                         "log at each call"
                       : "channels -1 means one channel; with 0, NCCL chooses the number");
    }
  }

  // Reads the conditions on nodes, ranks, groups of calls and buffers.
  void read_conditions(const std::vector<std::string_view>& fields, Line& read) {
    constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
    const std::size_t line = read.rule.line;
    const std::int32_t nodes = condition_of(fields[6], "nodes", 1, kMost, line, read.never);
    const std::int32_t ranks = condition_of(fields[7], "ranks", 1, kMost, line, read.never);
    if (fields.size() > 8) {
      read.calls =
          condition_of(fields[8], "calls in a group (numPipeOps)", 1, kMost, line, read.never);
    }
    if (fields.size() > 9) {
      read.registered =
          condition_of(fields[9], "registered buffers (regBuff)", 0, 1, line, read.never);
    }
    say_what_is_not_looked_at(read, line);
    if (nodes > 0) {
      read.rule.nodes = static_cast<std::uint32_t>(nodes);
    }
    if (nodes > 0 && ranks > 0 && nodes > ranks) {
      file_.error(line, fmt::format("{} on {}: no call has fewer ranks than nodes, so the rule "
                                    "never holds",
                                    counted(static_cast<std::uint64_t>(ranks), "rank"),
                                    counted(static_cast<std::uint64_t>(nodes), "node")));
      read.never = true;
    }
    if (ranks >= 0) {
      read.rule.ranks_from = static_cast<std::uint32_t>(ranks);
      read.rule.ranks_below = static_cast<std::uint32_t>(ranks) + 1;
    }
  }

  void say_what_is_not_looked_at(const Line& read, std::size_t line) {
    if (read.never) {
      return;
    }
    if (!read.of_plain_calls()) {
      file_.warn(line, fmt::format("the rule is only for {}; tutti assumes single calls and "
                                   "unregistered buffers, and leaves it out",
                                   read.calls > 1 ? fmt::format("groups of {} calls", read.calls)
                                                  : "registered buffers"));
    }
  }

  [[nodiscard]] static bool is_protocol(std::string_view name) {
    return name == "ll" || name == "ll128" || name == "simple";
  }
  [[nodiscard]] static bool is_algorithm(std::string_view name) {
    return std::find(kNcclNames.begin(), kNcclNames.end(), name) != kNcclNames.end();
  }

  // Returns what the tuner does with an unknown name: NCCL's example reads it as `instead`.
  [[nodiscard]] std::string read_as(std::string_view instead) const {
    return rccl_ ? ": RCCL skips the line" : fmt::format(" is read as {}", instead);
  }

  [[nodiscard]] RuleFormat format() const { return rccl_ ? RuleFormat::rccl : RuleFormat::nccl; }

  [[nodiscard]] Choice read_algorithm(std::string_view algorithm, Collective collective) const {
    if (const LibraryAlgorithm* known = find_by_name(format(), collective, algorithm)) {
      return choice_of(format(), *known, 0);
    }
    Choice choice;
    choice.library_algorithm = printable(algorithm);
    return choice;
  }

  RuleFile& file_;
  bool rccl_;
  const char* library_;
  bool channels_reported_ = false;
  bool returns_reported_ = false;
  bool tree_reported_ = false;
  std::map<Collective, std::vector<Line>> lines_;
};

}  // namespace

bool nccl_has(Collective collective, std::string_view algorithm, std::string_view protocol) {
  const bool ring = algorithm == "ring";
  if (!ring && algorithm != "tree" && protocol != "simple") {
    return false;
  }
  switch (collective) {
    case Collective::bcast:
    case Collective::reduce:
      return ring;
    case Collective::allreduce:
      return algorithm != "pat";
    case Collective::allgather:
    case Collective::reduce_scatter:
      return ring || algorithm == "collnet_direct" || algorithm == "nvls" || algorithm == "pat";
    default:
      return false;
  }
}

RuleFile read_nccl_csv(std::string_view text, RuleFormat format) {
  RuleFile file;
  file.format = format;
  NcclReader reader(file, format);
  for (LineReader lines(text); lines.next();) {
    const std::string_view line = lines.whole();
    const std::size_t zero = line.find('\0');
    const bool ends = zero != line.npos && format == RuleFormat::rccl;
    if (zero != line.npos) {
      file.error(lines.number(),
                 fmt::format("a zero byte: the rest of the {} is ignored", ends ? "file" : "line"));
    }
    reader.read_line(line.substr(0, zero), lines.number());
    if (ends) {
      break;
    }
  }
  reader.finish();
  return file;
}

}}  // namespace tutti::rule_files
