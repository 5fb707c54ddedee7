#include "src/requests/pair_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/nearest.hpp"
#include "base/plural.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace requests {

namespace {

// Returns a random permutation of the numbers 0 to count - 1. Does not use the distributions of
// <random>, whose results differ between standard libraries.
std::vector<std::uint32_t> drawn_order(std::uint32_t count, std::mt19937& random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = count; i > 1; --i) {
    std::swap(order[i - 1], order[random() % i]);
  }
  return order;
}

std::string_view next_word(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view word = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return word;
}

}  // namespace

std::vector<std::uint64_t> skewed_blocks(std::uint64_t elements, std::uint32_t blocks,
                                         double skew) {
  if (skew == 0) {
    return {};
  }
  std::vector<double> weights(blocks);
  double weight = 1;
  for (double& w : weights) {
    w = weight;
    weight /= 1 + skew;
  }
  // Add the small weights first, because rounding would lose them in a large sum.
  const double sum = std::accumulate(weights.rbegin(), weights.rend(), 0.0);
  std::vector<std::uint64_t> sizes(blocks);
  std::vector<double> lost(blocks);
  std::uint64_t left = elements;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const double share = static_cast<double>(elements) * (weights[i] / sum);
    sizes[i] = std::min(left, static_cast<std::uint64_t>(share));
    lost[i] = share - std::floor(share);
    left -= sizes[i];
  }
  std::vector<std::uint32_t> order(blocks);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return lost[a] > lost[b]; });
  for (std::size_t i = 0; i < order.size() && left > 0; ++i, --left) {
    ++sizes[order[i]];
  }
  sizes[0] += left;  // `left` is 0 here, except after rounding errors in `share`
  return sizes;
}

PairSizes::PairSizes(std::string_view flag, std::string_view text) : flag_(flag), text_(text) {
  std::string_view rest = text;
  const std::string_view word = next_word(rest, ':');
  if (word == "experts" || word == "load") {
    if (word == "load") {
      kind_ = Kind::load;
      load_ = parse_number(fmt::format("{} load", flag), std::string(rest));
    } else {
      read_experts(rest);
    }
    return;
  }
  if (word != "skewed" && word != "capped" && word != "sparse") {
    if (text == "uniform") {
      return;
    }
    kind_ = Kind::file;
    read_file();
    return;
  }
  const std::string_view number = next_word(rest, ':');
  const std::string what = fmt::format("{} {}", flag, word);
  if (word != "sparse") {
    kind_ = word == "skewed" ? Kind::skewed : Kind::capped;
    skew_ = parse_number(what, std::string(number));
    if (!(skew_ >= 0)) {
      refuse("the skew must be at least 0");
    }
  } else {
    kind_ = Kind::sparse;
    partners_ = parse_count(what, std::string(number));
  }
  if (text.size() > word.size() + 1 + number.size()) {
    seed_ = parse_count(what + "'s seed", std::string(rest));
  }
}

std::vector<std::uint64_t> PairSizes::of(std::uint32_t ranks, std::uint64_t bytes,
                                         std::uint32_t element_bytes) const {
  if (ranks > kMostPairedRanks) {
    refuse(fmt::format("{} ranks, but at most {} are possible", ranks, kMostPairedRanks));
  }
  std::vector<std::uint64_t> sizes;
  switch (kind_) {
    case Kind::uniform:
      return {};
    case Kind::skewed:
      sizes = skewed(ranks, bytes / element_bytes);
      break;
    case Kind::capped:
      sizes = capped(ranks, bytes / element_bytes);
      break;
    case Kind::sparse:
      sizes = sparse(ranks, bytes / element_bytes);
      break;
    case Kind::load:
      try {
        return loaded_blocks(ranks, bytes / element_bytes, element_bytes, load_);
      } catch (const UserError& error) {
        refuse(error.what());
      }
    case Kind::experts:
      sizes = routed(ranks, bytes / element_bytes);
      break;
    case Kind::file:
      if (rows_ != ranks) {
        refuse(fmt::format("the file is for {}, not {}", number_of(rows_, "rank"), ranks));
      }
      for (const std::uint64_t size : bytes_) {
        if (size % element_bytes != 0) {
          const std::uint64_t common =
              std::accumulate(bytes_.begin(), bytes_.end(), std::uint64_t{element_bytes},
                              [](std::uint64_t a, std::uint64_t b) { return std::gcd(a, b); });
          refuse(fmt::format(
              "{} bytes are not a whole number of {}-byte elements; set $elem_bytes to {}", size,
              element_bytes, common));
        }
      }
      return bytes_;
  }
  for (std::uint64_t& size : sizes) {
    size *= element_bytes;
  }
  return sizes;
}

