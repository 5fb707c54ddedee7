// Open MPI's classic rules, read as ompi/mca/coll/tuned/coll_tuned_dynamic_file.c reads them:
//
//   file := NCOLL coll{NCOLL}            coll := COLL_ID NCOMM comm{NCOMM}
//   comm := COMM_SIZE NMSG msg{NMSG}     msg  := MSG_BYTES ALG FANINOUT SEGSIZE [REQS]
//
// Numbers come from fscanf("%li"), so a leading 0 makes them octal, and what is no number is
// skipped letter by letter; line ends mean nothing. A file that it cannot read is ignored without a
// word.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "src/human.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/ompi_collectives.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti {

namespace {

struct Number {
  long value = 0;
  std::size_t line = 0;
  std::size_t place = 0;  // on its line, from 0
};

constexpr const char* kRejected = "Open MPI then ignores the whole file without a word";

// What fscanf makes of a text: all its numbers, and what is worth saying about them.
class Tokens {
 public:
  Tokens(std::string_view text, RuleFormat version, RuleFile& file) : file_(file) {
    std::size_t line = 1;
    for (std::size_t begin = 0; begin <= text.size(); ++line) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      std::string_view content = text.substr(begin, end - begin);
      content = content.substr(0, content.find('#'));
      if (line == 1 && version == RuleFormat::ompi5) {
        content = without_header(content);
      }
      read_line(content, line);
      begin = end + 1;
    }
    last_line_ = line - 1;
  }

  [[nodiscard]] bool at_end() const { return next_ == numbers_.size(); }
  [[nodiscard]] const Number& peek() const { return numbers_[next_]; }
  const Number& take() { return numbers_[next_++]; }
  [[nodiscard]] std::size_t last_line() const {
    return numbers_.empty() ? last_line_ : numbers_.back().line;
  }
  // How many numbers stand on this line.
  [[nodiscard]] std::size_t on_line(std::size_t line) const {
    const auto found = per_line_.find(line);
    return found == per_line_.end() ? 0 : found->second;
  }
  [[nodiscard]] bool has_header() const { return header_; }
  // It has a header that its version does not know, and nothing else counts.
  [[nodiscard]] bool unknown_header() const { return header_complained_; }

 private:
  std::string_view without_header(std::string_view content) {
    constexpr std::string_view kHeader = "rule-file-version-";
    if (!content.starts_with(kHeader)) {
      return content;
    }
    content.remove_prefix(kHeader.size());
    int version = 0;
    const auto [end, error] =
        std::from_chars(content.data(), content.data() + content.size(), version);
    header_ = error == std::errc() && version > 1;
    file_.warn(1,
               "Open MPI before 5.0.7 does not know the header, and ignores the whole file "
               "without a word");
    if (error != std::errc() || version < 1 || version > 2) {
      file_.error(1,
                  "the header has a version that Open MPI 5 does not know; it knows "
                  "rule-file-version-1 and rule-file-version-2");
    }
    content.remove_prefix(static_cast<std::size_t>(end - content.data()));
    return content;
  }

