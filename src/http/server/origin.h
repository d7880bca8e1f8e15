// Where a transfer or a hold comes from: (source, reference), the merchant's name for it.
#pragma once

#include <optional>
#include <string>

#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "http/server/exchange.h"
#include "query/lists.h"

namespace finality::http {

using query::Origin;

/// Of a body: `reference`, and `source`, which is `api` when it is not given. Mistakes are kept in `fields`; one is the
/// wallet's name, under which only the wallet transfers.
Origin read_origin(Fields& fields);

/// Of a query; empty when it names no `reference`. A `source` alone is a mistake, kept in `query`.
std::optional<Origin> read_origin(QueryParams& query);

/// The address the request came from.
std::optional<std::string> source_ip_of(const HttpExchange& exchange);

}  // namespace finality::http
