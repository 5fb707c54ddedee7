#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

#include "base/error.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/recorded_run.hpp"
#include "tests/src/pictures/times_in.hpp"

namespace tutti::test_pictures_run {
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

constexpr double kMessage_s = 3e-6;
constexpr double kReduce_s = 2e-6;
constexpr double kWait_s = 1e-6;

void add_op(json& ops, int kind, unsigned src, unsigned dst, unsigned round, double ready_s,
            double start_s, double end_s) {
  ops["kind"].push_back(kind);
  ops["src"].push_back(src);
  ops["dst"].push_back(dst);
  ops["bytes"].push_back(1024);
  ops["round"].push_back(round);
  ops["ready_s"].push_back(ready_s);
  ops["start_s"].push_back(start_s);
  ops["end_s"].push_back(end_s);
  ops["held_by"].push_back(kind == 0 ? 0 : -1);
  ops["lost_s"].push_back(1e-7);
  for (const char* const key : {"first_block", "block_count", "block_run", "block_stride"}) {
    ops[key].push_back(0);
  }
  ops["after_start"].push_back(0);
}

// Changes a recording into one of `ranks` ranks that are merged into groups of `ranks_per_group`.
// Each rank of the original recording becomes a group.
void merge(json& recording, unsigned ranks, unsigned ranks_per_group) {
  recording["ranks"] = ranks;
  recording["host_of_rank"] = json::array_t(ranks, 0);
  recording["merged"] = {{"ranks_per_group", ranks_per_group}, {"operations", 6000}};
  recording["ops"]["count"] = json::array_t(24, 250);
  recording["chain"] = json::array();
}

json empty_recording(unsigned ranks) {
  json ops;
  for (const char* const key :
       {"kind", "src", "dst", "bytes", "round", "ready_s", "start_s", "end_s", "held_by", "lost_s",
        "first_block", "block_count", "block_run", "block_stride", "after"}) {
    ops[key] = json::array();
  }
  ops["slack_s"] = nullptr;
  ops["count"] = nullptr;
  ops["after_start"] = json::array({0});
  const json link = {{"name", "l3"}, {"group", ""}, {"place", "up-link 3"}, {"from", 0}, {"to", 0}};
  const json routes = {{"src", json::array()},
                       {"dst", json::array()},
                       {"start", json::array({0})},
                       {"links", json::array()}};
  return {{"title", "allreduce/ring"},
          {"total_s", 0},
          {"ranks", ranks},
          {"blocks", 1},
          {"merged", nullptr},
          {"explanation", nullptr},
          {"chain", json::array()},
          {"host_of_rank", json::array_t(ranks, 0)},
          {"network",
           {{"links", json::array({link})},
            {"nodes", json::array({"host 0"})},
            {"routes", routes},
            {"loads", {{"bins", 2}, {"of_link", json::array({json::array({1, 2})})}}}}},
          {"ops", ops}};
}

// Returns a recording in which, in each round, every rank sends to the next rank and then reduces
// the data that it has received. The critical chain consists of the operations of rank 0.
json ring_recording(unsigned ranks, unsigned rounds) {
  json recording = empty_recording(ranks);
  json& ops = recording["ops"];
  double now_s = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    const double start_s = now_s + kWait_s;
    const double there_s = start_s + kMessage_s;
    for (unsigned rank = 0; rank < ranks; ++rank) {
      add_op(ops, 0, rank, (rank + 1) % ranks, round, now_s, start_s, there_s);
    }
    recording["chain"].push_back(ops["kind"].size() - 1);
    for (unsigned rank = 0; rank < ranks; ++rank) {
      add_op(ops, 1, rank, rank, round, there_s, there_s, there_s + kReduce_s);
    }
    recording["chain"].push_back(ops["kind"].size() - ranks);
    now_s = there_s + kReduce_s;
  }
  recording["total_s"] = now_s;
  return recording;
}

}  // namespace

