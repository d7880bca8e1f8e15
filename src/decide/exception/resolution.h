// Table of the resolutions of each kind of exception case, and the conditions under which a case allows them.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "decide/exception/resolution_actions.h"

namespace finality {

/// Returns the names of the resolutions that the case allows (docs/guide/exception-queue.md). `difference`: the
/// difference that the case is about; null for a case about another object.
std::vector<std::string_view> resolutions_of(const Case& row, const Difference* difference);

/// Returns the difference whose aggregate contains the case; null if `root` is another object. REQUIRES: `rows`
/// contains the aggregate of `root`, the root of the case.
const Difference* difference_of_case(const WorkingSet& rows, ObjectRef root);

struct Resolution {
  CaseKind kind;
  std::string_view name;
  ActionResult (*carry_out)(const CaseContext&);  // the resolution's action; null for cases whose root is no order
  std::optional<ObjectType> about{};              // allowed only for cases about this object type; empty: any type
  bool names_merchant = false;                    // the proposal names the merchant that receives the money
  /// Refuses while the difference of the case does not allow the resolution; null: every difference allows it.
  std::expected<void, Refusal> (*check)(const Difference&) = nullptr;

  /// Whether the resolution exists for the case's kind and object type.
  bool exists_for(const Case& row) const { return kind == row.kind && (!about || row.object_type == *about); }
  /// Refuses if the difference of the case does not allow the resolution. `difference`: as for resolutions_of().
  std::expected<void, Refusal> check_difference(const Difference* difference) const {
    return check == nullptr || difference == nullptr ? std::expected<void, Refusal>{} : check(*difference);
  }
};

/// Returns the table: all resolutions of all kinds of cases.
std::span<const Resolution> all_resolutions();

/// Returns the resolution with that name; null when it does not exist for the case's kind and object type.
const Resolution* find_resolution(const Case& row, std::string_view name);

}  // namespace finality
