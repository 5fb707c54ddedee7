#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/rows.hpp"
#include "base/text_cursor.hpp"
#include "base/text_lines.hpp"
#include "src/interchange/goal.hpp"

namespace tutti { inline namespace interchange {

namespace {

constexpr std::uint32_t kMostGoalRanks = 1U << 20U;

// Skips blanks, line ends and comments, as between two statements.
void skip_between(TextCursor& text) {
  while (true) {
    text.take_while([](char c) { return is_blank(c) || c == '\n'; });
    if (text.take("//")) {
      text.take_line();
    } else if (text.take("/*")) {
      text.take(std::min(text.rest().find("*/"), text.rest().size()));
      text.take("*/");
    } else if (text.rest().starts_with("\r\n")) {
      text.take(2);
    } else {
      return;
    }
  }
}

class GoalReader {
 public:
  GoalReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  GoalFile read() {
    read_number_of_ranks();
    for (Rank rank = 0; rank < nodes_.ranks; ++rank) {
      read_rank(rank);
    }
    skip_between(text_);
    if (!text_.at_end()) {
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

  void skip_blanks() { text_.take_while(is_blank); }

  [[noreturn]] void fail(std::string_view what) {
    throw UserError(fmt::format("'{}', line {}: {}", printable(file_), text_.line(), what));
  }
  [[noreturn]] void fail_expected(std::string_view what) {
    const std::string_view rest = text_.rest();
    const std::string_view found = rest.substr(0, rest.find_first_of(" \t\r\n"));
    fail(fmt::format("expected {}, found {}", what,
                     found.empty()
                         ? std::string(rest.empty() ? "the end of the file" : "the end of the line")
                         : fmt::format("'{}'", shortened(printable(found)))));
  }

  // Reads letters, digits and underscores; returns "" if the next character is not a letter.
  std::string_view word() {
    skip_blanks();
    if (!is_letter(text_.peek())) {
      return {};
    }
    return text_.take_while([](char c) { return is_letter_or_digit(c) || c == '_'; });
  }

  // Consumes the word if it comes next.
  bool take(std::string_view expected) {
    const std::size_t start = text_.at();
    if (word() == expected) {
      return true;
    }
    text_.back_to(start);
    return false;
  }

  // Reads a number of at most `most`, which fits into the field of the binary form.
  std::uint64_t number(std::string_view what, std::uint64_t most) {
    skip_blanks();
    const std::string_view digits = text_.take_while([](char c) { return is_digit(c); });
    if (digits.empty()) {
      fail_expected(what);
    }
    const auto value = parsed_number<std::uint64_t>(digits);
    if (!value || *value > most) {
      fail(fmt::format("{}: the maximum is {}", what, most));
    }
    return *value;
  }

  void end_line() {
    skip_blanks();
    if (!text_.at_end() && text_.peek() != '\n' && !text_.rest().starts_with("\r\n")) {
      fail_expected("the end of the line");
    }
  }

  void read_number_of_ranks() {
    skip_between(text_);
    if (!take("num_ranks")) {
      fail_expected("'num_ranks' and the number of ranks");
    }
    nodes_.ranks = static_cast<std::uint32_t>(number("the number of ranks", kMostGoalRanks));
    if (nodes_.ranks == 0) {
      fail("0 ranks: there must be at least 1");
    }
  }

  void read_rank(Rank rank) {
    skip_between(text_);
    if (!take("rank")) {
      fail_expected(fmt::format("'rank {}', the block of the next rank", rank));
    }
    if (const std::uint64_t declared = number("the number of the rank", kMostGoalRanks);
        declared != rank) {
      fail(fmt::format("rank {}: the blocks of the ranks must be in order, so rank {} is next",
                       declared, rank));
    }
    skip_blanks();
    if (!text_.take("{")) {
      fail_expected("'{'");
    }
    labels_ = {};  // clear() takes time for every label of the ranks before
    rank_ = rank;
    for (skip_between(text_); !text_.take("}"); skip_between(text_)) {
      if (text_.at_end()) {
        fail(fmt::format("the block of rank {} has no '}}'", rank));
      }
      read_statement();
    }
  }

  void read_statement() {
    const std::string_view first = word();
    if (first == "send" || first == "recv" || first == "calc") {
      read_operation(first);
      return;
    }
    if (first.empty() || first == "rank" || first == "num_ranks") {
      text_.back_to(text_.at() - first.size());
      fail_expected("send, recv, calc, a label, or '}'");
    }
    skip_blanks();
    if (text_.take(":")) {
      const std::string_view what = word();
      if (what != "send" && what != "recv" && what != "calc") {
        text_.back_to(text_.at() - what.size());
        fail_expected("send, recv or calc");
      }
      labels_.try_emplace(first, static_cast<NodeId>(nodes_.nodes.size()));
      read_operation(what);
      return;
    }
    const std::string_view relation = word();
    if (relation != "requires" && relation != "irequires") {
      text_.back_to(text_.at() - relation.size());
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

  [[nodiscard]] NodeId labelled(std::string_view label) {
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
    const auto line = static_cast<std::uint32_t>(text_.line());
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
      if (text_.rest().starts_with("-1")) {
        fail(sends ? "rank -1: a message needs a receiver"
                   : "from -1: a receive from any rank depends on times; name the sender");
      }
      node.peer = static_cast<Rank>(number("a rank", kAny));
      if (take("tag")) {
        skip_blanks();
        if (text_.rest().starts_with("-1")) {
          fail("tag -1: a message with any tag depends on times; give it a tag");
        }
        node.tag = static_cast<std::uint32_t>(number("a tag", kAny));
        if (node.tag == kAny) {
          fail(fmt::format("tag {}: this is any tag for LogGOPSim; give the message another one",
                           kAny));
        }
      }
    }
    node.core = unit("cpu");
    node.nic = what == "calc" ? std::uint8_t{0} : unit("nic");
    end_line();
    nodes_.nodes.push_back(node);
    lines_.push_back(line);
  }

  std::uint8_t unit(std::string_view field) {
    return static_cast<std::uint8_t>(take(field) ? number(field, 255) : 0);
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

  TextCursor text_;
  std::string_view file_;
  Rank rank_ = 0;
  std::unordered_map<std::string_view, NodeId> labels_;  // of the present rank
  std::vector<Edge> requires_;
  std::vector<std::uint32_t> lines_;  // of each node
  RankNodes nodes_;
};

}  // namespace

bool is_goal(std::string_view text) {
  TextCursor cursor(text);
  skip_between(cursor);
  return cursor.take("num_ranks");
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
