// Reads exception cases from the store, and renders them as JSON objects of the API. All functions block while they
// read.
#pragma once

#include <expected>
#include <optional>

#include "decide/exception/approve_resolution.h"
#include "query/show.h"

namespace finality::query {

/// Renders the case. With `has_previews`, and unless it is resolved, previews what the approval of each allowed
/// resolution would post at `now`.
Shown show_case(Reader& reader, const Policy& policy, Time now, MerchantId merchant, CaseId id, bool has_previews);
/// Lists the exception cases of the merchant without previews; with `state`, only the cases in that state.
Shown list_cases(Reader& reader, MerchantId merchant, std::optional<CaseState> state, const Page& page);

/// Returns the command that approves the current proposal of the case, without the fields of the approver:
/// `approved_by`, `resolution` and `reviewed_merchant`. Its channel, currency and merchant name the accounts to load.
/// Refuses if the object of the case cannot be read.
std::expected<ApproveResolution, Refusal> approval_of(Reader& reader, const Policy& policy, const Case& row);

}  // namespace finality::query
