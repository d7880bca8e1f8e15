// Table of the resolutions that each kind of exception case allows.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "decide/exception/resolution_actions.h"

namespace finality {

/// Returns the names of the resolutions that the case allows (docs/guide/exception-queue.md).
std::vector<std::string_view> resolutions_of(const Case& row);

struct Resolution {
  CaseKind kind;
  std::string_view name;
  ActionResult (*carry_out)(const CaseContext&);  // the resolution's action; null for cases whose root is no order
  std::optional<ObjectType> about{};              // allowed only for cases about this object type; empty: any type
  bool names_merchant = false;                    // the proposal names the merchant that receives the money

  /// Whether the case allows the resolution, by the case's kind and object type.
  bool allowed(const Case& row) const { return kind == row.kind && (!about || row.object_type == *about); }
};

/// Returns the resolution with that name; null when the case does not allow it.
const Resolution* find_resolution(const Case& row, std::string_view name);

}  // namespace finality
