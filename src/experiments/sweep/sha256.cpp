#include "src/experiments/sweep/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "base/error.hpp"

namespace tutti::inline experiments {

struct Sha256::State {
  struct Free {
    void operator()(EVP_MD_CTX* unused) const { EVP_MD_CTX_free(unused); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  TUTTI_INVARIANT(EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view text) {
  TUTTI_INVARIANT(EVP_DigestUpdate(state_->context.get(), text.data(), text.size()) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  TUTTI_INVARIANT(EVP_DigestFinal_ex(state_->context.get(), bytes.data(), &size) == 1);
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

}  // namespace tutti::inline experiments
