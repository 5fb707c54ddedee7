#include "schedules/block_layout.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <vector>

#include "base/error.hpp"

namespace tutti::test_block_layout {

namespace {

std::vector<std::uint32_t> blocks_of(const BlockSet& set, std::uint32_t blocks) {
  std::vector<std::uint32_t> found;
  for_each_block(set, blocks, [&](std::uint32_t block) { found.push_back(block); });
  return found;
}

std::uint64_t sum_of_blocks(const BlockLayout& layout, const BlockSet& set) {
  std::uint64_t sum = 0;
  for (const std::uint32_t block : blocks_of(set, layout.blocks())) {
    sum += layout.size_bytes(block % layout.blocks());
  }
  return sum;
}

}  // namespace

TEST_CASE("the even split makes the first blocks one element longer") {
  const BlockLayout layout = BlockLayout::even(11, 4, 8);
  CHECK(layout.blocks() == 4);
  CHECK(layout.elements() == 11);
  CHECK(layout.element_bytes() == 8);
  CHECK(layout.bytes() == 88);
  CHECK_FALSE(layout.uniform());
  const std::vector<std::uint64_t> sizes{24, 24, 24, 16};
  std::uint64_t offset = 0;
  for (std::uint32_t block = 0; block < 4; ++block) {
    CHECK(layout.size_bytes(block) == sizes[block]);
    CHECK(layout.offset_bytes(block) == offset);
    offset += sizes[block];
  }
  CHECK(layout.offset_bytes(4) == 88);
}

TEST_CASE("fewer elements than blocks leave blocks empty") {
  const BlockLayout layout = BlockLayout::even(2, 5, 4);
  CHECK(layout.size_bytes(1) == 4);
  CHECK(layout.size_bytes(2) == 0);
  CHECK(layout.offset_bytes(5) == 8);
  CHECK(BlockLayout::even(0, 5, 4).bytes() == 0);
  CHECK(BlockLayout::even(0, 5, 4).uniform());
  CHECK(BlockLayout::even(10, 5, 4).uniform());
}

TEST_CASE("with rounding up, all blocks except the last ones have the same size") {
  const auto sizes = [](std::uint64_t elements, std::uint32_t blocks, std::uint32_t element_bytes) {
    const BlockLayout layout = BlockLayout::rounded_up(elements, blocks, element_bytes);
    CHECK(layout.offset_bytes(blocks) == elements * element_bytes);
    std::vector<std::uint64_t> all;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      all.push_back(layout.size_bytes(block));
    }
    return all;
  };
  using Sizes = std::vector<std::uint64_t>;
  CHECK(sizes(11, 4, 8) == Sizes{24, 24, 24, 16});
  CHECK(sizes(9, 4, 1) == Sizes{3, 3, 3, 0});
  CHECK(sizes(10, 6, 4) == Sizes{8, 8, 8, 8, 8, 0});
  CHECK(sizes(1, 3, 4) == Sizes{4, 0, 0});
  CHECK(sizes(12, 4, 2) == Sizes{6, 6, 6, 6});
  CHECK(sizes(0, 2, 4) == Sizes{0, 0});
  CHECK(BlockLayout::rounded_up(12, 4, 2).uniform());
  CHECK_FALSE(BlockLayout::rounded_up(9, 4, 1).uniform());
}

TEST_CASE("blocks can have given sizes") {
  const BlockLayout layout = BlockLayout::irregular({3, 0, 5}, 2);
  CHECK(layout.blocks() == 3);
  CHECK(layout.elements() == 8);
  CHECK(layout.bytes() == 16);
  CHECK(layout.size_bytes(0) == 6);
  CHECK(layout.size_bytes(1) == 0);
  CHECK(layout.size_bytes(2) == 10);
  CHECK(layout.run_bytes(2, 2) == 16);
  CHECK_FALSE(layout.uniform());
  CHECK(BlockLayout::irregular({4, 4}, 1).uniform());
}

TEST_CASE("a run of blocks may wrap around") {
  const BlockLayout layout = BlockLayout::even(11, 4, 8);
  CHECK(layout.run_bytes(0, 4) == 88);
  CHECK(layout.run_bytes(3, 1) == 16);
  CHECK(layout.run_bytes(3, 2) == 40);
  CHECK(layout.run_bytes(2, 4) == 88);
  CHECK(blocks_of({3, 3}, 4) == std::vector<std::uint32_t>{3, 0, 1});
}

TEST_CASE("strided sets may have a short last run, wrap around, and be in a scratch slot") {
  CHECK(blocks_of({1, 3, 1, 2}, 8) == std::vector<std::uint32_t>{1, 3, 5});
  CHECK(blocks_of({0, 5, 2, 4}, 12) == std::vector<std::uint32_t>{0, 1, 4, 5, 8});
  CHECK(blocks_of({6, 4, 2, 4}, 8) == std::vector<std::uint32_t>{6, 7, 2, 3});
  CHECK(blocks_of({7, 4, 2, 4}, 8) == std::vector<std::uint32_t>{7, 0, 3, 4});
  // With 8 blocks, scratch slot 2 has the indices 16 to 23. Sets in this slot wrap around from 23
  // to 16.
  CHECK(blocks_of({23, 4, 2, 4}, 8) == std::vector<std::uint32_t>{23, 16, 19, 20});
  CHECK(blocks_of({22, 3}, 8) == std::vector<std::uint32_t>{22, 23, 16});
}

TEST_CASE("the size of any set is the sum of its blocks") {
  const std::vector<BlockLayout> layouts{BlockLayout::even(11, 4, 8), BlockLayout::even(29, 12, 4),
                                         BlockLayout::even(3, 8, 1),
                                         BlockLayout::irregular({3, 0, 5, 1, 1, 9, 0, 2}, 8)};
  for (const BlockLayout& layout : layouts) {
    const std::uint32_t blocks = layout.blocks();
    for (std::uint32_t first = 0; first < 3 * blocks; ++first) {
      for (std::uint32_t count = 1; count <= blocks; ++count) {
        CHECK(layout.set_bytes({first, count}) == sum_of_blocks(layout, {first, count}));
        for (std::uint32_t run = 1; run <= 3; ++run) {
          const BlockSet set{first, count, run, run + 1};
          CHECK(layout.set_bytes(set) == sum_of_blocks(layout, set));
        }
      }
    }
  }
}

TEST_CASE("sizes above 64 bits are a user error") {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  CHECK_NOTHROW(BlockLayout::even(most / 8, 3, 8));
  CHECK_THROWS_AS(BlockLayout::even(most / 8 + 1, 3, 8), UserError);
  CHECK_THROWS_AS(BlockLayout::irregular({most, 1}, 1), UserError);
  CHECK_THROWS_AS(BlockLayout::irregular({most / 2, most / 4}, 2), UserError);
  CHECK(BlockLayout::even(most, 7, 1).offset_bytes(7) == most);
}

TEST_CASE("a vector needs a block, and elements need a size") {
  CHECK_THROWS_AS(BlockLayout::even(1, 0, 8), InvariantError);
  CHECK_THROWS_AS(BlockLayout::even(1, 1, 0), InvariantError);
  CHECK_THROWS_AS(BlockLayout::irregular({}, 8), InvariantError);
  CHECK_THROWS_AS(BlockLayout::irregular({1}, 0), InvariantError);
}

}  // namespace tutti::test_block_layout
