// Reads Open MPI's classic rules as ompi/mca/coll/tuned/coll_tuned_dynamic_file.c does. The grammar
// is:
//
//   file := NCOLL coll{NCOLL}            coll := COLL_ID NCOMM comm{NCOMM}
//   comm := COMM_SIZE NMSG msg{NMSG}     msg  := MSG_BYTES ALG FANINOUT SEGSIZE [REQS]
//
// Open MPI silently ignores a file that it cannot read.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/human.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/open_mpi/collectives.hpp"
#include "src/rule_files/open_mpi/counts.hpp"
#include "src/rule_files/open_mpi/files.hpp"
#include "src/rule_files/open_mpi/numbers.hpp"
#include "src/rule_files/rule_checks.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/rule_form.hpp"
#include "src/rule_files/rule_size.hpp"

namespace tutti { inline namespace rule_files {

namespace {

// Thrown after a fault that makes the rest of the file meaningless.
struct Stop {};

// Result of reading a file as Open MPI does.
struct Outcome {
  // The first numbers that lines show to be something else than Open MPI takes them for.
  std::size_t misread = 0;  // index of the first such number
  std::size_t length = 0;   // 0 if there are none
  std::string taken_for;
  // True if these numbers, or later ones, include a part of a line that has the form of a rule.
  bool splits_rule = false;
  // Why Open MPI ignores the whole file; "" if it uses the file.
  std::string rejected;
  std::size_t rejected_at = 0;      // line
  bool rejected_for_count = false;  // true if fewer things follow than a count declares
  std::size_t ignored_from = 0;     // first line after the last collective; 0 if there is none
};

class ClassicReader {
 public:
  ClassicReader(OmpiNumbers numbers, RuleFormat version, RuleFile& file)
      : version_(version), file_(file), numbers_(std::move(numbers)) {}

  // Reads the numbers as Open MPI does. Adds findings and tables to the file.
  Outcome read() {
    try {
      read_file();
    } catch (const Stop&) {
    }
    file_.rejected = !outcome_.rejected.empty() && in_form_;
    if (!outcome_.rejected.empty()) {
      file_.tables.clear();
      file_.others.clear();
    }
    return outcome_;
  }

 private:
  void read_file() {
    const OmpiNumber count = number("the number of collectives");
    if (count.value > kOmpiCollectiveCount) {
      fail(count.line, fmt::format("{} collectives declared, but Open MPI has only {}", count.value,
                                   kOmpiCollectiveCount));
    }
    for (long i = 0; i < count.value; ++i) {
      read_collective(count);
    }
    if (!numbers_.at_end()) {
      outcome_.ignored_from = numbers_.peek().line;
      file_.error(numbers_.peek().line,
                  fmt::format("ignored from here on, because line {} declares only {}", count.line,
                              counted(static_cast<std::uint64_t>(count.value), "collective")));
    }
  }

  // Reports a fault because of which Open MPI ignores the file.
  void reject(std::size_t line, const std::string& text) {
    if (outcome_.rejected.empty()) {
      outcome_.rejected = text;
      outcome_.rejected_at = line;
    }
    file_.error(line, fmt::format("{}; {}", text, kOmpiRejected));
  }
  // Does the same for faults after which no number has a meaning.
  [[noreturn]] void fail(std::size_t line, const std::string& text) {
    reject(line, text);
    throw Stop{};
  }

  // Does the same for a count of which only `follow` things follow.
  [[noreturn]] void fail_count(const OmpiNumber& count, const char* things,
                               std::string_view follow) {
    outcome_.rejected_for_count = outcome_.rejected.empty();
    fail(count.line, fmt::format("{} {} declared, but {}",
                                 counted(static_cast<std::uint64_t>(count.value), things),
                                 count.value == 1 ? "is" : "are", follow));
  }

  // Notes that numbers, from index `first` on, are taken for `what` although their lines show that
  // they are something else.
  void note_misread(std::size_t first, std::size_t length, const std::string& what) {
    if (outcome_.length == 0) {
      outcome_.misread = first;
      outcome_.length = length;
      outcome_.taken_for = what;
    }
  }

  OmpiNumber number(const std::string& what) {
    if (numbers_.at_end()) {
      fail(numbers_.last_line(), fmt::format("the file ends where {} is expected", what));
    }
    const std::size_t index = numbers_.next();
    const OmpiNumber taken = numbers_.take();
    if (!in_rule_ && taken.place == 0 && numbers_.on_line(taken.line) == kNumbersOfRule) {
      note_misread(index, 1, what);
      outcome_.splits_rule = true;
    }
    if (taken.value < 0) {
      fail(taken.line, fmt::format("{} is {}, but must be at least 0", what, taken.value));
    }
    return taken;
  }

