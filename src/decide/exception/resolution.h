// The resolutions that each kind of exception case allows, in one table.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "decide/exception/resolution_actions.h"

namespace finality {

/// The resolutions that cases of its kind allow (docs/guide/exception-queue.md).
std::vector<std::string_view> resolutions_of(const Case& row);

struct Resolution {
  CaseKind kind;
  std::string_view name;
  Carried (*carry_out)(const CaseContext&);  // of an order's case; null: a delivery's
  std::optional<ObjectType> about{};         // only where the case is about such an object

  bool allowed(const Case& row) const { return kind == row.kind && (!about || row.object_type == *about); }
};

/// The resolution `name` of such a case; null when the case does not allow it.
const Resolution* find_resolution(const Case& row, std::string_view name);

}  // namespace finality
