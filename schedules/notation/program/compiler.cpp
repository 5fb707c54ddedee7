#include "schedules/notation/program/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "schedules/notation/program/lines.hpp"
#include "schedules/notation/program/syntax.hpp"
#include "schedules/problem.hpp"
#include "schedules/registry.hpp"

namespace tutti::program {

namespace {

constexpr std::size_t kLongestName = 60;

struct Variable {
  bool is_list = false;
  std::uint32_t number = 0;  // of the slot, or of the list
};

// Functions of integers; the number of arguments, and what they become.
struct Function {
  std::string_view name;
  std::size_t arguments;
};
constexpr std::array<Function, 11> kFunctions{{{"ceil", 1},
                                               {"floor", 1},
                                               {"log2", 1},
                                               {"ltrunc", 2},
                                               {"diff_mod", 3},
                                               {"ceil_mod", 2},
                                               {"min", 2},
                                               {"max", 2},
                                               {"bytes", 2},
                                               {"size", 1},
                                               {"children", 2}}};

class Compiler {
 public:
  Compiler(Scanner& scanner, std::uint32_t nesting) : scanner_(scanner), nesting_(nesting) {
    for (std::size_t given = 0; given < kGivens; ++given) {
      new_slot(0);
    }
    assigned_.assign(kGivens, true);
    assigned_[static_cast<std::size_t>(Given::message_bytes)] = false;  // until the run has looked
  }

  CompiledCode compile() {
    text_begin_ = scanner_.at() - scanner_.offset();
    lines_ = split_into_lines(scanner_);
    if (!lines_.empty()) {
      if (lines_.front().indent != 0) {
        scanner_.fail(lines_.front().begin, "the first statement is indented; it starts its line");
      }
      block(0, 0);
    }
    emit({Code::halt}, text_begin_ + scanner_.offset());
    return std::move(code_);
  }

 private:
  // ---- statements ----

  // All lines from here on that are indented by `indent`.
  void block(std::uint32_t indent, std::uint32_t depth) {
    while (at_ < lines_.size() && lines_[at_].indent == indent) {
      statement(indent, depth);
      if (at_ < lines_.size() && lines_[at_].indent > indent) {
        scanner_.fail(lines_[at_].begin,
                      "indented deeper than the line above, which has nothing below it; only for, "
                      "while, if, elif and else have");
      }
    }
  }

  void body(std::uint32_t indent, std::uint32_t depth, const char* place) {
    if (depth + 1 >= nesting_) {
      scanner_.fail(place, fmt::format("statements stand in each other more than {} deep; --limit "
                                       "nesting=N allows more",
                                       nesting_));
    }
    if (at_ >= lines_.size() || lines_[at_].indent <= indent) {
      scanner_.fail(place, "nothing stands below it; indent what belongs to it");
    }
    const std::uint32_t inner = lines_[at_].indent;
    block(inner, depth + 1);
    if (at_ < lines_.size() && lines_[at_].indent > indent) {
      scanner_.fail(lines_[at_].begin,
                    fmt::format("indented by {}, which is as far as no line above: {} or {} would "
                                "be",
                                lines_[at_].indent, indent, inner));
    }
  }

  std::unique_ptr<SyntaxNode> next() {
    const Line& line = lines_[at_++];
    temporaries_used_ = 0;
    forget_results();
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
      case Syntax::elif_branch:
      case Syntax::else_branch:
        scanner_.fail(node->begin, "no 'if' stands above it, as far indented");
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
      default:
        assignment(*node);
        break;
    }
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
    std::optional<std::vector<bool>> after;  // assigned in all branches so far
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
      // x = x + y joins in place: copying x each time would make growing a set quadratic.
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
    // The last step may as well leave its result where it belongs.
    if (is_temporary(result) && !code_.instructions.empty() && here() == last_result_ + 1 &&
        code_.instructions.back().a == result) {
      code_.instructions.back().a = into;
    } else {
      emit({Code::move, into, result}, target.begin);
    }
    set_assigned(into);
  }

  // Whether all that is added can be worked out while the list grows.
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

