// Entries that take back the booking of their document, in whole or in part.
#pragma once

#include <string_view>

#include "model/objects/entry.h"

namespace finality::store {

/// Whether an entry of that type takes back an earlier entry of its document. A line of a funds statement that reports
/// the document does not report such an entry: the channel still has the money.
constexpr bool takes_back(EntryType type) {
  return type == EntryType::receipt_written_off || type == EntryType::unknown_receipt_cancelled;
}

/// The same types as a list of SQL.
inline constexpr std::string_view kTakenBackSql = "'receipt_written_off', 'unknown_receipt_cancelled'";

}  // namespace finality::store
