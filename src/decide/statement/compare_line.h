// Compares one line of a statement with the books. Pure: callers read the rows. Compares only columns that never
// change once they are set, so the result stays valid while other commands run.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "decide/authorization/query_authorization.h"
#include "decide/authorization/record_capture.h"
#include "decide/channel/claim_request.h"
#include "decide/payment/query_payment.h"
#include "decide/payment/record_evidence.h"
#include "decide/payment/record_unknown_receipt.h"
#include "decide/refund/record_refund.h"
#include "model/objects/channel_rate.h"
#include "model/objects/difference.h"
#include "model/read_set.h"
#include "model/statement_line.h"
#include "model/working_set.h"

namespace finality {

/// The statement to which a line belongs.
struct LineContext {
  const ChannelAccount& account;
  std::string_view date;  // of the statement, YYYY-MM-DD
  StatementSource source = StatementSource::fetched;
  std::span<const ChannelRate> rates;  // of all channel accounts
  std::chrono::minutes utc_offset{0};  // time zone in which the channel cuts the days
};

/// What the caller loads for a line.
struct LineReads {
  MerchantId merchant_id = kPlatform;     // merchant of the order; the platform if the line names none
  std::optional<PaymentId> payment_id{};  // payment that the out_trade_no names
  std::optional<OrderId> order_id{};      // order whose capture or authorization the out_trade_no names
  std::optional<Hash16> trade_key{};      // key_at_platform() of the channel_trade_no

  /// Whether the out_trade_no has our format. The order of another line is found by the channel_trade_no.
  bool is_named() const { return payment_id || order_id; }
};
LineReads reads_of(const ChannelAccount& account, const StatementLine& line);
void add_reads(const LineReads& line, ReadSet& reads);
/// Adds only the order that the line names; nothing if it names none.
void add_reads_of_order(const LineReads& line, ReadSet& reads);
/// Adds what has the number of the trade in the books of the platform: an unknown receipt or, if the line names no
/// order, the order for which the trade is reserved.
void add_reads_of_trade(const LineReads& line, ReadSet& reads);
/// Returns the id of the order for which the trade of the line is reserved, also if it is archived. Empty if the line
/// names an order, if no trade is reserved, and if `rows` do not contain what add_reads_of_trade() adds.
std::optional<OrderId> order_of_trade(const LineReads& line, const WorkingSet& rows);
/// Returns the order of the line; null if it is not in `rows`.
const OrderAggregate* find_order(const LineReads& line, const WorkingSet& rows);

/// Returns the merchant that the numbers of the line name; empty if they name none. Lines of funds statements about
/// refunds can state the number of the refund only. Does not check that the payment, capture or refund exists.
std::optional<MerchantId> merchant_of(const StatementLine& line);

/// How the books can be repaired; monostate if they cannot. The first four commands book what a downloaded line
/// reports. The others query the channel about what an uploaded line claims: its answer can repair the books.
using Repair = std::variant<std::monostate, RecordEvidence, RecordCapture, RecordRefund, RecordUnknownReceipt,
                            QueryPayment, QueryAuthorization, ClaimRequest>;

/// What the comparison of a line found.
struct Comparison {
  MerchantId merchant_id = kPlatform;  // owner of the document; the platform if it is unknown
  std::optional<OrderId> order_id{};
  ObjectRef document{ObjectType::receipt, 0};  // receipt, refund, reversal or unknown receipt; 0: the books have none
  std::vector<DifferenceClass> classes{};      // the most important class first; empty: the line and the books agree
  std::optional<MinorUnits> ours{};            // amount of the document, in its own currency
  Repair repair{};

  /// Whether the line and the document report the same money: they are matched. There can still be differences, about
  /// the fee or a discount.
  bool is_match() const;
};

/// Compares a line of kind payment or refund. The fee of a payment must be that of the rate; a refund of a payment must
/// not return a larger fee than the share of the refund in the payment's fee, by the rate of the payment's day. Whether
/// a channel returns fees is no part of its rate. `order`: the aggregate that find_order() returns; null if it does not
/// exist. `unknown`: the unknown receipt with the channel_trade_no; null if the books lack it. A refund that
/// failed on both sides has no document and no class: no money moved.
Comparison compare_line(const StatementLine& line, const LineContext& context, const OrderAggregate* order,
                        const UnknownReceipt* unknown);

/// The same with the rows that add_reads() names. The unknown receipt may be missing in `rows` if the order is not.
Comparison compare_line(const StatementLine& line, const LineContext& context, const WorkingSet& rows);

/// Whether a line of a funds statement reports the movement of a document: a payment and a returned refund add to the
/// balance, a refund takes from it.
bool has_document(const StatementLine& line);

/// Compares a line of a funds statement for which has_document() is true, with the rows that add_reads() names. Returns
/// no repair that books anything: the statement of trades repairs the books. A `refund_returned` line has no document
/// and no class here, only the merchant and the order of its payment.
Comparison compare_funds_line(const StatementLine& line, const LineContext& context, const WorkingSet& rows);

/// Returns what the comparison of a line found before evidence of the line booked its document. `now`: what it finds
/// afterwards, a match. `order`: as in compare_line().
Comparison before_repair(const StatementLine& line, const OrderAggregate* order, const Comparison& now);

/// Returns the fee that the channel should charge for a payment, in minor units, by the rate of the statement's day.
/// The rate with the payment's method precedes one for all methods, then that with its currency. Empty without a rate.
std::optional<MinorUnits> expected_cost(const LineContext& context, std::string_view method, Currency currency,
                                        MinorUnits amount);

}  // namespace finality