  void read_line(std::string_view content, std::size_t line) {
    for (std::size_t at = 0; at < content.size();) {
      if (std::isspace(static_cast<unsigned char>(content[at])) != 0) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < content.size() && std::isspace(static_cast<unsigned char>(content[end])) == 0) {
        ++end;
      }
      read_word(content.substr(at, end - at), line);
      at = end;
    }
  }

  void read_word(std::string_view word, std::size_t line) {
    std::vector<std::string> read_as;
    bool negative = false;
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t begin = at;
      if (word[at] == '-' || word[at] == '+') {
        ++at;
      }
      int base = 10;
      if (at < word.size() && word[at] == '0') {
        base = at + 1 < word.size() && (word[at + 1] == 'x' || word[at + 1] == 'X') ? 16 : 8;
      }
      const std::size_t digits = at + (base == 16 ? 2 : 0);
      std::size_t end = digits;
      while (end < word.size() && is_digit(word[end], base)) {
        ++end;
      }
      if (end == digits) {
        at = std::max(at, begin + 1);  // fscanf gives up here, and the next character is skipped
        continue;
      }
      Number number;
      std::uint64_t size = 0;
      const auto [stop, error] =
          std::from_chars(word.data() + digits, word.data() + end, size, base);
      const bool too_large = error != std::errc() || size > INT64_MAX;
      number.value = too_large ? INT64_MAX : static_cast<long>(size);
      if (word[begin] == '-') {
        number.value = -number.value;
        negative = true;
      }
      number.line = line;
      number.place = per_line_[line]++;
      numbers_.push_back(number);
      read_as.push_back(std::to_string(number.value));
      at = end;
    }
    complain(word, line, read_as, negative);
  }

  void complain(std::string_view word, std::size_t line, const std::vector<std::string>& read_as,
                bool negative) {
    const bool digits_only =
        std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (word.starts_with("rule-file-version")) {
      file_.error(line, fmt::format("the header '{}' is for Open MPI from 5.0.7 on; older versions "
                                    "read it as the number {}; {}",
                                    word, fmt::join(read_as, " and "), kRejected));
      header_complained_ = true;
    } else if (digits_only && word.size() > 1 && word.front() == '0') {
      file_.error(line, fmt::format("'{}' begins with 0 and is octal: it is read as {}", word,
                                    fmt::join(read_as, " and ")));
    } else if (!digits_only && !negative) {
      file_.error(line, fmt::format("'{}' is no plain number: {}", word,
                                    read_as.empty() ? "all of it is skipped"
                                                    : fmt::format("it is read as {}",
                                                                  fmt::join(read_as, " and "))));
    }
  }

  static bool is_digit(char c, int base) {
    if (base == 16) {
      return std::isxdigit(static_cast<unsigned char>(c)) != 0;
    }
    return c >= '0' && c < (base == 8 ? '8' : '9' + 1);
  }

  RuleFile& file_;
  std::vector<Number> numbers_;
  std::map<std::size_t, std::size_t> per_line_;
  std::size_t next_ = 0;
  std::size_t last_line_ = 0;
  bool header_ = false;
  bool header_complained_ = false;
};

// Why the rest of the file is not looked at.
struct Stop {};

class Reader {
 public:
  Reader(std::string_view text, RuleFormat version, RuleFile& file)
      : version_(version), file_(file), tokens_(text, version, file) {}

  void read() {
    if (tokens_.unknown_header()) {
      return;
    }
    const Number count = number("the number of collectives");
    if (count.value > kOmpiCollectiveCount) {
      fail(count.line,
           fmt::format("{} collectives, and there are {}", count.value, kOmpiCollectiveCount));
    }
    for (long i = 0; i < count.value; ++i) {
      read_collective(count);
    }
    if (!tokens_.at_end()) {
      file_.error(tokens_.peek().line,
                  fmt::format("from here on nothing is read: line {} says {}", count.line,
                              counted(static_cast<std::uint64_t>(count.value), "collective")));
    }
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& text) {
    file_.error(line, fmt::format("{}; {}", text, kRejected));
    throw Stop{};
  }

  Number number(const std::string& what) {
    if (tokens_.at_end()) {
      fail(tokens_.last_line(), fmt::format("the file ends where {} is expected", what));
    }
    const Number taken = tokens_.take();
    if (taken.value < 0) {
      fail(taken.line, fmt::format("{} is {}, below 0", what, taken.value));
    }
    return taken;
  }

