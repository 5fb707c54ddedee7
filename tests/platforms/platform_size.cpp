#include "platforms/platform_size.hpp"

#include <catch2/catch.hpp>
#include <pugixml.hpp>

namespace tutti::test_platform_size {
using Catch::Matchers::Contains;

namespace {

std::string complaint(const std::string& elements) {
  pugi::xml_document document;
  REQUIRE(document.load_string(("<platform><zone>" + elements + "</zone></platform>").c_str()));
  const auto found = too_large(document);
  return found ? found->what : "";
}

std::string cluster(const std::string& radical, const std::string& topology = "",
                    const std::string& parameters = "") {
  return "<cluster radical=\"" + radical + "\" topology=\"" + topology + "\" topo_parameters=\"" +
         parameters + "\"/>";
}

}  // namespace

TEST_CASE("clusters that fit into memory are accepted") {
  CHECK(complaint(cluster("0-65535")).empty());
  CHECK(complaint(cluster("0-511", "TORUS", "8,8,8")).empty());
  CHECK(complaint(cluster("0-1023", "FAT_TREE", "2;32,32;1,16;1,1")).empty());
  CHECK(complaint(cluster("0-1023", "DRAGONFLY", "9,4;4,4;8,4;4")).empty());
  CHECK(complaint(cluster("junk")).empty());  // invalid, but only SimGrid checks this, later
  CHECK(complaint("<host id=\"a\"/>").empty());
}

TEST_CASE("a platform that needs too much memory is refused before it is built") {
  CHECK_THAT(complaint(cluster("0-99999999")), Contains("has 100000000 hosts"));
  CHECK_THAT(complaint(cluster("1,2,0-99999999,7")), Contains("has 100000003 hosts"));
  CHECK_THAT(complaint("<cabinet radical=\"0-99999999\"/>"), Contains("with this <cabinet>"));
  CHECK_THAT(complaint(cluster("0-7", "TORUS", "3000,3000,3000")),
             Contains("has 27000000000 hosts"));
  CHECK_THAT(complaint(cluster("0-7", "FAT_TREE", "1;8;1;1000000000")), Contains("links"));
  CHECK_THAT(complaint(cluster("0-7", "FAT_TREE", "2;100000,100000;1,1;1,1")), Contains("hosts"));
  CHECK_THAT(complaint(cluster("0-7", "DRAGONFLY", "100000,1;1,1;1,1;1")), Contains("links"));
  CHECK_THAT(complaint(cluster("0-7", "DRAGONFLY", "2,1;1,1;1,1;1000000000")), Contains("hosts"));
  std::string many;
  for (int i = 0; i < 300; ++i) {
    many += cluster("0-65535");
  }
  CHECK_THAT(complaint(many), Contains("the limits are 4194304 hosts, routers and links"));
}

TEST_CASE("hosts that only SimGrid creates are counted, too") {
  CHECK_NOTHROW(check_size(65536, 458752, "gpus.xml"));
  CHECK_THROWS_WITH(check_size(1U << 20U, 7U << 20U, "gpus.xml"),
                    Contains("gpus.xml: SimGrid would have 1048576 hosts and routers and 7340032 "
                             "links") &&
                        Contains("use --engine flow"));
}

}  // namespace tutti::test_platform_size