  // ---- requests and operations ----

  RequestCode request(const SyntaxNode& node, bool named) {
    RequestCode result;
    result.place = place_of(node.begin);
    const SyntaxNode& index = node[0];
    result.level = number(index[0]);
    result.has_segment = index.size() > 1;
    result.segment = result.has_segment ? number(index[1]) : constant(0);
    const SyntaxNode& ranks = node[1];
    result.first = number(ranks[0]);
    result.second = result.first;
    code_.names_single = code_.names_single || (named && ranks.kind != Syntax::rank);
    if (ranks.kind == Syntax::rank) {
      result.kind = RequestCode::Kind::rank;
      if (named) {
        (result.has_segment ? code_.names_segments : code_.names_levels) = true;
      }
    } else if (ranks.size() == 1) {
      result.kind = RequestCode::Kind::one;
    } else {
      result.kind = RequestCode::Kind::two;
      result.second = number(ranks[1]);
    }
    return result;
  }

  // Nothing has a level below 0.
  [[nodiscard]] bool names_nothing(const RequestCode& request) const {
    return is_constant(request.level) && code_.slots[request.level] < 0;
  }

  void requests(const SyntaxNode& node) {
    const RequestCode label = request(node[0], false);
    const bool into_set = label.kind == RequestCode::Kind::rank;
    const bool adds = node[1].text() == "+=";
    if (into_set) {
      emit({Code::set_begin}, node.begin);
    }
    for (std::size_t i = 2; i < node.size(); ++i) {
      const SyntaxNode& term = node[i][0];
      if (term.kind == Syntax::request) {
        if (!into_set) {
          scanner_.fail(term.begin,
                        "only the whole set of a rank stands for other requests: Req(l,n) = "
                        "Req(k,n); this one has its ranks in braces");
        }
        const RequestCode named = request(term, true);
        if (!names_nothing(named)) {
          code_.requests.push_back(named);
          emit({Code::set_take, static_cast<std::uint32_t>(code_.requests.size() - 1)}, term.begin);
        }
        continue;
      }
      operation(term, node[i].size() > 1 ? &node[i][1] : nullptr, label, into_set);
    }
    if (into_set) {
      code_.requests.push_back(label);
      emit({Code::set_end, static_cast<std::uint32_t>(code_.requests.size() - 1), adds ? 1U : 0U},
           node.begin);
    }
  }

  void operation(const SyntaxNode& node, const SyntaxNode* after, const RequestCode& label,
                 bool into_set) {
    OperationCode operation;
    operation.label = label;
    operation.into_set = into_set;
    operation.src = number(node[0]);
    operation.dst = operation.src;
    std::size_t next_child = 1;
    if (node.kind == Syntax::comm) {
      if (into_set) {
        scanner_.fail(node.begin,
                      "a message belongs to two ranks, so its label has both, in braces: "
                      "Req(l,{src,dst}) = Comm(src,dst,...)");
      }
      operation.dst = number(node[1]);
      next_child = 2;
    }
    operation.kind = node.kind == Syntax::comm     ? OpKind::comm
                     : node.kind == Syntax::reduce ? OpKind::reduce
                                                   : OpKind::copy;
    if (next_child < node.size() && node[next_child].kind == Syntax::bytes) {
      operation.bytes = number(node[next_child][0]);
      operation.bytes_place = place_of(node[next_child].begin);
      ++next_child;
    }
    if (next_child == node.size()) {
      operation.whole_vector = true;
    } else if (operation.kind == OpKind::reduce) {
      reduction(node, next_child, operation);
    } else {
      operation.from = side(node[next_child]);
      if (next_child + 1 < node.size()) {
        operation.into = side(node[next_child + 1]);
      } else {  // work[3] alone: the same place at the receiver
        if (operation.kind == OpKind::copy) {
          scanner_.fail(node[next_child].begin,
                        "a copy needs '->' and where the blocks go, or it would do nothing");
        }
        operation.into = operation.from;
        operation.into.given = false;
        operation.into.list = kNone;
      }
    }
    if (after != nullptr) {
      for (const auto& name : after->children) {
        const RequestCode named = request(*name, true);
        if (!names_nothing(named)) {
          operation.after.push_back(named);
        }
      }
    }
    if (!operation.whole_vector) {
      check_sides(node[next_child], operation);
      operation.plain = is_plain(operation.from) && is_plain(operation.into);
    }
    code_.operations.push_back(std::move(operation));
    emit({Code::operation, static_cast<std::uint32_t>(code_.operations.size() - 1)}, node.begin);
  }

