#include "src/interchange/chakra.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>
#include <ostream>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"
#include "src/interchange/chakra_messages.hpp"

namespace tutti { inline namespace interchange {

namespace {

namespace pb = google::protobuf;

constexpr std::string_view kSchema = "1.0.2-chakra.0.0.4";

// Says what a collective node is, and which commands time the collective.
std::string collective_in_words(const chakra::Node& node, std::uint32_t ranks) {
  const ChakraCollective* const found = chakra_collective(node);
  const auto bytes = chakra_number(node, "comm_size");
  const std::string group = chakra_text(node, "pg_name");
  const std::string which =
      found != nullptr ? std::string(tutti::name(found->collective)) : "a collective";
  const bool moves_data = found == nullptr || found->collective != Collective::barrier;
  std::string text = fmt::format(
      "node {} is {}{}{}{}, and a trace does not say how it sends; tutti simulates sends, receives "
      "and calculations",
      node.id(), found != nullptr ? "the collective " : "", which,
      bytes && moves_data ? fmt::format(" of {}", human_bytes(*bytes)) : "",
      group.empty() ? "" : fmt::format(" in the group '{}'", group));
  if (found != nullptr) {
    const std::string size = !moves_data                    ? ""
                             : bytes && found->whole_vector ? fmt::format(" -n {}", *bytes)
                                                            : " -n SIZE";
    text += fmt::format("; 'tutti compare {} -p {}{}' times its algorithms", which,
                        group.empty() ? std::to_string(ranks) : "RANKS", size);
  }
  return text + "; 'tutti step' simulates whole traces";
}

class ChakraReader {
 public:
  explicit ChakraReader(std::size_t ranks) { nodes_.ranks = static_cast<std::uint32_t>(ranks); }

  // The ranks must be added in order.
  void add_rank(Rank rank, const std::string& file, std::string_view view) {
    if (view.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      fail(file, "a trace of more than 2 GiB");
    }
    read_rank(rank, file, view);
  }
  ChakraFiles take() {
    sort_dependencies(nodes_);
    return {std::move(nodes_), std::move(names_)};
  }

 private:
  [[noreturn]] static void fail(const std::string& file, const std::string& what) {
    throw UserError(fmt::format("'{}': {}", printable(file), what));
  }

  void read_rank(Rank rank, const std::string& file, std::string_view view) {
    pb::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(view.data()),
                                static_cast<int>(view.size()));
    bool damaged = false;
    chakra::GlobalMetadata metadata;
    if (!read_chakra_message(in, metadata, damaged)) {
      fail(file, damaged ? "damaged: it does not begin with Chakra's metadata" : "it is empty");
    }
    ids_ = {};  // clear() takes time for every node of the ranks before
    std::vector<std::pair<NodeId, std::uint64_t>> waits;  // and the id in the file
    chakra::Node node;
    while (read_chakra_message(in, node, damaged)) {
      const NodeId id = add(rank, file, node);
      for (const auto& deps : {node.data_deps(), node.ctrl_deps()}) {
        for (const std::uint64_t before : deps) {
          waits.emplace_back(id, before);
        }
      }
      node.Clear();
    }
    if (damaged) {
      fail(file, fmt::format("damaged, or cut off, after {} nodes", ids_.size()));
    }
    std::size_t next = 0;
    for (NodeId id = static_cast<NodeId>(nodes_.rows.size()) - 1; id < nodes_.nodes.size(); ++id) {
      for (; next < waits.size() && waits[next].first == id; ++next) {
        const auto found = ids_.find(waits[next].second);
        if (found == ids_.end()) {
          fail(file, fmt::format("node {} depends on node {}, which the file does not have",
                                 names_[id], waits[next].second));
        }
        nodes_.dependencies.push_back(found->second);
      }
      nodes_.rows.push_back(static_cast<std::uint32_t>(nodes_.dependencies.size()));
    }
  }

  NodeId add(Rank rank, const std::string& file, const chakra::Node& node) {
    const auto id = static_cast<NodeId>(nodes_.nodes.size());
    if (!ids_.try_emplace(node.id(), id).second) {
      fail(file, fmt::format("a second node {}", node.id()));
    }
    names_.push_back(node.id());
    RankNode made{.rank = rank};
    constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
    const auto attribute = [&](std::string_view name, std::uint64_t most) {
      const std::optional<std::uint64_t> value = chakra_number(node, name);
      if (!value || *value > most) {
        fail(file,
             fmt::format("node {}: {} {}", node.id(), name, value ? "is too large" : "is missing"));
      }
      return *value;
    };
    switch (node.type()) {
      case chakra::COMP_NODE:
        if (node.duration_micros() > kMaxMessageBytes / 1000) {
          fail(file,
               fmt::format("node {}: a calculation of {} us", node.id(), node.duration_micros()));
        }
        made.amount = exact_chakra_ns(node).value_or(
            std::max<std::uint64_t>(node.duration_micros() * 1000, 1));
        break;
      case chakra::COMM_SEND_NODE:
      case chakra::COMM_RECV_NODE: {
        const bool sends = node.type() == chakra::COMM_SEND_NODE;
        made.kind = sends ? NodeKind::send : NodeKind::receive;
        made.amount = attribute("comm_size", kMaxMessageBytes);
        made.peer = static_cast<Rank>(attribute(sends ? "comm_dst" : "comm_src", kMost32));
        made.tag = static_cast<std::uint32_t>(attribute("comm_tag", kMost32));
        break;
      }
      case chakra::COMM_COLL_NODE:
        fail(file, collective_in_words(node, nodes_.ranks));
      default:
        fail(file,
             fmt::format("node {} of type {}: tutti reads only sends, receives and calculations "
                         "(types 5, 6 and 4)",
                         node.id(), static_cast<int>(node.type())));
    }
    nodes_.nodes.push_back(made);
    return id;
  }