  void read_collective(const Number& count) {
    if (tokens_.at_end()) {
      fail(count.line,
           fmt::format("{} said to follow, and fewer do", said(count.value, "collective")));
    }
    const Number id = number("a collective's number");
    if (id.value >= kOmpiCollectiveCount) {
      fail(id.line, fmt::format("unknown collective {}: they are 0 to {}", id.value,
                                kOmpiCollectiveCount - 1));
    }
    const bool named = id.value < static_cast<long>(kOmpiCollectives.size());
    const std::string_view what =
        named ? kOmpiCollectives[static_cast<std::size_t>(id.value)].name : "a neighbourhood";
    const auto ours = collective_named(what);
    if (!ours && (!named || kOmpiCollectives[static_cast<std::size_t>(id.value)].algorithms == 0)) {
      file_.error(id.line,
                  fmt::format("Open MPI looks up no rules for {} (collective {})", what, id.value));
    }
    if (const auto before = seen_.find(id.value); before != seen_.end()) {
      file_.error(id.line, fmt::format("{} stands here a second time: these rules replace those of "
                                       "line {}",
                                       what, before->second));
    }
    seen_[id.value] = id.line;
    const Number comms = number("the number of communicator sizes");
    if (comms.value == 0) {
      file_.warn(comms.line, fmt::format("no communicator sizes: {} stays with the built-in "
                                         "decision",
                                         what));
    }
    std::vector<Rule> rules;
    Number before;
    for (long i = 0; i < comms.value; ++i) {
      check_count(comms, i, 2, "communicator size");
      const Number size = number("a communicator size");
      if (i > 0) {
        if (size.value <= before.value) {
          file_.error(size.line,
                      fmt::format("communicator size {} after {}: sizes must rise, or the rules of "
                                  "some are never reached",
                                  size.value, before.value));
        }
        rules.back().ranks_below = static_cast<std::uint32_t>(
            std::min<long>(size.value, std::numeric_limits<std::uint32_t>::max()));
      } else if (size.value > 2) {
        file_.warn(size.line, fmt::format("the first communicator size is {}: smaller ones use "
                                          "its rules too",
                                          size.value));
      }
      before = size;
      rules.push_back(read_sizes(size, what, ours));
    }
    check_surplus(comms, 2, "communicator size");
    if (!ours) {
      file_.others.emplace_back(what);
      return;
    }
    DecisionTable table;
    table.collective = *ours;
    table.name = std::string(description(version_));
    table.rules = std::move(rules);
    std::erase_if(file_.tables,
                  [&](const DecisionTable& each) { return each.collective == *ours; });
    if (!table.rules.empty()) {
      file_.tables.push_back(std::move(table));
    }
  }

  // Where every record has a line of its own, a count that is wrong shows before the numbers come
  // to mean something else: the line that follows has the wrong number of them.
  void check_count(const Number& count, long so_far, std::size_t expected, const char* things) {
    if (tokens_.at_end()) {
      fail(count.line,
           fmt::format("{} said to follow, and {} do", said(count.value, things), so_far));
    }
    const Number& next = tokens_.peek();
    if (tidy() && next.place == 0 && tokens_.on_line(next.line) < expected &&
        expected == numbers_per_rule()) {
      misread(
          count.line,
          fmt::format("{} said to follow, and {}: line {} is no rule", said(count.value, things),
                      so_far == 1 ? "1 does" : fmt::format("{} do", so_far), next.line));
    }
  }
  void check_surplus(const Number& count, std::size_t expected, const char* things) {
    if (expected != numbers_per_rule() || tokens_.at_end()) {
      return;
    }
    const Number& next = tokens_.peek();
    if (tidy() && next.place == 0 && tokens_.on_line(next.line) >= expected) {
      misread(count.line, fmt::format("{} said to follow, and line {} is one more",
                                      said(count.value, things), next.line));
    }
  }
  static std::string said(long count, const char* thing) {
    return fmt::format("{} {}", counted(static_cast<std::uint64_t>(count), thing),
                       count == 1 ? "is" : "are");
  }
  [[noreturn]] void misread(std::size_t line, const std::string& text) {
    file_.error(line, text + "; Open MPI reads on, and takes numbers for what they are not");
    throw Stop{};
  }
  [[nodiscard]] bool tidy() const { return tidy_; }
  [[nodiscard]] std::size_t numbers_per_rule() const { return 4; }

