#include "src/interchange/chakra_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"
#include "schedules/op.hpp"

namespace tutti { inline namespace interchange {

namespace {

constexpr std::uint32_t kMostTraceRanks = 1U << 16U;

const chakra::Attribute* attribute_of(const chakra::Node& node, std::string_view name) {
  const auto found = std::ranges::find_if(
      node.attr(), [&](const chakra::Attribute& each) { return each.name() == name; });
  return found == node.attr().end() ? nullptr : &*found;
}

}  // namespace

const ChakraCollective* chakra_collective(const chakra::Node& node) {
  const std::string named = chakra_text(node, "comm_type");
  const auto number = chakra_number(node, "comm_type");
  const auto* const found = std::ranges::find(kChakraCollectives, named, &ChakraCollective::name);
  return found != kChakraCollectives.end()               ? found
         : number && *number < kChakraCollectives.size() ? &kChakraCollectives[*number]
                                                         : nullptr;
}

bool read_chakra_message(google::protobuf::io::CodedInputStream& in,
                         google::protobuf::MessageLite& message, bool& damaged) {
  std::uint32_t size = 0;
  const int start = in.CurrentPosition();
  if (!in.ReadVarint32(&size)) {
    damaged = in.CurrentPosition() != start;
    return false;
  }
  const auto limit = in.PushLimit(
      static_cast<int>(std::min<std::uint32_t>(size, std::numeric_limits<int>::max())));
  damaged = !message.ParseFromCodedStream(&in) || in.BytesUntilLimit() != 0;
  in.PopLimit(limit);
  return !damaged;
}

std::optional<std::uint64_t> chakra_number(const chakra::Node& node, std::string_view name) {
  const chakra::Attribute* const attribute = attribute_of(node, name);
  if (attribute == nullptr) {
    return std::nullopt;
  }
  switch (attribute->value_case()) {
    case chakra::Attribute::kInt32Val:
      return static_cast<std::uint64_t>(attribute->int32_val());
    case chakra::Attribute::kInt64Val:
      return static_cast<std::uint64_t>(attribute->int64_val());
    case chakra::Attribute::kUint32Val:
      return attribute->uint32_val();
    case chakra::Attribute::kUint64Val:
      return attribute->uint64_val();
    default:
      return std::nullopt;
  }
}

std::string chakra_text(const chakra::Node& node, std::string_view name) {
  const chakra::Attribute* const attribute = attribute_of(node, name);
  return attribute != nullptr && attribute->value_case() == chakra::Attribute::kStringVal
             ? attribute->string_val()
             : "";
}

std::string chakra_number_text(const chakra::Node& node, std::string_view name) {
  const std::optional<std::uint64_t> number = chakra_number(node, name);
  return !number ? ""
         : attribute_of(node, name)->value_case() == chakra::Attribute::kUint64Val
             ? std::to_string(*number)
             : std::to_string(static_cast<std::int64_t>(*number));
}

bool chakra_truth(const chakra::Node& node, std::string_view name) {
  const chakra::Attribute* const attribute = attribute_of(node, name);
  return attribute != nullptr && attribute->value_case() == chakra::Attribute::kBoolVal &&
         attribute->bool_val();
}

std::optional<std::uint64_t> exact_chakra_ns(const chakra::Node& node) {
  const std::optional<std::uint64_t> ns = chakra_number(node, kChakraNanoseconds);
  return ns && *ns <= kMaxMessageBytes && chakra_microseconds(*ns) == node.duration_micros()
             ? ns
             : std::nullopt;
}

std::string chakra_prefix(std::string_view path) {
  if (path.ends_with(kChakraEnding)) {
    const std::string_view stem = path.substr(0, path.size() - kChakraEnding.size());
    const std::size_t dot = stem.find_last_not_of("0123456789");
    if (dot != stem.npos && stem[dot] == '.' && dot + 1 < stem.size()) {
      return std::string(stem.substr(0, dot));
    }
  }
  throw UserError(
      fmt::format("'{}': the name of a trace must end in .RANK.et, such as "
                  "allreduce.0.et, so that the traces of the other ranks are found",
                  printable(path)));
}

std::vector<std::string> chakra_files(const std::string& path) {
  const std::string prefix = chakra_prefix(path);
  std::vector<std::string> files;
  while (files.size() < kMostTraceRanks) {
    std::string file = fmt::format("{}.{}{}", prefix, files.size(), kChakraEnding);
    if (!std::filesystem::exists(file)) {
      break;
    }
    files.push_back(std::move(file));
  }
  if (files.empty()) {
    throw UserError(fmt::format("'{}': there is no {}.0{}, the trace of the first rank",
                                printable(path), printable(prefix), kChakraEnding));
  }
  const std::string given = path.substr(prefix.size() + 1, path.size() - prefix.size() - 4);
  if (const auto rank = parsed_number<std::uint32_t>(given); !rank || *rank >= files.size()) {
    throw UserError(
        fmt::format("'{}': there is no {}.{}{}; the traces must be numbered from 0 "
                    "without gaps",
                    printable(path), printable(prefix), files.size(), kChakraEnding));
  }
  return files;
}

}}  // namespace tutti::interchange
