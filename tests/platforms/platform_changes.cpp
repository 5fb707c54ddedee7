#include "platforms/platform_changes.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/field_names.hpp"

namespace tutti::test_platform_changes {

TEST_CASE("A change selects links by words of their class, by name, and by pattern") {
  const LinkPlace up{"up-link 3 of leaf switch 2 (hosts 16-23)", "leaf up-links"};
  const auto means = [&](std::string_view which) {
    return means_link(which, "link_from_2_130_9_UP", up);
  };
  for (const char* which :
       {"", "up-links", "leaf up-links", "Leaf Up links", "links leaf", "*", "link_from_2_130_9_UP",
        "link_*_UP", "*130*", "up-link 3 of leaf switch 2*", "up-link * (hosts 16-23)"}) {
    INFO(which);
    CHECK(means(which));
  }
  for (const char* which : {"down-links", "up", "leaf up-links x", "link_*_DOWN", "link", "*131*",
                            "up-link 3", " ", "-"}) {
    INFO(which);
    CHECK((means(which) == (std::string_view(which) == "up")));
  }
}

TEST_CASE("Factors on one link multiply, and unknown links and hosts are refused") {
  const std::vector<std::string> names{"a", "b", "c"};
  const ChangeablePlatform platform{
      .path = "p.xml",
      .links = 3,
      .hosts = 2,
      .link_name = [&](std::uint32_t link) { return names[link]; },
      .link_place =
          [](std::uint32_t link) {
            return LinkPlace{"at", link == 2 ? "inner links" : "host links"};
          },
      .host_name = [](std::uint32_t host) { return host == 0 ? "one" : "two"; },
      .links_of_host = [](std::uint32_t host) { return std::vector{host}; }};
  PlatformChanges changes;
  changes.links = {{"host links", 2, 1, ""}, {"b", 3, 0.5, ""}, {"", 1, 5, ""}};
  changes.hosts = {{"1", 0.5, ""}, {"two", 0.5, ""}};
  const ChangeFactors factors = factors_of(changes, platform);
  CHECK(factors.of_link[0].bandwidth == 2);
  CHECK(factors.of_link[1].bandwidth == 1.5);
  CHECK(factors.of_link[2].bandwidth == 1);
  CHECK(factors.of_link[0].latency == 5);
  CHECK(factors.of_link[1].latency == 2.5);
  CHECK(factors.of_host == std::vector<double>{1, 0.25});
  const auto message = [&](const PlatformChanges& bad) {
    try {
      (void)factors_of(bad, platform);
    } catch (const UserError& error) {
      return with_fields(error.what());
    }
    return std::string();
  };
  changes = {};
  changes.links = {{"spine links", 2, 1, "--what-if 'bw(spine links)*2'"}};
  CHECK(message(changes) ==
        "--what-if 'bw(spine links)*2': p.xml has no links 'spine links'; write a class of its "
        "links (host links, inner links) or the name of a link");
  changes = {};
  changes.hosts = {{"2", 0.5, "--slow-host '2*0.5'"}};
  CHECK(message(changes) ==
        "--slow-host '2*0.5': p.xml has no host '2'; write a number from 0 to 1 or a name such "
        "as one");
}

}  // namespace tutti::test_platform_changes
