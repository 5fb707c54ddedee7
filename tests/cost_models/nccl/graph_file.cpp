#include "cost_models/nccl/graph_file.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_graph_file {

namespace {

std::string whole_file() {
  std::ifstream file(source_dir() + "/tests/cost_models/nccl/graphs/h100_3_nodes.xml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  REQUIRE(text.size() > 1000);
  return text;
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = whole_file();
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("A graph file contains the results of NCCL's search") {
  const NcclGraphFile file = read_nccl_graphs(whole_file(), "graph.xml");
  CHECK(file.gpus_per_node == 8);
  CHECK(file.graphs.ring.pattern == 4);
  CHECK(file.graphs.ring.channels == 8);
  CHECK(file.graphs.ring.intra_gb_per_s == 24);
  CHECK(file.graphs.ring.inter_gb_per_s == 24);
  CHECK(file.graphs.ring.intra == NcclPath::nvl);
  CHECK(file.graphs.ring.inter == NcclPath::pix);
  CHECK_FALSE(file.graphs.ring.same_channels);
  CHECK(file.graphs.tree.pattern == kNcclPlainTree);
  CHECK(file.graphs.nvls.channels == 8);
  CHECK(file.graphs.collnet_chain.channels == 0);
}

TEST_CASE("Older graph files without a latency are read") {
  CHECK(read_nccl_graphs(with(" latencyinter=\"0\"", ""), "f").graphs.ring.inter_latency_us == 0);
  CHECK(read_nccl_graphs(with(" latencyinter=\"0\"", " latencyinter=\"2.5\""), "f")
            .graphs.ring.inter_latency_us == 2.5F);
}

TEST_CASE("Errors in a graph file are reported with the file's name") {
  const std::string text = whole_file();
  for (const auto& [wrong, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "not XML"},
           {"ring", "not XML"},
           {text.substr(0, text.size() / 2), "truncated"},
           {"<system version=\"1\"/>", "NCCL_GRAPH_DUMP_FILE"},
           {"<graphs/>", "has no version"},
           {with("<graphs version=\"1\"", "<graphs version=\"2\""), "version '2'"},
           {with("<graph id=\"0\"", "<graph id=\"7\""), "id '7'"},
           {with("<graph id=\"0\"", "<graph id=\"1\""), "appears twice"},
           {with("nchannels=\"8\"", "nchannels=\"9\""),
            "has nchannels 9, but 8 <channel> elements"},
           {with("nchannels=\"8\"", "nchannels=\"-1\""), "nchannels '-1'"},
           {with("nchannels=\"8\"", "nchannels=\"99999999999\""), "nchannels '99999999999'"},
           {with("speedintra=\"24\"", "speedintra=\"-24\""), "speedintra '-24'"},
           {with("speedintra=\"24\"", "speedintra=\"nan\""), "speedintra 'nan'"},
           {with("speedinter=\"24\"", "speedinter=\"inf\""), "speedinter 'inf'"},
           {with("speedinter=\"24\"", "speedinter=\"fast\""), "speedinter 'fast'"},
           {with(" speedintra=\"24\"", ""), "has no speedintra"},
           {with("typeintra=\"NVL\"", "typeintra=\"NVX\""), "typeintra 'NVX'"},
           {with("samechannels=\"0\"", "samechannels=\"2\""), "samechannels '2'"},
           {with("<gpu dev=\"0\" rank=\"0\"/>", ""), "all channels must have the same number"},
           {"<graphs version=\"1\"/>", "the ring graph"},
       }) {
    CAPTURE(words);
    CHECK_THROWS_AS(read_nccl_graphs(wrong, "graph.xml"), UserError);
    CHECK_THROWS_WITH(read_nccl_graphs(wrong, "graph.xml"),
                      Catch::StartsWith("graph.xml: ") && Catch::Contains(words));
  }
}

TEST_CASE("A long value in a graph file is shortened in the error") {
  const std::string word(60, 'W');
  std::string words;
  for (int i = 0; i < 40; ++i) {
    words += word + ' ';
  }
  try {
    static_cast<void>(read_nccl_graphs(with("<graph id=\"0\"", "<graph id=\"" + words + '"'), "f"));
    FAIL("not refused");
  } catch (const UserError& error) {
    CHECK(std::string_view(error.what()).size() < 300);
  }
}

}  // namespace tutti::test_graph_file
