#include "schedules/notation/program/syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "schedules/notation/program/grammar.hpp"

namespace tutti { inline namespace schedules { namespace program {

namespace {

// True if `text` begins with `word` as a whole word.
bool begins(std::string_view text, std::string_view word) {
  return text.starts_with(word) &&
         (text.size() == word.size() || !grammar::is_of_word(text[word.size()]));
}

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

// Returns the reserved word at the beginning of `text`, "" if there is none.
std::string_view reserved_word(std::string_view text) {
  const std::string_view word = text.substr(0, grammar::identifier_length(text));
  return std::ranges::find(grammar::kReserved, word) == std::end(grammar::kReserved)
             ? std::string_view()
             : word;
}

// Returns the reserved word at which the error is, if the user took it for a name; else "".
// `expected` says what the grammar expects in its place.
std::string_view reserved_name(std::string_view statement, std::string_view rest,
                               std::string_view expected) {
  const std::string_view word = reserved_word(rest);
  const std::string_view next = without_blanks(rest.substr(word.size()));
  const std::string_view before = statement.substr(0, statement.size() - rest.size());
  const bool assigned = before.empty() && (next.starts_with("+=") ||
                                           (next.starts_with('=') && !next.starts_with("==")));
  const bool loop = begins(before, "for") && without_blanks(before.substr(3)).empty();
  const bool value =
      (expected == grammar::kNumber.text || expected == "an expression") && !next.starts_with('(');
  return assigned || loop || value ? word : std::string_view();
}

// Returns advice on what to write instead of the syntax of another language; "" if there is none.
// `rest` is the part of `statement` from the error on.
std::string advice(std::string_view statement, std::string_view rest) {
  const std::string_view before = statement.substr(0, statement.size() - rest.size());
  const auto last = before.find_last_not_of(' ');
  const char previous = last == std::string_view::npos ? '\0' : before[last];
  if ((begins(statement, "else") && rest.starts_with("if")) || begins(statement, "elseif") ||
      begins(statement, "elsif")) {
    return "write elif";
  }
  if (begins(statement, "param")) {
    return "a parameter is a line 'param k = 3' of the header, before the first statement";
  }
  const bool header = begins(statement, "if") || begins(statement, "elif") ||
                      begins(statement, "else") || begins(statement, "while") ||
                      begins(statement, "for");
  if (rest.starts_with('=') && header && !begins(statement, "for")) {
    return "to compare, write ==";
  }
  if (rest.starts_with('{') && header) {
    return "no braces are needed: the statements of a block are indented";
  }
  if (statement == "end") {
    return "no 'end' is needed: a block ends where its indentation ends";
  }
  if (rest.starts_with('*') && previous == '*') {
    return "write x^y for a power";
  }
  if (rest.starts_with('[') && !grammar::is_of_word(previous)) {
    return "a list is written in braces, such as {1,2}";
  }
  for (const std::string_view word : {"Comm", "Reduce", "Copy", "Req", "After"}) {
    std::string small(word);
    small.front() = static_cast<char>(small.front() - 'A' + 'a');
    for (const std::string_view text : {statement, rest}) {
      if (begins(text, small) && without_blanks(text.substr(small.size())).starts_with('(')) {
        return fmt::format("write {}, with a capital letter", word);
      }
    }
  }
  constexpr std::pair<std::string_view, std::string_view> kAdvice[] = {
      {"*=", "write x = x * y"},
      {"/=", "write x = x / y"},
      {"-=", "write x = x - y"},
      {"++", "write x += 1"},
      {"--", "write x = x - 1"},
      {"//", "a comment begins with '#'"},
      {"/", "one '/' divides and rounds down; a comment begins with '#'"},
      {"%", "write mod"},
      {"&&", "write and"},
      {"||", "write or"},
      {"!", "write not"},
      {":", "no ':' is needed"},
      {";", "write one statement per line"}};
  for (const auto& [found, instead] : kAdvice) {
    if (rest.starts_with(found)) {
      return std::string(instead);
    }
  }
  return {};
}

}  // namespace

std::unique_ptr<SyntaxNode> parse_statement(Scanner& scanner, const char* begin, const char* end,
                                            std::uint32_t nesting) {
  tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy> input(begin, end, "");
  grammar::Depth depth{0, nesting};
  grammar::Tree tree;
  try {
    tao::pegtl::parse<grammar::statement, tao::pegtl::nothing, grammar::control,
                      tao::pegtl::apply_mode::nothing>(input, depth, tree);
    return tree.take();
  } catch (const tao::pegtl::parse_error& error) {
    scanner.go_back_to(begin + error.positions().front().byte);
    const std::string_view statement(begin, static_cast<std::size_t>(end - begin));
    const std::string_view rest = without_blanks(statement.substr(error.positions().front().byte));
    if (const auto word = reserved_name(statement, rest, error.message()); !word.empty()) {
      scanner.fail(word.data(),
                   fmt::format("'{}' is a word of the language, and cannot be a name", word));
    }
    scanner.fail_expected(error.message(), advice(statement, rest));
  } catch (const grammar::TooDeep& deep) {
    scanner.fail(
        deep.place,
        fmt::format("the expression is nested more than {} deep; $limit nesting=N allows more",
                    nesting));
  }
}

}}}  // namespace tutti::schedules::program
