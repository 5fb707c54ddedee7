#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/round_diagram_parts.hpp"
#include "tests/src/pictures/times_in.hpp"

namespace tutti::test_pictures_schedule {
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

json schedule_of(unsigned ranks, unsigned blocks) {
  return {{"collective", "allreduce"},
          {"algorithm", "ring"},
          {"ranks", ranks},
          {"bytes", 8 * blocks},
          {"block_bytes", json::array_t(blocks, 8)},
          {"ops", json::array()}};
}

void add_op(json& schedule, const char* kind, unsigned level, unsigned src, unsigned dst,
            const json& blocks, unsigned segment = 0, const json& after = json::array()) {
  schedule["ops"].push_back({{"id", schedule["ops"].size()},
                             {"kind", kind},
                             {"level", level},
                             {"segment", segment},
                             {"src", src},
                             {"dst", dst},
                             {"bytes", 8 * blocks.size()},
                             {"from", {{"blocks", blocks}}},
                             {"after", after}});
}

json ring_schedule(unsigned ranks, unsigned rounds, bool reduces = true) {
  json schedule = schedule_of(ranks, ranks);
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned rank = 0; rank < ranks; ++rank) {
      add_op(schedule, "comm", round, rank, (rank + 1) % ranks,
             json::array({(rank + ranks * rounds - round) % ranks}));
    }
    for (unsigned rank = 0; reduces && rank < ranks; ++rank) {
      add_op(schedule, "reduce", round, rank, rank, json::array({rank}));
    }
  }
  return schedule;
}

struct MessageCounts {
  std::uint64_t drawn = 0;     // messages in rounds that are drawn
  std::uint64_t likewise = 0;  // messages in rounds that only refer to a similar round
  std::uint64_t counted = 0;   // messages that are only counted
};

MessageCounts account_for(const DrawnSchedule& schedule, const std::vector<DiagramRow>& rows) {
  MessageCounts found;
  std::size_t next = 0;
  for (const DiagramRow& row : rows) {
    REQUIRE(row.first == next);
    next = row.last + 1;
    std::uint64_t messages = 0;
    for (std::size_t round = row.first; round <= row.last; ++round) {
      messages += schedule.rounds[round].messages.size();
    }
    const bool likewise = row.words.rfind("likewise", 0) == 0;
    (row.drawn ? found.drawn : likewise ? found.likewise : found.counted) += messages;
  }
  REQUIRE(next == schedule.rounds.size());
  return found;
}

std::string after(const std::string& text, const std::string& first, const std::string& second) {
  const std::size_t at = text.find(second, text.find(first));
  REQUIRE(at != std::string::npos);
  return text.substr(at + second.size(), 4000);
}

// Returns the smallest and largest y of the shape with this tooltip.
std::pair<double, double> heights_of(const std::string& body, const std::string& tip) {
  const std::size_t end = body.find(tip);
  REQUIRE(end != std::string::npos);
  const std::size_t from = body.rfind("points=\"", end) + 8;
  std::istringstream points(body.substr(from, body.find('"', from) - from));
  std::pair<double, double> heights{1e9, -1e9};
  double x = 0;
  double y = 0;
  for (char comma = 0; points >> x >> comma >> y;) {
    heights = {std::min(heights.first, y), std::max(heights.second, y)};
  }
  return heights;
}

}  // namespace

TEST_CASE("Each message of a small schedule is an arrow") {
  const Picture picture = round_diagram(ring_schedule(8, 14));
  CHECK(times_in(picture.body, ": rank ") == 112 + 112);  // messages and reductions
  CHECK(times_in(picture.body, " reduces 8 bytes") == 112);
  CHECK(times_in(picture.body, ">b3</text>") == 14 + 1);  // on 14 arrows, and in the legend
  CHECK(times_in(picture.csv, "\n") == 1 + 224);
  CHECK(picture.width / picture.height == Approx(16.0 / 9));
  CHECK_THAT(picture.body, !Contains("likewise") && !Contains("no room"));
}

