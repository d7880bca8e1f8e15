// Origin of a transfer or hold: (source, reference), the merchant's identifier for it.
#pragma once

#include <optional>
#include <string>

#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "query/lists.h"

namespace finality::http {

using query::Origin;

/// Reads `reference` and `source` (default `api`) from a body. Records mistakes in `fields`. The source `wallet` is
/// refused: it is reserved for wallet payments.
Origin read_origin(Fields& fields);

/// Reads the origin from a query; empty without `reference`. A `source` without `reference` is a mistake, recorded in
/// `query`.
std::optional<Origin> read_origin(QueryParams& query);

}  // namespace finality::http
