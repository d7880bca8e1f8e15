// Origin of a transfer or hold: the pair (source, reference) with which the merchant identifies the transfer or hold.
#pragma once

#include <optional>
#include <string>

#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "query/lists.h"

namespace finality::http {

using query::Origin;

/// Reads `reference` and `source` (default `api`) from a body. Records validation errors in `fields`. The source
/// `wallet` is invalid, because it is reserved for wallet payments.
Origin read_origin(Fields& fields);

/// Reads `reference` and `source` (default `api`) from a query. Returns empty without `reference`. Records validation
/// errors in `query`, including a `source` without `reference`.
std::optional<Origin> read_origin(QueryParams& query);

}  // namespace finality::http
