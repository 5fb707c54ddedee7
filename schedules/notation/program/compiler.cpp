#include "schedules/notation/program/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "schedules/notation/program/lines.hpp"
#include "schedules/notation/program/syntax.hpp"
#include "schedules/notation/program/uses.hpp"

namespace tutti { inline namespace schedules { namespace program {

namespace {

class Compiler : Uses {
 public:
  Compiler(Scanner& scanner, std::uint32_t nesting, std::span<const ProgramParameter> parameters)
      : Uses(scanner), nesting_(nesting) {
    for (const ProgramParameter& each : parameters) {
      declare(each.name, each.value);
    }
  }

  CompiledCode compile() {
    lines_ = split_into_lines(scanner_);
    if (!lines_.empty()) {
      if (lines_.front().indent != 0) {
        scanner_.fail(lines_.front().begin, "the first statement must not be indented");
      }
      block(0, 0);
    }
    emit({Code::halt}, text_begin_ + scanner_.offset());
    return std::move(code_);
  }

 private:
  // Compiles the following lines, as long as they are indented by `indent`.
  void block(std::uint32_t indent, std::uint32_t depth) {
    while (at_ < lines_.size() && lines_[at_].indent == indent) {
      statement(indent, depth);
      if (at_ < lines_.size() && lines_[at_].indent > indent) {
        scanner_.fail(lines_[at_].begin,
                      "indented deeper than the line above; only for, while, if, elif, else and "
                      "round take an indented body");
      }
    }
  }

  void body(std::uint32_t indent, std::uint32_t depth, const char* place) {
    if (depth + 1 >= nesting_) {
      scanner_.fail(
          place,
          fmt::format("statements are nested more than {} deep; $limit nesting=N allows more",
                      nesting_));
    }
    if (at_ >= lines_.size() || lines_[at_].indent <= indent) {
      scanner_.fail(place, "the body is empty; indent the statements that belong to this line");
    }
    const std::uint32_t inner = lines_[at_].indent;
    block(inner, depth + 1);
    if (at_ < lines_.size() && lines_[at_].indent > indent) {
      scanner_.fail(
          lines_[at_].begin,
          fmt::format("the indentation ({}) matches no line above; expected {} or {} columns",
                      lines_[at_].indent, indent, inner));
    }
  }

  std::unique_ptr<SyntaxNode> next() {
    const Line& line = lines_[at_++];
    begin_statement();
    return parse_statement(scanner_, line.begin, line.end, nesting_);
  }

  void statement(std::uint32_t indent, std::uint32_t depth) {
    const auto node = next();
    switch (node->kind) {
      case Syntax::for_below:
      case Syntax::for_between:
      case Syntax::for_steps:
      case Syntax::for_members:
        for_loop(*node, indent, depth);
        break;
      case Syntax::while_loop:
        while_loop(*node, indent, depth);
        break;
      case Syntax::if_branch:
        branches(*node, indent, depth);
        break;
      case Syntax::round:
        round(*node, indent, depth);
        break;
      case Syntax::elif_branch:
      case Syntax::else_branch:
        scanner_.fail(node->begin, "there is no 'if' above with the same indentation");
      case Syntax::refuse:
        code_.texts.emplace_back((*node)[0].begin, (*node)[0].end - 1);
        emit({Code::refuse, static_cast<std::uint32_t>(code_.texts.size() - 1)}, node->begin);
        unreachable_ = true;
        break;
      case Syntax::block_count:
        code_.sets_layout = true;
        emit({Code::block_count, number((*node)[0])}, (*node)[0].begin);
        break;
      case Syntax::segment_size:
        code_.sets_layout = true;
        emit({Code::segment_size, number((*node)[0])}, (*node)[0].begin);
        break;
      case Syntax::block_sizes:
        code_.sets_layout = true;
        emit({Code::block_sizes, list((*node)[0])}, (*node)[0].begin);
        break;
      case Syntax::requests:
        requests(*node);
        break;
      case Syntax::use:
        if (in_round_) {
          scanner_.fail(node->begin, "a call is not part of a round; move it above or below");
        }
        use(*node);
        break;
      default:
        assignment(*node);
        break;
    }
  }

