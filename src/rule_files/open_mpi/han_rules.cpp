// Reads rules of Open MPI's coll/han as mca_coll_han_init_dynamic_rules() does. Their grammar is:
//
//   file := NCOLL coll{NCOLL}                  coll := COLLECTIVE NLEVEL level{NLEVEL}
//   level := LEVEL NCONF conf{NCONF}           conf := COMM_SIZE NMSG msg{NMSG}
//   msg := MSG_BYTES COMPONENT [@ALGORITHM] [ "[" SEGMENTS "]" ]
//
// If the file has any fault, Open MPI prints a single line that does not say what is wrong, and
// ignores the whole file.
#include "src/rule_files/open_mpi/han_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "base/nearest.hpp"
#include "base/text_lines.hpp"
#include "src/rule_files/open_mpi/collectives.hpp"
#include "src/rule_files/open_mpi/han_text.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr const char* kDropped = "Open MPI then silently ignores the whole file";
constexpr std::array<std::string_view, 3> kLevels{"intra_node", "inter_node",
                                                  "global_communicator"};
constexpr std::size_t kWhole = 2;

// Thrown after a fault that makes Open MPI ignore the whole file.
struct FileRejection {};

// True if coll/han compares the sizes in rules for the collective with the block of one rank, and
// not with the whole vector.
bool by_block(Collective collective) {
  return collective == Collective::allgather || collective == Collective::gather ||
         collective == Collective::scatter || collective == Collective::alltoall;
}

class HanReader {
 public:
  HanReader(std::string_view text, int release, RuleFile& file)
      : text_(text, file), release_(release), file_(file) {}

  void read() {
    const std::int64_t count = number("the number of collectives", 1);
    for (std::int64_t i = 0; i < count; ++i) {
      read_collective();
    }
    const auto more = text_.next_word();
    if (more) {
      file_.error(
          text_.line(),
          fmt::format("ignored from here on, because the file declares only {} collective{}", count,
                      count == 1 ? "" : "s"));
    }
    for (auto& [collective, table] : tables_) {
      if (!table.rules.empty()) {
        file_.tables.push_back(std::move(table));
      }
    }
  }

 private:
  [[noreturn]] void drop(const std::string& text) {
    file_.rejected = !seen_.empty();
    file_.cut_at = file_.rejected ? text_.line() : 0;
    file_.error(text_.line(), fmt::format("{}; {}", text, kDropped));
    throw FileRejection{};
  }

  std::int64_t number(const std::string& what, std::int64_t least) {
    const auto value = text_.next_long();
    if (!value) {
      drop(fmt::format("the file ends where {} is expected", what));
    }
    if (*value < least) {
      drop(fmt::format("{} is {}, but must be at least {}", what, *value, least));
    }
    return *value;
  }

  std::string word(const std::string& what) {
    auto found = text_.next_word();
    if (!found) {
      drop(fmt::format("the file ends where {} is expected", what));
    }
    return std::move(*found);
  }

  void read_collective() {
    const std::string text = word("a collective");
    const std::size_t line = text_.line();
    const std::string what = collective_of(text);
    const auto ours = collective_named(what);
    if (const auto before = seen_.find(what); before != seen_.end()) {
      file_.error(line, fmt::format("{} occurs a second time, so the rules of line {} are ignored",
                                    what, before->second));
    }
    seen_[what] = line;
    if (!ours || !han_has(*ours, release_)) {
      file_.warn(
          line,
          fmt::format("coll/han does not implement {} for all ranks, so these rules are not used",
                      what));
    }
    const std::int64_t levels = number("the number of levels", 0);
    if (levels == 0) {
      file_.warn(text_.line(), fmt::format("no levels: {} uses coll/han's parameters", what));
    }
    if (ours) {
      tables_.erase(*ours);
    } else {
      file_.others.push_back(what);
    }
    for (std::int64_t i = 0; i < levels; ++i) {
      read_level(what, ours);
    }
  }