  static bool is_plain(const SideCode& side) {
    return side.slot == kNone && side.run == kNone && side.list == kNone;
  }

  void check_sides(const SyntaxNode& node, const OperationCode& operation) {
    if (operation.into.buffer == Buffer::input) {
      scanner_.fail(node.begin, "input is never written; add '-> work' or '-> scratch'");
    }
    if (!operation.from.given && !operation.into.given) {
      scanner_.fail(node.begin, "which blocks? Write them in brackets, as work[0]");
    }
  }

  // A op B -> C, where C is A or B.
  void reduction(const SyntaxNode& node, std::size_t child, OperationCode& operation) {
    const SyntaxNode& left = node[child];
    const SyntaxNode& right = node[child + 1];
    const SyntaxNode& result = node[child + 2];
    const auto buffer = [](const SyntaxNode& one) { return one[0].text(); };
    const auto same_slot = [](const SyntaxNode& one, const SyntaxNode& other) {
      const bool has = one.size() > 1 && one[1].kind == Syntax::slot;
      const bool other_has = other.size() > 1 && other[1].kind == Syntax::slot;
      return has == other_has && (!has || one[1].text() == other[1].text());
    };
    const auto same = [&](const SyntaxNode& operand) {
      const auto blocks = [](const SyntaxNode& one) -> std::string_view {
        return one.children.back()->kind == Syntax::blocks ? one.children.back()->text() : "";
      };
      return buffer(operand) == buffer(result) && same_slot(operand, result) &&
             (blocks(result).empty() || blocks(operand).empty() ||
              blocks(result) == blocks(operand));
    };
    const bool into_right = same(right);
    if (!into_right && !same(left)) {
      scanner_.fail(result.begin, "the result must go to one of the two operands");
    }
    operation.from = side(into_right ? left : right);
    operation.into = side(into_right ? right : left);
    if (!operation.into.given) {
      const SideCode written = side(result);
      if (written.given) {
        operation.into = written;
      }
    }
    operation.from_is = into_right ? Operand::left : Operand::right;
  }

  SideCode side(const SyntaxNode& node) {
    SideCode side;
    side.place = place_of(node.begin);
    const std::string_view buffer = node[0].text();
    side.buffer = buffer == "work"      ? Buffer::work
                  : buffer == "scratch" ? Buffer::scratch
                                        : Buffer::input;
    for (std::size_t i = 1; i < node.size(); ++i) {
      const SyntaxNode& part = node[i];
      if (part.kind == Syntax::slot) {
        if (side.buffer != Buffer::scratch) {
          scanner_.fail(part.begin, "only scratch has slots");
        }
        side.slot = number(part[0]);
        continue;
      }
      side.given = true;
      if (part.size() > 1 && part[1].kind == Syntax::count) {
        side.first = number(part[0]);
        side.count = number(part[1][0]);
        if (part[1].size() > 1) {
          side.run = number(part[1][1][0]);
          side.distance = number(part[1][1][1]);
        }
      } else if (part.size() > 1) {
        side.list = new_list();
        emit({Code::list_clear, side.list}, part.begin);
        for (const auto& block : part.children) {
          emit({Code::list_push, side.list, number(*block)}, block->begin);
        }
      } else if (gives_list(part[0])) {
        side.list = list(part[0]);
      } else {
        side.first = number(part[0]);
        side.count = constant(1);
      }
    }
    return side;
  }

  // ---- expressions ----