  void read_collective(const OmpiNumber& count) {
    if (numbers_.at_end()) {
      fail_count(count, "collective", "fewer follow");
    }
    const OmpiNumber id = number("a collective's number");
    if (id.value >= kOmpiCollectiveCount) {
      fail(id.line, fmt::format("unknown collective {}: must be from 0 to {}", id.value,
                                kOmpiCollectiveCount - 1));
    }
    const bool named = id.value < static_cast<long>(kOmpiCollectives.size());
    const std::string_view what = named ? kOmpiCollectives[static_cast<std::size_t>(id.value)].name
                                        : "neighbourhood collective";
    const auto ours = collective_named(what);
    if (!named || !kOmpiCollectives[static_cast<std::size_t>(id.value)].has_rules) {
      file_.error(id.line,
                  fmt::format("Open MPI uses no rules for {} (collective {})", what, id.value));
    }
    if (const auto before = seen_.find(id.value); before != seen_.end()) {
      file_.error(id.line,
                  fmt::format("{} occurs a second time: these rules replace those of line {}", what,
                              before->second));
    }
    seen_[id.value] = id.line;
    const OmpiNumber comms = number("the number of communicator sizes");
    if (comms.value == 0) {
      file_.warn(comms.line,
                 fmt::format("no communicator sizes: {} uses the built-in decision", what));
    }
    std::vector<Rule> rules;
    OmpiNumber before;
    long largest = 0;  // of the communicator sizes
    for (long i = 0; i < comms.value; ++i) {
      check_not_at_end(comms, i, "communicator size");
      const OmpiNumber size = number("a communicator size");
      largest = std::max(largest, size.value);
      if (i > 0) {
        if (size.value <= before.value) {
          file_.error(size.line, fmt::format("communicator size {} after {}: sizes must increase, "
                                             "or some rules are never reached",
                                             size.value, before.value));
        }
        // Open MPI searches from the first size, and stops at one that is above the number of
        // ranks.
        rules.back().ranks_below = static_cast<std::uint32_t>(
            std::min<long>(largest, std::numeric_limits<std::uint32_t>::max()));
      } else if (size.value > 2) {
        file_.warn(size.line, fmt::format("the first communicator size is {}; smaller ones use "
                                          "its rules too",
                                          size.value));
      }
      before = size;
      rules.push_back(read_sizes(size, what, ours));
    }
    if (!ours) {
      file_.others.emplace_back(what);
      return;
    }
    DecisionTable table;
    table.collective = *ours;
    table.name = std::string(description(version_));
    table.rules = std::move(rules);
    table.substitutes = library_substitutes(version_, *ours);
    check_sizes(table, file_);
    std::erase_if(file_.tables,
                  [&](const DecisionTable& each) { return each.collective == *ours; });
    if (!table.rules.empty()) {
      file_.tables.push_back(std::move(table));
    }
  }

  void check_not_at_end(const OmpiNumber& count, long so_far, const char* things) {
    if (numbers_.at_end()) {
      fail_count(count, things, so_far == 1 ? "1 follows" : fmt::format("{} follow", so_far));
    }
  }
  static constexpr std::size_t kNumbersOfRule = 4;
  // Notes that the rule from index `first` on is not on a line of its own.
  void check_place(std::size_t first) {
    const std::vector<OmpiNumber>& all = numbers_.all();
    const std::span<const OmpiNumber> rule = std::span(all).subspan(first, kNumbersOfRule);
    if (rule.front().place != 0 || rule.front().line != rule.back().line) {
      note_misread(first, kNumbersOfRule, "a rule");
      outcome_.splits_rule |= std::ranges::any_of(rule, [&](const OmpiNumber& each) {
        return numbers_.on_line(each.line) >= kNumbersOfRule;
      });
    }
  }