  std::string collective_of(const std::string& text) {
    std::vector<std::string> names;
    names.reserve(kOmpiCollectives.size());
    for (const OmpiCollective& each : kOmpiCollectives) {
      names.emplace_back(each.name);
    }
    if (std::find(names.begin(), names.end(), text) != names.end() ||
        text.starts_with("neighbor_all")) {
      return text;
    }
    const auto id = parsed_number<long>(text);
    if (!id || *id < 0 || *id >= kOmpiCollectiveCount) {
      drop(fmt::format("unknown collective '{}'{}", text, did_you_mean(text, names)));
    }
    return *id < static_cast<long>(names.size()) ? names[static_cast<std::size_t>(*id)]
                                                 : std::string("neighbourhood collective");
  }

  void read_level(const std::string& what, std::optional<Collective> ours) {
    const std::size_t level = level_number();
    const std::size_t line = text_.line();
    const std::int64_t count = number("the number of communicator sizes", 0);
    if (count == 0) {
      file_.warn(text_.line(),
                 fmt::format("no communicator sizes: {} uses coll/han's parameters here", what));
    }
    if (level != kWhole) {
      file_.note(line, fmt::format("rules for {} apply to the parts into which coll/han splits a "
                                   "communicator, and are not shown",
                                   kLevels[level]));
    }
    std::vector<Rule> rules;
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t size = number("a communicator size", 1);
      if (i == 0 && size > 1) {
        drop(fmt::format("the first communicator size is {}, but must be 1", size));
      }
      if (i > 0) {
        check_rises("communicator size", size, before);
        rules.back().ranks_below = static_cast<std::uint32_t>(
            std::min<std::int64_t>(size, std::numeric_limits<std::uint32_t>::max()));
      }
      before = size;
      rules.push_back(read_sizes(level, what, ours));
    }
    if (ours && level == kWhole) {
      DecisionTable& table = tables_[*ours];
      table = {};
      table.collective = *ours;
      table.name = std::string(description(RuleFormat::han));
      table.measure = by_block(*ours) ? SizeMeasure::block : SizeMeasure::vector;
      table.rules = std::move(rules);
    }
  }

  std::size_t level_number() {
    constexpr int kLevelsByName = 500;
    if (release_ < kLevelsByName) {
      const std::int64_t level = number("a level (0 intra_node, 1 inter_node, 2 all ranks)", 0);
      if (level > static_cast<std::int64_t>(kWhole)) {
        drop(fmt::format("unknown level {}: must be from 0 to 2", level));
      }
      return static_cast<std::size_t>(level);
    }
    const std::string text = word("a level");
    const auto named = std::find(kLevels.begin(), kLevels.end(), text);
    if (named != kLevels.end()) {
      return static_cast<std::size_t>(named - kLevels.begin());
    }
    const auto level = parsed_number<long>(text);
    if (!level || *level < 0 || *level > static_cast<long>(kWhole)) {
      const std::vector<std::string> names(kLevels.begin(), kLevels.end());
      drop(fmt::format("unknown level '{}': {}", text, accepted_words(text, names)));
    }
    return static_cast<std::size_t>(*level);
  }

  template <typename Number>
  void check_rises(const char* what, Number value, Number before) {
    if (value <= before) {
      file_.error(
          text_.line(),
          fmt::format("{} {} after {}: sizes must increase, or some rules are never reached", what,
                      value, before));
    }
  }

  Rule read_sizes(std::size_t level, const std::string& what, std::optional<Collective> ours) {
    Rule outer;
    outer.line = text_.line();
    const std::int64_t count = number("the number of message sizes", 0);
    if (count == 0) {
      file_.warn(text_.line(),
                 fmt::format("no message sizes: {} uses coll/han's parameters here", what));
      outer.choice.emplace().library_algorithm = kHanParameters;
    }
    std::uint64_t before = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto size = text_.next_size();
      if (!size) {
        drop("the file ends where a message size is expected");
      }
      if (i == 0 && *size > 1) {
        drop(fmt::format("the first message size is {}, but must be 0", *size));
      }
      if (i == 0 && *size == 1) {
        file_.warn(text_.line(), "the first message size is 1: messages of 0 bytes have no rule");
      }
      if (i > 0) {
        check_rises("message size", *size, before);
        outer.then.back().bytes_below = *size;
      }
      before = *size;
      Rule inner;
      inner.line = text_.line();
      inner.choice.emplace().library_algorithm = read_component(level, what, ours);
      read_segments(level);
      outer.then.push_back(std::move(inner));
    }
    return outer;
  }

  std::string read_component(std::size_t level, const std::string& what,
                             std::optional<Collective> ours) {
    std::string component = word("a component");
    if (!han_component(component, release_)) {
      drop(fmt::format("unknown component '{}'{}", component,
                       component.find_first_of("#@[") != std::string::npos
                           ? ": a space must follow its name"
                           : ""));
    }
    if (component != "han") {
      check_serves(component, level, what, ours);
      return component;
    }
    if (level != kWhole) {
      file_.error(text_.line(),
                  "component han runs only on whole communicators, not on the parts into which it "
                  "splits them");
    }
    constexpr int kAlgorithmsByName = 500;
    if (release_ >= kAlgorithmsByName && text_.next_is('@').value_or(false)) {
      component += " @" + read_algorithm(what, ours);
    }
    return component;
  }

  // Reports a component that cannot run the collective on a whole communicator over several nodes.
  void check_serves(const std::string& component, std::size_t level, const std::string& what,
                    std::optional<Collective> ours) {
    if (level == kWhole && ours && !han_lets_go(*ours, release_)) {
      file_.error(
          text_.line(),
          fmt::format(
              "Open MPI 4.1 crashes if rules assign {} for all ranks to a component other than han",
              what));
      return;
    }
    const bool adapts =
        component == "adapt" && (ours == Collective::bcast || ours == Collective::reduce);
    if (level == kWhole && component != "tuned" && component != "basic" && !adapts) {
      file_.warn(text_.line(),
                 fmt::format("component {} has no {} for all ranks on several nodes, so Open MPI "
                             "uses the component with the next lower priority",
                             component, what));
    }
  }

  std::string read_algorithm(const std::string& what, std::optional<Collective> ours) {
    std::string text = word("an algorithm");
    std::vector<std::string> names{"default"};
    if (ours) {
      const auto has = han_algorithms(*ours, release_);
      names.insert(names.end(), has.begin(), has.end());
    }
    if (std::find(names.begin(), names.end(), text) != names.end()) {
      return text;
    }
    const auto id = parsed_number<long>(text);
    if (!id || *id < 0 || static_cast<std::size_t>(*id) >= names.size()) {
      drop(fmt::format("unknown algorithm '{}' for {}: {}", text, what,
                       accepted_words(text, names)));
    }
    return names[static_cast<std::size_t>(*id)];
  }

  // Reads a list of segment sizes, which Open MPI never uses.
  void read_segments(std::size_t level) {
    if (!text_.next_is('[').value_or(false)) {
      return;
    }
    file_.warn(text_.line(),
               level == 0
                   ? "segment sizes are read, but never used"
                   : "segment sizes belong to level 0 only, and are never used there either");
    for (;;) {
      const auto end = text_.next_is(']');
      if (!end || *end) {
        return;
      }
      if (!text_.next_long()) {
        drop("the file ends within a list of segment sizes");
      }
    }
  }

  HanText text_;
  int release_;
  RuleFile& file_;
  std::map<std::string, std::size_t> seen_;
  std::map<Collective, DecisionTable> tables_;
};

}  // namespace

RuleFile read_han_rules(std::string_view text, int release) {
  RuleFile file;
  try {
    HanReader(text, release, file).read();
  } catch (const FileRejection&) {
    file.tables.clear();
    file.others.clear();
    file.notes.clear();
  }
  return file;
}

}}  // namespace tutti::rule_files
