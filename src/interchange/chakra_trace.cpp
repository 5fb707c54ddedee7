#include "src/interchange/chakra_trace.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "src/interchange/chakra_messages.hpp"

namespace tutti { inline namespace interchange {

namespace {

constexpr InputKind kGroupFile{"process groups of a trace", std::uint64_t{64} << 20U, false};
constexpr const char* kGroupFileName = "comm_group.json";

class TraceReader {
 public:
  explicit TraceReader(const std::string& path) : files_(chakra_files(path)) { read_.file = path; }

  ChakraTrace read() {
    const std::filesystem::path beside =
        std::filesystem::path(read_.file).parent_path() / kGroupFileName;
    if (std::filesystem::exists(beside)) {
      const std::string text = read_file(beside.string(), kGroupFile);
      const auto json = nlohmann::json::parse(text, nullptr, false);
      if (!json.is_object()) {
        fail(beside.string(), R"(expected an object of groups, such as {"1": [0, 1]})");
      }
      for (const auto& [name, members] : json.items()) {
        groups_beside_[name] = members_of(members, name, beside.string());
      }
    }
    for (const std::string& file : files_) {
      read_rank(file);
    }
    note(cpu_nodes_, "node", "nodes", "on the CPU");
    note(untimed_, "calculation", "calculations", "without a duration");
    note(memory_nodes_, "access", "accesses", "to memory");
    note(without_partner_, "send or receive", "sends or receives", "without a partner",
         " (PyTorch's converter writes none)");
    return std::move(read_);
  }

 private:
  [[noreturn]] static void fail(const std::string& file, const std::string& what) {
    throw UserError(fmt::format("'{}': {}", printable(file), what));
  }

  void note(std::uint64_t count, std::string_view one, std::string_view several,
            std::string_view which, std::string_view remark = "") {
    if (count > 0) {
      const bool single = count == 1;
      read_.notes.push_back(fmt::format("left out: {} {} {}, which {} no time{}",
                                        human_count(count), single ? one : several, which,
                                        single ? "takes" : "take", remark));
    }
  }

  [[nodiscard]] std::vector<Rank> all_ranks() const {
    std::vector<Rank> all(files_.size());
    std::iota(all.begin(), all.end(), Rank{0});
    return all;
  }

  // Returns the ranks of a group in increasing order. An empty list means all ranks.
  [[nodiscard]] std::vector<Rank> members_of(const nlohmann::json& list, const std::string& name,
                                             const std::string& file) const {
    if (!list.is_array()) {
      fail(file, fmt::format("group '{}': expected a list of ranks, such as [0, 1], not {}",
                             printable(name), printable(list.dump())));
    }
    std::vector<Rank> members;
    for (const nlohmann::json& each : list) {
      if (!each.is_number_unsigned() || each.get<std::uint64_t>() >= files_.size()) {
        fail(file, fmt::format("group '{}': {} is not one of the {}", printable(name),
                               printable(each.dump()), counted(files_.size(), "rank")));
      }
      members.push_back(each.get<Rank>());
    }
    std::ranges::sort(members);
    if (std::ranges::adjacent_find(members) != members.end()) {
      fail(file, fmt::format("group '{}' has a rank twice", printable(name)));
    }
    return members.empty() ? all_ranks() : members;
  }