  Rule read_sizes(const OmpiNumber& comm, std::string_view what, std::optional<Collective> ours) {
    Rule outer;
    outer.line = comm.line;
    const OmpiNumber count = number("the number of message sizes");
    if (count.value == 0) {
      file_.warn(count.line,
                 fmt::format("no message sizes: {} uses the built-in decision here", what));
    }
    in_form_ = true;
    OmpiNumber before;
    for (long i = 0; i < count.value; ++i) {
      check_not_at_end(count, i, "message size");
      const std::size_t first = numbers_.next();
      in_rule_ = true;
      const OmpiNumber size = number("a message size");
      const OmpiNumber id = number("an algorithm");
      const OmpiNumber fan = number("a fan-in and fan-out");
      const OmpiNumber segment = number("a segment size");
      OmpiNumber requests;
      if (numbers_.has_header() && !numbers_.at_end() && numbers_.peek().line == segment.line) {
        requests = number("a number of requests");
      }
      in_rule_ = false;
      check_place(first);
      if (i == 0 && size.value != 0) {
        reject(size.line,
               fmt::format("the first message size of communicator size {} is {}, but must be 0",
                           comm.value, size.value));
      }
      if (i > 0 && size.value <= before.value) {
        file_.error(
            size.line,
            fmt::format(
                "message size {} after {}: sizes must increase, or some rules are never reached",
                size.value, before.value));
      }
      before = size;
      if (i > 0) {
        outer.then.back().bytes_below = static_cast<std::uint64_t>(size.value);
      }
      Rule inner;
      inner.line = size.line;
      inner.choice = read_choice(id, segment, fan, requests, what, ours);
      outer.then.push_back(std::move(inner));
    }
    if (outer.then.empty()) {
      outer.choice = choice_left_to_library();
    }
    return outer;
  }

  Choice read_choice(const OmpiNumber& id, const OmpiNumber& segment, const OmpiNumber& fan,
                     const OmpiNumber& requests, std::string_view what,
                     std::optional<Collective> ours) {
    if (id.value == 0) {
      return choice_left_to_library();
    }
    if (!ours) {
      return {};
    }
    const LibraryAlgorithm* algorithm = find_by_id(version_, *ours, id.value);
    if (algorithm == nullptr) {
      long most = 0;
      for (const LibraryAlgorithm& each : library_algorithms(version_)) {
        if (each.collective == *ours && each.in_release(rule_form(version_).first_release)) {
          most = std::max<long>(most, each.id);
        }
      }
      unknown(id, what, most);
      Choice choice;
      choice.library_algorithm = fmt::format("unknown algorithm {}", id.value);
      return choice;
    }
    if (segment.value > 0 && !algorithm->segments) {
      file_.warn(segment.line, fmt::format("{} does not segment, so the segment size {} is ignored",
                                           algorithm->name, segment.value));
    }
    check_fan_out(*algorithm, fan.value, "the fourth number", fan.line, file_);
    return choice_of(version_, *algorithm, static_cast<std::uint64_t>(segment.value), fan.value,
                     requests.value);
  }

  void unknown(const OmpiNumber& id, std::string_view what, long most) {
    file_.error(id.line,
                fmt::format("no algorithm {} for {}: Open MPI {} has 1 to {}, and 0 for the "
                            "built-in decision; the call then fails",
                            id.value, what,
                            version_ == RuleFormat::ompi4 ? "4.1 to 5.0.6" : "5.0.7", most));
  }