// Returns the sizes for --sizes skewed, in elements. Each rank sends `elements` in all, and all
// ranks send the same number to a given destination.
std::vector<std::uint64_t> PairSizes::skewed(std::uint32_t ranks, std::uint64_t elements) const {
  std::mt19937 random(seed_);
  const std::vector<std::uint32_t> order = drawn_order(ranks, random);
  const std::vector<std::uint64_t> shares = skewed_blocks(elements, ranks, skew_);
  if (shares.empty()) {
    return {};
  }
  std::vector<std::uint64_t> sizes(std::size_t{ranks} * ranks);
  for (std::uint32_t from = 0; from < ranks; ++from) {
    for (std::uint32_t i = 0; i < ranks; ++i) {
      sizes[std::size_t{from} * ranks + order[i]] = shares[i];
    }
  }
  return sizes;
}

// Returns the sizes for --sizes capped, in elements: those of skewed(), scaled down so that the
// most popular destination receives `elements`.
std::vector<std::uint64_t> PairSizes::capped(std::uint32_t ranks, std::uint64_t elements) const {
  std::vector<std::uint64_t> sizes = skewed(ranks, elements);
  if (sizes.empty()) {
    return {};
  }
  const std::uint64_t most = largest_buffer(sizes, ranks).value_or(elements);
  if (most <= elements) {
    return sizes;
  }
  const double less = static_cast<double>(elements) / static_cast<double>(most);
  for (std::uint64_t& size : sizes) {
    size = static_cast<std::uint64_t>(static_cast<double>(size) * less);
  }
  // Elements lost to rounding go to the block that the most popular destination sends to itself.
  const auto popular = static_cast<std::size_t>(
      std::max_element(sizes.begin(), sizes.begin() + ranks) - sizes.begin());
  const std::uint64_t now = largest_buffer(sizes, ranks).value_or(elements);
  sizes[popular * ranks + popular] += elements - std::min(now, elements);
  return sizes;
}

// Returns the sizes for --sizes sparse, in elements. Puts the ranks on a ring in random order, and
// draws partners_ distances along the ring. Every rank sends to the ranks at these distances from
// it, and so receives from the same number of ranks.
std::vector<std::uint64_t> PairSizes::sparse(std::uint32_t ranks, std::uint64_t elements) const {
  if (partners_ == 0 || partners_ >= ranks) {
    refuse(fmt::format("on {}, the number of partners must be from 1 to {}",
                       number_of(ranks, "rank"), ranks - 1));
  }
  std::mt19937 random(seed_);
  const std::vector<std::uint32_t> order = drawn_order(ranks, random);
  std::vector<std::uint32_t> distances = drawn_order(ranks - 1, random);
  distances.resize(partners_);
  std::vector<std::uint64_t> sizes(std::size_t{ranks} * ranks);
  for (std::uint32_t at = 0; at < ranks; ++at) {
    for (std::uint32_t i = 0; i < partners_; ++i) {
      const std::uint32_t to = order[(at + 1 + distances[i]) % ranks];
      sizes[std::size_t{order[at]} * ranks + to] =
          elements / partners_ + (i < elements % partners_ ? 1 : 0);
    }
  }
  return sizes;
}

