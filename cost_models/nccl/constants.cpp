#include "cost_models/nccl/constants.hpp"

namespace tutti { inline namespace cost_models { namespace nccl_constants {

namespace {

// The tables have one row per algorithm (tree, ring, CollNet direct, CollNet chain, NVLS, NVLS
// tree, PAT) and one column per protocol (LL, LL128, Simple).
constexpr ByAlgorithm kBase{{
    {6.8, 14.0, 8.4},
    {6.6, 14.0, 8.4},
    {0, 0, 0},
    {0, 0, 0},
    {0, 0, 0},
    {0, 0, 0},
    {8.0, 8.0, 8.0},
}};

constexpr ByAlgorithm kNvlink{{
    {0.6, 1.25, 4.0},
    {0.6, 1.9, 3.4},
    {0, 0, 3.7},
    {0, 0, 2.8},
    {0, 0, 25},
    {0, 0, 25},
    {0, 0, 4.0},
}};

constexpr ByAlgorithm kPci{{
    {1.0, 1.9, 4.0},
    {1.0, 2.5, 5.7},
    {0, 0, 3.7},
    {0, 0, 2.8},
    {0, 0, 0},
    {0, 0, 0},
    {0, 0, 4.0},
}};

constexpr ByAlgorithm kNetwork{{
    {5.0, 8.5, 14},
    {2.7, 4.0, 14.0},
    {0, 0, 31},
    {0, 0, 30},
    {0, 0, 18},
    {0, 0, 20.9},
    {0, 0, 14},
}};

double entry(const ByAlgorithm& table, NcclAlgorithm algorithm, NcclProtocol protocol) {
  return table[static_cast<std::size_t>(algorithm)][static_cast<std::size_t>(protocol)];
}

}  // namespace

double base_latency_us(NcclAlgorithm algorithm, NcclProtocol protocol) {
  return entry(kBase, algorithm, protocol);
}

double link_latency_us(Link link, NcclAlgorithm algorithm, NcclProtocol protocol) {
  return entry(link == Link::nvlink ? kNvlink
               : link == Link::pci  ? kPci
                                    : kNetwork,
               algorithm, protocol);
}

const ByGeneration kMostLl{{
    {39.0, 39.0, 20.4},
    {87.7, 22.5, 19.0},
    {141.0, 45.0, 35.0},
    {2 * 141.0, 2 * 45.0, 2 * 35.0},
}};
const ByGeneration kMostRingLl128{{
    {20.0, 20.0, 20.0},
    {20.0, 20.0, 20.0},
    {36.7, 36.7, 36.7},
    {40.0, 40.0, 40.0},
}};
const ByGeneration kMostTreeLl128{{
    {20.0, 20.0, 20.0},
    {20.0, 20.0, 20.0},
    {36.7, 36.7, 29.0},
    {55.6, 31.67, 20.0},
}};
const ByGeneration kMostTree{{
    {26.5, 18.5, 10.0},
    {24.0, 23.6, 17.8},
    {38.7, 41.4, 36.0},
    {70.0, 42.8, 24.0},
}};
const ByGeneration kMostNvlsTree{{
    {26.5, 18.5, 10.0},
    {24.0, 23.6, 17.8},
    {0.0, 57.7, 45.5},
    {0.0, 96.0, 80.0},
}};

const std::array<float, kGenerations> kNvlsEfficiency{0.0F, 0.0F, 0.85F, 0.74F};

const std::array<std::array<float, kTreeSizes>, kNcclProtocols> kTreeCorrection{{
    {1.0F, 1.0F, 1.0F, 1.0F, .9F, .8F, .7F, .7F, .7F, .7F, .6F, .5F,
     .4F,  .4F,  .5F,  .6F,  .7F, .8F, .9F, 1.F, 1.F, 1.F, 1.F, 1.F},
    {1.0F, 1.0F, 1.0F, 1.0F, 1.F, .9F, .8F, .8F, .8F, .7F, .6F, .6F,
     .6F,  .6F,  .6F,  .6F,  .8F, .9F, .9F, .9F, .9F, 1.F, 1.F, 1.F},
    {.9F, .9F, .9F, .9F, .9F, .9F, .9F, .8F, .7F, .6F, .6F, .5F,
     .5F, .5F, .5F, .6F, .7F, .8F, .7F, .7F, .8F, .9F, .9F, .9F},
}};

}}}  // namespace tutti::cost_models::nccl_constants