  [[nodiscard]] bool gives_list(const SyntaxNode& node) const {
    switch (node.kind) {
      case Syntax::list:
        return true;
      case Syntax::call:
        return node[0].text() == "children";
      case Syntax::name: {
        const auto found = variables_.find(node.text());
        return found != variables_.end() && found->second.is_list;
      }
      case Syntax::sum:
        return gives_list(node[0]);
      default:
        return false;
    }
  }

  // A list that nobody will assign to before it is used.
  std::uint32_t list(const SyntaxNode& node) {
    switch (node.kind) {
      case Syntax::list:
        return literal(node, kNone);
      case Syntax::name: {
        const auto found = variables_.find(node.text());
        if (found != variables_.end() && found->second.is_list) {
          return found->second.number;
        }
        if (found == variables_.end()) {
          fail_unknown(node);
        }
        scanner_.fail(node.begin, fmt::format("'{}' is a number; a list such as {{0, 1}} is wanted",
                                              shown(node.text())));
      }
      case Syntax::sum: {
        const std::uint32_t result = new_list();
        emit({Code::list_copy, result, list(node[0])}, node.begin);
        for (std::size_t i = 2; i < node.size(); i += 2) {
          if (node[i - 1].text() != "+") {
            scanner_.fail(node[i - 1].begin, "lists are joined by '+'; there is no difference");
          }
          emit({Code::list_join, result, list(node[i])}, node[i].begin);
        }
        return result;
      }
      case Syntax::call:
        if (gives_list(node)) {
          return children(node);
        }
        [[fallthrough]];
      default:
        scanner_.fail(node.begin, "a list is wanted here, such as {0, 1} or children(n,tree)");
    }
  }

  // `room`: the slot with the number of members that it is to have, or kNone.
  std::uint32_t literal(const SyntaxNode& node, std::uint32_t room) {
    const std::uint32_t result = new_list();
    emit({Code::list_clear, result}, node.begin);
    for (std::size_t i = 0; i < node.size(); ++i) {
      if (node[i].kind != Syntax::dots) {
        emit({Code::list_push, result, number(node[i])}, node[i].begin);
        continue;
      }
      if (i != 1 || node.size() != 3 || node[2].kind == Syntax::dots) {
        scanner_.fail(node[i].begin,
                      "dots stand between two values that are all of the list: {0, ..., N-1}");
      }
      const std::uint32_t first = number(node[0]);
      const std::uint32_t last = number(node[2]);
      emit({Code::list_clear, result}, node.begin);
      emit({Code::list_fill, result, first, last, room}, node.begin);
      break;
    }
    return result;
  }

  std::uint32_t children(const SyntaxNode& node) {
    check_arguments(node, 2);
    const std::string_view tree = node[2].text();
    const auto known = std::find(kTreeNames.begin(), kTreeNames.end(), tree);
    if (known == kTreeNames.end()) {
      scanner_.fail(node[2].begin,
                    fmt::format("'{}' is no tree; there are {}; 'tree' itself is the one that "
                                "--tree names",
                                shown(tree), fmt::join(kTreeNames, ", ")));
    }
    if (known == kTreeNames.begin()) {
      code_.options |= static_cast<unsigned>(Option::tree);
    }
    const std::uint32_t result = new_list();
    emit({Code::list_children, result, number(node[1]),
          static_cast<std::uint32_t>(known - kTreeNames.begin())},
         node.begin);
    return result;
  }

  void check_arguments(const SyntaxNode& node, std::size_t wanted) {
    if (node.size() - 1 != wanted) {
      scanner_.fail(node.begin, fmt::format("{} takes {} argument{}, not {}", node[0].text(),
                                            wanted, wanted == 1 ? "" : "s", node.size() - 1));
    }
  }