  void round(const SyntaxNode& node, std::uint32_t indent, std::uint32_t depth) {
    if (in_round_) {
      scanner_.fail(node.begin, "a round inside a round");
    }
    code_.names_traces = true;
    in_round_ = true;
    emit({Code::begin_round}, node.begin);
    body(indent, depth, node.begin);
    emit({Code::end_round}, node.begin);
    in_round_ = false;
  }

  void for_loop(const SyntaxNode& node, std::uint32_t indent, std::uint32_t depth) {
    const SyntaxNode* name = &node[0];
    const std::uint32_t counter = new_slot(0);
    Instruction loop{Code::loop_up, 0, counter, 0, 0};
    switch (node.kind) {
      case Syntax::for_below:
        emit({Code::move, counter, constant(0)}, node.begin);
        loop.c = kept(node[1]);
        break;
      case Syntax::for_between:
        name = &node[1];
        emit({Code::move, counter, number(node[0])}, node.begin);
        loop.c = kept(node[2]);
        break;
      case Syntax::for_steps: {
        emit({Code::move, counter, number(node[1])}, node.begin);
        loop.c = kept(node[3]);
        const bool down = node[2].text() == "downto";
        const std::uint32_t end = new_slot(0);
        emit({down ? Code::subtract : Code::add, end, loop.c, constant(1)}, node[3].begin);
        loop.code = down ? Code::loop_down : Code::loop_up;
        loop.c = end;
        break;
      }
      default: {
        loop.code = Code::loop_members;
        const std::uint32_t members = list(node[1]);
        loop.c = new_list();
        emit({Code::list_copy, loop.c, members}, node[1].begin);
        emit({Code::move, counter, constant(0)}, node.begin);
        break;
      }
    }
    loop.a = to_assign(*name);
    const std::size_t begin = here();
    emit(loop, node.begin);
    const std::vector<bool> before = assigned_;
    set_assigned(loop.a);
    const std::size_t variable = code_.loops.size();
    code_.loops.push_back({loop.a, std::string(name->text()), begin, 0});
    body(indent, depth, node.begin);
    emit({Code::jump, static_cast<std::uint32_t>(begin)}, node.begin);
    code_.instructions[begin].d = static_cast<std::uint32_t>(here());
    code_.loops[variable].end = here();
    assigned_ = before;
    unreachable_ = false;
  }

  void while_loop(const SyntaxNode& node, std::uint32_t indent, std::uint32_t depth) {
    const auto begin = static_cast<std::uint32_t>(here());
    const auto leave = jumps_unless(node[0]);
    const std::vector<bool> before = assigned_;
    body(indent, depth, node.begin);
    emit({Code::jump_back, begin}, node.begin);
    land(leave);
    assigned_ = before;
    unreachable_ = false;
  }

  void branches(const SyntaxNode& first, std::uint32_t indent, std::uint32_t depth) {
    std::vector<std::size_t> to_end;
    // For each slot: true if all branches so far assign it.
    std::optional<std::vector<bool>> after;
    const auto one_branch = [&](const char* place) {
      body(indent, depth, place);
      if (!unreachable_) {
        if (!after) {
          after = assigned_;
        } else {
          for (std::size_t slot = 0; slot < assigned_.size(); ++slot) {
            const bool in_others = slot < after->size() && (*after)[slot];
            if (slot < after->size()) {
              (*after)[slot] = in_others && assigned_[slot];
            }
          }
        }
      }
      unreachable_ = false;
    };
    const std::vector<bool> before = assigned_;
    std::vector<std::size_t> leave = jumps_unless(first[0]);
    one_branch(first.begin);
    bool has_else = false;
    while (at_ < lines_.size() && lines_[at_].indent == indent && !has_else && is_alternative()) {
      to_end.push_back(here());
      emit({Code::jump}, lines_[at_].begin);
      land(leave);
      leave.clear();
      assigned_ = before;
      const auto node = next();
      if (node->kind == Syntax::elif_branch) {
        leave = jumps_unless((*node)[0]);
      } else {
        has_else = true;
      }
      one_branch(node->begin);
    }
    land(leave);
    land(to_end);
    if (!has_else) {
      assigned_ = before;
    } else if (after) {
      assigned_ = *after;
    } else {
      unreachable_ = true;
    }
  }