  RankNodes nodes_;
  std::vector<std::uint64_t> names_;               // id in the file, by node
  std::unordered_map<std::uint64_t, NodeId> ids_;  // of the present rank
};

void write_message(const pb::MessageLite& message, pb::io::CodedOutputStream& out) {
  out.WriteVarint32(static_cast<std::uint32_t>(message.ByteSizeLong()));
  message.SerializeToCodedStream(&out);
}

chakra::Attribute& add_attribute(chakra::Node& node, const char* name) {
  chakra::Attribute& added = *node.add_attr();
  added.set_name(name);
  return added;
}

void write_nodes(const RankNodes& nodes, Rank rank, std::string& text) {
  pb::io::StringOutputStream stream(&text);
  pb::io::CodedOutputStream coded(&stream);
  chakra::GlobalMetadata metadata;
  chakra::Attribute& schema = *metadata.add_attr();
  schema.set_name("schema");
  schema.set_string_val(std::string(kSchema));
  write_message(metadata, coded);
  const auto first = static_cast<NodeId>(
      std::ranges::lower_bound(nodes.nodes, rank, {}, &RankNode::rank) - nodes.nodes.begin());
  for (NodeId id = first; id < nodes.nodes.size() && nodes.nodes[id].rank == rank; ++id) {
    const RankNode& from = nodes.nodes[id];
    chakra::Node node;
    node.set_id(id - first);
    for (std::uint32_t i = nodes.rows[id]; i < nodes.rows[id + 1]; ++i) {
      node.add_data_deps(nodes.dependencies[i] - first);
    }
    add_attribute(node, "is_cpu_op").set_bool_val(false);
    if (from.kind == NodeKind::calculation) {
      node.set_type(chakra::COMP_NODE);
      node.set_name(fmt::format("calculation {}", id - first));
      node.set_duration_micros(chakra_microseconds(from.amount));
      if (from.amount == 0 || from.amount % 1000 != 0) {
        add_attribute(node, kChakraNanoseconds)
            .set_int64_val(static_cast<std::int64_t>(from.amount));
      }
    } else {
      const bool sends = from.kind == NodeKind::send;
      node.set_type(sends ? chakra::COMM_SEND_NODE : chakra::COMM_RECV_NODE);
      node.set_name(fmt::format("{} {}", sends ? "send" : "receive", id - first));
      add_attribute(node, "comm_size").set_int64_val(static_cast<std::int64_t>(from.amount));
      add_attribute(node, "comm_src")
          .set_int32_val(static_cast<std::int32_t>(sends ? rank : from.peer));
      add_attribute(node, "comm_dst")
          .set_int32_val(static_cast<std::int32_t>(sends ? from.peer : rank));
      add_attribute(node, "comm_tag").set_int32_val(static_cast<std::int32_t>(from.tag));
    }
    write_message(node, coded);
  }
}

}  // namespace

bool is_chakra(std::string_view text) {
  constexpr std::size_t kMost = std::size_t{1} << 26U;
  pb::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(text.data()),
                              static_cast<int>(std::min(text.size(), kMost)));
  chakra::GlobalMetadata metadata;
  bool damaged = false;
  return read_chakra_message(in, metadata, damaged) &&
         (!metadata.version().empty() || std::ranges::any_of(metadata.attr(), [](const auto& each) {
           return each.name() == "schema";
         }));
}

ChakraFiles parse_chakra(const std::string& path) {
  const std::vector<std::string> files = chakra_files(path);
  ChakraReader reader(files.size());
  for (Rank rank = 0; rank < files.size(); ++rank) {
    reader.add_rank(rank, files[rank], FileText(files[rank], kScheduleFile).view());
  }
  return reader.take();
}

ChakraFiles parse_chakra(std::span<const std::string_view> texts,
                         std::span<const std::string> names) {
  ChakraReader reader(texts.size());
  for (Rank rank = 0; rank < texts.size(); ++rank) {
    reader.add_rank(rank, names[rank], texts[rank]);
  }
  return reader.take();
}

Application read_chakra(const std::string& path) {
  const ChakraFiles read = parse_chakra(path);
  for (NodeId id = 0; id < read.nodes.nodes.size(); ++id) {
    const RankNode& node = read.nodes.nodes[id];
    if (node.kind != NodeKind::calculation && node.peer >= read.nodes.ranks) {
      throw UserError(fmt::format(
          "'{}': there is no {}.{}{}, but rank {} {} rank {} (node {})", printable(path),
          printable(chakra_prefix(path)), node.peer, kChakraEnding, node.rank,
          node.kind == NodeKind::send ? "sends to" : "receives from", node.peer, read.ids[id]));
    }
  }
  return application_of(read.nodes, path, [&](NodeId id) {
    return fmt::format("rank {}, node {}", read.nodes.nodes[id].rank, read.ids[id]);
  });
}

void write_chakra(const RankNodes& nodes, Rank rank, std::ostream& out) {
  std::string text;
  write_nodes(nodes, rank, text);
  out << text;
}

}}  // namespace tutti::interchange