  Rule read_sizes(const Number& comm, std::string_view what, std::optional<Collective> ours) {
    Rule outer;
    outer.line = comm.line;
    const Number count = number("the number of message sizes");
    if (count.value == 0) {
      file_.warn(count.line, fmt::format("no message sizes: {} stays with the built-in decision "
                                         "here",
                                         what));
    }
    tidy_ = comm.place == 0 && tokens_.on_line(comm.line) <= 2;
    Number before;
    for (long i = 0; i < count.value; ++i) {
      check_count(count, i, numbers_per_rule(), "message size");
      const Number size = number("a message size");
      const Number id = number("an algorithm");
      const Number fan = number("a fan-in and fan-out");
      const Number segment = number("a segment size");
      if (tokens_.has_header() && !tokens_.at_end() && tokens_.peek().line == segment.line) {
        (void)number("a number of requests");
      }
      if (i == 0 && size.value != 0) {
        fail(size.line, fmt::format("the first message size of communicator size {} is {} and must "
                                    "be 0",
                                    comm.value, size.value));
      }
      if (i > 0 && size.value <= before.value) {
        file_.error(size.line, fmt::format("message size {} after {}: sizes must rise, or the "
                                           "rules of some are never reached",
                                           size.value, before.value));
      }
      before = size;
      if (i > 0) {
        outer.then.back().bytes_below = static_cast<std::uint64_t>(size.value);
      }
      Rule inner;
      inner.line = size.line;
      inner.choice = read_choice(id, segment, fan, comm, what, ours);
      outer.then.push_back(std::move(inner));
    }
    check_surplus(count, numbers_per_rule(), "message size");
    if (outer.then.empty()) {
      outer.choice = built_in();
    }
    return outer;
  }

  static Choice built_in() {
    Choice choice;
    choice.library_algorithm = "the built-in decision";
    return choice;
  }

  Choice read_choice(const Number& id, const Number& segment, const Number& fan, const Number& comm,
                     std::string_view what, std::optional<Collective> ours) {
    if (id.value == 0) {
      return built_in();
    }
    if (!ours) {
      const long most =
          kOmpiCollectives[static_cast<std::size_t>(ompi_collective_id(what).value_or(0))]
              .algorithms;
      if (id.value > most && most > 0) {
        unknown(id, what, most);
      }
      return {};
    }
    const LibraryAlgorithm* algorithm = find_by_id(version_, *ours, id.value);
    if (algorithm == nullptr) {
      long most = 0;
      for (const LibraryAlgorithm& each : library_algorithms(version_)) {
        if (each.collective == *ours && each.since <= major_version(version_)) {
          most = std::max<long>(most, each.id);
        }
      }
      unknown(id, what, most);
      Choice choice;
      choice.library_algorithm = fmt::format("unknown algorithm {}", id.value);
      return choice;
    }
    if (algorithm->name == "two_proc" && comm.value != 2) {
      file_.warn(id.line,
                 fmt::format("{} serves 2 ranks only; on more, the call fails", algorithm->name));
    }
    if (segment.value > 0 && !algorithm->segments && algorithm->name != "in-order_binary" &&
        algorithm->name != "knomial") {
      file_.warn(segment.line, fmt::format("{} cuts nothing: the segment size {} is not looked at",
                                           algorithm->name, segment.value));
    }
    if (algorithm->name == "chain" && fan.value > 1) {
      Choice choice;
      choice.library_algorithm = fmt::format("{} chains", fan.value);
      return choice;
    }
    return choice_of(*algorithm, static_cast<std::uint64_t>(segment.value));
  }

  void unknown(const Number& id, std::string_view what, long most) {
    file_.error(id.line,
                fmt::format("no algorithm {} for {}: Open MPI {} has 1 to {}, and 0, the built-in "
                            "decision; the call then fails",
                            id.value, what,
                            version_ == RuleFormat::ompi4 ? "4.1 to 5.0.6" : "5.0.7", most));
  }

  RuleFormat version_;
  RuleFile& file_;
  Tokens tokens_;
  std::map<long, std::size_t> seen_;
  bool tidy_ = false;
};

}  // namespace

RuleFile read_ompi_classic(std::string_view text, RuleFormat version) {
  RuleFile file;
  try {
    Reader(text, version, file).read();
  } catch (const Stop&) {
    file.tables.clear();
    file.others.clear();
  }
  return file;
}

}  // namespace tutti
