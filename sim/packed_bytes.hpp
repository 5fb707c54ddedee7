// Values as bytes, for messages between processes that run the same program.
//
// A value is a number or another trivially copyable type, a string, a vector, or a struct with a
// function for_each_part(value, visit), which calls visit(part) for each of its parts.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace sim {

template <typename Value>
concept ListOfValues = requires(Value& value) {
  value.data();
  value.resize(std::size_t{1});
};

class Packer {
 public:
  template <typename Value>
  void operator()(const Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      append(&value, sizeof value);
    } else if constexpr (ListOfValues<Value>) {
      (*this)(value.size());
      if constexpr (std::is_trivially_copyable_v<typename Value::value_type>) {
        append(value.data(), value.size() * sizeof value[0]);
      } else {
        for (const auto& each : value) {
          (*this)(each);
        }
      }
    } else {
      for_each_part(value, *this);
    }
  }

  [[nodiscard]] std::string& bytes() { return bytes_; }

 private:
  void append(const void* from, std::size_t size) {
    bytes_.append(static_cast<const char*>(from), size);
  }

  std::string bytes_;
};

// Reads the values in the order in which they were packed.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  template <typename Value>
  void operator()(Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      take(&value, sizeof value);
    } else if constexpr (ListOfValues<Value>) {
      std::size_t size = 0;
      (*this)(size);
      TUTTI_INVARIANT(size <= rest_.size());  // each value has at least one byte
      value.resize(size);
      if constexpr (std::is_trivially_copyable_v<typename Value::value_type>) {
        take(value.data(), size * sizeof value[0]);
      } else {
        for (auto& each : value) {
          (*this)(each);
        }
      }
    } else {
      for_each_part(value, *this);
    }
  }

 private:
  void take(void* to, std::size_t size) {
    TUTTI_INVARIANT(size <= rest_.size());
    if (size > 0) {  // data() of an empty list may be null
      std::memcpy(to, rest_.data(), size);
    }
    rest_.remove_prefix(size);
  }

  std::string_view rest_;
};

template <typename Value>
[[nodiscard]] std::string packed(const Value& value) {
  Packer pack;
  pack(value);
  return std::move(pack.bytes());
}

template <typename Value>
[[nodiscard]] Value unpacked(std::string_view bytes) {
  Value value;
  Unpacker unpack(bytes);
  unpack(value);
  return value;
}

}}  // namespace tutti::sim
