// PATCH /v1/merchants/{id}: sets what the checkout page shows of the merchant.
#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

/// A change of a field that can be absent: no value leaves the field as it is, a value without content removes it.
template <class T>
using FieldChange = std::optional<std::optional<T>>;

struct SetBranding {
  MerchantId merchant_id;
  FieldChange<std::string> name;
  FieldChange<std::string> support;
  FieldChange<std::string> color;  // "#rrggbb" in lower case
  FieldChange<Bytes> logo;         // PNG, JPEG or WebP; checked by the caller
};

void add_reads(const SetBranding& command, ReadSet& reads);

/// Refuses with `not_found` (no such merchant). A command that changes nothing records no event.
Decision decide(const SetBranding& command, Context& context);

}  // namespace finality
