// The resolutions that each kind of exception case allows, in one table.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "decide/exception/resolution_actions.h"

namespace finality {

/// The names of the resolutions that the case allows (docs/guide/exception-queue.md).
std::vector<std::string_view> resolutions_of(const Case& row);

struct Resolution {
  CaseKind kind;
  std::string_view name;
  ActionResult (*carry_out)(const CaseContext&);  // null for the cases of deliveries
  std::optional<ObjectType> about{};              // the only object type that allows the resolution; empty: any

  /// Whether the case allows the resolution, by the case's kind and object type.
  bool allowed(const Case& row) const { return kind == row.kind && (!about || row.object_type == *about); }
};

/// The resolution with that name; null when the case does not allow it.
const Resolution* find_resolution(const Case& row, std::string_view name);

}  // namespace finality
