#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/rows.hpp"
#include "src/interchange/goal.hpp"

namespace tutti { inline namespace interchange {

namespace {

constexpr std::uint32_t kMostGoalRanks = 1U << 20U;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Skips blanks, line ends and comments, as between two statements. Returns the number of line ends.
std::uint32_t skip_between(std::string_view text, std::size_t& at) {
  std::uint32_t lines = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) {
      const std::size_t end = rest.find('\n');
      at = end == rest.npos ? text.size() : at + end;
    } else if (rest.starts_with("/*")) {
      const std::size_t end = rest.find("*/", 2);
      const std::size_t length = end == rest.npos ? rest.size() : end + 2;
      lines += static_cast<std::uint32_t>(std::ranges::count(rest.substr(0, length), '\n'));
      at += length;
    } else if (rest.front() == '\n') {
      ++lines;
      ++at;
    } else if (rest.front() == ' ' || rest.front() == '\t' || rest.starts_with("\r\n")) {
      ++at;
    } else {
      break;
    }
  }
  return lines;
}

class GoalReader {
 public:
  GoalReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  GoalFile read() {
    read_number_of_ranks();
    for (Rank rank = 0; rank < nodes_.ranks; ++rank) {
      read_rank(rank);
    }
    skip();
    if (!at_end()) {
      fail(fmt::format("text after the block of the last rank, {}", nodes_.ranks - 1));
    }
    join();
    return {std::move(nodes_), std::move(lines_)};
  }

