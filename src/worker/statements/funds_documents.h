// Finds the documents that a line of a funds statement can report.
#pragma once

#include <optional>
#include <vector>

#include "decide/statement/compare_line.h"
#include "store/store.h"

namespace finality {

/// A document, and when it was posted.
struct BookedDocument {
  ObjectRef document;
  Time at;                // not set if is_booked is false
  bool is_booked = true;  // false: the books do not have the refund as succeeded
};

/// Returns the documents that the line can report: more than one only for returns, and for refunds whose number the
/// line does not state. `order`: as find_order() returns it. `rows`: loaded as add_reads() states. `found`: what
/// compare_funds_line() found; loses its classes if the line does not state the number of the refund.
/// REQUIRES: has_document() is true.
Result<std::vector<BookedDocument>> find_documents(Reader& reader, const StatementLine& line,
                                                   const OrderAggregate* order, const WorkingSet& rows,
                                                   Comparison& found);

/// Returns when the document was posted; empty if it was not posted. `order`: contains the document; null for an
/// unknown receipt, which is in `rows`.
Result<std::optional<Time>> booked_at(Reader& reader, ObjectRef document, const WorkingSet& rows,
                                      const OrderAggregate* order);

}  // namespace finality
