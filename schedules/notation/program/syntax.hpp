// The syntax tree of one statement of a program. README.md beside this file has the grammar.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "schedules/notation/scanner.hpp"

namespace tutti { inline namespace schedules { namespace program {

enum class Syntax : std::uint8_t {
  none,
  // Expressions. The children of an expression with several operands are the operands and the
  // operators between them. For other nodes, a comment after the name lists the children; a node
  // without such a comment has at most one child.
  number,
  name,
  element,  // name, index
  call,     // name, arguments
  list,     // members, which may include dots
  dots,
  alternatives,
  conjunction,
  negation,
  comparison,
  exclusive_or,
  shift,
  sum,
  product,
  minus,
  power,
  symbol,  // an operator between operands
  // Requests and operations.
  request,  // index, ranks
  index,    // level, and segment if there is one
  pair,     // one or two ranks in braces
  rank,     // the rank in Req(level,rank)
  comm,     // sender, receiver, bytes if given, side, side
  reduce,   // rank, bytes if given, side, side, side
  copy,     // rank, bytes if given, side, side
  bytes,
  side,  // buffer, then slot and blocks if given
  buffer,
  slot,
  blocks,  // first block; then the count of a pattern, or the other blocks of a list
  run,     // length and distance of the runs of a pattern
  count,   // number of blocks, and run if there is one
  after,   // requests
  term,    // an operation and its after, or a request
  // Statements.
  for_below,    // name, end
  for_between,  // first, name, end
  for_steps,    // name, first, "to" or "downto", last
  for_members,  // name, list
  while_loop,
  if_branch,
  elif_branch,
  else_branch,
  round,
  refuse,
  text,
  block_count,
  segment_size,
  block_sizes,
  use,            // collective, algorithm, members, clauses
  word,           // name of a collective, an algorithm or an option
  members,        // first, last, and step if there is one; a list has no such node
  on_clause,      // side
  shares_clause,  // list
  root_clause,
  with_clause,  // settings
  setting,      // word, value or text
  requests,     // request, symbol, terms
  assignment,   // name, index if there is one, symbol, value
};

struct SyntaxNode {
  Syntax kind = Syntax::none;
  const char* begin = nullptr;
  const char* end = nullptr;
  std::vector<std::unique_ptr<SyntaxNode>> children;

  [[nodiscard]] std::string_view text() const {
    return {begin, static_cast<std::size_t>(end - begin)};
  }
  [[nodiscard]] const SyntaxNode& operator[](std::size_t i) const { return *children[i]; }
  [[nodiscard]] std::size_t size() const { return children.size(); }
};

// Parses the statement from `begin` to `end`, both in the scanner's text. Throws NotationError if
// it does not match the grammar, or if brackets and signs are nested deeper than `nesting`.
[[nodiscard]] std::unique_ptr<SyntaxNode> parse_statement(Scanner& scanner, const char* begin,
                                                          const char* end, std::uint32_t nesting);

}}}  // namespace tutti::schedules::program