 private:
  struct Edge {
    NodeId after;
    NodeId before;
  };

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  void skip() { line_ += skip_between(text_, at_); }
  void skip_blanks() {
    while (!at_end() && (text_[at_] == ' ' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw UserError(fmt::format("'{}', line {}: {}", printable(file_), line_, what));
  }
  [[noreturn]] void fail_expected(std::string_view what) const {
    const std::string_view rest = text_.substr(at_);
    const std::string_view found = rest.substr(0, rest.find_first_of(" \t\r\n"));
    fail(fmt::format("expected {}, found {}", what,
                     found.empty()
                         ? std::string(at_end() ? "the end of the file" : "the end of the line")
                         : fmt::format("'{}'", shortened(printable(found)))));
  }

  // Reads letters, digits and underscores; returns "" if the next character is not a letter.
  std::string_view word() {
    skip_blanks();
    const std::size_t start = at_;
    if (at_end() || !is_letter(text_[at_])) {
      return {};
    }
    while (!at_end() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '_')) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  // Consumes the word if it comes next.
  bool take(std::string_view expected) {
    const std::size_t start = at_;
    if (word() == expected) {
      return true;
    }
    at_ = start;
    return false;
  }

  // Reads a number of at most `most`, which fits into the field of the binary form.
  std::uint64_t number(std::string_view what, std::uint64_t most) {
    skip_blanks();
    if (at_end() || !is_digit(text_[at_])) {
      fail_expected(what);
    }
    std::uint64_t value = 0;
    while (!at_end() && is_digit(text_[at_])) {
      const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
      if (value > (most - digit) / 10) {
        fail(fmt::format("{}: the maximum is {}", what, most));
      }
      value = value * 10 + digit;
      ++at_;
    }
    return value;
  }

  void end_line() {
    skip_blanks();
    if (text_.substr(at_).starts_with("\r\n")) {
      ++at_;
    }
    if (!at_end() && text_[at_] != '\n') {
      fail_expected("the end of the line");
    }
  }

  void read_number_of_ranks() {
    skip();
    if (!take("num_ranks")) {
      fail_expected("'num_ranks' and the number of ranks");
    }
    nodes_.ranks = static_cast<std::uint32_t>(number("the number of ranks", kMostGoalRanks));
    if (nodes_.ranks == 0) {
      fail("0 ranks: there must be at least 1");
    }
  }

  void read_rank(Rank rank) {
    skip();
    if (!take("rank")) {
      fail_expected(fmt::format("'rank {}', the block of the next rank", rank));
    }
    if (const std::uint64_t said = number("the number of the rank", kMostGoalRanks); said != rank) {
      fail(fmt::format("rank {}: the blocks of the ranks must be in order, so rank {} is next",
                       said, rank));
    }
    skip_blanks();
    if (at_end() || text_[at_] != '{') {
      fail_expected("'{'");
    }
    ++at_;
    labels_ = {};  // clear() takes time for every label of the ranks before
    rank_ = rank;
    for (skip(); at_end() || text_[at_] != '}'; skip()) {
      if (at_end()) {
        fail(fmt::format("the block of rank {} has no '}}'", rank));
      }
      read_statement();
    }
    ++at_;
  }

  void read_statement() {
    const std::string_view first = word();
    if (first == "send" || first == "recv" || first == "calc") {
      read_operation(first);
      return;
    }
    if (first.empty() || first == "rank" || first == "num_ranks") {
      at_ -= first.size();
      fail_expected("send, recv, calc, a label, or '}'");
    }
    skip_blanks();
    if (!at_end() && text_[at_] == ':') {
      ++at_;
      const std::string_view what = word();
      if (what != "send" && what != "recv" && what != "calc") {
        at_ -= what.size();
        fail_expected("send, recv or calc");
      }
      labels_.try_emplace(first, static_cast<NodeId>(nodes_.nodes.size()));
      read_operation(what);
      return;
    }
    const std::string_view relation = word();
    if (relation != "requires" && relation != "irequires") {
      at_ -= relation.size();
      fail_expected("':', requires or irequires");
    }
    const std::string_view second = word();
    if (second.empty()) {
      fail_expected("a label");
    }
    if (relation == "requires") {
      requires_.push_back({labelled(first), labelled(second)});
    } else {
      nodes_.start_orders.push_back({labelled(first), labelled(second)});
    }
    end_line();
  }

  [[nodiscard]] NodeId labelled(std::string_view label) const {
    const auto found = labels_.find(label);
    if (found == labels_.end()) {
      fail(fmt::format("label '{}': rank {} has no operation with this label above", label, rank_));
    }
    return found->second;
  }

  void read_operation(std::string_view what) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();
    RankNode node{.rank = rank_};
    const std::uint32_t line = line_;
    if (what == "calc") {
      node.amount = number("a number of nanoseconds", kMost);
    } else {
      const bool sends = what == "send";
      node.kind = sends ? NodeKind::send : NodeKind::receive;
      node.amount = number("a number of bytes", kMost);
      if (!take("b")) {
        fail_expected("'b' after the number of bytes");
      }
      if (!take(sends ? "to" : "from")) {
        fail_expected(sends ? "'to'" : "'from'");
      }
      skip_blanks();
      if (text_.substr(at_).starts_with("-1")) {
        fail(sends ? "rank -1: a message needs a receiver"
                   : "from -1: a receive from any rank depends on times; name the sender");
      }
      node.peer = static_cast<Rank>(number("a rank", kAny));
      if (take("tag")) {
        skip_blanks();
        if (text_.substr(at_).starts_with("-1")) {
          fail("tag -1: a message with any tag depends on times; give it a tag");
        }
        node.tag = static_cast<std::uint32_t>(number("a tag", kAny));
        if (node.tag == kAny) {
          fail(fmt::format("tag {}: this is any tag for LogGOPSim; give the message another one",
                           kAny));
        }
      }
    }
    refuse_other("cpu", "processor");
    if (what != "calc") {
      refuse_other("nic", "network interface");
    }
    end_line();
    nodes_.nodes.push_back(node);
    lines_.push_back(line);
  }

  void refuse_other(std::string_view field, std::string_view in_words) {
    if (take(field)) {
      if (const std::uint64_t which = number("a number", 255); which != 0) {
        fail(fmt::format("{} {}: a rank of tutti has only one {}, number 0", field, which,
                         in_words));
      }
    }
  }

  // Writes the dependencies into rows.
  void join() {
    sort_into_rows(nodes_.nodes.size(), nodes_.rows, nodes_.dependencies, [&](const auto& add) {
      for (const Edge& edge : requires_) {
        add(edge.after, edge.before);
      }
    });
    sort_dependencies(nodes_);
  }

  std::string_view text_;
  std::string_view file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  Rank rank_ = 0;
  std::unordered_map<std::string_view, NodeId> labels_;  // of the present rank
  std::vector<Edge> requires_;
  std::vector<std::uint32_t> lines_;  // of each node
  RankNodes nodes_;
};

}  // namespace

bool is_goal(std::string_view text) {
  std::size_t at = 0;
  skip_between(text, at);
  constexpr std::string_view kFirst = "num_ranks";
  return text.substr(at).starts_with(kFirst);
}

GoalFile parse_goal(std::string_view text, std::string_view file) {
  return GoalReader(text, file).read();
}

Application read_goal(std::string_view text, std::string_view file) {
  const GoalFile read = parse_goal(text, file);
  return application_of(read.nodes, file,
                        [&](NodeId id) { return fmt::format("line {}", read.lines[id]); });
}

}}  // namespace tutti::interchange
