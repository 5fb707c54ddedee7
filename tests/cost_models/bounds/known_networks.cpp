#include <catch2/catch.hpp>

#include <memory>
#include <numeric>
#include <utility>

#include "cost_models/bounds/network_bound.hpp"
#include "tests/cost_models/bounds/wired_network.hpp"

namespace tutti::test_known_networks {

namespace {

constexpr double kGb = 1e9;

BoundMachine machine_on(std::vector<std::uint32_t> host_of_rank, std::uint32_t ports = 0) {
  BoundMachine machine;
  machine.host_of_rank = std::move(host_of_rank);
  machine.ranks.ports = ports;
  machine.flops_per_byte = 0;
  return machine;
}

std::vector<std::uint32_t> one_rank_each(std::uint32_t hosts) {
  std::vector<std::uint32_t> host_of_rank(hosts);
  std::iota(host_of_rank.begin(), host_of_rank.end(), 0);
  return host_of_rank;
}

Problem problem_of(Collective collective, std::uint32_t ranks, std::uint64_t bytes, Rank root = 0) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.bytes = bytes;
  problem.element_bytes = 1;
  problem.root = root;
  return problem;
}

// Returns the time of the bytes, with unlimited ports.
double bytes_s(Network& network, Collective collective, std::uint64_t bytes, Rank root = 0) {
  NetworkBounds bounds(network, machine_on(one_rank_each(network.hosts())));
  return bounds.of(problem_of(collective, network.hosts(), bytes, root))
      .of(BoundKind::bytes)
      .seconds;
}

// Hosts at one switch, each with one link to it and one from it.
std::unique_ptr<WiredNetwork> star(const std::vector<double>& rates) {
  auto made = std::make_unique<WiredNetwork>(static_cast<std::uint32_t>(rates.size()));
  WiredNetwork& network = *made;
  const std::uint32_t middle = network.add_switch();
  for (std::uint32_t host = 0; host < rates.size(); ++host) {
    network.add_both(host, middle, rates[host]);
  }
  return made;
}

std::unique_ptr<WiredNetwork> torus(std::uint32_t side, std::uint32_t dimensions, bool wraps,
                                    double rate) {
  std::uint32_t hosts = 1;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    hosts *= side;
  }
  auto made = std::make_unique<WiredNetwork>(hosts);
  WiredNetwork& network = *made;
  for (std::uint32_t host = 0; host < hosts; ++host) {
    std::uint32_t step = 1;
    for (std::uint32_t i = 0; i < dimensions; ++i, step *= side) {
      const std::uint32_t place = host / step % side;
      if (place + 1 < side) {
        network.add_both(host, host + step, rate);
      } else if (wraps) {
        network.add_both(host, host - step * (side - 1), rate);
      }
    }
  }
  return made;
}

Approx about(double value) { return Approx(value).epsilon(1e-9).margin(0); }

}  // namespace