  [[nodiscard]] bool is_alternative() const {
    const Line& line = lines_[at_];
    const std::string_view text(line.begin, static_cast<std::size_t>(line.end - line.begin));
    const auto is = [&](std::string_view word) {
      if (!text.starts_with(word)) {
        return false;
      }
      const char behind = text.size() > word.size() ? text[word.size()] : ' ';
      return !((behind >= 'a' && behind <= 'z') || (behind >= 'A' && behind <= 'Z') ||
               (behind >= '0' && behind <= '9') || behind == '_');
    };
    return is("elif") || is("else");
  }

  void assignment(const SyntaxNode& node) {
    const SyntaxNode& target = node[0];
    const bool adds = node[1].text() == "+=";
    const SyntaxNode& value = node[2];
    const bool is_list = gives_list(value);
    if (target.kind == Syntax::element) {
      const SyntaxNode& name = target[0];
      if (is_list && !adds) {  // a[n] = {...}
        const std::uint32_t room = number(target[1]);
        if (value.kind == Syntax::list) {
          const std::uint32_t made = literal(value, room);
          const std::uint32_t into = list_to_assign(name);
          emit({Code::list_fits, made, room}, name.begin);
          emit({Code::list_copy, into, made}, name.begin);
        } else {
          const std::uint32_t made = list(value);
          emit({Code::list_fits, made, room}, name.begin);
          emit({Code::list_copy, list_to_assign(name), made}, name.begin);
        }
        return;
      }
      const std::uint32_t into = list(name);
      const std::uint32_t index = number(target[1]);
      std::uint32_t result = number(value);
      if (adds) {
        const std::uint32_t old = temporary();
        emit({Code::list_get, old, into, index}, target.begin);
        const std::uint32_t total = temporary();
        emit({Code::add, total, old, result}, node[1].begin);
        result = total;
      }
      emit({Code::list_set, into, index, result}, target.begin);
      return;
    }
    if (is_list) {
      if (adds) {
        const std::uint32_t into = list(target);
        emit({Code::list_join, into, list(value)}, value.begin);
        return;
      }
      // x = x + y is compiled to a join in place, because copying x each time would make the growth
      // of a list take quadratic time.
      if (value.kind == Syntax::sum && value[0].text() == target.text() && joins_only(value)) {
        const std::uint32_t into = list(target);
        for (std::size_t i = 2; i < value.size(); i += 2) {
          emit({Code::list_join, into, list(value[i])}, value[i].begin);
        }
        return;
      }
      const std::uint32_t made = list(value);
      emit({Code::list_copy, list_to_assign(target), made}, target.begin);
      return;
    }
    if (adds) {
      const std::uint32_t slot = number(target);
      const std::uint32_t sum = number(value);
      const std::uint32_t into = to_assign(target);
      emit({Code::add, into, slot, sum}, node[1].begin);
      return;
    }
    const std::uint32_t result = number(value);
    const std::uint32_t into = to_assign(target);
    // If the last instruction computed the value, it writes its result directly into the variable.
    if (is_temporary(result) && !code_.instructions.empty() && here() == last_result_ + 1 &&
        code_.instructions.back().a == result) {
      code_.instructions.back().a = into;
    } else {
      emit({Code::move, into, result}, target.begin);
    }
    set_assigned(into);
  }

  // True if only the first operand of the sum mentions the list that grows, so that the other
  // operands can be evaluated while the list grows.
  [[nodiscard]] static bool joins_only(const SyntaxNode& sum) {
    for (std::size_t i = 2; i < sum.size(); i += 2) {
      if (mentions(sum[i], sum[0].text())) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] static bool mentions(const SyntaxNode& node, std::string_view name) {
    return (node.kind == Syntax::name && node.text() == name) ||
           std::ranges::any_of(node.children,
                               [&](const auto& child) { return mentions(*child, name); });
  }

  std::uint32_t nesting_;
  std::vector<Line> lines_;
  std::size_t at_ = 0;
  // True after `refuse`, which ends the program.
  bool unreachable_ = false;
  bool in_round_ = false;
};

}  // namespace

CompiledCode compile(Scanner& scanner, std::uint32_t nesting,
                     std::span<const ProgramParameter> parameters) {
  return Compiler(scanner, nesting, parameters).compile();
}

}}}  // namespace tutti::schedules::program
