#include "src/report/schedule_state.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <string>
#include <vector>

#include "base/human.hpp"
#include "schedules/verify/block_states.hpp"
#include "schedules/verify/verify.hpp"
#include "src/formats/text_table.hpp"

namespace tutti {

namespace {

constexpr std::size_t kIndent = 2;

// A table of `columns`, each of which has a heading and then a value for each block.
void print_blocks(const std::vector<std::vector<std::string>>& columns, std::ostream& out) {
  std::vector<std::vector<std::string>> lines(columns.front().size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].push_back(i == 0 ? "block" : fmt::format("{}", i - 1));
    for (const auto& column : columns) {
      lines[i].push_back(column[i].empty() ? "-" : column[i]);
    }
  }
  std::vector<bool> right(columns.size() + 1, false);
  right[0] = true;
  print_columns(std::move(lines), right, kIndent, out);
}

std::vector<std::string> column(BlockStates& states, const Schedule& schedule, Rank rank,
                                std::string heading) {
  std::vector<std::string> lines{std::move(heading)};
  for (std::uint32_t block = 0; block < schedule.blocks(); ++block) {
    lines.push_back(states.work(rank, block));
  }
  return lines;
}

std::string title(const Schedule& schedule, std::string_view full_name) {
  return fmt::format("{} on {}, {} in {}", full_name, counted(schedule.ranks(), "rank"),
                     human_bytes(schedule.problem().bytes), counted(schedule.blocks(), "block"));
}

// "x21 + x10 +", "(x15 + x4) +", ...: a line for each operand in brackets that is in no other.
std::vector<std::string> lines_of_sum(const std::string& sum) {
  std::vector<std::string> lines(1);
  int depth = 0;
  for (const char c : sum) {
    if (c == '(' && depth++ == 0 && !lines.back().empty()) {
      lines.back().pop_back();  // the blank before it
      lines.emplace_back();
    }
    depth -= c == ')' ? 1 : 0;
    lines.back() += c;
  }
  return lines;
}

}  // namespace

void print_states(const Schedule& schedule, std::string_view full_name, std::optional<Rank> rank,
                  std::ostream& out) {
  BlockStates states(schedule);
  fmt::print(out, "{}\n", title(schedule, full_name));
  fmt::print(out,
             "x3: what rank 3 has put in; x3[5]: its block 5, in another place; full: all ranks'; "
             "-: nothing\n");
  if (rank) {
    std::vector<std::vector<std::string>> columns;
    columns.push_back(column(states, schedule, *rank, "at the start"));
    while (states.round() < states.rounds()) {
      states.do_round();
      columns.push_back(
          column(states, schedule, *rank, fmt::format("after round {}", states.round() - 1)));
    }
    fmt::print(out, "\nwork of rank {}\n", *rank);
    print_blocks(columns, out);
    return;
  }
  while (true) {
    fmt::print(
        out, "\n{}\n",
        states.round() == 0 ? "at the start" : fmt::format("after round {}", states.round() - 1));
    std::vector<std::vector<std::string>> columns;
    for (Rank each = 0; each < schedule.ranks(); ++each) {
      columns.push_back(column(states, schedule, each, fmt::format("rank {}", each)));
    }
    print_blocks(columns, out);
    if (states.round() == states.rounds()) {
      return;
    }
    states.do_round();
  }
}

void print_sum(const Schedule& schedule, std::string_view full_name, Rank rank, std::uint32_t block,
               std::ostream& out) {
  fmt::print(out, "{}\nblock {} at rank {} =\n", title(schedule, full_name), block, rank);
  for (const std::string& line : lines_of_sum(combination_text(schedule, rank, block))) {
    fmt::print(out, "  {}\n", line);
  }
}

void print_sum_tree(const Schedule& schedule, std::string_view full_name, Rank rank,
                    std::uint32_t block, std::ostream& out) {
  fmt::print(
      out,
      "{}\nblock {} at rank {}; what is below was combined into what is above, in this order\n",
      title(schedule, full_name), block, rank);
  for (const CombinationNode& node : combination_tree(schedule, rank, block)) {
    fmt::print(out, "  {:{}}{}\n", "", 2 * node.depth, node.name);
  }
}

void write_sum_tree_dot(const Schedule& schedule, std::string_view full_name, Rank rank,
                        std::uint32_t block, std::ostream& out) {
  fmt::print(
      out,
      "// {}: block {} at rank {}. Render: dot -Tsvg\ndigraph sum {{\n  node [shape=plaintext];\n",
      title(schedule, full_name), block, rank);
  const std::vector<CombinationNode> nodes = combination_tree(schedule, rank, block);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    fmt::print(out, "  n{} [label=\"{}\"];\n", i, nodes[i].name);
    if (i > 0) {
      fmt::print(out, "  n{} -> n{} [dir=back];\n", nodes[i].parent, i);
    }
  }
  fmt::print(out, "}}\n");
}

}  // namespace tutti
