#include "src/interchange/chakra.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "base/field_names.hpp"

using namespace tutti;

namespace {

RankNodes two_ranks() {
  RankNodes nodes;
  nodes.ranks = 2;
  nodes.nodes = {{NodeKind::send, 0, 1, 1U << 20U, 3},
                 {NodeKind::receive, 1, 0, 1U << 20U, 3},
                 {.kind = NodeKind::calculation, .rank = 1, .amount = 2499}};
  nodes.rows = {0, 0, 0, 1};
  nodes.dependencies = {1};
  return nodes;
}

std::vector<std::string> texts_of(const RankNodes& nodes) {
  std::vector<std::string> texts;
  for (Rank rank = 0; rank < nodes.ranks; ++rank) {
    std::ostringstream out;
    write_chakra(nodes, rank, out);
    texts.push_back(std::move(out).str());
  }
  return texts;
}

ChakraFiles parsed(const std::vector<std::string>& texts) {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const std::vector<std::string> names(texts.size(), "t.et");
  return parse_chakra(views, names);
}

std::string message_of(const std::vector<std::string>& texts) {
  try {
    static_cast<void>(parsed(texts));
  } catch (const UserError& error) {
    return with_fields(error.what());
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a trace of Chakra has the bytes of its format") {
  const std::vector<std::string> texts = texts_of(two_ranks());
  CHECK(is_chakra(texts[0]));
  CHECK_FALSE(is_chakra("num_ranks 2"));
  CHECK_FALSE(is_chakra(""));
  // Metadata: attribute (field 2) with name (1) and string (29); then a send of 2^20 bytes:
  // type (3) is 5, and comm_size (int64, field 9) is 80 80 40.
  CHECK(
      texts[0].starts_with("\x1f\x12\x1d\x0a\x06schema\xea\x01\x12"
                           "1.0.2-chakra.0.0.4"));
  CHECK(texts[0].find("\x18\x05") != std::string::npos);
  CHECK(texts[0].find("comm_size\x48\x80\x80\x40") != std::string::npos);
  CHECK(texts[0].find("comm_dst\x38\x01") != std::string::npos);
  CHECK(texts[0].find("comm_tag\x38\x03") != std::string::npos);
  CHECK(texts[1].find("\x18\x06") != std::string::npos);
  CHECK(texts[1].find("\x18\x04") != std::string::npos);
  CHECK(texts[1].find("\x38\x02") != std::string::npos);  // 2499 ns are 2 us
}

TEST_CASE("the time of a calculation comes back exactly") {
  RankNodes nodes = two_ranks();
  for (const std::uint64_t ns : {0U, 1U, 999U, 2499U, 3000U}) {
    nodes.nodes[2].amount = ns;
    CHECK(parsed(texts_of(nodes)).nodes.nodes[2].amount == ns);
  }
}

TEST_CASE("without the exact time, a calculation of 0 us takes 1 ns, as in ASTRA-sim") {
  RankNodes nodes = two_ranks();
  for (const auto& [written, read] : {std::pair{0U, 1U}, {2499U, 2000U}}) {
    nodes.nodes[2].amount = written;
    std::vector<std::string> texts = texts_of(nodes);
    const auto at = texts[1].find("duration_nanos");
    REQUIRE(at != std::string::npos);
    texts[1].replace(at, 14, "duration_other");
    CHECK(parsed(texts).nodes.nodes[2].amount == read);
  }
  // Another tool has changed the time in microseconds: 2499 ns are not 3 us.
  nodes.nodes[2].amount = 2499;
  std::vector<std::string> texts = texts_of(nodes);
  const auto at = texts[1].find("\x38\x02");
  REQUIRE(at != std::string::npos);
  texts[1][at + 1] = 3;
  CHECK(parsed(texts).nodes.nodes[2].amount == 3000);
}

TEST_CASE("a trace that is damaged or cut off is refused") {
  const std::vector<std::string> texts = texts_of(two_ranks());
  for (std::size_t size = 0; size < texts[1].size(); ++size) {
    CAPTURE(size);
    const std::string message = message_of({texts[0], texts[1].substr(0, size)});
    // A file may end between two messages. Then its last node is missing, which matters only for
    // the match with other ranks.
    const bool whole = message == "accepted";
    CHECK((whole || message.find("t.et") != std::string::npos));
  }
  CHECK_THAT(message_of({texts[0], texts[1].substr(0, texts[1].size() - 1)}),
             Catch::Contains("damaged, or cut off, after"));
  CHECK_THAT(message_of({texts[0], ""}), Catch::Contains("it is empty"));
  std::string renamed = texts[0];
  const auto at = renamed.find("comm_size");
  renamed.replace(at, 9, "comm_sort");
  CHECK_THAT(message_of({renamed, texts[1]}), Catch::Contains("node 0: comm_size is missing"));
  std::string other_type = texts[0];
  other_type[other_type.find("\x18\x05") + 1] = 7;
  CHECK_THAT(message_of({other_type, texts[1]}),
             Catch::Contains("node 0 is a collective of 1 MiB, and a trace does not say"));
}

TEST_CASE("the files of a trace are named by their ranks") {
  for (const std::string path : {"trace.et", "trace.0", "trace.x.et", ".et"}) {
    CAPTURE(path);
    CHECK_THROWS_WITH(parse_chakra(path), Catch::Contains(".RANK.et"));
  }
  CHECK_THROWS_WITH(parse_chakra(std::string("no_such_trace.5.et")),
                    Catch::Contains("there is no no_such_trace.0.et"));
}
