#include "cost_models/nccl/constants.hpp"

namespace tutti { inline namespace cost_models { namespace nccl_constants {

namespace {

constexpr std::size_t kHopper = 2;
constexpr std::size_t kBlackwell = 3;

constexpr auto index(NcclAlgorithm algorithm) { return static_cast<std::size_t>(algorithm); }
constexpr auto index(NcclProtocol protocol) { return static_cast<std::size_t>(protocol); }
constexpr auto index(Link link) { return static_cast<std::size_t>(link); }
constexpr auto kSimple = index(NcclProtocol::simple);

// Constants of 2.30.3 and later. The tables of latencies have one row per algorithm (tree, ring,
// CollNet direct, CollNet chain, NVLS, NVLS tree, PAT) and one column per protocol (LL, LL128,
// Simple).
constexpr Constants k2303{
    .base_us = {{
        {6.8, 14.0, 8.4},
        {6.6, 14.0, 8.4},
        {0, 0, 0},
        {0, 0, 0},
        {0, 0, 0},
        {0, 0, 0},
        {8.0, 8.0, 8.0},
    }},
    .link_us = {{
        {{
            {0.6, 1.25, 4.0},
            {0.6, 1.9, 3.4},
            {0, 0, 3.7},
            {0, 0, 2.8},
            {0, 0, 25},
            {0, 0, 25},
            {0, 0, 4.0},
        }},
        {{
            {1.0, 1.9, 4.0},
            {1.0, 2.5, 5.7},
            {0, 0, 3.7},
            {0, 0, 2.8},
            {0, 0, 0},
            {0, 0, 0},
            {0, 0, 4.0},
        }},
        {{
            {5.0, 8.5, 14},
            {2.7, 4.0, 14.0},
            {0, 0, 31},
            {0, 0, 30},
            {0, 0, 18},
            {0, 0, 20.9},
            {0, 0, 14},
        }},
    }},
    .most_ll = {{
        {39.0, 39.0, 20.4},
        {87.7, 22.5, 19.0},
        {141.0, 45.0, 35.0},
        {2 * 141.0, 2 * 45.0, 2 * 35.0},
    }},
    .most_ring_ll128 = {{
        {20.0, 20.0, 20.0},
        {20.0, 20.0, 20.0},
        {36.7, 36.7, 36.7},
        {40.0, 40.0, 40.0},
    }},
    .most_tree_ll128 = {{
        {20.0, 20.0, 20.0},
        {20.0, 20.0, 20.0},
        {36.7, 36.7, 29.0},
        {55.6, 31.67, 20.0},
    }},
    .most_tree = {{
        {26.5, 18.5, 10.0},
        {24.0, 23.6, 17.8},
        {38.7, 41.4, 36.0},
        {70.0, 42.8, 24.0},
    }},
    .most_nvls_tree = {{
        {26.5, 18.5, 10.0},
        {24.0, 23.6, 17.8},
        {0.0, 57.7, 45.5},
        {0.0, 96.0, 80.0},
    }},
};

// Each of the following functions returns the constants of the release in its name, as what
// differs from a later release.
constexpr Constants constants_2_29_7() {
  Constants all = k2303;
  all.most_nvls_tree[kBlackwell][2] = 43.8;
  return all;
}

constexpr Constants constants_2_29_2() {
  Constants all = constants_2_29_7();
  all.most_ring_ll128[kBlackwell] = {34.5, 34.6, 34.5};
  return all;
}

constexpr Constants constants_2_28_9() {
  Constants all = constants_2_29_2();
  all.most_ring_ll128[kBlackwell] = {2 * 36.7, 34.6, 2 * 36.7};
  return all;
}

constexpr Constants constants_2_28_7() {
  Constants all = constants_2_28_9();
  all.link_us[index(Link::network)][index(NcclAlgorithm::nvls_tree)][kSimple] = 14;
  all.most_nvls_tree[kBlackwell][2] = 43.1;
  return all;
}

constexpr Constants constants_2_28_3() {
  Constants all = constants_2_28_7();
  all.most_ring_ll128[kBlackwell][1] = 2 * 36.7;
  return all;
}

// 2.23 and 2.24 use the rows up to Hopper for all GPUs.
constexpr Constants constants_2_23_4() {
  Constants all = constants_2_28_3();
  all.most_tree_ll128[kBlackwell] = {2 * 36.7, 2 * 36.7, 2 * 29.0};
  all.most_tree[kBlackwell] = {2 * 38.7, 2 * 41.4, 2 * 36.0};
  return all;
}

constexpr Constants constants_2_21_5() {
  Constants all = constants_2_23_4();
  all.base_us[index(NcclAlgorithm::tree)][kSimple] = 0;
  for (ByAlgorithm& link : all.link_us) {
    link[index(NcclAlgorithm::tree)][kSimple] = 28;
  }
  return all;
}

constexpr Constants constants_2_19_1() {
  Constants all = constants_2_21_5();
  ByAlgorithm& nvlink = all.link_us[index(Link::nvlink)];
  nvlink[index(NcclAlgorithm::nvls)][kSimple] = 23;
  nvlink[index(NcclAlgorithm::nvls_tree)][kSimple] = 23;
  all.most_ll[kHopper] = {87.7, 22.5, 19.0};
  return all;
}

struct Set {
  int minor;
  int patch;
  Constants constants;
};

// All sets, each with the first release that uses it; the newest first.
constexpr std::array kSets{
    Set{30, 3, k2303},
    Set{29, 7, constants_2_29_7()},
    Set{29, 2, constants_2_29_2()},
    Set{28, 9, constants_2_28_9()},
    Set{28, 7, constants_2_28_7()},
    Set{28, 3, constants_2_28_3()},
    Set{23, 4, constants_2_23_4()},
    Set{21, 5, constants_2_21_5()},
    Set{19, 1, constants_2_19_1()},
};

}  // namespace

const Constants& constants_of(int minor, int patch) {
  for (const Set& set : kSets) {
    if (minor > set.minor || (minor == set.minor && patch >= set.patch)) {
      return set.constants;
    }
  }
  return kSets.back().constants;
}

double Constants::base_latency_us(NcclAlgorithm algorithm, NcclProtocol protocol) const {
  return base_us[index(algorithm)][index(protocol)];
}

double Constants::link_latency_us(Link link, NcclAlgorithm algorithm, NcclProtocol protocol) const {
  return link_us[index(link)][index(algorithm)][index(protocol)];
}

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
