#include "src/experiments/fit/symmetric_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::inline experiments {

namespace {

using Rows = std::vector<std::vector<double>>;

Rows rows_of(const SymmetricMatrix& a) {
  Rows rows(a.size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      rows[i][j] = a(i, j);
    }
  }
  return rows;
}

// The lower triangle L of A = L L^T.
std::optional<Rows> cholesky(const SymmetricMatrix& a) {
  Rows l(a.size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a(i, j);
      for (std::size_t k = 0; k < j; ++k) {
        sum -= l[i][k] * l[j][k];
      }
      if (i != j) {
        l[i][j] = sum / l[j][j];
      } else if (sum > 0) {
        l[i][i] = std::sqrt(sum);
      } else {
        return std::nullopt;
      }
    }
  }
  return l;
}

// Makes a(p, q) zero: rotates rows and columns p and q, and the vectors with them.
void rotate(Rows& a, Rows& vectors, std::size_t p, std::size_t q) {
  const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1);
  const double s = t * c;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double kp = a[k][p];
    const double kq = a[k][q];
    a[k][p] = c * kp - s * kq;
    a[k][q] = s * kp + c * kq;
  }
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double pk = a[p][k];
    const double qk = a[q][k];
    a[p][k] = c * pk - s * qk;
    a[q][k] = s * pk + c * qk;
    const double vp = vectors[k][p];
    const double vq = vectors[k][q];
    vectors[k][p] = c * vp - s * vq;
    vectors[k][q] = s * vp + c * vq;
  }
}

}  // namespace

std::optional<std::vector<double>> solve(const SymmetricMatrix& a, const std::vector<double>& b) {
  const auto l = cholesky(a);
  if (!l) {
    return std::nullopt;
  }
  std::vector<double> x = b;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      x[i] -= (*l)[i][k] * x[k];
    }
    x[i] /= (*l)[i][i];
  }
  for (std::size_t i = x.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < x.size(); ++k) {
      x[i] -= (*l)[k][i] * x[k];
    }
    x[i] /= (*l)[i][i];
  }
  return x;
}

std::optional<SymmetricMatrix> inverse(const SymmetricMatrix& a) {
  SymmetricMatrix result(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) {
    std::vector<double> unit(a.size());
    unit[j] = 1;
    const auto column = solve(a, unit);
    if (!column) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i <= j; ++i) {
      result.add(i, j, (*column)[i]);
    }
  }
  return result;
}

std::vector<EigenPair> eigen_pairs(const SymmetricMatrix& a) {
  constexpr int kSweeps = 60;
  constexpr double kNothing = 1e-30;
  Rows rows = rows_of(a);
  Rows vectors(a.size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    vectors[i][i] = 1;
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double off = 0;
    for (std::size_t p = 0; p < a.size(); ++p) {
      for (std::size_t q = p + 1; q < a.size(); ++q) {
        off += rows[p][q] * rows[p][q];
        if (rows[p][q] * rows[p][q] > kNothing * std::fabs(rows[p][p] * rows[q][q])) {
          rotate(rows, vectors, p, q);
        }
      }
    }
    if (off == 0) {
      break;
    }
  }
  std::vector<EigenPair> pairs(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    pairs[i].value = rows[i][i];
    for (std::size_t k = 0; k < a.size(); ++k) {
      pairs[i].vector.push_back(vectors[k][i]);
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const EigenPair& x, const EigenPair& y) { return x.value < y.value; });
  return pairs;
}

}  // namespace tutti::inline experiments
