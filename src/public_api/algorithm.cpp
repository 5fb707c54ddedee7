#include "tutti/algorithm.hpp"

#include "base/field_names.hpp"
#include "schedules/options/option_type.hpp"
#include "schedules/registry.hpp"
#include "src/public_api/inside.hpp"

namespace tutti::v1 {

namespace {

v1::Algorithm outer(const tutti::Algorithm& algorithm) {
  v1::Algorithm outside{
      static_cast<v1::Collective>(algorithm.collective),         algorithm.full_name(),
      with_fields(algorithm.idea, tutti::FieldNames::arguments), std::string(algorithm.source),
      with_fields(algorithm.cost, tutti::FieldNames::arguments), {}};
  for (const OptionType* type : option_types()) {
    if (takes(algorithm, type->option)) {
      outside.options.emplace_back(type->word);
    }
  }
  return outside;
}

}  // namespace

std::vector<v1::Algorithm> algorithms() {
  std::vector<v1::Algorithm> all;
  for (const tutti::Algorithm* algorithm : tutti::algorithms()) {
    all.push_back(outer(*algorithm));
  }
  return all;
}

std::vector<v1::Algorithm> algorithms(v1::Collective collective) {
  std::vector<v1::Algorithm> some = algorithms();
  std::erase_if(some,
                [collective](const v1::Algorithm& each) { return each.collective != collective; });
  return some;
}

}  // namespace tutti::v1