  // The slot of the value.
  std::uint32_t number(const SyntaxNode& node) {
    switch (node.kind) {
      case Syntax::number:
        return literal_number(node);
      case Syntax::name:
        return variable(node);
      case Syntax::element: {
        const std::uint32_t array = list(node[0]);
        const std::uint32_t index = number(node[1]);
        return result({Code::list_get, 0, array, index}, node.begin);
      }
      case Syntax::call:
        return call(node);
      case Syntax::minus: {
        const std::uint32_t operand = number(node[0]);
        if (is_constant(operand)) {
          return constant(-code_.slots[operand]);
        }
        return result({Code::negate, 0, operand}, node.begin);
      }
      case Syntax::sum:
      case Syntax::product:
      case Syntax::shift:
      case Syntax::exclusive_or:
      case Syntax::power:
        return chain(node);
      case Syntax::comparison:
        return comparison(node);
      case Syntax::negation:
        return result({Code::logical_not, 0, number(node[0])}, node.begin);
      case Syntax::conjunction:
      case Syntax::alternatives: {
        // 1 or 0, and no more is evaluated than is needed to tell.
        const std::uint32_t value = temporary();
        const auto leave = jumps_unless(node);
        emit({Code::move, value, constant(1)}, node.begin);
        const std::size_t over = here();
        emit({Code::jump}, node.begin);
        land(leave);
        emit({Code::move, value, constant(0)}, node.begin);
        code_.instructions[over].a = static_cast<std::uint32_t>(here());
        return value;
      }
      default:
        scanner_.fail(node.begin, "a number is wanted here, not a list");
    }
  }

  std::uint32_t literal_number(const SyntaxNode& node) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(node.begin, node.end, value);
    if (error != std::errc{} || end != node.end) {
      scanner_.fail(node.begin, fmt::format("{} is too large; numbers go up to {}",
                                            shown(node.text()), INT64_MAX));
    }
    return constant(value);
  }

  std::uint32_t chain(const SyntaxNode& node) {
    if (gives_list(node[0])) {
      scanner_.fail(node.begin, "a number is wanted here, not a list");
    }
    std::uint32_t value = number(node[0]);
    for (std::size_t i = 2; i < node.size(); i += 2) {
      const std::uint32_t right = number(node[i]);
      value = result({operation_of(node[i - 1].text()), 0, value, right}, node[i - 1].begin);
    }
    return value;
  }

  static Code operation_of(std::string_view symbol) {
    return symbol == "+"     ? Code::add
           : symbol == "-"   ? Code::subtract
           : symbol == "*"   ? Code::multiply
           : symbol == "/"   ? Code::divide
           : symbol == "mod" ? Code::modulo
           : symbol == "^"   ? Code::power
           : symbol == "<<"  ? Code::shift_left
           : symbol == ">>"  ? Code::shift_right
                             : Code::exclusive_or;
  }

  std::uint32_t comparison(const SyntaxNode& node) {
    const std::string_view symbol = node[1].text();
    const std::uint32_t left = number(node[0]);
    if (symbol == "in") {
      return result({Code::list_has, 0, left, list(node[2])}, node[1].begin);
    }
    const std::uint32_t right = number(node[2]);
    const Code code = symbol == "=="                   ? Code::equal
                      : symbol == "!="                 ? Code::unequal
                      : symbol == "<" || symbol == ">" ? Code::less
                                                       : Code::less_equal;
    const bool turned = symbol[0] == '>';
    return result({code, 0, turned ? right : left, turned ? left : right}, node[1].begin);
  }

