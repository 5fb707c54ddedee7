// Tests the elements of pictures (escaped text, axes, labels that do not overlap), and that invalid
// documents are refused.
#include "src/pictures/shown.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "src/pictures/axis.hpp"
#include "src/pictures/document.hpp"
#include "src/pictures/picture.hpp"
#include "src/pictures/svg.hpp"

namespace tutti::test_pictures {

TEST_CASE("text in a picture is escaped") {
  CHECK(xml_escaped("<script>alert(1)</script>") == "&lt;script&gt;alert(1)&lt;/script&gt;");
  CHECK(xml_escaped("a\"b'c&d") == "a&quot;b&#39;c&amp;d");
  CHECK(xml_escaped("two\nlines") == "two&#10;lines");
  CHECK(xml_escaped(std::string_view("\x00\x1b[31m", 6)) == "\xef\xbf\xbd\xef\xbf\xbd[31m");
  // These texts are invalid UTF-8: a single byte that cannot occur, an overlong encoding, a
  // surrogate, and a truncated sequence.
  for (const char* const bad : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xe2\x82"}) {
    const std::string escaped = xml_escaped(bad);
    CHECK(escaped.find("\xef\xbf\xbd") == 0);
    CHECK(escaped.size() % 3 == 0);
  }
  CHECK(xml_escaped("\xe2\x82\xac") == "\xe2\x82\xac");
  Svg svg;
  svg.open_group("\"><b>");
  svg.rectangle({0, 0}, 1, 1, "ink", "<i>");
  svg.text({0, 0}, "</text>", Anchor::start, "ink");
  svg.close_group();
  CHECK(svg.body().find("<b>") == std::string::npos);
  CHECK(svg.body().find("<i>") == std::string::npos);
  CHECK(svg.body().find("</text></text>") == std::string::npos);
}

TEST_CASE("long names are cut in the middle, between characters") {
  const std::string name(200, 'x');
  const std::string cut = fitted(name, 100);
  CHECK(text_width(cut) <= 100);
  CHECK(cut.find("\u2026") != std::string::npos);
  CHECK(fitted("short", 100) == "short");
  std::string accents;
  for (int i = 0; i < 100; ++i) {
    accents += "\u00e9";
  }
  CHECK(xml_escaped(fitted(accents, 90)).find("\xef\xbf\xbd") == std::string::npos);
}

TEST_CASE("axis marks are round numbers within the axis") {
  for (const double most : {1e-9, 3.7e-6, 0.12, 9.0}) {
    const Scale linear = Scale::linear(0, most, 0, 500);
    const auto ticks = time_ticks(linear, 6);
    CHECK(ticks.size() >= 3);
    CHECK(ticks.size() <= 12);
    for (const Tick& tick : ticks) {
      CHECK(linear(tick.value) <= 500.001);
    }
  }
  const Scale sizes = Scale::logarithmic(8, 16 << 20, 0, 700);
  CHECK(byte_ticks(sizes, 9).front().label == "8 B");
  CHECK(sizes(8) == 0);
  CHECK(sizes(16 << 20) == Approx(700));
  // A scale that contains no power of ten still has labelled marks.
  for (const double least : {8.1e-6, 3e-6, 2.2e-4}) {
    const Scale narrow = Scale::logarithmic(least, least * 1.3, 400, 0);
    std::size_t words = 0;
    for (const Tick& tick : time_ticks(narrow, 7)) {
      words += tick.label.empty() ? 0 : 1;
    }
    CHECK(words >= 2);
  }
  CHECK(byte_ticks(Scale::logarithmic(1100, 1200, 0, 700), 9).size() == 2);
  CHECK(short_time(1e-6) == "1 us");
  CHECK(short_time(0.00999999) == "10 ms");
  CHECK(short_bytes(65536) == "64 KiB");
}

TEST_CASE("labels do not overlap, keep their order, and stay within their frame") {
  const std::vector<double> places = places_apart({50, 52, 51, 200}, 15, 0, 300);
  CHECK(places[0] + 15 <= places[2] + 1e-9);
  CHECK(places[2] + 15 <= places[1] + 1e-9);
  CHECK(places[3] == 200);
  CHECK((places[0] + places[1] + places[2]) / 3 == Approx(51));  // centred on the wanted places
  for (const double place : places_apart(std::vector<double>(10, 299), 15, 0, 300)) {
    CHECK(place <= 300);
  }
}

TEST_CASE("invalid documents are refused in one line") {
  const auto refused = [](const char* text) {
    try {
      static_cast<void>(parse_document(text, "x"));
    } catch (const UserError& error) {
      return with_fields(error.what());
    }
    return std::string("accepted");
  };
  CHECK(refused("{\"schema\":\"tutti-decide/2\"").find("JSON") != std::string::npos);
  CHECK(refused("[1,2]").find("without a schema") != std::string::npos);
  CHECK(refused("{}").find("without a schema") != std::string::npos);
  CHECK(refused("{\"schema\":\"other/1\"}").find("'other/1'") != std::string::npos);
  CHECK(refused("{\"schema\":\"tutti-decide/2\"}").find("lacks") != std::string::npos);
}

TEST_CASE("a validation whose ranking names an unknown run is refused") {
  const auto shown = [](std::size_t picked, std::size_t fastest) {
    return shown_of(parse_document(
        fmt::format(
            R"({{"schema": "tutti-validation/1", "runs": [{{"collective": "allreduce",
                "algorithm": "ring", "ranks": 8, "bytes": 64, "root": null,
                "oversubscribed": false, "measured_s": 1e-4, "simulated_s": 9e-5, "error": -0.1,
                "operations": []}}], "too_busy": [], "cells": [{{"runs": [0], "picked": {},
                "fastest": {}, "loss": 0.1, "right": false}}], "summaries": []}})",
            picked, fastest),
        "x"));
  };
  CHECK(shown(0, 0).tables.back().rows.size() == 1);
  CHECK_THROWS_AS(shown(1, 0), UserError);
  CHECK_THROWS_AS(shown(0, 1), UserError);
}

}  // namespace tutti::test_pictures