TEST_CASE("bounds match the published bounds of GPU nodes and a mesh") {
  // One node of 8 GPUs at one switch.
  const auto made_node = star(std::vector<double>(8, 300 * kGb));
  WiredNetwork& node = *made_node;
  CHECK(8e9 / bytes_s(node, Collective::allgather, 8'000'000'000) == about(8.0 / 7 * 300 * kGb));
  // Two such nodes; each GPU also has 25 GB/s to the network between nodes.
  WiredNetwork two(16);
  const std::uint32_t between = two.add_switch();
  for (std::uint32_t half = 0; half < 2; ++half) {
    const std::uint32_t inside = two.add_switch();
    for (std::uint32_t gpu = 8 * half; gpu < 8 * half + 8; ++gpu) {
      two.add_both(gpu, inside, 300 * kGb);
      two.add_both(gpu, between, 25 * kGb);
    }
  }
  CHECK(16e9 / bytes_s(two, Collective::allgather, 16'000'000'000) == about(16.0 / 15 * 325 * kGb));
  // A mesh of 5 x 5 with 50 GB/s in each direction; the corners have two links.
  const auto made_mesh = torus(5, 2, false, 50 * kGb);
  WiredNetwork& mesh = *made_mesh;
  CHECK(bytes_s(mesh, Collective::allgather, 1'000'000'000) == about(9600e-6));
}

TEST_CASE("on a crossbar, the bounds are those of the published formulas") {
  const auto made_network = star(std::vector<double>(10, kGb));
  WiredNetwork& network = *made_network;
  CHECK(bytes_s(network, Collective::allgather, 1000) == about(900e-9));
  CHECK(bytes_s(network, Collective::reduce_scatter, 1000) == about(900e-9));
  CHECK(bytes_s(network, Collective::allreduce, 1000) == about(1800e-9));
  CHECK(bytes_s(network, Collective::bcast, 1000, 3) == about(1000e-9));
  CHECK(bytes_s(network, Collective::reduce, 1000, 3) == about(1000e-9));
  CHECK(bytes_s(network, Collective::alltoall, 1000) == about(900e-9));
  CHECK(bytes_s(network, Collective::gather, 1000, 3) == about(900e-9));
  CHECK(bytes_s(network, Collective::scatter, 1000, 3) == about(900e-9));
  CHECK(bytes_s(network, Collective::scan, 1000) == about(1000e-9));
  CHECK(bytes_s(network, Collective::exscan, 1000) == about(1000e-9));
  CHECK(bytes_s(network, Collective::barrier, 0) == 0);
}

TEST_CASE("a thin link between two switches is the tightest cut") {
  // Hosts 0 to 3 at one switch and 4 to 7 at another, with half a link's rate between them.
  WiredNetwork network(8);
  const std::uint32_t left = network.add_switch();
  const std::uint32_t right = network.add_switch();
  for (std::uint32_t host = 0; host < 8; ++host) {
    network.add_both(host, host < 4 ? left : right, kGb);
  }
  network.add_both(left, right, kGb / 2);
  CHECK(bytes_s(network, Collective::allgather, 800) == about(800e-9));
  CHECK(bytes_s(network, Collective::bcast, 800) == about(1600e-9));
  CHECK(bytes_s(network, Collective::reduce, 800) == about(1600e-9));
  // 16 blocks of 100 bytes cross the link in each direction.
  CHECK(bytes_s(network, Collective::alltoall, 800) == about(3200e-9));
  CHECK(bytes_s(network, Collective::gather, 800, 5) == about(800e-9));
  CHECK(bytes_s(network, Collective::allreduce, 800) == about(1600e-9));

  NetworkBounds bounds(network, machine_on(one_rank_each(8)));
  const NetworkBound found = bounds.of(problem_of(Collective::bcast, 8, 800));
  const BoundPart& part = found.of(BoundKind::bytes);
  CHECK(part.form == Certificate::cut);
  CHECK(part.hosts.size() == 4);
  CHECK(part.amount == 800);
  REQUIRE(part.limits.size() == 1);
  CHECK(part.limits.front().kind == BoundLimit::Kind::link);
  CHECK(part.limits.front().capacity_bytes_per_s == kGb / 2);
}

TEST_CASE("a ring is limited by what one host receives, an all-to-all on it by distances") {
  const auto made_ring = torus(8, 1, true, kGb);
  WiredNetwork& ring = *made_ring;
  CHECK(bytes_s(ring, Collective::allgather, 800) == about(350e-9));
  CHECK(bytes_s(ring, Collective::bcast, 800) == about(400e-9));
  // The distances from a host are 1, 1, 2, 2, 3, 3 and 4; there are two links for each host.
  CHECK(bytes_s(ring, Collective::alltoall, 800) == about(800e-9));
}

TEST_CASE("a torus of 4 x 4 x 4") {
  const auto made_network = torus(4, 3, true, kGb);
  WiredNetwork& network = *made_network;
  CHECK(bytes_s(network, Collective::allgather, 6400) == about(1050e-9));
  CHECK(bytes_s(network, Collective::bcast, 6000) == about(1000e-9));
  // The mean distance over all 64 hosts is 3, and a host has 6 links: 64 * 100 bytes * 3 / 6.
  CHECK(bytes_s(network, Collective::alltoall, 6400) == about(3200e-9));
}

TEST_CASE("a slow host limits what it must send and receive") {
  const auto made_network = star({kGb, kGb, kGb / 4, kGb});
  WiredNetwork& network = *made_network;
  CHECK(bytes_s(network, Collective::allgather, 400) == about(1200e-9));
  CHECK(bytes_s(network, Collective::bcast, 400, 2) == about(1600e-9));
  CHECK(bytes_s(network, Collective::gather, 400, 0) == about(400e-9));
  CHECK(bytes_s(network, Collective::alltoall, 400) == about(1200e-9));
}

TEST_CASE("two rails double what a host can send") {
  WiredNetwork network(6);
  for (std::uint32_t rail = 0; rail < 2; ++rail) {
    const std::uint32_t middle = network.add_switch();
    for (std::uint32_t host = 0; host < 6; ++host) {
      network.add_both(host, middle, kGb);
    }
  }
  // All routes prefer the first rail, so no schedule can use the second.
  CHECK(bytes_s(network, Collective::allgather, 600) == about(500e-9));
}

TEST_CASE("a half-duplex link carries both directions together") {
  WiredNetwork network(2);
  network.add_shared(0, 1, kGb);
  CHECK(bytes_s(network, Collective::bcast, 100) == about(100e-9));
  CHECK(bytes_s(network, Collective::allreduce, 100) == about(200e-9));
  WiredNetwork star_of_three(3);
  const std::uint32_t middle = star_of_three.add_switch();
  for (std::uint32_t host = 0; host < 3; ++host) {
    star_of_three.add_shared(host, middle, kGb);
  }
  CHECK(bytes_s(star_of_three, Collective::bcast, 100) == about(100e-9));
  CHECK(bytes_s(star_of_three, Collective::allgather, 300) == about(200e-9));
}

TEST_CASE("fat pipes limit single messages, not their sum") {
  WiredNetwork network(3);
  for (std::uint32_t from = 0; from < 3; ++from) {
    for (std::uint32_t to = 0; to < 3; ++to) {
      if (from != to) {
        network.add(from, to, kGb, true);
      }
    }
  }
  CHECK(bytes_s(network, Collective::allgather, 300) == 0);
  // With one port, a rank receives at the rate of one message.
  NetworkBounds bounds(network, machine_on(one_rank_each(3), 1));
  CHECK(bounds.of(problem_of(Collective::allgather, 3, 300)).of(BoundKind::ports).seconds ==
        about(200e-9));
}

TEST_CASE("ports limit what a rank with several links can use") {
  const auto made_ring = torus(8, 1, true, kGb);
  WiredNetwork& ring = *made_ring;
  const auto ports_s = [&](std::uint32_t ports) {
    NetworkBounds bounds(ring, machine_on(one_rank_each(8), ports));
    return bounds.of(problem_of(Collective::allgather, 8, 800)).seconds();
  };
  CHECK(ports_s(1) == about(700e-9));
  CHECK(ports_s(2) == about(350e-9));
  CHECK(ports_s(0) == about(350e-9));
}

TEST_CASE("several ranks on a host need one copy of what comes from other hosts") {
  const auto made_network = star(std::vector<double>(4, kGb));
  WiredNetwork& network = *made_network;
  NetworkBounds bounds(network, machine_on({0, 0, 1, 1, 2, 2, 3, 3}));
  CHECK(bounds.of(problem_of(Collective::allgather, 8, 800)).seconds() == about(600e-9));
  CHECK(bounds.of(problem_of(Collective::allreduce, 8, 800)).seconds() == about(1200e-9));
  // Each host sends 2 x 6 blocks of 100 bytes.
  CHECK(bounds.of(problem_of(Collective::alltoall, 8, 800)).seconds() == about(1200e-9));
}

TEST_CASE("rounds and latencies") {
  WiredNetwork network(9, 1e-6);
  const std::uint32_t middle = network.add_switch();
  for (std::uint32_t host = 0; host < 9; ++host) {
    network.add_both(host, middle, kGb);
  }
  const auto rounds = [&](std::uint32_t ports) {
    NetworkBounds bounds(network, machine_on(one_rank_each(9), ports));
    return bounds.of(problem_of(Collective::barrier, 9, 0)).of(BoundKind::rounds).seconds;
  };
  CHECK(rounds(1) == about(4e-6));
  CHECK(rounds(2) == about(2e-6));
  CHECK(rounds(0) == about(1e-6));
  // No byte moves before the first latency is over.
  CHECK(bytes_s(network, Collective::bcast, 1000) == about(2e-6));
}

TEST_CASE("with one port, latencies and bytes add up") {
  WiredNetwork network(8, 1e-6);
  const std::uint32_t middle = network.add_switch();
  for (std::uint32_t host = 0; host < 8; ++host) {
    network.add_both(host, middle, kGb);
  }
  const auto ports_s = [&](Collective collective, std::uint64_t bytes, std::uint32_t ports = 1) {
    NetworkBounds bounds(network, machine_on(one_rank_each(8), ports));
    return bounds.of(problem_of(collective, 8, bytes)).of(BoundKind::ports).seconds;
  };
  CHECK(ports_s(Collective::bcast, 8000) == about(11e-6));
  CHECK(ports_s(Collective::bcast, 8000, 2) == about(10e-6));  // one link, but two rounds
  CHECK(ports_s(Collective::reduce, 8000) == about(11e-6));
  CHECK(ports_s(Collective::scan, 8000) == about(11e-6));
  CHECK(ports_s(Collective::allgather, 8000) == about(10e-6));
  CHECK(ports_s(Collective::allgather, 8000, 2) == about(8e-6));
  CHECK(ports_s(Collective::reduce_scatter, 8000) == about(10e-6));
  CHECK(ports_s(Collective::gather, 8000) == about(10e-6));
  // 14 messages of 8 ports, with 8 us each.
  CHECK(ports_s(Collective::allreduce, 8000) == about(14.0 / 8 * 9e-6));
  // Seven messages of 1 us each, and as many latencies.
  CHECK(ports_s(Collective::alltoall, 8000) == about(14e-6));
  // With 0.8 us for a piece, it is faster to send each piece over another rank than directly.
  CHECK(ports_s(Collective::alltoall, 6400) == about(14 * 0.8e-6));
  // In 3 slots of 1 us, 3 ranks can be reached directly, 3 over two messages and 1 over three.
  // That takes 3 latencies and 12 pieces. With a 4th slot, 6 ranks can be reached over two messages
  // and 1 over three, so no latency is needed, but 15 pieces. All ranks are reached over two
  // messages in 5 slots, with 14 pieces.
  CHECK(ports_s(Collective::alltoall, 8 * 330) == about(15 * 0.33e-6));
  CHECK(ports_s(Collective::alltoall, 8 * 340) == about(14 * 0.34e-6));
}

TEST_CASE("reductions are shared by all cores") {
  const auto made_network = star(std::vector<double>(4, kGb));
  WiredNetwork& network = *made_network;
  BoundMachine machine = machine_on({0, 0, 1, 1, 2, 2, 3, 3});
  machine.flops_per_byte = 0.5;
  NetworkBounds bounds(network, std::move(machine));
  // 7 x 800 bytes, at 0.5 operations each, on 4 cores of 1e9 operations per second.
  CHECK(bounds.of(problem_of(Collective::reduce, 8, 800)).of(BoundKind::reductions).seconds ==
        about(700e-9));
}

TEST_CASE("there is no bound for one rank, or without data") {
  const auto made_network = star({kGb, kGb, kGb});
  WiredNetwork& network = *made_network;
  NetworkBounds alone(network, machine_on({0}, 1));
  NetworkBounds three(network, machine_on({0, 1, 2}, 1));
  for (const Collective collective : kCollectives) {
    CHECK(alone.of(problem_of(collective, 1, collective == Collective::barrier ? 0 : 100))
              .seconds() == 0);
    CHECK(three.of(problem_of(collective, 3, 0)).seconds() == 0);
  }
}

}  // namespace tutti::test_known_networks
