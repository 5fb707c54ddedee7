// Maps of hosts that turn each route of a cluster into the route between the images.
//
// The number of a link follows from the host, leaf switch or group to which the link belongs. If a
// map of hosts maps each such part to one part, it also maps links. The map is one to one on the
// hosts that have images, so two parts never have the same image.
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "platforms/cluster_routes.hpp"

namespace tutti { inline namespace platforms {

namespace {

// Returns the images of parts; nothing if hosts of one part have images in several parts.
template <typename PartOf>
std::optional<Images> images_of_parts(const Images& image_of, PartOf&& part_of) {
  Images parts;
  const auto hosts = image_of.all();
  for (std::uint32_t host = 0; host < hosts.size(); ++host) {
    if (hosts[host] != Images::kNone && !parts.set(part_of(host), part_of(hosts[host]))) {
      return std::nullopt;
    }
  }
  return parts;
}

// Calls visit(index, image) for each index that has an image, as long as this returns true. Returns
// whether it always did.
template <typename Visit>
bool all_of(const Images& images, Visit&& visit) {
  const auto all = images.all();
  for (std::uint32_t index = 0; index < all.size(); ++index) {
    if (all[index] != Images::kNone && !visit(index, all[index])) {
      return false;
    }
  }
  return true;
}

// Calls visit(a, image of a, b, image of b) for each two different indices.
template <typename Visit>
bool all_pairs_of(const Images& images, Visit&& visit) {
  return all_of(images, [&](std::uint32_t a, std::uint32_t a_image) {
    return all_of(images, [&](std::uint32_t b, std::uint32_t b_image) {
      return a == b || visit(a, a_image, b, b_image);
    });
  });
}

// Maps the cables of hosts that have one each, and the loopbacks.
bool map_ends(const ClusterCables& cables, std::uint32_t first_loopback, const Images& image_of,
              Images& links) {
  return all_of(image_of, [&](std::uint32_t host, std::uint32_t image) {
    return links.set(cables.up(host), cables.up(image)) &&
           links.set(cables.down(host), cables.down(image)) &&
           (!cables.loopback || links.set(first_loopback + host, first_loopback + image));
  });
}

}  // namespace

bool StarRoutes::map_links(const Images& image_of, Images& links) const {
  const std::uint32_t backbone = cables_.hosts * cables_.ways;
  return map_ends(cables_, first_loopback(), image_of, links) &&
         (!backbone_ || links.set(backbone, backbone));
}

// Routes are the same everywhere on a torus, except that between opposite hosts of a dimension with
// an even number of hosts, the direction depends on the host (as in SimGrid).
bool TorusRoutes::map_links(const Images& image_of, Images& links) const {
  const auto place = [this](std::uint32_t host, std::uint32_t dim) {
    return places_[std::size_t{host} * dimensions_ + dim];
  };
  const auto move_of = [&](std::uint32_t host, std::uint32_t image, std::uint32_t dim) {
    return (place(image, dim) + sides_[dim] - place(host, dim)) % sides_[dim];
  };
  std::vector<std::uint32_t> moved;  // by dimension
  const bool alike = all_of(image_of, [&](std::uint32_t host, std::uint32_t image) {
    for (std::uint32_t dim = 0; dim < dimensions_; ++dim) {
      const std::uint32_t move = move_of(host, image, dim);
      if (moved.size() == dim) {
        moved.push_back(move);
      }
      if (move != moved[dim] || (move != 0 && sides_[dim] % 2 == 0)) {
        return false;
      }
    }
    return true;
  });
  for (std::uint32_t host = 0; alike && !moved.empty() && host < cables_.hosts; ++host) {
    std::uint32_t image = 0;
    std::uint32_t stride = 1;
    for (std::uint32_t dim = 0; dim < dimensions_; ++dim) {
      image += (place(host, dim) + moved[dim]) % sides_[dim] * stride;
      stride *= sides_[dim];
    }
    for (std::uint32_t i = 0; i < dimensions_ * cables_.ways; ++i) {
      const std::uint32_t of_host = dimensions_ * cables_.ways;
      if (!links.set(host * of_host + i, image * of_host + i)) {
        return false;
      }
    }
    if (cables_.loopback && !links.set(first_loopback() + host, first_loopback() + image)) {
      return false;
    }
  }
  return alike;
}

// Without parallel cables, a cable of a level is given by the part of the hosts below it, which is
// that of the source on the way up and that of the target on the way down, and by the choices among
// the parents up to this level, which are those of the target.
bool FatTreeRoutes::map_links(const Images& image_of, Images& links) const {
  if (any_parallel_) {
    return false;
  }
  // The tables of a large tree exceed the caches, so they are read once for all levels. A part of
  // the lowest level is a host.
  std::vector<Images> parts(levels_);
  std::vector<Images> choices(levels_);
  const bool mapped = all_of(image_of, [&](std::uint32_t host, std::uint32_t image) {
    const AtLevel* const at = &of_host_[std::size_t{host} * levels_];
    const AtLevel* const at_image = &of_host_[std::size_t{image} * levels_];
    for (std::uint32_t level = 0; level < levels_; ++level) {
      const std::uint32_t first = level_[level].first_cable;
      if ((level > 0 && !parts[level].set(at[level - 1].part, at_image[level - 1].part)) ||
          !choices[level].set(at[level].cable_up_to - first, at_image[level].cable_up_to - first)) {
        return false;
      }
    }
    return true;
  });
  if (!mapped) {
    return false;
  }
  for (std::uint32_t level = 0; level < levels_; ++level) {
    const std::uint32_t step = level_[level].parents * up_[level];  // cables of a part of the hosts
    const std::uint32_t first = level_[level].first_cable;
    if (!all_of(level == 0 ? image_of : parts[level], [&](std::uint32_t part,
                                                          std::uint32_t part_image) {
          return all_of(choices[level], [&](std::uint32_t choice, std::uint32_t choice_image) {
            const std::uint32_t cable = first + part * step + choice;
            const std::uint32_t image = first + part_image * step + choice_image;
            return links.set(cables_.up(cable), cables_.up(image)) &&
                   links.set(cables_.down(cable), cables_.down(image));
          });
        })) {
      return false;
    }
  }
  return !cables_.loopback || all_of(image_of, [&](std::uint32_t host, std::uint32_t image) {
    return links.set(first_loopback() + host, first_loopback() + image);
  });
}

// Router g of each group has the cables to group g. A map must therefore move these routers as it
// moves the groups.
bool DragonflyRoutes::map_links(const Images& image_of, Images& links) const {
  const auto groups =
      images_of_parts(image_of, [&](std::uint32_t host) { return places_[host].group; });
  auto routers =
      images_of_parts(image_of, [&](std::uint32_t host) { return places_[host].router; });
  if (!groups || !routers ||
      !all_of(image_of,
              [&](std::uint32_t host, std::uint32_t image) {
                return places_[host].chassis == places_[image].chassis;
              }) ||
      !map_ends(cables_, first_loopback(), image_of, links)) {
    return false;
  }
  const bool one_group = std::ranges::count_if(groups->all(), [](std::uint32_t image) {
                           return image != Images::kNone;
                         }) == 1;
  if (!one_group && !all_of(*groups, [&](std::uint32_t group, std::uint32_t image) {
        return routers->set(group, image);
      })) {
    return false;
  }
  const auto within = [&](std::uint32_t group, std::uint32_t group_image) {
    return all_of(*routers, [&](std::uint32_t a, std::uint32_t a_image) {
      for (std::uint32_t i = 0; i < numbers_.chassis; ++i) {
        for (std::uint32_t j = 0; j < numbers_.chassis; ++j) {
          if (i != j && !links.set(between_chassis(group, a, i, j),
                                   between_chassis(group_image, a_image, i, j))) {
            return false;
          }
        }
      }
      return all_of(*routers, [&](std::uint32_t b, std::uint32_t b_image) {
        for (std::uint32_t i = 0; i < numbers_.chassis && a != b; ++i) {
          if (!links.set(in_chassis(group, i, a, b),
                         in_chassis(group_image, i, a_image, b_image))) {
            return false;
          }
        }
        return true;
      });
    });
  };
  return all_of(*groups, within) &&
         all_pairs_of(*groups, [&](std::uint32_t a, std::uint32_t a_image, std::uint32_t b,
                                   std::uint32_t b_image) {
           return links.set(between_groups(a, b), between_groups(a_image, b_image));
         });
}

bool GroupedRoutes::map_links(const Images& image_of, Images& links) const {
  const auto leaves =
      images_of_parts(image_of, [&](std::uint32_t host) { return shape_.leaf_of_host[host]; });
  const auto groups =
      images_of_parts(image_of, [&](std::uint32_t host) { return group_of_host(host); });
  const auto map_cable = [&](std::uint32_t cable, std::uint32_t image) {
    return links.set(cables_.up(cable), cables_.up(image)) &&
           links.set(cables_.down(cable), cables_.down(image));
  };
  const auto between = [&](std::uint32_t a, std::uint32_t b) {
    return a < b ? cables_.up(first_pair_ + pair(a, b)) : cables_.down(first_pair_ + pair(b, a));
  };
  return leaves && groups && map_ends(cables_, first_loopback(), image_of, links) &&
         all_of(*leaves,
                [&](std::uint32_t leaf, std::uint32_t image) {
                  return map_cable(first_trunk_ + leaf, first_trunk_ + image);
                }) &&
         (!shape_.outs || all_of(*groups,
                                 [&](std::uint32_t group, std::uint32_t image) {
                                   return map_cable(first_out_ + group, first_out_ + image);
                                 })) &&
         (!shape_.pairs || all_pairs_of(*groups, [&](std::uint32_t a, std::uint32_t a_image,
                                                     std::uint32_t b, std::uint32_t b_image) {
           return links.set(between(a, b), between(a_image, b_image));
         }));
}

bool GpuRoutes::map_links(const Images& image_of, Images& links) const {
  const std::uint32_t gpus = platform_.gpus;
  const auto part = [&](std::uint32_t each) {
    return images_of_parts(image_of, [each](std::uint32_t host) { return host / each; });
  };
  const auto of_node =
      images_of_parts(image_of, [gpus](std::uint32_t host) { return host % gpus; });
  const auto nodes = part(gpus);
  const auto units = part(gpus * platform_.unit);
  const auto pods = part(gpus * (platform_.has_pods() ? platform_.pod : platform_.nodes));
  if (!of_node || !nodes || !units || !pods) {
    return false;
  }
  Images cards;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    // Routes may cross GPUs of a node that are not in use, so the image of every GPU must be known.
    if (of_node->of(gpu) == Images::kNone ||
        (platform_.cards > 0 && !cards.set(card(gpu), card(of_node->of(gpu))))) {
      return false;
    }
  }
  Images inner;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    const std::uint32_t image = of_node->of(gpu);
    for (std::uint32_t other = 0; other < platform_.cards; ++other) {
      if (of_node->of(beside_card(gpu, other)) != beside_card(image, cards.of(other))) {
        return false;
      }
    }
    for (std::uint32_t other = 0; other < gpus; ++other) {
      const std::span path = path_between(gpu, other);
      const std::span path_image = path_between(image, of_node->of(other));
      if (!std::ranges::equal(path, path_image, [&](std::uint32_t from, std::uint32_t to) {
            return inner.set(from, to);
          })) {
        return false;
      }
    }
  }
  const auto map_in_node = [&](std::uint32_t node, std::uint32_t node_image) {
    return all_of(inner,
                  [&](std::uint32_t link, std::uint32_t image) {
                    return links.set(inner_link(node, link), inner_link(node_image, image));
                  }) &&
           all_of(cards,
                  [&](std::uint32_t one, std::uint32_t image) {
                    return links.set(card_out(node, one), card_out(node_image, image)) &&
                           links.set(card_in(node, one), card_in(node_image, image));
                  }) &&
           all_of(*of_node, [&](std::uint32_t gpu, std::uint32_t gpu_image) {
             const std::uint32_t host = node * gpus + gpu;
             const std::uint32_t image = node_image * gpus + gpu_image;
             return links.set(pcie_out(host), pcie_out(image)) &&
                    links.set(pcie_in(host), pcie_in(image)) &&
                    links.set(memory(host), memory(image));
           });
  };
  // Calls map(leaf, image) for the leaf switches of a unit, or for its only one.
  const auto all_leaves = [&](auto&& map) {
    return platform_.has_rails() ? all_of(cards, map) : map(0U, 0U);
  };
  const auto map_unit = [&](std::uint32_t unit, std::uint32_t unit_image) {
    return all_leaves([&](std::uint32_t leaf, std::uint32_t image) {
      return links.set(trunk_up(unit, leaf), trunk_up(unit_image, image)) &&
             links.set(trunk_down(unit, leaf), trunk_down(unit_image, image));
    });
  };
  const auto map_pod = [&](std::uint32_t pod, std::uint32_t pod_image) {
    return all_leaves([&](std::uint32_t leaf, std::uint32_t image) {
      return links.set(pod_up(pod, leaf), pod_up(pod_image, image)) &&
             links.set(pod_down(pod, leaf), pod_down(pod_image, image));
    });
  };
  return all_of(*nodes, map_in_node) && (!platform_.has_units() || all_of(*units, map_unit)) &&
         (!platform_.has_pods() || all_of(*pods, map_pod)) &&
         (!platform_.has_pairs() ||
          all_pairs_of(*units, [&](std::uint32_t a, std::uint32_t a_image, std::uint32_t b,
                                   std::uint32_t b_image) {
            return links.set(between_groups(a, b), between_groups(a_image, b_image));
          }));
}

}}  // namespace tutti::platforms
