// Compares one line of a statement with the books. Pure: callers read the rows. Compares only columns that never
// change once they are set, so the result stays valid while other commands run.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "decide/payment/record_evidence.h"
#include "decide/payment/record_unknown_receipt.h"
#include "decide/refund/record_refund.h"
#include "model/objects/channel_rate.h"
#include "model/objects/difference.h"
#include "model/statement_line.h"
#include "model/working_set.h"

namespace finality {

/// The statement to which a line belongs.
struct LineContext {
  const ChannelAccount& account;
  std::string_view date;           // of the statement, YYYY-MM-DD
  std::string_view document_date;  // day of the document's time in the time zone of the channel; may be empty
  StatementSource source;
  std::span<const ChannelRate> rates;  // of the channel account
};

/// Ids that compare_line() needs to find the document of a line. The caller loads them (ReadSet).
/// A line without numbers of Finality has no payment; `receipt_key` finds an unknown receipt.
struct LineReads {
  MerchantId merchant_id = kPlatform;
  std::optional<PaymentId> payment_id;    // of out_trade_no
  std::optional<Hash16> unknown_receipt;  // key of an unknown receipt with the channel_trade_no
};
LineReads reads_of(const ChannelAccount& account, const StatementLine& line);

/// What the comparison of a line found.
struct Comparison {
  MerchantId merchant_id = kPlatform;  // owner of the document; the platform if it is unknown
  std::optional<OrderId> order_id;
  ObjectRef document{};                  // receipt, refund, reversal or unknown receipt; value 0: the books have none
  std::vector<DifferenceClass> classes;  // in the order of their importance; empty: the line agrees with the document
  std::optional<MinorUnits> ours;
  /// Books what the line reports; monostate if no evidence can repair the books.
  std::variant<std::monostate, RecordEvidence, RecordRefund, RecordUnknownReceipt> repair;

  bool agrees() const { return classes.empty() && document.value != 0; }
};

/// `order` is the aggregate of the payment that reads_of() names; null if it does not exist. `unknown` is the unknown
/// receipt with the channel_trade_no; null if there is none.
Comparison compare_line(const StatementLine& line, const LineContext& context, const OrderAggregate* order,
                        const UnknownReceipt* unknown);

}  // namespace finality