TEST_CASE("Each message and each reduction of a small run is drawn") {
  const Picture picture = space_time(ring_recording(8, 5));
  // The 5 messages and 5 reductions on the critical chain are drawn a second time, on top.
  CHECK(times_in(picture.body, "data-tip=\"message ") == 40 + 5);
  CHECK(times_in(picture.body, "data-tip=\"reduction ") == 40 + 5);
  CHECK(times_in(picture.body, "on the critical chain") == 10);
  CHECK(times_in(picture.body, "class=\"q2\"") == 40 + 1);  // 40 waits, and one in the legend
  CHECK(times_in(picture.body, "<g data-series=\"round ") == 5);
  CHECK(times_in(picture.csv, "\n") == 1 + 80);
  CHECK_THAT(picture.csv, Contains("op,kind,src,dst,bytes,round,start_s,end_s\n"
                                   "0,message,0,1,1024,0,1e-06,4e-06\n"));
  CHECK_THAT(picture.alt, Contains("8 ranks down") && Contains("40 messages, 40 reductions") &&
                              Contains("of 10 operations"));
  CHECK_THAT(picture.body, Contains("rank 7 to rank 0") && Contains("up-link 3"));
  CHECK_THAT(picture.body, !Contains("shown as density"));
  CHECK(picture.height < 700);
}

