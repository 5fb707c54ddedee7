// SHA-256, as hexadecimal digits.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tutti::inline experiments {

class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  void add(std::string_view text);
  [[nodiscard]] std::string hex();  // once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tutti::inline experiments