  RuleFormat version_;
  RuleFile& file_;
  OmpiNumbers numbers_;
  Outcome outcome_;
  std::map<long, std::size_t> seen_;
  bool in_rule_ = false;  // true while the numbers of a rule are read
  bool in_form_ = false;  // true after all numbers before the first rule have been read
};

// Returns which numbers Open MPI takes for what: "4 10 8 3 (lines 16 to 18) for a rule".
std::string taken_in_words(const Outcome& outcome, const std::vector<OmpiNumber>& numbers) {
  std::vector<long> values;
  for (std::size_t i = 0; i < outcome.length; ++i) {
    values.push_back(numbers[outcome.misread + i].value);
  }
  const std::size_t first = numbers[outcome.misread].line;
  const std::size_t last = numbers[outcome.misread + outcome.length - 1].line;
  return fmt::format(
      "{} ({}) for {}", fmt::join(values, " "),
      first == last ? fmt::format("line {}", first) : fmt::format("lines {} to {}", first, last),
      outcome.taken_for);
}

// Says what Open MPI does with the file, for the end of the first finding about a count.
std::string in_words(const Outcome& outcome, const std::vector<OmpiNumber>& numbers) {
  std::string text;
  if (outcome.length > 0) {
    text = "; Open MPI reads on, and takes " + taken_in_words(outcome, numbers);
  }
  if (text.empty() && outcome.rejected_for_count) {
    return fmt::format("; {}", kOmpiRejected);  // because of this count
  }
  if (!outcome.rejected.empty()) {
    return fmt::format("{}; in the end, it silently ignores the whole file (line {}: {})",
                       text.empty() ? "; Open MPI reads on" : text, outcome.rejected_at,
                       outcome.rejected);
  }
  return fmt::format(
      "{}; {} uses the rules that it has read{}", text, text.empty() ? "Open MPI" : "it",
      outcome.ignored_from == 0
          ? ", which are shown below"
          : fmt::format(", and ignores line {} and all that follows", outcome.ignored_from));
}

// Reports a line whose number of numbers is not that of a rule.
void report_odd_rule(std::size_t line, const OmpiNumbers& numbers, RuleFile& file) {
  const std::size_t count = numbers.on_line(line);
  file.error(line,
             fmt::format("the line has {} numbers, but a rule has 4: message size, "
                         "algorithm, fan-out, segment size{}",
                         count, count > 4 ? "; a fifth needs the header rule-file-version-2" : ""));
  file.cut_at = line;
}

std::string follow_in_words(long count) {
  return count == 0 ? "none follows" : count == 1 ? "1 follows" : fmt::format("{} follow", count);
}

// Adds a finding for each wrong count, and a note if there are many. The first finding says what
// Open MPI does.
void report_counts(const std::vector<WrongCount>& wrong, const Outcome& outcome,
                   const std::vector<OmpiNumber>& numbers, RuleFile& file) {
  for (const WrongCount& each : wrong) {
    file.error(
        numbers[each.index].line,
        fmt::format("{} {} declared, but {}{}",
                    counted(static_cast<std::uint64_t>(each.declared), std::string(each.things)),
                    each.declared == 1 ? "is" : "are", follow_in_words(each.follow),
                    &each == &wrong.front() ? in_words(outcome, numbers) : ""));
  }
  constexpr std::size_t kMany = 3;
  if (wrong.size() < kMany) {
    return;
  }
  const long more = wrong.front().declared - wrong.front().follow;
  const bool alike = std::ranges::all_of(wrong, [&](const WrongCount& each) {
    return each.declared - each.follow == more && each.things == wrong.front().things;
  });
  file.note(0, alike ? fmt::format("{} numbers of {}s are wrong, each of them {} too {}",
                                   wrong.size(), wrong.front().things, more > 0 ? more : -more,
                                   more > 0 ? "large" : "small")
                     : fmt::format("{} counts are wrong", wrong.size()));
}

// True if the wrong counts are those of a file whose end is missing: that of the last communicator
// size, of the last collective, or of collectives, all of them too large.
bool end_is_missing(const CountCheck& counts, const std::vector<OmpiNumber>& numbers) {
  if (counts.end < numbers.size()) {
    return true;  // the end of the last rule is missing, too
  }
  return std::ranges::all_of(counts.wrong, [&](const WrongCount& each) {
    return each.declared > each.follow && (each.things == "collective" || each.last);
  });
}

}  // namespace

RuleFile read_ompi_classic(std::string_view text, RuleFormat version) {
  RuleFile words;  // findings about single numbers
  words.format = version;
  OmpiNumbers numbers(text, version, words);
  RuleFile file = words;
  if (numbers.unknown_header()) {
    return file;
  }
  const Outcome outcome = ClassicReader(numbers, version, file).read();
  const bool refused = !outcome.rejected.empty() || outcome.ignored_from > 0;
  if (!outcome.splits_rule && !refused) {
    return file;
  }
  const auto counts = wrong_counts(numbers);
  if (!counts || counts->wrong.empty()) {
    if (const std::size_t odd = line_of_odd_rule(numbers); odd > 0) {
      report_odd_rule(odd, numbers, file);
    } else if (refused && outcome.splits_rule && outcome.length > 0) {
      file.cut_at = numbers.all()[outcome.misread].line;
      file.error(file.cut_at,
                 fmt::format("a number is missing, or too many, above this line: Open MPI takes {}",
                             taken_in_words(outcome, numbers.all())));
    }
    return file;
  }
  // The findings that remain after the counts are corrected, and the rules that Open MPI reads.
  RuleFile corrected = words;
  OmpiNumbers right = numbers;
  right.drop_from(counts->end);
  for (const WrongCount& each : counts->wrong) {
    right.replace(each.index, each.follow);
  }
  ClassicReader(std::move(right), version, corrected).read();
  corrected.tables = std::move(file.tables);
  corrected.others = std::move(file.others);
  corrected.rejected = !outcome.rejected.empty();
  corrected.cut_at = end_is_missing(*counts, numbers.all())
                         ? numbers.last_line()
                         : numbers.all()[counts->wrong.front().index].line;
  report_counts(counts->wrong, outcome, numbers.all(), corrected);
  if (counts->end < numbers.all().size() && numbers.on_line(numbers.last_line()) == 3) {
    report_odd_rule(numbers.last_line(), numbers, corrected);
  }
  return corrected;
}

}}  // namespace tutti::rule_files
