// Parses the JSON object that reconciliation_json() renders, for commands that read it from a server. Pure.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "query/reconciliation.h"

namespace finality::query {

/// Returns the row with all fields that render_reconciliation.h renders; other fields of its statements and differences
/// are unset. Fails if a required field is missing or has another type: `object` comes from another program.
Result<Reconciliation> parse_reconciliation(const boost::json::object& object);

}  // namespace finality::query