TEST_CASE("Too many messages are drawn as a density, and the chain is complete") {
  const Picture picture = space_time(ring_recording(64, 70));
  CHECK_THAT(
      picture.body,
      Contains("4,480 messages, 4,480 reductions: shown as density; the critical chain in full"));
  CHECK(times_in(picture.body, "<line class=\"ink thick\"") == 140 + 1);
  CHECK(times_in(picture.body, "class=\"s0\"") == 0);
  CHECK(times_in(picture.body, "<rect class=\"q") > 100);
  CHECK(times_in(picture.csv, "\n") == 1 + 8960);
  CHECK(picture.height <= 1000);
  CHECK(picture.body.size() < 500'000);
  // Rows become as thin as necessary.
  CHECK(space_time(ring_recording(3000, 2)).height <= 1000);
}

TEST_CASE("A run of merged ranks is labelled as such") {
  json recording = ring_recording(4, 3);
  merge(recording, 1000, 250);
  const Picture picture = space_time(recording);
  CHECK_THAT(picture.body, Contains("A row is 250 ranks") &&
                               Contains("groups have no critical chain") &&
                               Contains("ranks 750-999 to ranks 0-249"));
  CHECK(times_in(picture.body, "data-tip=\"250 messages: ") == 12);
  CHECK_THAT(picture.alt, Contains("3,000 messages, 3,000 reductions"));
  CHECK_THAT(picture.csv, Contains("src_group,dst_group") && Contains(",250\n"));
}

TEST_CASE("A rank left over from merging has its own row") {
  json recording = ring_recording(4, 3);
  merge(recording, 13, 4);
  const Picture picture = space_time(recording);
  CHECK_THAT(picture.body, Contains(">0-3</text>") && Contains(">8-11</text>") &&
                               Contains(">12</text>") && Contains("ranks 8-11 to rank 12"));
}

TEST_CASE("Empty runs, and runs that take no time, are drawn") {
  const Picture one = space_time(empty_recording(1));
  CHECK_THAT(one.body, Contains("No operations"));
  json still = ring_recording(8, 1);
  for (const char* const key : {"ready_s", "start_s", "end_s"}) {
    still["ops"][key] = json::array_t(16, 0.0);
  }
  still["total_s"] = 0;
  const Picture picture = space_time(still);
  CHECK_THAT(picture.body, Contains("8 messages, 8 reductions: they take no time"));
  CHECK_THAT(picture.body, !Contains("nan") && !Contains("inf"));
  CHECK(times_in(picture.csv, "\n") == 1 + 16);
}

TEST_CASE("Names in recordings are drawn as text") {
  const std::string hostile = "<script>alert(\"1\")</script>\n'&";
  json recording = ring_recording(8, 1);
  recording["title"] = hostile;
  recording["network"]["links"][0]["place"] = hostile;
  const Picture picture = space_time(recording);
  const std::string svg = svg_file(picture);
  CHECK_THAT(svg, !Contains("<script") && Contains("&lt;script&gt;alert(&quot;1&quot;)"));
  CHECK(picture.id.find('<') == std::string::npos);
}

TEST_CASE("Invalid recordings are refused") {
  const auto refused = [](const json& recording, const char* why) {
    CHECK_THROWS_WITH(space_time(recording), Contains(why));
    CHECK_THROWS_AS(space_time(recording), UserError);
  };
  json recording = ring_recording(4, 1);
  recording["ops"]["dst"][2] = 4;
  refused(recording, "/ops/dst/2 is 4; expected a number below 4");
  recording = ring_recording(4, 1);
  recording["ops"]["dst"][2] = 4.5;
  refused(recording, "/ops/dst/2 is 4.5");
  recording = ring_recording(4, 1);
  recording["ops"]["src"][0] = 0xffffffffffffffffU;
  refused(recording, "/ops/src/0 is 18446744073709551615");
  recording = ring_recording(4, 1);
  recording["ranks"] = 0x100000004U;
  refused(recording, "/ranks is 4294967300");
  recording = ring_recording(4, 1);
  recording["ops"]["round"][1] = 0xffffffffU;
  refused(recording, "/ops/round/1");
  recording = ring_recording(4, 3);
  merge(recording, 1000, 250);
  recording["ops"]["src"][5] = 4;  // a valid rank, but not a valid group
  refused(recording, "/ops/src/5 is 4; expected a number below 4");
  recording = ring_recording(4, 1);
  recording["ops"]["end_s"][2] = 0;
  refused(recording, "/ops/end_s/2 is 0; expected a time not before /ops/start_s");
  recording = ring_recording(4, 1);
  recording["ops"]["ready_s"][2] = 1;
  refused(recording, "/ops/start_s/2");
  recording = ring_recording(4, 1);
  recording["ops"]["bytes"].push_back(1);
  refused(recording, "/ops/bytes has 9 entries; expected 8");
  recording = ring_recording(4, 1);
  recording["chain"][0] = 99;
  refused(recording, "/chain/0 is 99");
  recording = ring_recording(4, 1);
  recording["network"]["links"][0]["from"] = 1;
  refused(recording, "/network/links/0/from is 1");
  recording = ring_recording(4, 1);
  recording["network"]["loads"]["of_link"][0].push_back(1);
  refused(recording, "/network/loads/of_link/0 has 3 entries; expected 2");
}

TEST_CASE("An account in one line adds up") {
  const auto step = [](const char* kind, const char* what, double seconds) {
    return json{{"kind", kind}, {"what", what}, {"seconds", seconds}};
  };
  json lost = step("difference", "slowed by sharing", 400e-6);
  lost["link"] = "l1";
  json more = step("difference", "slowed by sharing", 82.7e-6);
  more["link"] = "l2";
  json explanation = {
      {"total_s", 705.5e-6},
      {"waterfall",
       {{"steps", json::array({step("term", "start-up", 228.4e-6),
                               step("subtotal", "published formula", 228.4e-6), lost,
                               step("difference", "nearer routes", -5.6e-6), more,
                               step("subtotal", "simulated", 705.5e-6)})}}},
      {"account", json::array({{{"in_words", "reduction"}, {"seconds", 5e-6}},
                               {{"in_words", "transfer"}, {"seconds", 700.5e-6}}})}};
  const json links = json::array({{{"name", "l1"}, {"group", "leaf down-links"}},
                                  {{"name", "l2"}, {"group", "leaf down-links"}}});
  CHECK(account_line(explanation, links) ==
        "705.5 us = 228.4 published formula + 482.7 slowed by sharing leaf down-links "
        "\u2212 5.6 nearer routes");
  json nearly = explanation;
  nearly["waterfall"]["steps"].push_back(step("difference", "uneven blocks", -1e-9));
  CHECK(account_line(nearly, links) == account_line(explanation, links));
  // If the network has no influence, there is no waterfall, and the line shows the account of the
  // critical chain instead of the formula.
  explanation["waterfall"] = nullptr;
  CHECK(account_line(explanation, links) == "705.5 us = 700.5 transfer + 5.0 reduction");
  CHECK(account_line(nullptr, links).empty());
}

}  // namespace tutti::test_pictures_run
