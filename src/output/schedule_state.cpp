#include "src/output/schedule_state.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <string>
#include <vector>

#include "base/human.hpp"
#include "schedules/place_name.hpp"
#include "schedules/verify/block_states.hpp"
#include "schedules/verify/verify.hpp"
#include "src/formats/text_table.hpp"

namespace tutti { inline namespace output {

namespace {

// Returns the contents of all blocks in one rank's buffers: `work` and, if `scratch` is true,
// `scratch`.
std::vector<std::string> held(const BlockStates& states, const Schedule& schedule, Rank rank,
                              bool scratch) {
  std::vector<std::string> lines;
  for (std::uint32_t block = 0; block < schedule.blocks(); ++block) {
    lines.push_back(states.work(rank, block));
  }
  for (std::uint32_t i = 0; scratch && i < schedule.scratch_slots() * schedule.blocks(); ++i) {
    lines.push_back(states.scratch(rank, i));
  }
  return lines;
}

struct StateColumn {
  std::string heading;
  std::vector<std::string> lines;
};

// Prints a table of blocks. Leaves out scratch blocks that are empty in all columns.
void print_blocks(const Schedule& schedule, const std::vector<StateColumn>& columns,
                  std::ostream& out) {
  std::vector<std::vector<std::string>> lines(1, {"block"});
  for (const StateColumn& column : columns) {
    lines.front().push_back(column.heading);
  }
  for (std::uint32_t i = 0; i < columns.front().lines.size(); ++i) {
    const std::uint32_t block = i % schedule.blocks();
    const std::uint32_t slot = i / schedule.blocks();  // 0: the work buffer; from 1 on: scratch
    std::vector<std::string> line{slot == 0   ? fmt::format("{}", block)
                                  : slot == 1 ? fmt::format("scratch {}", block)
                                              : fmt::format("scratch#{} {}", slot - 1, block)};
    bool any = slot == 0;
    for (const StateColumn& column : columns) {
      any |= !column.lines[i].empty();
      line.push_back(column.lines[i].empty() ? "-" : column.lines[i]);
    }
    if (any) {
      lines.push_back(std::move(line));
    }
  }
  std::vector<bool> right(columns.size() + 1, false);
  right[0] = true;
  print_bands(lines, right, kIndent, out);
}

std::string title(const Schedule& schedule, std::string_view full_name) {
  return fmt::format("{} on {}, {} in {}", full_name, counted(schedule.ranks(), "rank"),
                     human_bytes(schedule.problem().bytes), counted(schedule.blocks(), "block"));
}

// Splits a sum into lines. Each outermost opening bracket begins a new line: "x21 + x10 +", "(x15 +
// x4) +", ...
std::vector<std::string> lines_of_sum(const std::string& sum) {
  std::vector<std::string> lines(1);
  int depth = 0;
  for (const char c : sum) {
    if (c == '(' && depth++ == 0 && !lines.back().empty()) {
      lines.back().pop_back();  // removes the blank before the bracket
      lines.emplace_back();
    }
    depth -= c == ')' ? 1 : 0;
    lines.back() += c;
  }
  return lines;
}

// Returns the distance in ranks from a node to its parent, modulo the number of ranks. In a sum
// over a circulant graph, this distance is the skip of the message from the node to its parent.
std::uint32_t skip_up(const Schedule& schedule, const std::vector<CombinationNode>& nodes,
                      const CombinationNode& node) {
  const std::uint32_t p = schedule.ranks();
  return (nodes[node.parent].origin + p - node.origin) % p;
}

}  // namespace

void print_states(const Schedule& schedule, std::string_view full_name, std::optional<Rank> rank,
                  std::ostream& out) {
  BlockStates states(schedule);
  fmt::print(out, "{}\n", title(schedule, full_name));
  print_field(out, 0, 0, "",
              "x3: data of rank 3; x3[5]: rank 3's block 5, in another block's place; full: "
              "data of all ranks; -: nothing");
  const auto now = [&] {
    return states.round() == 0 ? std::string("before round 0")
                               : fmt::format("after round {}", states.round() - 1);
  };
  if (rank) {
    std::vector<StateColumn> columns{{now(), held(states, schedule, *rank, true)}};
    while (states.round() < states.rounds()) {
      states.do_round();
      columns.push_back({now(), held(states, schedule, *rank, true)});
    }
    fmt::print(out, "\n{}\n", place_name(schedule, *rank));
    print_blocks(schedule, columns, out);
    return;
  }
  // Reductions leave their results in `work`, so their scratch buffers are of no interest. In other
  // collectives, copied data may stay in `scratch`.
  const bool scratch = !reduces(schedule.problem().collective);
  while (true) {
    fmt::print(out, "\n{}\n", now());
    std::vector<StateColumn> columns;
    for (Rank each = 0; each < schedule.places(); ++each) {
      columns.push_back({place_name(schedule, each), held(states, schedule, each, scratch)});
    }
    print_blocks(schedule, columns, out);
    if (states.round() == states.rounds()) {
      return;
    }
    states.do_round();
  }
}

bool print_sum(const Schedule& schedule, std::string_view full_name, Rank rank, std::uint32_t block,
               std::ostream& out) {
  const std::string sum = combination_text(schedule, rank, block);
  if (sum.empty()) {
    return false;
  }
  fmt::print(out, "{}\nblock {} at rank {} =\n", title(schedule, full_name), block, rank);
  for (const std::string& line : lines_of_sum(sum)) {
    print_field(out, kIndent, 0, "", line);
  }
  return true;
}

bool print_sum_tree(const Schedule& schedule, std::string_view full_name, Rank rank,
                    std::uint32_t block, std::ostream& out) {
  const std::vector<CombinationNode> nodes = combination_tree(schedule, rank, block);
  if (nodes.empty()) {
    return false;
  }
  fmt::print(out, "{}\n", title(schedule, full_name));
  print_field(out, 0, 0, "",
              fmt::format("block {} at rank {}; children were combined into their parent, in this "
                          "order; +3: the parent is 3 ranks further, modulo p",
                          block, rank));
  for (const CombinationNode& node : nodes) {
    fmt::print(out, "  {:{}}{}", "", 2 * node.depth, node.name);
    if (node.depth > 0) {
      fmt::print(out, "  +{}", skip_up(schedule, nodes, node));
    }
    fmt::print(out, "\n");
  }
  return true;
}

bool write_sum_tree_dot(const Schedule& schedule, std::string_view full_name, Rank rank,
                        std::uint32_t block, std::ostream& out) {
  const std::vector<CombinationNode> nodes = combination_tree(schedule, rank, block);
  if (nodes.empty()) {
    return false;
  }
  fmt::print(
      out,
      "// {}: block {} at rank {}. Render: dot -Tsvg\ndigraph sum {{\n  node [shape=plaintext];\n",
      title(schedule, full_name), block, rank);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    fmt::print(out, "  n{} [label=\"{}\"];\n", i, nodes[i].name);
    if (i > 0) {
      fmt::print(out, "  n{} -> n{} [dir=back, label=\"{}\"];\n", nodes[i].parent, i,
                 skip_up(schedule, nodes, nodes[i]));
    }
  }
  fmt::print(out, "}}\n");
  return true;
}

}}  // namespace tutti::output
