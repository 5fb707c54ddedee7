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

#include "base/human.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/ompi_collectives.hpp"
#include "src/rule_files/ompi_numbers.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/rule_form.hpp"
#include "src/rule_files/rule_size.hpp"

namespace tutti::inline rule_files {

namespace {

// Thrown after a fault that makes the rest of the file meaningless.
struct Stop {};

class ClassicReader {
 public:
  ClassicReader(std::string_view text, RuleFormat version, RuleFile& file)
      : version_(version), file_(file), numbers_(text, version, file) {}

  void read() {
    if (numbers_.unknown_header()) {
      return;
    }
    const OmpiNumber count = number("the number of collectives");
    if (count.value > kOmpiCollectiveCount) {
      fail(count.line,
           fmt::format("{} collectives, but there are only {}", count.value, kOmpiCollectiveCount));
    }
    for (long i = 0; i < count.value; ++i) {
      read_collective(count);
    }
    if (!numbers_.at_end()) {
      file_.error(numbers_.peek().line,
                  fmt::format("ignored from here on, because line {} declares only {}", count.line,
                              counted(static_cast<std::uint64_t>(count.value), "collective")));
    }
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& text) {
    file_.rejected = in_form_;
    file_.error(line, fmt::format("{}; {}", text, kOmpiRejected));
    throw Stop{};
  }

  OmpiNumber number(const std::string& what) {
    if (numbers_.at_end()) {
      fail(numbers_.last_line(), fmt::format("the file ends where {} is expected", what));
    }
    const OmpiNumber taken = numbers_.take();
    if (taken.value < 0) {
      fail(taken.line, fmt::format("{} is {}, but must be at least 0", what, taken.value));
    }
    return taken;
  }

  void read_collective(const OmpiNumber& count) {
    if (numbers_.at_end()) {
      fail(count.line,
           fmt::format("{} declared, but fewer follow", said(count.value, "collective")));
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
    for (long i = 0; i < comms.value; ++i) {
      check_not_at_end(comms, i, "communicator size");
      const OmpiNumber size = number("a communicator size");
      if (i > 0) {
        if (size.value <= before.value) {
          file_.error(size.line, fmt::format("communicator size {} after {}: sizes must increase, "
                                             "or some rules are never reached",
                                             size.value, before.value));
        }
        rules.back().ranks_below = static_cast<std::uint32_t>(
            std::min<long>(size.value, std::numeric_limits<std::uint32_t>::max()));
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
      fail(count.line,
           fmt::format("{} declared, but {} follow", said(count.value, things), so_far));
    }
  }

  // If every rule is on a line of its own, check_too_few() and check_too_many() detect a wrong
  // number of rules before later numbers are misinterpreted. A wrong number shows as a line with
  // fewer than four numbers where a rule is expected, or as a line with at least four numbers after
  // the last rule.
  static constexpr std::size_t kNumbersOfRule = 4;
  static constexpr const char* kSize = "message size";
  void check_too_few(const OmpiNumber& count, long so_far) {
    check_not_at_end(count, so_far, kSize);
    const OmpiNumber& next = numbers_.peek();
    if (tidy_ && next.place == 0 && numbers_.on_line(next.line) < kNumbersOfRule) {
      misread(
          count.line,
          fmt::format("{} declared, but only {}: line {} is not a rule", said(count.value, kSize),
                      so_far == 1 ? "1 follows" : fmt::format("{} follow", so_far), next.line));
    }
  }
  void check_too_many(const OmpiNumber& count) {
    if (numbers_.at_end()) {
      return;
    }
    const OmpiNumber& next = numbers_.peek();
    if (tidy_ && next.place == 0 && numbers_.on_line(next.line) >= kNumbersOfRule) {
      misread(count.line, fmt::format("{} declared, but line {} has another one",
                                      said(count.value, kSize), next.line));
    }
  }
  static std::string said(long count, const char* thing) {
    return fmt::format("{} {}", counted(static_cast<std::uint64_t>(count), thing),
                       count == 1 ? "is" : "are");
  }
  [[noreturn]] void misread(std::size_t line, const std::string& text) {
    file_.error(line, text + "; Open MPI reads on, and misinterprets the numbers");
    throw Stop{};
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
    tidy_ = comm.place == 0 && numbers_.on_line(comm.line) <= 2;
    OmpiNumber before;
    for (long i = 0; i < count.value; ++i) {
      check_too_few(count, i);
      const OmpiNumber size = number("a message size");
      const OmpiNumber id = number("an algorithm");
      const OmpiNumber fan = number("a fan-in and fan-out");
      const OmpiNumber segment = number("a segment size");
      OmpiNumber requests;
      if (numbers_.has_header() && !numbers_.at_end() && numbers_.peek().line == segment.line) {
        requests = number("a number of requests");
      }
      if (i == 0 && size.value != 0) {
        fail(size.line,
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
    check_too_many(count);
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
  std::map<long, std::size_t> seen_;
  bool tidy_ = false;     // true if each rule is on a line of its own
  bool in_form_ = false;  // true after all numbers before the first rule have been read
};

}  // namespace

RuleFile read_ompi_classic(std::string_view text, RuleFormat version) {
  RuleFile file;
  file.format = version;
  try {
    ClassicReader(text, version, file).read();
  } catch (const Stop&) {
    file.tables.clear();
    file.others.clear();
  }
  return file;
}

}  // namespace tutti::inline rule_files
