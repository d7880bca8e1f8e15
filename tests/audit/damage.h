// Vocabulary of the corruptions: the auditor's invariants, SQL expressions for ids in the populated store, and
// statements that change it.
#pragma once

#include <fmt/format.h>

#include <string>

namespace finality::audit {

// Labels of the invariants, as the auditor prints them.
inline const std::string kInTable = "1 every stored transition is defined by its state machine";
inline const std::string kBegins = "1 an event starts from the state of the previous event";
inline const std::string kState = "1 a row has the state of its last event";
inline const std::string kStepRow = "1 every event has its row";
inline const std::string kStepRoot = "1 every event has its root";
inline const std::string kRootVersion = "1 a root's version rises by one per change";
inline const std::string kOrderChildren = "1 the presence bits of the order match its rows";
inline const std::string kDeliveryChildren = "1 the presence bits of the delivery match its rows";
inline const std::string kChildVersion = "1 a child's version counts its events";
inline const std::string kReadable = "1 the steps of a change are readable";
inline const std::string kChecked = "1 an order is checked after each change that posts or ends a document";
inline const std::string kCloseAsked = "1 a requested close has its event";
inline const std::string kOneSucceeded = "2 an automatic order has one succeeded payment exactly if it succeeded";
inline const std::string kEndedUnpaid = "2 a closed or failed order has no open payment";
inline const std::string kClosedWhy = "2 a closed order has a time and a reason";
inline const std::string kPaymentOrder = "2 every payment has its order";
inline const std::string kOrderAmount = "2 a payment has its order's amount";
inline const std::string kPayerErased = "2 a final payment keeps no data of its payer";
inline const std::string kHoldersPayerErased = "2 an authorization keeps no data of its payer after its request";
inline const std::string kOrderNo = "2 an order is unique by merchant_order_no";
inline const std::string kOneAccepted = "3 a payment or capture has one accepted receipt exactly if it succeeded";
inline const std::string kReceiptPayment = "3 every receipt has its payment or capture";
inline const std::string kAcceptedEqual = "3 an accepted receipt has the amount of its payment or capture";
inline const std::string kMismatch = "3 only operators accept a receipt of another amount than its payment's";
inline const std::string kUnderReview =
    "3 a payment under review has a receipt in suspense, an open case and a processing order";
inline const std::string kSuspenseOpen = "3 a receipt in suspense has a reversal or an open case";
inline const std::string kReceiptOnce = "3 a receipt is unique by channel, channel_trade_no and ordinal";
inline const std::string kPaidAmount = "3 a payment's paid amount is the sum of its receipts";
inline const std::string kOrderPaid = "3 an order's paid amount is the sum of its accepted receipts";
inline const std::string kReversalMax = "3 the reversals of a receipt never exceed it";
inline const std::string kReversalReturned = "3 a receipt is returned exactly if its reversal succeeded";
inline const std::string kReversedAmount = "3 a payment's reversed amount is the sum of its returned receipts";
inline const std::string kSuspense = "4 suspense is the sum of unresolved receipts";
inline const std::string kRefundMax = "5 refunds never exceed the captured amount";
inline const std::string kRefundedAmount = "5 an order's refunded amount is the sum of its refunds";
inline const std::string kOverRefunded = "5 an excess over a receipt has an over_refunded case";
inline const std::string kExternalReceipt =
    "5 a refund by the channel or of a capture names its receipt, and only an own refund is sent";
inline const std::string kExternalHasCase = "5 an external refund has a case";
inline const std::string kNumberOnce = "5 a reported refund number is counted once";
inline const std::string kNumbered = "5 every refund with a reported number is booked";
inline const std::string kCharged = "5 the platform is charged at most the refund, and only by operators";
inline const std::string kInTransit = "5 refunds in transit is the sum of the open refunds";
inline const std::string kJournalZero = "6 a journal sums to zero";
inline const std::string kEntryAddsUp = "6 an entry's balance_after is balance_before plus amount";
inline const std::string kEntryBegins = "6 an entry continues from the previous entry of its account";
inline const std::string kEntryAccount = "6 an entry has its account's merchant and currency";
inline const std::string kBalance = "6 an account's balance is the sum of its entries";
inline const std::string kAccountCounts = "6 an account's version counts its entries and events";
inline const std::string kPostedOnce = "7 one journal per document, reason and ordinal";
inline const std::string kPosted = "7 every document is posted";
inline const std::string kWrittenOff = "3 only an accepted receipt is written off, and only by operators";
inline const std::string kPostingDocument = "7 every posting has its document";
inline const std::string kStepPosting = "7 every posting named by an event exists";
inline const std::string kOneChannel = "8 a channel name is unique among channel accounts";
inline const std::string kRateAccount = "8 the channel account of a channel rate exists";
inline const std::string kPaymentChannel = "8 the channel of each payment is the name of its channel account";
inline const std::string kReceiptChannel = "8 the channel of each receipt is the name of its channel account";
inline const std::string kReceivableChannel = "8 the channel of each account is the name of its channel account";
inline const std::string kAccountSort =
    "8 the channel account of each account is a channel or a bank account, by its kind";
inline const std::string kAdjustmentSort =
    "8 the channel account of each adjustment is a channel or a bank account, by its kind";
inline const std::string kPaymentSort =
    "8 the channel account of each payment is a channel or a bank account, by its kind";
inline const std::string kStatementSort =
    "8 the channel account of each statement is a channel or a bank account, by its kind";
inline const std::string kUnknownSort =
    "8 the channel account of each unknown_receipt is a channel or a bank account, by its kind";
inline const std::string kBankCurrency = "8 an account of a bank account has its currency";
inline const std::string kFunds = "8 the funds of each payment are those of its channel account";
inline const std::string kReceiptOver = "8 a receipt has the channel account of its payment or capture";
inline const std::string kRefundOver = "8 a refund has the channel account of its payment or capture";
inline const std::string kReversalOver = "8 a reversal has the channel account of its payment or capture";
inline const std::string kOrderKey = "9 each order has its natural key";
inline const std::string kReceiptKey = "9 each receipt has its natural key";
inline const std::string kRefundKey = "9 each refund has its natural key";
inline const std::string kAccountKey = "9 each account has its natural key";
inline const std::string kKeyNames = "9 a natural key refers to an existing object";
inline const std::string kAnswer = "9 an idempotency key has its record";
inline const std::string kNotified = "11 a final order has a delivery to its notify_url";
inline const std::string kDeliveryDue = "11 a pending delivery is due";
inline const std::string kExhausted = "11 an exhausted delivery has a case";
inline const std::string kDeliveryOrder = "11 every delivery has its order";
inline const std::string kReserved = "14 an id is reserved before it is used";
inline const std::string kOrderDue = "16 an open order is due";
inline const std::string kPaymentDue = "16 an open payment is due";
inline const std::string kRefundDue = "16 an open refund is due";
inline const std::string kReversalDue = "16 an open reversal is due";
inline const std::string kClosingHasPayment = "16 a closing order has an open payment or authorization";
inline const std::string kParked = "16 a parked order has an open case";
inline const std::string kStepMerchant = "1 an event has its root's merchant";
inline const std::string kFirstState = "1 every object is created in an initial state";
inline const std::string kWalletPaid = "3 a wallet payment has exactly one transfer from its account";
inline const std::string kFeeMax = "3 only a succeeded payment or capture is charged a fee, at most its amount";
inline const std::string kWalletRefunded = "5 a wallet refund has exactly one transfer to the account";
inline const std::string kReturned = "5 a refund's returned amount is the sum of its returns";
inline const std::string kReturn = "5 a return has a positive amount and names its refund";
inline const std::string kBorne = "5 the platform bears at most the external refunds less their returns";
inline const std::string kReturnOnce = "5 a return is counted once";
inline const std::string kFeeAgain = "5 a refund's fee_charged_again is the sum over its returns";
inline const std::string kFeeShare = "5 a fee is returned in proportion to the refunds";
inline const std::string kSettledAmount = "5 a channel settlement has the amount of its document";
inline const std::string kSettledOnce = "5 a document is settled once";
inline const std::string kTransactionOnce = "5 a transaction number is counted once";
inline const std::string kConversion = "7 a conversion moves the reported amounts in their currencies";
inline const std::string kSettlementKey = "9 each channel_settlement has its natural key";
inline const std::string kHeld = "6 an account's held amount is the sum of its open holds";
inline const std::string kAvailable = "6 an available balance is never negative";
inline const std::string kClosedEmpty = "6 a closed account is empty";
inline const std::string kBooksOpen = "6 a ledger account is open and has no name, overdraft or lock";
inline const std::string kNotOpen = "6 only an open account is debited, and no closed account is credited";
inline const std::string kHoldAccounts = "6 a hold is between two accounts of its merchant";
inline const std::string kHoldPosted = "6 a hold posts at most its amount, and only in state posted";
inline const std::string kTransferAccounts = "6 a transfer is between two accounts of its merchant";
inline const std::string kTransferState = "6 a transfer's amount, accounts, price and refusal match its state";
inline const std::string kHappened = "7 every posting matches the state of its document";
inline const std::string kPostingStep = "7 every posting has its event";
inline const std::string kChart = "7 a posting uses the account kinds of its reason";
inline const std::string kTemplate = "7 a journal has one entry for each line of its template";
inline const std::string kOwnAccounts = "7 a transfer or hold posts to its own accounts";
inline const std::string kOneHold = "7 a hold is unique by source and reference";
inline const std::string kOneTransfer = "7 a transfer is unique by source and reference";
inline const std::string kWalletFor = "7 a wallet transfer is for a payment or a refund";
inline const std::string kTransferKey = "9 each transfer has its natural key";
inline const std::string kHoldKey = "9 each hold has its natural key";
inline const std::string kPriceKey = "9 each price has its natural key";
inline const std::string kRateKey = "9 each channel_rate has its natural key";
inline const std::string kOnePrice = "9 a price is unique by name";
inline const std::string kLock = "14 a lock is complete, and lock_number counts the locks";
inline const std::string kArchivedGone = "1 an archived order has no rows left";
inline const std::string kArchivedSettled = "4 an archived order has nothing in suspense or in transit";
inline const std::string kArchivedNumbers = "9 the numbers of an archived order stay reserved";
inline const std::string kAdjustedAccount = "7 an adjustment posts to its own account";
inline const std::string kAdjustment = "7 an adjustment's account, channel and amount match its type";
inline const std::string kCaseTwoKeys = "7 a case is resolved by two keys, or settled by none";
inline const std::string kTwoKeys = "7 an adjustment is posted by two keys";
inline const std::string kAdjustmentChannel = "8 the channel of each adjustment is the name of its channel account";
inline const std::string kAdjustmentFunds = "8 the funds of an adjustment are those of its channel account";
inline const std::string kHoldDue = "16 a hold is due while it is open";
inline const std::string kStatementDue = "17 a statement is due exactly while there is work on it";
inline const std::string kStatementFile = "17 a statement has all parts of its file";
inline const std::string kStatementIndex = "17 a statement has all parts of the index of its lines";
inline const std::string kPartOfFile = "17 a part belongs to the file of a statement";
inline const std::string kStatementTotals = "17 the totals of a statement count its lines";
inline const std::string kTotalOfStatement = "17 a total belongs to a matched statement";
inline const std::string kStatementMatches = "17 a matched statement counts its matches";
inline const std::string kFundsMatch = "17 a match about funds has an entry of its amount";
inline const std::string kMovementsCount = "17 the movements of a funds statement count its matched lines";
inline const std::string kMovementOfStatement = "17 a movement belongs to a matched statement of funds";
inline const std::string kMatchDocument = "17 a match names a document of its merchant and channel account";
inline const std::string kDifferenceCase = "17 a difference has an unresolved case exactly while it is open";
inline const std::string kDifferenceDecided = "17 a difference is resolved exactly if operators resolved its case";
inline const std::string kDifferencePosted = "17 an adjusted difference posts its amount";
inline const std::string kStatementKey = "9 each statement has its natural key";
inline const std::string kDifferenceKey = "9 each difference has its natural key";
inline const std::string kStatementChildren = "1 the presence bits of the statement match its rows";
inline const std::string kDifferenceChildren = "1 the presence bits of the difference match its rows";
inline const std::string kUnknownOnce = "3 an unknown receipt is unique by channel and channel_trade_no";
inline const std::string kUnknownCase = "3 an unknown receipt has a case";
inline const std::string kContradicted = "3 an unknown receipt is contradicted exactly if evidence contradicted it";
inline const std::string kAssigned = "3 an assigned receipt has the merchant of its resolved case";
inline const std::string kCancelled = "3 a receipt is cancelled exactly if its case was resolved so";
inline const std::string kClearing = "6 the clearing accounts of all merchants sum to zero";
inline const std::string kUnknownBooks =
    "7 an unknown receipt is posted in the books of the platform and of its merchant";
inline const std::string kUnknownFunds = "8 the funds of an unknown receipt are those of its channel account";
inline const std::string kUnknownChannel = "8 the channel of each unknown_receipt is the name of its channel account";
inline const std::string kUnknownKey = "9 each unknown_receipt has its natural key";
inline const std::string kUnknownChildren = "1 the presence bits of the unknown_receipt match its rows";
inline const std::string kPaymentMethod = "2 only an order with automatic capture has payments";
inline const std::string kAuthorizationMethod = "2 only an order with manual capture has authorizations";
inline const std::string kCaptureMethod = "2 only an order with manual capture has captures";
inline const std::string kAuthorizationOrder = "2 every authorization has its order";
inline const std::string kAuthorizationAmount = "2 an authorization has its order's amount";
inline const std::string kCaptureAuthorization = "2 every capture has its authorization";
inline const std::string kAuthorizationOrdinal = "2 the ordinal of each authorization is unique in its order";
inline const std::string kCaptureOrdinal = "2 the ordinal of each capture is unique in its order";
inline const std::string kOneCaptured = "2 a manual order has one captured authorization exactly if it succeeded";
inline const std::string kHolder = "2 an order is authorized exactly if one authorization holds its amount";
inline const std::string kEndedUnauthorized = "2 a closed or failed order has no open authorization";
inline const std::string kEndedWithoutMoney = "2 a closed or failed order has no paid amount";
inline const std::string kEndReason = "2 an authorization whose hold ends has a reason";
inline const std::string kCaptureNo = "2 a capture is unique by merchant_capture_no";
inline const std::string kCaptureNumbered = "2 only a requested capture has a merchant_capture_no";
inline const std::string kOneCollector = "3 collected money has a payment or a capture, never both";
inline const std::string kRefundAuthorization = "3 a refund of a capture names the authorization of its receipt";
inline const std::string kReceiptOrdinal = "3 the ordinal of a receipt is 0 or that of its capture";
inline const std::string kCapturedAmount = "3 an authorization's captured amount is the sum of its accepted receipts";
inline const std::string kExternalCapture = "3 a capture without a number at the channel has an external_capture case";
inline const std::string kCapturePaid = "3 a capture's paid amount is the sum of its receipts";
inline const std::string kCaptureReversed = "3 a capture's reversed amount is the sum of its returned receipts";
inline const std::string kTradeRefundMax = "5 refunds of an authorization never exceed what was captured of it";
inline const std::string kTradeReceipt = "5 a refund of an authorization names the first accepted receipt of its trade";
inline const std::string kCaptureRefunded = "5 a capture's refunded amount is the sum of its refunds";
inline const std::string kOneOpenCapture = "5 at most one capture of an authorization is open";
inline const std::string kCaptureOfHold = "5 a capture is open only while its authorization holds an amount";
inline const std::string kRequestedMax = "5 requested captures never exceed the authorized amount";
inline const std::string kOverCaptured = "5 an amount captured above the authorized amount has an over_captured case";
inline const std::string kReleasedAmount = "5 a released amount is a part of the authorized amount";
inline const std::string kHeldAfterEnd =
    "5 nothing is held after the end of an authorization, or it is still being released";
inline const std::string kWalletHeld = "6 a wallet authorization has the hold that its state requires";
inline const std::string kWalletHoldFor = "7 a wallet hold is for an authorization";
inline const std::string kAuthorizationChannel =
    "8 the channel of each authorization is the name of its channel account";
inline const std::string kAuthorizationSort =
    "8 the channel account of each authorization is a channel or a bank account, by its kind";
inline const std::string kAuthorizationFunds = "8 the funds of each authorization are those of its channel account";
inline const std::string kCaptureOver = "8 a capture has the channel account of its authorization";
inline const std::string kReservedTrade = "9 each trade of a console capture is reserved";
inline const std::string kCaptureKey = "9 each capture has its natural key";
inline const std::string kAuthorizedNotified = "11 an authorized order has one delivery of it to its notify_url";
inline const std::string kCaptureNotified = "11 each succeeded capture has a delivery to its order's notify_url";
inline const std::string kAuthorizationDue = "16 an open authorization is due";
inline const std::string kHeldDue = "16 an amount that is held is due before its deadline";
inline const std::string kCaptureDue = "16 an open capture is due";

// SQL expressions for ids.
inline std::string order(const std::string& name) {
  return fmt::format("(SELECT id FROM orders WHERE merchant_order_no='{}')", name);
}
inline std::string in_order(const std::string& table, const std::string& name) {
  return fmt::format("(SELECT id FROM {} WHERE order_id={})", table, order(name));
}
inline std::string payment(const std::string& name) { return in_order("payments", name); }
inline std::string authorization(const std::string& name) { return in_order("authorizations", name); }
/// The capture with that merchant_capture_no.
inline std::string capture(const std::string& number) {
  return fmt::format("(SELECT id FROM captures WHERE merchant_capture_no='{}')", number);
}
/// The receipt of the capture with that merchant_capture_no.
inline std::string captured_receipt(const std::string& number) {
  return fmt::format("(SELECT id FROM receipts WHERE capture_id={})", capture(number));
}
/// The first or the last capture that the channel made without a request.
inline std::string external_capture(const std::string& name, const std::string& which = "min") {
  return fmt::format("(SELECT {}(id) FROM captures WHERE origin='channel' AND order_id={})", which, order(name));
}
/// The hold of the order's wallet authorization.
inline std::string wallet_hold(const std::string& name) {
  return fmt::format(
      "(SELECT h.id FROM holds h JOIN authorizations a ON h.reference=substr(a.out_trade_no, 1, 26) || 'h' WHERE "
      "h.source='wallet' AND a.order_id={})",
      order(name));
}
inline std::string receipt(const std::string& name) { return in_order("receipts", name); }
inline std::string reversal(const std::string& name) { return in_order("reversals", name); }
inline std::string refund(const std::string& number) {
  return fmt::format("(SELECT id FROM refunds WHERE merchant_refund_no='{}')", number);
}
/// The first or the last return among the refunds of that order.
inline std::string money_return(const std::string& name, const std::string& which = "min") {
  return fmt::format("(SELECT {}(id) FROM returns WHERE order_id={})", which, order(name));
}
/// The settlement of the order's receipt or refund.
inline std::string settlement(const std::string& name, const std::string& document) {
  return fmt::format("(SELECT id FROM channel_settlements WHERE document_type='{}' AND order_id={})", document,
                     order(name));
}
/// The first entry of a journal about the settlement of the order's receipt, in that currency.
inline std::string conversion(const std::string& name, const std::string& type, const std::string& currency) {
  return fmt::format(
      "(SELECT min(e.id) FROM entries e JOIN accounts a ON a.id=e.account_id WHERE a.kind<>'fx' AND e.type='{}' AND "
      "e.currency='{}' AND e.document_id={})",
      type, currency, settlement(name, "receipt"));
}
/// The first or the last refund that the channel made without a request, from the order's accepted receipt.
inline std::string external_refund(const std::string& name, const std::string& which = "min") {
  return fmt::format(
      "(SELECT {}(f.id) FROM refunds f JOIN receipts r ON r.order_id=f.order_id AND r.id=f.receipt_id "
      "WHERE f.origin='channel' AND r.state='accepted' AND f.order_id={})",
      which, order(name));
}
inline std::string accepted_receipt(const std::string& name) {
  return fmt::format("(SELECT id FROM receipts WHERE state='accepted' AND order_id={})", order(name));
}
inline std::string case_of(const std::string& name) {
  return fmt::format("(SELECT id FROM cases WHERE root_id={})", order(name));
}
inline std::string notification(const std::string& name) {
  return fmt::format("(SELECT id FROM deliveries WHERE order_id={} AND endpoint_id IS NULL AND type LIKE 'order.%')",
                     order(name));
}
/// The last event with that name on the order's object of that type.
inline std::string event(const std::string& name, const std::string& type, const std::string& word) {
  return fmt::format("(SELECT max(id) FROM events WHERE root_id={} AND object_type='{}' AND event='{}')", order(name),
                     type, word);
}
/// The case of an object that is a root.
inline std::string case_of_root(const std::string& root) {
  return fmt::format("(SELECT id FROM cases WHERE root_id={})", root);
}
/// The n-th event of the order.
inline std::string nth_event(const std::string& name, int n) {
  return fmt::format("(SELECT id FROM events WHERE root_id={} ORDER BY id LIMIT 1 OFFSET {})", order(name), n);
}
/// The ledger account of that kind in the books of the merchant that is not the platform.
inline std::string account(const std::string& kind) {
  return fmt::format("(SELECT id FROM accounts WHERE kind='{}' AND currency='CNY' AND merchant_id<>1)", kind);
}
inline std::string unknown_receipt(const std::string& trade) {
  return fmt::format("(SELECT id FROM unknown_receipts WHERE channel_trade_no='{}')", trade);
}
inline std::string nth_entry(const std::string& kind, int n) {
  return fmt::format("(SELECT id FROM entries WHERE account_id={} ORDER BY id LIMIT 1 OFFSET {})", account(kind), n);
}
inline std::string last_entry(const std::string& kind) {
  return fmt::format("(SELECT max(id) FROM entries WHERE account_id={})", account(kind));
}
inline std::string journal_of(const std::string& entry) {
  return fmt::format("(SELECT journal_id FROM entries WHERE id={})", entry);
}
/// The merchant's accounts and transfers, holds and prices, by name or reference.
inline std::string user_account(const std::string& name) {
  return fmt::format("(SELECT id FROM accounts WHERE name='{}')", name);
}
inline std::string transfer(const std::string& reference) {
  return fmt::format("(SELECT id FROM transfers WHERE reference='{}')", reference);
}
inline std::string hold(const std::string& reference) {
  return fmt::format("(SELECT id FROM holds WHERE reference='{}')", reference);
}
/// The transfer by which the wallet paid that payment or refund.
inline std::string wallet_transfer(const std::string& table, const std::string& number, const std::string& id) {
  return fmt::format("(SELECT id FROM transfers WHERE reference=(SELECT {} FROM {} WHERE id={}))", number, table, id);
}
/// The debit or the credit entry that a document posted for that reason.
inline std::string debit(const std::string& reason, const std::string& document) {
  return fmt::format("(SELECT id FROM entries WHERE type='{}' AND document_id={} AND amount<0)", reason, document);
}
inline std::string credit(const std::string& reason, const std::string& document) {
  return fmt::format("(SELECT id FROM entries WHERE type='{}' AND document_id={} AND amount>0)", reason, document);
}
/// The archived order with the lowest id.
inline const std::string kArchived = "(SELECT min(id) FROM archived_orders)";
/// The event that created that root.
inline std::string opening(const std::string& root) {
  return fmt::format("(SELECT min(id) FROM events WHERE root_id={})", root);
}
/// The last event with that name in that root.
inline std::string step(const std::string& root, const std::string& word) {
  return fmt::format("(SELECT max(id) FROM events WHERE root_id={} AND event='{}')", root, word);
}
inline std::string channel_account(const std::string& channel) {
  return fmt::format("(SELECT id FROM channel_accounts WHERE channel='{}')", channel);
}
/// The adjustment with that note.
inline std::string adjustment(const std::string& note) {
  return fmt::format("(SELECT id FROM adjustments WHERE note='{}')", note);
}
inline const std::string kActiveKey = "(SELECT id FROM api_keys WHERE revoked_at IS NULL)";
inline const std::string kMerchant = "(SELECT id FROM merchants WHERE id<>1)";
inline const std::string kPlatformRow = "(SELECT id FROM merchants WHERE id=1)";
inline const std::string kNewEvent = "(SELECT max(id)+1 FROM events)";
inline const std::string kNewEntry = "(SELECT max(id)+1 FROM entries)";
/// A hash of an idempotency key. No natural key has it.
inline const std::string kNewHash = "(SELECT key_hash FROM idempotency_records ORDER BY id LIMIT 1)";
/// The later one of two rows.
inline std::string later(const std::string& table, const std::string& one, const std::string& other) {
  return fmt::format("(SELECT max(id) FROM {} WHERE id IN ({}, {}))", table, one, other);
}

// Damage, as statements.
inline std::string set(const std::string& table, const std::string& id, const std::string& columns) {
  return fmt::format("UPDATE {} SET {} WHERE id={};", table, columns, id);
}
inline std::string remove(const std::string& table, const std::string& id) {
  return fmt::format("DELETE FROM {} WHERE id={};", table, id);
}
/// Inserts a copy of that row, changed by `columns`.
inline std::string copy(const std::string& table, const std::string& id, const std::string& columns) {
  return fmt::format(
      "CREATE TEMP TABLE copied AS SELECT * FROM {0} WHERE id={1}; UPDATE copied SET {2};"
      "INSERT INTO {0} SELECT * FROM copied; DROP TABLE copied;",
      table, id, columns);
}

}  // namespace finality::audit