TEST_CASE("An exchange is two arrows, one above and one below") {
  json schedule = schedule_of(4, 1);
  add_op(schedule, "comm", 0, 0, 2, json::array({0}));
  add_op(schedule, "comm", 0, 2, 0, json::array({0}));
  const Picture picture = round_diagram(schedule);
  CHECK_THAT(picture.body, Contains("round 0: rank 0 to rank 2") &&
                               Contains("round 0: rank 2 to rank 0") &&
                               Contains("1 pair exchanges at distance 2"));
  // Ranks are on a line. Arrows to the right are above it, arrows to the left below it.
  const double line = std::stod(after(picture.body, "<circle class=\"q1\"", "cy=\""));
  const auto [top, above] = heights_of(picture.body, "rank 0 to rank 2");
  const auto [below, bottom] = heights_of(picture.body, "rank 2 to rank 0");
  CHECK(top < line - 30);
  CHECK(above < line);
  CHECK(below > line);
  CHECK(bottom > line + 30);
}

TEST_CASE("Equal rounds are folded, and no message is lost") {
  json schedule = ring_schedule(64, 126);
  const DrawnSchedule drawn = drawn_schedule(schedule);
  const auto rows = diagram_rows(drawn, 16);
  REQUIRE(rows.size() == 4);
  CHECK(rows[3].name == "rounds 3-125");
  CHECK(rows[3].words == "likewise: each rank sends to its right neighbour; each rank reduces");
  const MessageCounts found = account_for(drawn, rows);
  CHECK(found.drawn == 3 * 64);
  CHECK(found.likewise == 123 * 64);
  const Picture picture = round_diagram(schedule);
  CHECK(times_in(picture.body, "<polyline") == 3 * 64);  // one arc per message
  CHECK_THAT(picture.body, Contains("rounds 3-125") && Contains("8,064 messages of 8 bytes each"));
  CHECK(picture.height == 720);
}

TEST_CASE("Many different rounds are counted") {
  json schedule = schedule_of(20, 20);
  for (unsigned round = 1; round < 20; ++round) {
    for (unsigned rank = 0; rank < 20; ++rank) {
      add_op(schedule, "comm", round, rank, (rank + round) % 20, json::array({rank}));
    }
  }
  const DrawnSchedule drawn = drawn_schedule(schedule);
  const auto rows = diagram_rows(drawn, 16);
  REQUIRE(rows.size() == 16);
  CHECK(rows.back().name == "rounds 16-19");
  CHECK_THAT(rows.back().words, Contains("80 more messages, not drawn"));
  CHECK(rows[1].words == "each rank sends to the rank 2 further");
  const MessageCounts found = account_for(drawn, rows);
  CHECK(found.drawn == 15 * 20);
  CHECK(found.counted == 80);
  CHECK_THAT(round_diagram(schedule).body, Contains("80 more messages, not drawn"));
}

TEST_CASE("Levels without messages belong to the round before") {
  json schedule = schedule_of(2, 1);
  add_op(schedule, "copy", 0, 1, 1, json::array({0}));
  add_op(schedule, "comm", 1, 0, 1, json::array({0}));
  add_op(schedule, "reduce", 2, 1, 1, json::array({0}));
  add_op(schedule, "comm", 3, 1, 0, json::array({0}));
  const DrawnSchedule drawn = drawn_schedule(schedule);
  REQUIRE(drawn.rounds.size() == 2);
  CHECK(drawn.rounds[0].number == 1);
  CHECK(drawn.rounds[0].work.size() == 2);
  CHECK(drawn.rounds[1].number == 3);
  CHECK(drawn.rounds[1].work.empty());
  CHECK_THAT(round_diagram(schedule).body, Contains("rank 1 reduces") && Contains("rank 1 copies"));
}

TEST_CASE("A pipeline is drawn step by step") {
  json schedule = schedule_of(4, 6);
  for (unsigned segment = 0; segment < 6; ++segment) {
    for (unsigned rank = 0; rank < 3; ++rank) {
      const json after =
          rank == 0 ? json::array() : json::array({{{"op", 3 * segment + rank - 1}}});
      add_op(schedule, "comm", rank, rank, rank + 1, json::array({segment}), segment, after);
    }
  }
  const DrawnSchedule drawn = drawn_schedule(schedule);
  CHECK(drawn.steps);
  REQUIRE(drawn.rounds.size() == 8);
  CHECK(drawn.rounds[0].messages.size() == 1);
  CHECK(drawn.rounds[2].messages.size() == 3);
  CHECK(drawn.rounds[7].messages.size() == 1);
  CHECK(drawn.rounds[2].messages[0].blocks == std::vector<std::uint64_t>{2});
  CHECK_THAT(round_diagram(schedule).body, Contains("18 messages of 8 bytes each in 8 steps"));
}