  void read_rank(const std::string& file) {
    const FileText text(file, kScheduleFile);
    const std::string_view view = text.view();
    if (view.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      fail(file, "a trace of more than 2 GiB");
    }
    google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(view.data()),
                                              static_cast<int>(view.size()));
    bool damaged = false;
    chakra::GlobalMetadata metadata;
    if (!read_chakra_message(in, metadata, damaged)) {
      fail(file, damaged ? "damaged: it does not begin with Chakra's metadata" : "it is empty");
    }
    TraceRank& rank = read_.ranks.emplace_back();
    rank.file = file;
    groups_inside_.clear();
    group_of_name_.clear();
    std::unordered_map<std::uint64_t, std::uint32_t> place;  // of each id
    std::vector<std::vector<std::uint64_t>> waits;           // ids, by node
    std::vector<std::string> group_names;                    // of each node
    chakra::Node node;
    while (read_chakra_message(in, node, damaged)) {
      if (!place.try_emplace(node.id(), static_cast<std::uint32_t>(rank.nodes.size())).second) {
        fail(file, fmt::format("a second node {}", node.id()));
      }
      waits.emplace_back(node.data_deps().begin(), node.data_deps().end());
      waits.back().insert(waits.back().end(), node.ctrl_deps().begin(), node.ctrl_deps().end());
      rank.nodes.push_back(node_of(node, file));
      group_names.push_back(group_name(node));
      node.Clear();
    }
    if (damaged) {
      fail(file, fmt::format("damaged, or cut off, after {} nodes", rank.nodes.size()));
    }
    for (std::uint32_t i = 0; i < rank.nodes.size(); ++i) {
      for (const std::uint64_t before : waits[i]) {
        const auto found = place.find(before);
        if (found == place.end()) {
          fail(file, fmt::format("node {} depends on node {}, which the file does not have",
                                 rank.nodes[i].id, before));
        }
        rank.dependencies.push_back(found->second);
      }
      rank.rows.push_back(static_cast<std::uint32_t>(rank.dependencies.size()));
      if (rank.nodes[i].kind == TraceNode::Kind::collective) {
        rank.nodes[i].group = group_of(group_names[i], rank.nodes[i].id, file);
      }
    }
  }

  // Returns pg_name, which may be a number.
  static std::string group_name(const chakra::Node& node) {
    const std::string number = chakra_number_text(node, "pg_name");
    return number.empty() ? chakra_text(node, "pg_name") : number;
  }

  TraceNode node_of(const chakra::Node& node, const std::string& file) {
    TraceNode made;
    made.id = node.id();
    switch (node.type()) {
      case chakra::METADATA_NODE:
        if (node.name() == "process_group:init") {
          take_groups(node.inputs().values(), node.id(), file);
        }
        break;
      case chakra::MEM_LOAD_NODE:
      case chakra::MEM_STORE_NODE:
        ++memory_nodes_;
        break;
      case chakra::COMP_NODE:
      case chakra::COMM_SEND_NODE:
      case chakra::COMM_RECV_NODE:
      case chakra::COMM_COLL_NODE:
        if (chakra_truth(node, "is_cpu_op")) {
          ++cpu_nodes_;
        } else {
          take_time(node, file, made);
        }
        break;
      default:
        fail(file, fmt::format("node {} has the unknown type {}", node.id(),
                               static_cast<int>(node.type())));
    }
    return made;
  }

  void take_time(const chakra::Node& node, const std::string& file, TraceNode& made) {
    if (node.type() == chakra::COMP_NODE) {
      compute(node, file, made);
    } else if (node.type() == chakra::COMM_COLL_NODE) {
      collective(node, file, made);
    } else {
      message(node, file, made);
    }
  }

  void compute(const chakra::Node& node, const std::string& file, TraceNode& made) {
    if (node.duration_micros() > kMaxMessageBytes / 1000) {
      fail(file, fmt::format("node {}: a calculation of {} us; the maximum is {} us", node.id(),
                             node.duration_micros(), kMaxMessageBytes / 1000));
    }
    made.amount = exact_chakra_ns(node).value_or(node.duration_micros() * 1000);
    if (made.amount == 0) {
      ++untimed_;
    } else {
      made.kind = TraceNode::Kind::compute;
    }
  }

  static std::uint64_t bytes_of(const chakra::Node& node, const std::string& file) {
    const auto bytes = chakra_number(node, "comm_size");
    if (!bytes || *bytes > kMaxMessageBytes) {
      fail(file, bytes ? fmt::format("node {}: comm_size {}; expected 0 to {} bytes", node.id(),
                                     chakra_number_text(node, "comm_size"), kMaxMessageBytes)
                       : fmt::format("node {}: comm_size is missing", node.id()));
    }
    return *bytes;
  }

  void message(const chakra::Node& node, const std::string& file, TraceNode& made) {
    const bool sends = node.type() == chakra::COMM_SEND_NODE;
    const std::string_view field = sends ? "comm_dst" : "comm_src";
    const auto peer = chakra_number(node, field);
    if (!peer) {
      ++without_partner_;
      return;
    }
    if (*peer >= files_.size() || *peer == read_.ranks.size() - 1) {
      fail(file, fmt::format("node {}: {} {}; the ranks are 0 to {}, and this is rank {}",
                             node.id(), field, chakra_number_text(node, field), files_.size() - 1,
                             read_.ranks.size() - 1));
    }
    made.kind = sends ? TraceNode::Kind::send : TraceNode::Kind::receive;
    made.amount = bytes_of(node, file);
    made.peer = static_cast<Rank>(*peer);
    made.tag = static_cast<std::int64_t>(chakra_number(node, "comm_tag").value_or(0));
  }

