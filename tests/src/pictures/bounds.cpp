// Tests the pictures of lower bounds: where nodes are placed, and what is marked.
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/error.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/network_layout.hpp"
#include "src/pictures/tables.hpp"
#include "tests/src/pictures/times_in.hpp"

namespace tutti::test_bounds_pictures {

using Catch::Matchers::Contains;
using nlohmann::json;

// `switches` leaf switches with `each` hosts, and one switch above them. Links are named "0>8".
json tree(unsigned switches, unsigned each) {
  json nodes = json::array();
  json links = json::array();
  json host_of_rank = json::array();
  const unsigned hosts = switches * each;
  const auto connect = [&](unsigned low, unsigned high) {
    for (const auto& [from, to] : {std::pair(low, high), std::pair(high, low)}) {
      links.push_back({{"name", fmt::format("{}>{}", from, to)},
                       {"from", from},
                       {"to", to},
                       {"bytes_per_s", 1e9}});
    }
  };
  for (unsigned host = 0; host < hosts; ++host) {
    nodes.push_back(
        {{"name", fmt::format("host {}", host)}, {"host", host}, {"level", 0}, {"group", -1}});
    host_of_rank.push_back(host);
    connect(host, hosts + host / each);
  }
  for (unsigned leaf = 0; leaf <= switches; ++leaf) {
    nodes.push_back({{"name", fmt::format("switch {}", leaf)},
                     {"host", -1},
                     {"level", leaf < switches ? 1 : 2},
                     {"group", -1}});
    if (leaf < switches) {
      connect(hosts + leaf, hosts + switches);
    }
  }
  return {{"ranks", hosts},
          {"kind", "fat_tree"},
          {"dimensions", json::array()},
          {"host_of_rank", host_of_rank},
          {"nodes", nodes},
          {"links", links}};
}

json bound(const json& certificate, double seconds = 2e-6) {
  json parts = json::array();
  for (const char* const kind : {"bytes", "rounds", "ports", "reductions"}) {
    const bool decides = std::string(kind) == "bytes";
    parts.push_back({{"kind", kind},
                     {"bound_s", decides ? seconds : 0},
                     {"certificate", decides ? certificate : json()}});
  }
  return {{"collective", "alltoall"},
          {"ranks", 8},
          {"bytes", 1024},
          {"platform", "tree.xml"},
          {"bound_s", seconds},
          {"decided_by", "bytes"},
          {"parts", parts}};
}

json certificate(const char* form, json more) {
  more["form"] = form;
  more["words"] = "why it is so";
  return more;
}

json limits(std::initializer_list<const char*> names) {
  json found = json::array();
  for (const char* const name : names) {
    found.push_back({{"link", name}, {"bytes_per_s", 1e9}});
  }
  return found;
}

TEST_CASE("Hosts are below their switches, and share boxes by switch and by mark") {
  const json network = tree(2, 4);
  const NetworkLayout each = layout_of(network, std::vector<bool>(11), 0, 960);
  REQUIRE(each.boxes.size() == 11);
  const auto box = [](const NetworkLayout& layout, std::uint32_t node) {
    return *std::ranges::find_if(layout.boxes, [&](const NetworkBox& one) {
      return std::ranges::find(one.nodes, node) != one.nodes.end();
    });
  };
  CHECK(box(each, 0).at.y > box(each, 8).at.y);
  CHECK(box(each, 8).at.y > box(each, 10).at.y);
  CHECK(box(each, 8).at.x < box(each, 9).at.x);
  for (std::uint32_t host = 1; host < 8; ++host) {
    CHECK(box(each, host).at.x > box(each, host - 1).at.x + box(each, host).width);
  }
  // Without room for all hosts, the hosts of a switch share a box; but a marked host does not share
  // its box with others.
  std::vector<bool> marked(11);
  const NetworkLayout few = layout_of(network, marked, 0, 100);
  CHECK(box(few, 0).nodes == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(box(few, 0).name == "hosts 0-3");
  marked[1] = true;
  CHECK(box(layout_of(network, marked, 0, 100), 1).nodes == std::vector<std::uint32_t>{1});
}

TEST_CASE("A torus is a grid, and links around it are short") {
  json network{{"dimensions", {4, 3}}, {"nodes", json::array()}, {"links", json::array()}};
  for (unsigned host = 0; host < 12; ++host) {
    network["nodes"].push_back(
        {{"name", fmt::format("host {}", host)}, {"host", host}, {"level", 0}, {"group", -1}});
  }
  for (const auto& [from, to] : {std::pair(0, 1), std::pair(0, 3), std::pair(0, 8)}) {
    network["links"].push_back({{"name", "x"}, {"from", from}, {"to", to}, {"bytes_per_s", 1e9}});
  }
  const NetworkLayout layout = layout_of(network, std::vector<bool>(12), 0, 400);
  CHECK(layout.boxes[0].at.y == layout.boxes[3].at.y);
  CHECK(layout.boxes[0].at.x == layout.boxes[8].at.x);
  CHECK(layout.boxes[4].at.y > layout.boxes[0].at.y);
  REQUIRE(layout.lines.size() == 3);
  CHECK_FALSE(layout.lines[0].stub);
  REQUIRE(layout.lines[1].stub);
  CHECK(layout.lines[1].stub->x < 0);
  REQUIRE(layout.lines[2].stub);
  CHECK(layout.lines[2].stub->y < 0);
}

TEST_CASE("The links and hosts of a certificate are marked") {
  const json network = tree(2, 4);
  const json cut = bound(certificate(
      "cut", {{"hosts", {0, 1, 2, 3}}, {"direction", "send"}, {"limits", limits({"8>10"})}}));
  const Picture picture = cut_chart(cut, network, 960);
  CHECK(times_in(picture.body, "&#10;hosts inside the cut\"") == 4);
  CHECK(times_in(picture.body, "data-tip=\"host 3&#10;hosts inside the cut\"") == 1);
  CHECK(times_in(picture.body, "<rect class=\"q7\"") ==
        5);  // the hosts, and an entry of the legend
  CHECK(times_in(picture.body, "<line class=\"bad\"") ==
        2);  // the link, and its entry in the legend
  CHECK_THAT(picture.body, Contains("bytes: why it is so") && Contains("hosts inside the cut"));
  CHECK(times_in(picture.csv, ",yes\n") == 1);
  CHECK_THAT(picture.csv, Contains("8>10,switch 0,switch 2,1000000000,yes"));
  CHECK_THAT(picture.title, Contains("alltoall on 8 ranks, 1 KiB: at least 2 us on tree.xml"));
}

TEST_CASE("Certificates without links mark hosts, and say so") {
  const json network = tree(2, 4);
  const auto body = [&](const json& proof) { return cut_chart(bound(proof), network, 960).body; };
  const std::string none = "(no link is part of this certificate)";
  CHECK(times_in(body(certificate("rounds", json::object())), "hosts with ranks\"") == 8);
  CHECK_THAT(body(certificate("work", json::object())), Contains(none));
  CHECK_THAT(body(certificate("rank", {{"rank", 5}})),
             Contains("data-tip=\"host 5&#10;host of rank 5\"") && Contains(none));
  CHECK(times_in(body(certificate("route", {{"hosts", {1, 6}}})), "&#10;ends of the route") == 2);
  const std::string ports = body(certificate(
      "cut", {{"hosts", {2}}, {"limits", {{{"send_ports_of_host", 2}, {"bytes_per_s", 1e9}}}}}));
  CHECK(times_in(ports, "its ports are a limit") == 1);
  CHECK_THAT(ports, !Contains(none));
  json nothing = bound(json());
  nothing["decided_by"] = nullptr;
  CHECK_THAT(cut_chart(nothing, network, 960).body, Contains("nothing limits the time"));
}

TEST_CASE("The longest links of a certificate with lengths stand out") {
  json lengths = limits({"8>10", "9>10"});
  lengths[0]["length"] = 4;
  lengths[1]["length"] = 1;
  const std::string body =
      cut_chart(bound(certificate("lengths", {{"limits", lengths}})), tree(2, 4), 960).body;
  CHECK(times_in(body, "<line class=\"bad\"") == 2);
  CHECK(times_in(body, "<line class=\"bad faint\"") == 2);
}

TEST_CASE("Damaged networks are refused") {
  json network = tree(2, 2);
  network["links"][0]["to"] = 99;
  CHECK_THROWS_AS(layout_of(network, std::vector<bool>(7), 0, 960), UserError);
  network = tree(2, 2);
  network["nodes"][0]["level"] = 4'000'000'000U;
  CHECK_THROWS_AS(layout_of(network, std::vector<bool>(7), 0, 960), UserError);
}

TEST_CASE(
    "Bounds over the size have a curve for each collective, and all figures are in the table") {
  json document{{"bounds", json::array()}};
  for (const char* const collective : {"bcast", "reduce"}) {
    for (const unsigned bytes : {1024U, 4096U}) {
      json one = bound(certificate("rounds", json::object()), 1e-9 * bytes);
      one["collective"] = collective;
      one["bytes"] = bytes;
      document["bounds"].push_back(one);
    }
  }
  const Picture picture = limits_chart(document, 8, 960);
  CHECK(times_in(picture.body, "<g data-series=\"bcast\">") == 1);
  CHECK(times_in(picture.body, "<g data-series=\"reduce\">") == 1);
  CHECK_THAT(picture.csv, Contains("reduce,8,4096,4.096e-06,bytes\n"));
  const DataTable table = bounds_table(document);
  REQUIRE(table.rows.size() == 4);
  CHECK(table.columns[5].name == "certificate");
  CHECK(table.rows[3][6].number == Approx(4.096));
  CHECK(table.rows[3][3].number == Approx(4.096));
  CHECK(table.rows[3][5].text == "why it is so");
  CHECK(table.rows[3][7].text.empty());  // no limit of this kind is known
}

TEST_CASE("The limit is a line below the curves, and a column of the table") {
  const auto document = [](std::initializer_list<unsigned> sizes, bool known) {
    json results = json::array();
    for (const unsigned bytes : sizes) {
      for (const unsigned times : {3U, 2U}) {
        results.push_back({{"collective", "bcast"},
                           {"algorithm", fmt::format("by_{}", times)},
                           {"platform", "tree.xml"},
                           {"engine", "flow"},
                           {"ranks", 8},
                           {"bytes", bytes},
                           {"simulated_s", 1e-9 * bytes * times},
                           {"bound_s", known ? json(1e-9 * bytes) : json()},
                           {"of_limit", known ? json(times) : json()}});
      }
    }
    return Document{DocumentKind::comparison, "x", std::move(results)};
  };
  const auto picture = [](const Document& shown) {
    return times_chart(times_of(shown).front(), 0, 960);
  };
  const Picture known = picture(document({1024, 4096, 16384}, true));
  CHECK(times_in(known.body, "<g data-series=\"limit\">") == 1);
  CHECK_THAT(known.body, Contains("class=\"ink\"") && Contains(">limit<") &&
                             Contains("limit: no algorithm can be faster"));
  CHECK_THAT(known.csv, Contains("bcast,by_2,8,1024,2.048e-06,,,1.024e-06,\n"));
  CHECK_THAT(picture(document({1024, 4096}, false)).body, !Contains("limit"));
  CHECK_THAT(picture(document({1024}, true)).body, Contains("<g data-series=\"limit\">"));
  CHECK_THAT(picture(document({1024}, false)).body, !Contains("limit"));
  Document several = document({1024}, true);
  several.json[0]["bound_s"] = 2e-6;  // of by_3: its options may change the problem
  CHECK(times_of(several).front().bound_s(0, 0) == Approx(1.024e-6));
  const DataTable table = times_rows(times_of(document({1024}, true)).front());
  CHECK(table.columns[4].name == "x limit");
  CHECK(table.rows[0][4].text == "3.00");
  CHECK(table.rows[1][4].number == Approx(2));
}

}  // namespace tutti::test_bounds_pictures
