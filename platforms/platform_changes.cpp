#include "platforms/platform_changes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/field_names.hpp"

namespace tutti { inline namespace platforms {

namespace {

constexpr std::size_t kMostShown = 12;  // number of link classes that an error message lists

// Splits `text` into lower-case words at blanks, hyphens and underscores.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char letter : text) {
    if (letter == ' ' || letter == '-' || letter == '_') {
      words.emplace_back();
    } else {
      words.back() +=
          letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
  }
  std::erase(words, "");
  return words;
}

// True if `text` matches `pattern`, in which `*` matches any text, including none.
bool fits(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_at = 0;
  std::size_t i = 0;
  while (at < text.size()) {
    if (i < pattern.size() && pattern[i] == '*') {
      star = i++;
      star_at = at;
    } else if (i < pattern.size() && pattern[i] == text[at]) {
      ++i;
      ++at;
    } else if (star != std::string_view::npos) {
      i = star + 1;
      at = ++star_at;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', i) == std::string_view::npos;
}

[[noreturn]] void refuse_link(const LinkChange& change, const ChangeablePlatform& platform) {
  std::vector<std::string> groups;
  for (std::uint32_t link = 0; link < platform.links && groups.size() < kMostShown; ++link) {
    const std::string group = platform.link_place(link).group;
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) {
      groups.push_back(group);
    }
  }
  throw UserError(
      fmt::format("{}: {} has no links '{}'; write a class of its links ({}) or the name of a link",
                  change.from, user_text(platform.path), change.which, fmt::join(groups, ", ")));
}

std::uint32_t host_of(const HostChange& change, const ChangeablePlatform& platform) {
  std::uint32_t number = 0;
  const char* const end = change.which.data() + change.which.size();
  const auto [rest, error] = std::from_chars(change.which.data(), end, number);
  if (error == std::errc() && rest == end && number < platform.hosts) {
    return number;
  }
  for (std::uint32_t host = 0; host < platform.hosts; ++host) {
    if (platform.host_name(host) == change.which) {
      return host;
    }
  }
  throw UserError(
      fmt::format("{}: {} has no host '{}'; write a number from 0 to {} or a name such as {}",
                  change.from, user_text(platform.path), change.which, platform.hosts - 1,
                  user_text(platform.host_name(0))));
}

}  // namespace

bool means_link(std::string_view which, std::string_view name, const LinkPlace& place) {
  if (which.empty() || fits(which, name) || fits(which, place.name)) {
    return true;
  }
  const std::vector<std::string> group = words_of(place.group);
  const std::vector<std::string> wanted = words_of(which);
  return !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
    return std::find(group.begin(), group.end(), word) != group.end();
  });
}

ChangeFactors factors_of(const PlatformChanges& changes, const ChangeablePlatform& platform) {
  ChangeFactors factors;
  factors.of_link.resize(platform.links);
  for (const LinkChange& change : changes.links) {
    bool any = change.which.empty();
    const auto means = [&](std::uint32_t link) {
      return change.which.empty() ||
             means_link(change.which, platform.link_name(link), platform.link_place(link));
    };
    const auto apply = [&](std::uint32_t first, std::uint32_t end) {
      for (std::uint32_t link = first; link < end; ++link) {
        if (means(link)) {
          factors.of_link[link].bandwidth *= change.bandwidth;
          factors.of_link[link].latency *= change.latency;
          any = true;
        }
      }
    };
    const LinkRange& unused = platform.unused;
    apply(0, std::min(unused.first, platform.links));
    apply(unused.end, platform.links);
    for (std::uint32_t link = unused.first; !any && link < unused.end; ++link) {
      any = means(link);
    }
    if (!any) {
      refuse_link(change, platform);
    }
  }
  for (const HostChange& change : changes.hosts) {
    const std::uint32_t host = host_of(change, platform);
    factors.of_host.resize(platform.hosts, 1);
    factors.of_host[host] *= change.speed;
    for (const std::uint32_t link : platform.links_of_host(host)) {
      factors.of_link[link].bandwidth *= change.speed;
    }
  }
  return factors;
}

}}  // namespace tutti::platforms
