#include "src/steps/simai/micro_batches.hpp"

#include <algorithm>

namespace tutti { inline namespace steps {

namespace {

// True if `count` parts of `size` layers, from `first` on, have like layers.
bool are_alike(std::span<const SimaiLayer> layers, std::size_t first, std::size_t size,
               std::size_t count) {
  if (size == 0 || first + size * count > layers.size()) {
    return false;
  }
  for (std::size_t i = first; i < first + size * (count - 1); ++i) {
    if (!layers[i].is_like(layers[i + size])) {
      return false;
    }
  }
  return true;
}

// Returns the place of the number-th layer that is an embedding.
std::size_t place_of_embedding(std::span<const SimaiLayer> layers, std::size_t number) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (is_embedding(layers[i]) && number-- == 0) {
      return i;
    }
  }
  return layers.size();
}

}  // namespace

bool is_embedding(const SimaiLayer& layer) { return layer.name == "embedding_layer"; }

std::optional<SimaiMicroBatches> micro_batches_of(const SimaiWorkload& workload) {
  const std::span<const SimaiLayer> layers = workload.layers;
  const std::size_t count = workload.micro_batches;
  const auto embeddings = static_cast<std::size_t>(std::ranges::count_if(layers, is_embedding));
  const std::size_t first = embeddings == 0 ? 0 : place_of_embedding(layers, 0);
  if (count == 1) {
    std::size_t end = layers.size();
    while (end > first + 1 && (layers[end - 1].name.starts_with("cross_entropy") ||
                               layers[end - 1].name.starts_with("optimizer"))) {
      --end;
    }
    return SimaiMicroBatches{first, end - first};
  }
  if (embeddings > 0) {
    const std::size_t size = place_of_embedding(layers, embeddings / count) - first;
    return embeddings % count == 0 && are_alike(layers, first, size, count)
               ? std::optional(SimaiMicroBatches{first, size})
               : std::nullopt;
  }
  // The longest micro-batches that the layers allow, as early as possible.
  for (std::size_t size = layers.size() / count; 2 * size * count >= layers.size(); --size) {
    std::size_t alike = 0;  // layers like those `size` layers later
    for (std::size_t i = 0; i + size < layers.size(); ++i) {
      alike = layers[i].is_like(layers[i + size]) ? alike + 1 : 0;
      if (alike == size * (count - 1)) {
        return SimaiMicroBatches{i + 1 - alike, size};
      }
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::size_t>> chunks_of(std::span<const SimaiLayer> micro_batch,
                                                  std::uint32_t chunks) {
  std::size_t first = 0;
  while (first < micro_batch.size() && is_embedding(micro_batch[first])) {
    ++first;
  }
  for (std::size_t size = (micro_batch.size() - first) / chunks; size > 0; --size) {
    if (are_alike(micro_batch, first, size, chunks)) {
      std::vector<std::size_t> begins(chunks + 1);
      for (std::size_t chunk = 1; chunk < chunks; ++chunk) {
        begins[chunk] = first + chunk * size;
      }
      begins[chunks] = micro_batch.size();
      return begins;
    }
  }
  return std::nullopt;
}

}}  // namespace tutti::steps