TEST_CASE("Schedules of one rank, of many ranks, and with messages to oneself are drawn") {
  CHECK_THAT(round_diagram(schedule_of(1, 1)).body, Contains("no messages"));
  json many = schedule_of(1000, 1);
  add_op(many, "comm", 0, 0, 999, json::array({0}));
  CHECK_THAT(round_diagram(many).body, Contains("8 ranks at each end of an arc"));
  json own = schedule_of(2, 1);
  add_op(own, "comm", 0, 1, 1, json::array({0}));
  CHECK_THAT(round_diagram(own).body, Contains("not drawn: 1 message from ranks to themselves"));
  // All messages from one rank to another in a round are one arrow.
  json twice = schedule_of(2, 3);
  add_op(twice, "comm", 0, 0, 1, json::array({0}));
  add_op(twice, "comm", 0, 0, 1, json::array({2}));
  CHECK_THAT(round_diagram(twice).body, Contains("16 bytes in 2 messages") && Contains(">b0,2<"));
}

TEST_CASE("Messages without data have no labels") {
  json barrier = schedule_of(2, 1);
  barrier["bytes"] = 0;
  barrier["block_bytes"] = json::array({0});
  add_op(barrier, "comm", 0, 0, 1, json::array({0}));
  CHECK_THAT(round_diagram(barrier).body, Contains("rank 0 to rank 1") && !Contains("b0"));
}

TEST_CASE("Blocks are described in words") {
  CHECK(blocks_in_words({3}, 8) == "b3");
  CHECK(blocks_in_words({2, 0, 1}, 8) == "b0-2");
  CHECK(blocks_in_words({7, 0, 1, 4}, 8) == "b0-1,4,7");
  CHECK(blocks_in_words({1, 0}, 2) == "all");
  CHECK(blocks_in_words({0}, 1) == "b0");
  CHECK(blocks_in_words({}, 0).empty());
  CHECK(blocks_in_words({0, 1}, 2, true) == "s0-1");
}

TEST_CASE("Places in scratch are not drawn as blocks") {
  json schedule = schedule_of(3, 3);
  add_op(schedule, "comm", 0, 0, 1, json::array({1, 2}));
  add_op(schedule, "comm", 1, 1, 2, json::array({0, 1}));
  schedule["ops"][1]["from"]["buffer"] = "scratch";
  schedule["ops"][1]["from"]["slot"] = 1;
  const Picture picture = round_diagram(schedule);
  CHECK_THAT(picture.body, Contains(">b1-2<") && Contains(">s3-4<") &&
                               Contains("places in scratch: s3-4") &&
                               Contains("s0, s1, ...: places in scratch"));
  CHECK_THAT(picture.csv, Contains("s3 s4"));
}

TEST_CASE("Names in schedules are drawn as text") {
  json schedule = ring_schedule(8, 1);
  schedule["algorithm"] = "<script>alert(\"1\")</script>\n'&";
  const Picture picture = round_diagram(schedule);
  const std::string svg = svg_file(picture);
  CHECK_THAT(svg, !Contains("<script") && Contains("&lt;script&gt;alert(&quot;1&quot;)"));
  CHECK(picture.id.find('<') == std::string::npos);
}

TEST_CASE("Invalid schedules are refused") {
  json schedule = ring_schedule(4, 1);
  schedule["ops"][0]["src"] = 4;
  CHECK_THROWS_WITH(round_diagram(schedule), Contains("operation 0 names rank 4"));
  schedule = ring_schedule(4, 1);
  schedule["ops"][1]["after"] = json::array({{{"op", 1}}});
  CHECK_THROWS_WITH(round_diagram(schedule), Contains("operation 1 depends on operation 1"));
  schedule.erase("ranks");
  CHECK_THROWS_AS(round_diagram(schedule), UserError);
}

}  // namespace tutti::test_pictures_schedule
