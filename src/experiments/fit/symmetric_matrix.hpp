// Small symmetric matrices, for least squares of a few parameters.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace tutti::inline experiments {

class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(std::size_t size) : size_(size), values_(size * size) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] double operator()(std::size_t i, std::size_t j) const {
    return values_[i * size_ + j];
  }
  // Of both places.
  void add(std::size_t i, std::size_t j, double value) {
    values_[i * size_ + j] += value;
    if (i != j) {
      values_[j * size_ + i] += value;
    }
  }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

// x of A x = b by Cholesky's decomposition. Nothing where A is not positive definite.
[[nodiscard]] std::optional<std::vector<double>> solve(const SymmetricMatrix& a,
                                                       const std::vector<double>& b);
// Nothing where A is not positive definite.
[[nodiscard]] std::optional<SymmetricMatrix> inverse(const SymmetricMatrix& a);

struct EigenPair {
  double value = 0;
  std::vector<double> vector;  // of length 1
};
// By Jacobi's rotations; the smallest value first.
[[nodiscard]] std::vector<EigenPair> eigen_pairs(const SymmetricMatrix& a);

}  // namespace tutti::inline experiments
