#include "schedules/notation/program/uses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "schedules/options/option_type.hpp"
#include "schedules/registry.hpp"

namespace tutti { inline namespace schedules { namespace program {

namespace {

// True if `with` can set the option. It cannot set block sizes, because the program gives them with
// `on` and `shares`.
bool can_be_set(const Algorithm& algorithm, const OptionType& type) {
  return takes(algorithm, type.option) && type.option != Option::block_sizes;
}

bool has_word(const OptionType& type, std::string_view word) {
  return std::find(type.words.begin(), type.words.end(), word) != type.words.end();
}

}  // namespace

const Algorithm& Uses::algorithm(const SyntaxNode& collective, const SyntaxNode& name) const {
  const auto found = collective_named(collective.text());
  if (!found) {
    std::vector<std::string> names;
    for (const Collective each : kCollectives) {
      names.emplace_back(tutti::name(each));
    }
    scanner_.fail(collective.begin,
                  fmt::format("unknown collective '{}'{}", shown(collective.text()),
                              did_you_mean(shown(collective.text()), names)));
  }
  if (*found == Collective::alltoallv) {
    scanner_.fail(collective.begin,
                  "an alltoallv cannot be called: it has a block for each pair of ranks, but a "
                  "call has one for each rank");
  }
  const Algorithm* algorithm = nullptr;
  try {
    algorithm = &algorithm_of(*found, shown(name.text()));
  } catch (const UserError& error) {
    scanner_.fail(name.begin, error.what());
  }
  if (algorithm->in_network()) {
    scanner_.fail(name.begin, fmt::format("{} needs switches, but a call has only ranks",
                                          algorithm->full_name()));
  }
  return *algorithm;
}

std::uint32_t Uses::members(const SyntaxNode& node) {
  if (node.kind != Syntax::members) {
    return list(node);
  }
  const std::uint32_t result = new_list();
  const std::uint32_t first = number(node[0]);
  const std::uint32_t last = number(node[1]);
  const std::uint32_t step = node.size() > 2 ? number(node[2]) : constant(1);
  emit({Code::list_clear, result}, node.begin);
  emit({Code::list_range, result, first, last, step}, node.begin);
  return result;
}

void Uses::use(const SyntaxNode& node) {
  UseCode use;
  use.place = place_of(node.begin);
  use.algorithm = &algorithm(node[0], node[1]);
  use.members = members(node[2]);
  use.members_place = place_of(node[2].begin);
  for (std::size_t i = 3; i < node.size(); ++i) {
    for (std::size_t earlier = 3; earlier < i; ++earlier) {
      if (node[earlier].kind == node[i].kind) {
        scanner_.fail(node[i].begin,
                      "this clause is repeated; write each of on, shares, root and with once, "
                      "and separate options by commas");
      }
    }
    clause(node[i], use);
  }
  code_.names_traces = true;
  code_.uses.push_back(std::move(use));
  emit({Code::use, static_cast<std::uint32_t>(code_.uses.size() - 1)}, node.begin);
}

void Uses::clause(const SyntaxNode& node, UseCode& use) {
  const Algorithm& algorithm = *use.algorithm;
  switch (node.kind) {
    case Syntax::on_clause:
      use.on = side(node[0]);
      if (use.on.buffer != Buffer::work || use.on.slot != kNone) {
        scanner_.fail(node[0].begin, "write blocks of work, such as on work[0:2]");
      }
      return;
    case Syntax::shares_clause:
      if (!owns_parts(algorithm.collective)) {
        scanner_.fail(node.begin,
                      fmt::format("'shares' does not apply to {}: its ranks own no blocks",
                                  algorithm.full_name()));
      }
      use.shares = list(node[0]);
      use.shares_place = place_of(node[0].begin);
      return;
    case Syntax::root_clause:
      if (!has_root(algorithm.collective)) {
        scanner_.fail(node.begin, fmt::format("{} has no root", algorithm.full_name()));
      }
      use.root = number(node[0]);
      use.root_place = place_of(node[0].begin);
      return;
    default:
      for (const auto& each : node.children) {
        setting(*each, use);
      }
  }
}

void Uses::setting(const SyntaxNode& node, UseCode& use) {
  const std::string_view word = node[0].text();
  const OptionType* found = nullptr;
  std::vector<std::string> names;
  for (const OptionType* type : option_types()) {
    if (can_be_set(*use.algorithm, *type)) {
      names.emplace_back(type->json_key);
      found = type->json_key == word ? type : found;
    }
  }
  if (found == nullptr) {
    scanner_.fail(node.begin, names.empty()
                                  ? fmt::format("{} takes no options", use.algorithm->full_name())
                                  : fmt::format("{} takes no '{}'; {}", use.algorithm->full_name(),
                                                shown(word), accepted_words(shown(word), names)));
  }
  for (const UseOption& other : use.options) {
    if (other.type == found) {
      scanner_.fail(node.begin, fmt::format("'{}' is repeated", word));
    }
  }
  const SyntaxNode& value = node[1];
  UseOption option;
  option.type = found;
  option.place = place_of(value.begin);
  const bool is_text = value.kind == Syntax::text;
  if (found->option == Option::tree && value.text() == kOptionTreeName) {
    option.as_given = true;
    code_.options |= bit(Option::tree);
  } else if (is_text || !found->words.empty()) {
    // The option takes words. A value that is not one of them may be a variable or another
    // expression.
    if (!is_text && !has_word(*found, value.text()) &&
        (value.kind != Syntax::name || variables_.contains(value.text()))) {
      option.slot = number(value);
    } else {
      option.word = std::string(value.text().substr(0, value.text().size() - (is_text ? 1 : 0)));
      Problem scratch;
      scratch.collective = use.algorithm->collective;
      try {
        found->parse(found->json_key, option.word, scratch);
      } catch (const UserError& error) {
        scanner_.fail(value.begin, error.what());
      }
    }
  } else {
    option.slot = number(value);
  }
  use.options.push_back(std::move(option));
}

}}}  // namespace tutti::schedules::program