  // Jumps that are taken where the condition does not hold; land() says to where.
  std::vector<std::size_t> jumps_unless(const SyntaxNode& node) {
    std::vector<std::size_t> jumps;
    std::vector<bool> after_first;  // the other operands may not be reached
    if (node.kind == Syntax::conjunction) {
      for (const auto& part : node.children) {
        const auto more = jumps_unless(*part);
        jumps.insert(jumps.end(), more.begin(), more.end());
        after_first = after_first.empty() ? assigned_ : std::move(after_first);
      }
      assigned_ = std::move(after_first);
      forget_results();
      return jumps;
    }
    if (node.kind == Syntax::alternatives) {
      std::vector<std::size_t> holds;
      for (std::size_t i = 0; i < node.size(); ++i) {
        const auto fails = jumps_unless(node[i]);
        after_first = after_first.empty() ? assigned_ : std::move(after_first);
        if (i + 1 == node.size()) {
          jumps = fails;
        } else {
          holds.push_back(here());
          emit({Code::jump}, node.begin);
          land(fails);
        }
      }
      land(holds);
      assigned_ = std::move(after_first);
      return jumps;
    }
    if (node.kind == Syntax::comparison && node[1].text() != "in") {
      const std::string_view symbol = node[1].text();
      const std::uint32_t left = number(node[0]);
      const std::uint32_t right = number(node[2]);
      const Code code = symbol == "=="                   ? Code::jump_unless_equal
                        : symbol == "!="                 ? Code::jump_unless_unequal
                        : symbol == "<" || symbol == ">" ? Code::jump_unless_less
                                                         : Code::jump_unless_less_equal;
      const bool turned = symbol[0] == '>';
      jumps.push_back(here());
      emit({code, 0, turned ? right : left, turned ? left : right}, node[1].begin);
      return jumps;
    }
    const std::uint32_t value = number(node);
    jumps.push_back(here());
    emit({Code::jump_if_zero, 0, value}, node.begin);
    return jumps;
  }

  void land(const std::vector<std::size_t>& jumps) {
    forget_results();
    for (const std::size_t jump : jumps) {
      code_.instructions[jump].a = static_cast<std::uint32_t>(here());
    }
  }

  std::uint32_t call(const SyntaxNode& node) {
    const std::string_view name = node[0].text();
    const auto known = std::find_if(kFunctions.begin(), kFunctions.end(),
                                    [&](const Function& each) { return each.name == name; });
    if (known == kFunctions.end()) {
      std::vector<std::string> names;
      names.reserve(kFunctions.size());
      for (const Function& function : kFunctions) {
        names.emplace_back(function.name);
      }
      const std::string best = name.size() > kLongestName ? "" : nearest(name, names);
      scanner_.fail(node.begin,
                    fmt::format("there is no function '{}'{}", shown(name),
                                best.empty() ? fmt::format("; there are {}", fmt::join(names, ", "))
                                             : fmt::format(": did you mean '{}'?", best)));
    }
    if (name == "bytes" && node.size() == 2) {  // of one block
      return result({Code::bytes_of_blocks, 0, number(node[1]), constant(1)}, node.begin);
    }
    check_arguments(node, known->arguments);
    if (name == "ceil") {
      return ceil(node);
    }
    if (name == "size") {
      return result({Code::list_size, 0, list(node[1])}, node.begin);
    }
    if (name == "children") {
      scanner_.fail(node.begin, "a number is wanted here, not a list");
    }
    const std::uint32_t x = number(node[1]);
    if (name == "floor") {
      return x;
    }
    if (name == "log2") {
      return result({Code::floor_log2, 0, x}, node.begin);
    }
    const std::uint32_t y = number(node[2]);
    if (name == "ltrunc") {
      const std::uint32_t shifted = result({Code::shift_right, 0, x, y}, node.begin);
      return result({Code::shift_left, 0, shifted, y}, node.begin);
    }
    if (name == "ceil_mod") {  // (x + m - 1) mod m
      const std::uint32_t sum = result({Code::add, 0, x, y}, node.begin);
      const std::uint32_t less_one = result({Code::subtract, 0, sum, constant(1)}, node.begin);
      return result({Code::modulo, 0, less_one, y}, node.begin);
    }
    if (name == "diff_mod") {
      return result({Code::difference_modulo, 0, x, y, number(node[3])}, node.begin);
    }
    return result({name == "min"   ? Code::minimum
                   : name == "max" ? Code::maximum
                                   : Code::bytes_of_blocks,
                   0, x, y},
                  node.begin);
  }

  // Integers are all there is, so ceil() looks at what it rounds.
  std::uint32_t ceil(const SyntaxNode& node) {
    const SyntaxNode& inside = node[1];
    if (inside.kind == Syntax::call && inside[0].text() == "log2") {
      check_arguments(inside, 1);
      return result({Code::ceil_log2, 0, number(inside[1])}, node.begin);
    }
    if (inside.kind == Syntax::product && inside.size() == 3 && inside[1].text() == "/") {
      const std::uint32_t x = number(inside[0]);
      return result({Code::ceil_divide, 0, x, number(inside[2])}, inside[1].begin);
    }
    scanner_.fail(inside.begin, "ceil rounds up one quotient x/y, or log2(x)");
  }