void PairSizes::read_experts(std::string_view values) {
  kind_ = Kind::experts;
  routing_.tokens = 4096;
  routing_.experts = parse_positive_count(fmt::format("{} experts", flag_),
                                          std::string(next_word(values, ',')), kMostExperts);
  routing_.top = 0;
  while (!values.empty()) {
    std::string_view value = next_word(values, ',');
    const std::string word(next_word(value, '='));
    const std::string what = fmt::format("{} '{}', {}", flag_, text_, word);
    const std::string text(value);
    if (word == "top") {
      routing_.top = parse_positive_count(what, text, kMostExperts);
    } else if (word == "tokens") {
      routing_.tokens = parse_positive_count(what, text, kMostTokens);
    } else if (word == "skew") {
      routing_.skew = parse_number(what, text);
    } else if (word == "capacity") {
      routing_.capacity = parse_number(what, text);
    } else if (word == "nodes") {
      routing_.most_nodes = parse_positive_count(what, text);
    } else if (word == "node") {
      ranks_of_node_ = parse_positive_count(what, text);
    } else if (word == "seed") {
      routing_.seed = parse_count(what, text);
    } else {
      static const std::vector<std::string> words{"top",   "tokens", "skew", "capacity",
                                                  "nodes", "node",   "seed"};
      refuse(fmt::format("'{}': {}", word, accepted_words(word, words)));
    }
  }
  if (routing_.top == 0) {
    refuse("write how many experts a token goes to, such as experts:128,top=8");
  }
  if ((routing_.most_nodes > 0) != (ranks_of_node_ > 0)) {
    refuse(
        "nodes=N, the most nodes of a token, and node=RANKS, the ranks of a node, need each "
        "other");
  }
}

// Returns the sizes for --sizes experts, in elements: each rank's elements are shared among its
// copies.
std::vector<std::uint64_t> PairSizes::routed(std::uint32_t ranks, std::uint64_t elements) const {
  const std::uint32_t per_node = ranks_of_node_ == 0 ? ranks : ranks_of_node_;
  if (ranks % per_node != 0) {
    refuse(
        fmt::format("{} cannot be divided into nodes of {}", number_of(ranks, "rank"), per_node));
  }
  std::vector<std::uint64_t> sizes(std::size_t{ranks} * ranks);
  try {
    const RoutedTokens tokens(routing_, ranks, per_node);
    const double all = static_cast<double>(routing_.tokens) * routing_.top;
    const auto upto = [&](std::uint64_t copies) {
      return static_cast<std::uint64_t>(
          std::floor(static_cast<double>(elements) * (static_cast<double>(copies) / all)));
    };
    for (std::uint32_t from = 0; from < ranks; ++from) {
      std::uint64_t copies = 0;
      for (std::uint32_t to = 0; to < ranks; ++to) {
        const std::size_t pair = std::size_t{from} * ranks + to;
        sizes[pair] = upto(copies + tokens.copies()[pair]) - upto(copies);
        copies += tokens.copies()[pair];
      }
    }
  } catch (const UserError& error) {
    refuse(error.what());
  }
  return sizes;
}

void PairSizes::read_file() {
  std::optional<FileText> text;
  try {
    text.emplace(text_, kSizesFile);
  } catch (const UserError& error) {
    refuse(fmt::format(
        "write uniform, skewed:S, capped:S, sparse:K, load:L, experts:E,top=K or a file; {}",
        error.what()));
  }
  std::string_view left = text->view();
  std::string_view line;
  std::size_t columns = 0;
  while (next_line(left, line)) {
    if (line.empty()) {
      continue;
    }
    ++rows_;
    const std::size_t before = bytes_.size();
    while (!line.empty()) {
      const std::string_view word = next_word(line, ',');
      bytes_.push_back(
          parse_bytes(fmt::format("{} '{}', row {}", flag_, text_, rows_), std::string(word)));
    }
    const std::size_t in_row = bytes_.size() - before;
    if (columns != 0 && in_row != columns) {
      refuse(fmt::format("row {} has {}, but the first row has {}", rows_,
                         number_of(in_row, "size"), columns));
    }
    columns = in_row;
    if (rows_ > kMostPairedRanks) {
      refuse(fmt::format("more than {} rows", kMostPairedRanks));
    }
  }
  if (rows_ == 0 || columns != rows_) {
    refuse(fmt::format("{} of {}; each row must have as many sizes as there are rows",
                       number_of(rows_, "row"), number_of(columns, "size")));
  }
}

void PairSizes::refuse(const std::string& why) const {
  throw UserError(fmt::format("{} '{}': {}", flag_, text_, why));
}

}}  // namespace tutti::requests