  static void collective(const chakra::Node& node, const std::string& file, TraceNode& made) {
    const ChakraCollective* const found = chakra_collective(node);
    if (found == nullptr) {
      const std::string number = chakra_number_text(node, "comm_type");
      const std::string word = number.empty() ? chakra_text(node, "comm_type") : number;
      fail(file, word.empty() ? fmt::format("node {}: comm_type is missing", node.id())
                              : fmt::format("node {}: the unknown collective '{}'", node.id(),
                                            printable(word)));
    }
    made.kind = TraceNode::Kind::collective;
    // Blocks have equal sizes in both.
    made.collective = found->collective == Collective::reduce_scatter_block
                          ? Collective::reduce_scatter
                          : found->collective;
    made.amount = found->collective == Collective::barrier ? 0 : bytes_of(node, file);
  }

  // Reads the groups in a node process_group:init: a list of objects, which may be inside a list of
  // texts.
  void take_groups(const std::string& text, std::uint64_t id, const std::string& file) {
    auto json = nlohmann::json::parse(text, nullptr, false);
    while (json.is_string() || (json.is_array() && json.size() == 1 && json[0].is_string())) {
      const std::string inside =
          json.is_string() ? json.get<std::string>() : json[0].get<std::string>();
      json = nlohmann::json::parse(inside, nullptr, false);
    }
    if (!json.is_array()) {
      fail(file, fmt::format("node {}: the process groups are not a list in JSON", id));
    }
    for (const nlohmann::json& each : json) {
      if (!each.is_object() || !each.contains("pg_name") || !each.contains("ranks")) {
        fail(file, fmt::format("node {}: a process group without pg_name and ranks", id));
      }
      const nlohmann::json& named = each["pg_name"];
      const std::string name = named.is_string() ? named.get<std::string>() : named.dump();
      groups_inside_[name] = members_of(each["ranks"], name, file);
    }
  }

  // Returns the index of the group, which the present rank must be in.
  std::uint32_t group_of(const std::string& name, std::uint64_t id, const std::string& file) {
    const auto [found, is_new] = group_of_name_.try_emplace(name);
    if (is_new) {
      found->second = find_group(name, id, file);
    }
    return found->second;
  }

  std::uint32_t find_group(const std::string& name, std::uint64_t id, const std::string& file) {
    std::vector<Rank> members;
    if (name.empty()) {
      members = all_ranks();
    } else if (const auto found = groups_inside_.find(name); found != groups_inside_.end()) {
      members = found->second;
    } else if (const auto other = groups_beside_.find(name); other != groups_beside_.end()) {
      members = other->second;
    } else {
      fail(file, fmt::format("node {}: the process group '{}' is neither in the trace nor in {}, "
                             "beside it",
                             id, printable(name), kGroupFileName));
    }
    const auto rank = static_cast<Rank>(read_.ranks.size() - 1);
    if (!std::ranges::binary_search(members, rank)) {
      fail(file, fmt::format("node {}: rank {} is not in its process group '{}'", id, rank,
                             printable(name)));
    }
    const std::string shown = name.empty() ? "all" : printable(name);
    const auto [number, is_new] =
        numbers_.try_emplace({shown, members}, static_cast<std::uint32_t>(read_.groups.size()));
    if (is_new) {
      read_.groups.push_back({shown, std::move(members)});
    }
    return number->second;
  }

  std::vector<std::string> files_;
  ChakraTrace read_;
  std::map<std::string, std::vector<Rank>> groups_inside_;  // of the present rank
  std::map<std::string, std::vector<Rank>> groups_beside_;
  std::unordered_map<std::string, std::uint32_t> group_of_name_;  // of the present rank
  std::map<std::pair<std::string, std::vector<Rank>>, std::uint32_t> numbers_;  // of all groups
  std::uint64_t cpu_nodes_ = 0;
  std::uint64_t untimed_ = 0;
  std::uint64_t memory_nodes_ = 0;
  std::uint64_t without_partner_ = 0;
};

}  // namespace

ChakraTrace read_chakra_trace(const std::string& path) { return TraceReader(path).read(); }

}}  // namespace tutti::interchange