  // ---- variables and slots ----

  [[noreturn]] void fail_unknown(const SyntaxNode& node) {
    std::vector<std::string> names(kGivenNames.begin(), kGivenNames.end());
    names.reserve(names.size() + variables_.size());
    for (const auto& [name, variable] : variables_) {
      names.emplace_back(name);
    }
    const std::string best = node.text().size() < 3 || node.text().size() > kLongestName
                                 ? ""
                                 : nearest(node.text(), names);
    scanner_.fail(
        node.begin,
        fmt::format("'{}' has no value: nothing above assigns to it{}", shown(node.text()),
                    best.empty() ? "" : fmt::format("; did you mean '{}'?", best)));
  }

  static std::optional<std::uint32_t> given(std::string_view name) {
    const auto found = std::find(kGivenNames.begin(), kGivenNames.end(), name);
    if (found == kGivenNames.end()) {
      return std::nullopt;
    }
    return static_cast<std::uint32_t>(found - kGivenNames.begin());
  }

  std::uint32_t variable(const SyntaxNode& node) {
    const auto found = variables_.find(node.text());
    if (found == variables_.end()) {
      const auto slot = given(node.text());
      if (!slot) {
        fail_unknown(node);
      }
      variables_.emplace(node.text(), Variable{false, *slot});
      if (static_cast<Given>(*slot) == Given::segment_bytes) {
        code_.options |= static_cast<unsigned>(Option::segment);
      } else if (static_cast<Given>(*slot) == Given::cores) {
        code_.options |= static_cast<unsigned>(Option::ranks_per_node);
      }
      return checked(*slot, node);
    }
    if (found->second.is_list) {
      scanner_.fail(node.begin,
                    fmt::format("'{0}' is a list; a number is wanted here, such as {0}[0]",
                                shown(node.text())));
    }
    return checked(found->second.number, node);
  }

  // Where something can be read before it was assigned, the run looks.
  std::uint32_t checked(std::uint32_t slot, const SyntaxNode& node) {
    if (static_cast<Given>(slot) == Given::message_bytes) {
      if (!assigned_[slot]) {
        emit({Code::check_even}, node.begin);
        set_assigned(slot);
      }
      return slot;
    }
    if (slot >= assigned_.size() || !assigned_[slot]) {
      code_.names.emplace_back(node.text());
      emit({Code::check_set, slot, static_cast<std::uint32_t>(code_.names.size() - 1)}, node.begin);
    }
    return slot;
  }

  Variable& to_assign(const SyntaxNode& node, bool is_list) {
    const auto slot = given(node.text());
    const auto found = variables_.find(node.text());
    const bool own = found != variables_.end() &&
                     (!slot || found->second.is_list || found->second.number >= kGivens);
    if (slot && !own) {
      const auto which = static_cast<Given>(*slot);
      if (found != variables_.end() || (which != Given::segment_bytes && which != Given::cores)) {
        scanner_.fail(node.begin,
                      fmt::format("{} is given, as {}; it cannot be assigned", node.text(),
                                  which == Given::ranks           ? "the number of ranks"
                                  : which == Given::root          ? "the root"
                                  : which == Given::message_bytes ? "the bytes of a rank's message"
                                  : which == Given::segment_bytes ? "the bytes of a segment"
                                  : which == Given::cores         ? "the cores of a node"
                                                                  : "the bytes of an element"));
      }
    }
    if (found != variables_.end()) {
      if (found->second.is_list != is_list) {
        scanner_.fail(node.begin,
                      fmt::format("'{}' is a {} already; it cannot become a {}", shown(node.text()),
                                  is_list ? "number" : "list", is_list ? "list" : "number"));
      }
      return found->second;
    }
    const std::uint32_t number = is_list ? new_list() : new_slot(kUnset);
    return variables_.emplace(node.text(), Variable{is_list, number}).first->second;
  }
  std::uint32_t to_assign(const SyntaxNode& node) { return to_assign(node, false).number; }
  std::uint32_t list_to_assign(const SyntaxNode& node) { return to_assign(node, true).number; }

