#include "src/steps/syntax.hpp"

#include <fmt/format.h>

#include <utility>

#include "src/steps/parse_rule.hpp"

namespace tutti { inline namespace steps {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool has_block(std::string_view keyword) {
  return keyword == "repeat" || keyword == "pipeline" || keyword == "forward" ||
         keyword == "backward" || keyword == "first" || keyword == "last";
}

// Splits a text into statements, and parses each of them.
class StatementReader {
 public:
  explicit StatementReader(Scanner& scanner)
      : scanner_(scanner), at_(scanner.at()), end_(scanner.at() + scanner.size()) {}

  // Reads up to the end of the text or, inside a block, up to its '}'.
  std::vector<StepStatement> read(const char* opened, std::uint32_t depth) {
    std::vector<StepStatement> statements;
    while (true) {
      skip_between();
      if (at_ == end_ || *at_ == '}') {
        if ((at_ == end_) != (opened == nullptr)) {
          opened == nullptr ? scanner_.fail(at_, "this '}' closes nothing")
                            : scanner_.fail(opened, "this '{' has no '}'");
        }
        at_ += at_ == end_ ? 0 : 1;
        return statements;
      }
      statements.push_back(statement(depth));
    }
  }

 private:
  // Skips blank space, line ends, ';' and comments.
  void skip_between() {
    while (at_ != end_ && (is_blank(*at_) || *at_ == '\n' || *at_ == ';' || *at_ == '#')) {
      if (*at_ == '#') {
        skip_comment();
      } else {
        ++at_;
      }
    }
  }
  void skip_comment() {
    while (at_ != end_ && *at_ != '\n') {
      ++at_;
    }
  }

  StepStatement statement(std::uint32_t depth) {
    const char* const begin = at_;
    for (bool quoted = false; at_ != end_ && *at_ != '\n'; ++at_) {
      quoted ^= *at_ == '"';
      if (!quoted && (*at_ == ';' || *at_ == '{' || *at_ == '}' || *at_ == '#')) {
        break;
      }
    }
    const char* last = at_;
    while (last != begin && is_blank(last[-1])) {
      --last;
    }
    StepStatement read;
    read.text.assign(begin, last);
    read.line = static_cast<std::uint32_t>(scanner_.line_of(begin));
    read.syntax = parse(begin, last);
    const bool opens = at_ != end_ && *at_ == '{';
    if (opens != has_block(read.keyword())) {
      scanner_.fail(
          opens ? at_ : last,
          opens ? "only repeat, pipeline, forward, backward, first and last have a block in braces"
                : "expected '{' and the statements of the block");
    }
    if (opens) {
      if (depth >= kDeepest) {
        scanner_.fail(at_, fmt::format("blocks are nested more than {} deep", kDeepest));
      }
      const char* const brace = at_++;
      read.body = this->read(brace, depth + 1);
    }
    return read;
  }

  std::unique_ptr<program::SyntaxNode> parse(const char* begin, const char* end) {
    return parse_rule<step_grammar::statement_of_step>(scanner_, begin, end, advice({begin, end}));
  }

  // Returns advice for words that a user may take for statements; "" for others.
  static std::string_view advice(std::string_view statement) {
    if (statement.starts_with("send ")) {
      return "messages between the stages of a pipeline are 'handover' in a pipeline";
    }
    return {};
  }

  Scanner& scanner_;
  const char* at_;
  const char* end_;
};

}  // namespace

std::vector<StepStatement> parse_step(Scanner& scanner) {
  return StatementReader(scanner).read(nullptr, 0);
}

}}  // namespace tutti::steps
