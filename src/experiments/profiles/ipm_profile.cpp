// Reads IPM's XML logs: https://github.com/nerscadmin/IPM, src/report_xml.c. For each call on a
// rank, IPM records the rank's send count times the type size or, for scatter, the rank's receive
// count times the type size (etc/ipm_key_mpi).
#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "base/printable.hpp"
#include "src/experiments/profiles/profile_text.hpp"

namespace tutti { inline namespace experiments {

namespace {

class IpmLog {
 public:
  IpmLog(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  Profile read() {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed =
        document.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_auto);
    if (!parsed) {
      refuse_profile(
          at(parsed.offset),
          fmt::format("the XML is not complete ({}); is the log truncated?", parsed.description()));
    }
    const pugi::xml_node root = document.document_element();
    for (const pugi::xml_node task : root.children("task")) {
      read_task(task);
    }
    if (ranks_ == 0) {
      refuse_profile({path_, 1}, "this IPM log has no <task>; is it truncated?");
    }
    for (const auto& [key, calls] : most_) {
      const auto& [collective, bytes] = key;
      const double parts = says_bytes_of_a_part(collective) ? ranks_ : 1;
      counts_.add({path_, 1}, collective, ranks_, bytes * parts, calls);
    }
    counts_.assume("IPM does not record communicators: every call is taken to be on all ranks");
    return counts_.profile(path_, "an IPM log");
  }

 private:
  [[nodiscard]] ProfilePlace at(std::ptrdiff_t offset) const {
    const std::string_view before = text_.substr(
        0, std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)), text_.size()));
    return {path_, 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'))};
  }
  [[nodiscard]] ProfilePlace at(const pugi::xml_node& node) const {
    return at(node.offset_debug());
  }

  // Number of calls for each collective and size in bytes.
  using Calls = std::map<std::pair<Collective, double>, double>;

  void read_task(const pugi::xml_node& task) {
    const std::uint32_t ranks =
        profile_ranks(at(task), "mpi_size", task.attribute("mpi_size").value());
    if (ranks_ != 0 && ranks != ranks_) {
      refuse_profile(at(task),
                     fmt::format("mpi_size '{}': other tasks have {}; give the log of a single job",
                                 ranks, ranks_));
    }
    ranks_ = ranks;
    Calls own;
    if (const pugi::xml_node hash = task.child("hash")) {
      for (const pugi::xml_node entry : hash.children("hent")) {
        const std::string_view call = entry.attribute("call").value();
        if (const auto collective = kind(call)) {
          const double calls = number(entry, "count");
          own[{*collective, number(entry, "bytes")}] += calls;
        }
      }
    } else {
      for (const pugi::xml_node region : task.child("regions").children("region")) {
        read_region(region, own);
      }
    }
    for (const auto& [key, calls] : own) {
      double& most = most_[key];
      most = std::max(most, calls);
    }
  }

  // Reads a region. For each function, a region contains only the number of calls and their total
  // bytes, so only the mean size is known.
  void read_region(const pugi::xml_node& region, Calls& own) {
    for (const pugi::xml_node entry : region.children("func")) {
      const auto collective = kind(entry.attribute("name").value());
      const double calls = collective ? number(entry, "count") : 0;
      if (calls > 0) {
        own[{*collective, number(entry, "bytes") / calls}] += calls;
        counts_.assume(
            "the log has no <hash> element (IPM_LOG=full writes one), so the mean size of the "
            "calls in each region is used");
      }
    }
  }

  std::optional<Collective> kind(std::string_view call) {
    if (is_nonblocking_collective(call)) {
      counts_.assume("nonblocking collectives are left out");
    }
    return collective_of_call(call);
  }

  [[nodiscard]] double number(const pugi::xml_node& entry, const char* name) const {
    return profile_number(at(entry), name, entry.attribute(name).value());
  }

  std::string_view text_;
  std::string_view path_;
  std::uint32_t ranks_ = 0;
  // For each collective and size, the largest number of calls that any rank made.
  Calls most_;
  ProfileCounts counts_;
};

}  // namespace

bool is_ipm_log(std::string_view text) {
  constexpr std::size_t kHead = 1000;
  const std::string_view head = text.substr(0, kHead);
  return head.find_first_not_of(" \t\r\n\xef\xbb\xbf") != std::string_view::npos &&
         head[head.find_first_not_of(" \t\r\n\xef\xbb\xbf")] == '<' &&
         head.find("<ipm") != std::string_view::npos;
}

Profile profile_from_ipm(std::string_view text, const std::string& path) {
  return IpmLog(text, path).read();
}

}}  // namespace tutti::experiments