  void set_assigned(std::uint32_t slot) {
    if (slot >= assigned_.size()) {
      assigned_.resize(slot + std::size_t{1}, false);
    }
    assigned_[slot] = true;
  }

  std::uint32_t new_slot(std::int64_t value) {
    code_.slots.push_back(value);
    return static_cast<std::uint32_t>(code_.slots.size() - 1);
  }
  std::uint32_t new_list() { return code_.lists++; }

  std::uint32_t constant(std::int64_t value) {
    const auto [found, is_new] = constants_.try_emplace(value, 0);
    if (is_new) {
      found->second = new_slot(value);
      if (found->second >= is_constant_.size()) {
        is_constant_.resize(found->second + std::size_t{1}, false);
      }
      is_constant_[found->second] = true;
    }
    return found->second;
  }
  [[nodiscard]] bool is_constant(std::uint32_t slot) const {
    return slot < is_constant_.size() && is_constant_[slot];
  }

  // Good until the end of the statement.
  std::uint32_t temporary() {
    if (temporaries_used_ == temporaries_.size()) {
      temporaries_.push_back(new_slot(0));
    }
    return temporaries_[temporaries_used_++];
  }
  [[nodiscard]] bool is_temporary(std::uint32_t slot) const {
    return std::binary_search(temporaries_.begin(), temporaries_.end(), slot);
  }

  // Nothing that a statement computes with changes before it ends, so what it says twice, such as
  // the level in its requests, is computed once.
  std::uint32_t result(Instruction instruction, const char* place) {
    const auto [known, is_new] = results_.try_emplace(
        {static_cast<std::uint32_t>(instruction.code), instruction.b, instruction.c, instruction.d},
        0);
    if (is_new) {
      known->second = instruction.a = temporary();
      last_result_ = here();
      emit(instruction, place);
    }
    return known->second;
  }
  // What comes now is not done on all ways to what follows.
  void forget_results() { results_.clear(); }

  // In a slot that keeps its value while a loop runs.
  std::uint32_t kept(const SyntaxNode& node) {
    const std::uint32_t value = number(node);
    if (is_constant(value)) {
      return value;
    }
    const std::uint32_t slot = new_slot(0);
    emit({Code::move, slot, value}, node.begin);
    return slot;
  }

  [[nodiscard]] std::size_t here() const { return code_.instructions.size(); }
  [[nodiscard]] std::uint32_t place_of(const char* place) const {
    return static_cast<std::uint32_t>(place - text_begin_);
  }
  void emit(const Instruction& instruction, const char* place) {
    code_.instructions.push_back(instruction);
    code_.places.push_back(place_of(place));
  }
  static std::string shown(std::string_view text) {
    return text.size() <= kLongestName ? std::string(text)
                                       : std::string(text.substr(0, kLongestName)) + "...";
  }

  Scanner& scanner_;
  std::uint32_t nesting_;
  const char* text_begin_ = nullptr;
  std::vector<Line> lines_;
  std::size_t at_ = 0;
  CompiledCode code_;
  std::map<std::string, Variable, std::less<>> variables_;
  std::map<std::int64_t, std::uint32_t> constants_;
  std::vector<bool> is_constant_;
  std::vector<bool> assigned_;  // by slot: surely, on every way to here
  bool unreachable_ = false;    // behind a refusal
  std::vector<std::uint32_t> temporaries_;
  std::size_t temporaries_used_ = 0;
  std::size_t last_result_ = 0;
  // Where the statement has computed this already: code and operands.
  std::map<std::array<std::uint32_t, 4>, std::uint32_t> results_;
};

}  // namespace

CompiledCode compile(Scanner& scanner, std::uint32_t nesting) {
  return Compiler(scanner, nesting).compile();
}

}  // namespace tutti::program
