#include "schedules/notation/program/operations.hpp"

#include <string_view>
#include <utility>

namespace tutti { inline namespace schedules { namespace program {

RequestCode Operations::request(const SyntaxNode& node, bool named) {
  RequestCode result;
  result.place = place_of(node.begin);
  const SyntaxNode& index = node[0];
  result.level = number(index[0]);
  result.has_segment = index.size() > 1;
  result.segment = result.has_segment ? number(index[1]) : constant(0);
  if (node.size() == 1) {
    result.kind = RequestCode::Kind::index;
    result.first = result.second = constant(0);
    if (named) {
      (result.has_segment ? code_.names_segments : code_.names_levels) = true;
    }
    return result;
  }
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

bool Operations::names_nothing(const RequestCode& request) const {
  return is_constant(request.level) && code_.slots[request.level] < 0;
}

void Operations::requests(const SyntaxNode& node) {
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
                      "only the whole set of a rank can be set to other requests, as in Req(l,n) = "
                      "Req(k,n); the left side here is the label of one operation");
      }
      const RequestCode named = request(term, true);
      if (!names_nothing(named)) {
        code_.requests.push_back(named);
        emit({Code::set_take, static_cast<std::uint32_t>(code_.requests.size() - 1)}, term.begin);
      }
      continue;
    }
    operation(term, node[i].size() > 1 ? &node[i][1] : nullptr, label, into_set, adds,
              node.size() > 3);
  }
  if (into_set) {
    code_.requests.push_back(label);
    emit({Code::set_end, static_cast<std::uint32_t>(code_.requests.size() - 1), adds ? 1U : 0U},
         node.begin);
  }
}

void Operations::operation(const SyntaxNode& node, const SyntaxNode* after,
                           const RequestCode& label, bool into_set, bool adds, bool joined) {
  OperationCode operation;
  operation.label = label;
  operation.adds = adds;
  operation.either_way = adds || joined;
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
  // If the label names no ranks, it gets the ranks of the operation.
  if (label.kind == RequestCode::Kind::index) {
    operation.label.kind =
        operation.kind == OpKind::reduce ? RequestCode::Kind::one : RequestCode::Kind::two;
    operation.label.first = operation.src;
    operation.label.second = operation.dst;
  }
  if (next_child < node.size() && node[next_child].kind == Syntax::bytes) {
    operation.bytes = number(node[next_child][0]);
    operation.bytes_place = place_of(node[next_child].begin);
    ++next_child;
  }
  if (next_child == node.size()) {
    operation.no_blocks = true;
  } else if (operation.kind == OpKind::reduce) {
    reduction(node, next_child, operation);
  } else {
    operation.from = side(node[next_child]);
    if (next_child + 1 < node.size()) {
      operation.into = side(node[next_child + 1]);
    } else {
      // A message with one side only, such as work[3], goes to the same place at the receiver.
      if (operation.kind == OpKind::copy) {
        scanner_.fail(node[next_child].begin, "a copy needs '->' and a destination");
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
  if (!operation.no_blocks) {
    check_sides(node[next_child], operation);
    operation.plain = is_plain(operation.from) && is_plain(operation.into);
  }
  code_.operations.push_back(std::move(operation));
  emit({Code::operation, static_cast<std::uint32_t>(code_.operations.size() - 1)}, node.begin);
}

bool Operations::is_plain(const SideCode& side) {
  return side.slot == kNone && side.run == kNone && side.list == kNone;
}

void Operations::check_sides(const SyntaxNode& node, const OperationCode& operation) {
  if (operation.into.buffer == Buffer::input) {
    scanner_.fail(node.begin, "input is never written; add '-> work' or '-> scratch'");
  }
  if (!operation.from.given && !operation.into.given) {
    scanner_.fail(node.begin, "the blocks are missing; write them in brackets, such as work[0]");
  }
}

void Operations::reduction(const SyntaxNode& node, std::size_t child, OperationCode& operation) {
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
           (blocks(result).empty() || blocks(operand).empty() || blocks(result) == blocks(operand));
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

SideCode Operations::side(const SyntaxNode& node) {
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

}}}  // namespace tutti::schedules::program
