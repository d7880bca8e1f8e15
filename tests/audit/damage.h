// Vocabulary of the corruptions: the auditor's invariants, SQL expressions for ids in the populated store, and
// statements that change it.
#pragma once

#include <fmt/format.h>

#include <string>

namespace finality::audit {

// The invariants, in the auditor's words.
inline const std::string kInTable = "1 every stored transition is in its table";
inline const std::string kBegins = "1 each step begins where the last one ended";
inline const std::string kState = "1 a row is in the state its last step ended in";
inline const std::string kStepRow = "1 no step without its row";
inline const std::string kStepRoot = "1 no step without its root";
inline const std::string kRootVersion = "1 a root's version rises by one per change";
inline const std::string kOrderChildren = "1 the presence bits of the order match its rows";
inline const std::string kDeliveryChildren = "1 the presence bits of the delivery match its rows";
inline const std::string kChildVersion = "1 a child's version counts its steps";
inline const std::string kCloseAsked = "1 a close that was asked for left its step";
inline const std::string kOneSucceeded = "2 one succeeded payment exactly when the order succeeded";
inline const std::string kEndedUnpaid = "2 an order that ended unpaid has no open payment";
inline const std::string kClosedWhy = "2 a closed order says when and why";
inline const std::string kPaymentOrder = "2 no payment without its order";
inline const std::string kOrderAmount = "2 a payment asks for its order's amount";
inline const std::string kOrderNo = "2 a merchant_order_no names one order";
inline const std::string kOneAccepted = "3 one accepted receipt exactly when the payment succeeded";
inline const std::string kReceiptPayment = "3 no receipt without its payment";
inline const std::string kAcceptedEqual = "3 an accepted receipt equals its order";
inline const std::string kGoesBack = "3 a receipt nobody accepted goes back or is in the exception queue";
inline const std::string kReceiptOnce = "3 a receipt is unique by channel and upstream number";
inline const std::string kPaidAmount = "3 a payment's paid amount is the sum of its receipts";
inline const std::string kOrderPaid = "3 an order's paid amount is its accepted receipt";
inline const std::string kReversalMax = "3 a reversal never exceeds its receipt";
inline const std::string kReversalReturned = "3 a reversal that succeeded returned its receipt";
inline const std::string kReversedAmount = "3 a payment's reversed amount is what went back";
inline const std::string kSuspense = "4 suspense is the sum of unresolved receipts";
inline const std::string kRefundMax = "5 refunds never exceed what was captured";
inline const std::string kRefundedAmount = "5 an order's refunded amount is the sum of its refunds";
inline const std::string kOverRefunded = "5 more went back than was paid only where a person knows";
inline const std::string kExternalReceipt = "5 an external refund names its receipt, and is never sent";
inline const std::string kExternalHasCase = "5 an external refund is in the exception queue";
inline const std::string kNumberOnce = "5 a reported refund number is counted once";
inline const std::string kNumbered = "5 all that is numbered is booked";
inline const std::string kCharged = "5 the platform bears no more than a refund took";
inline const std::string kInTransit = "5 refunds in transit are those under way";
inline const std::string kJournalZero = "6 a journal sums to zero";
inline const std::string kEntryAddsUp = "6 an entry adds up";
inline const std::string kEntryBegins = "6 an entry begins where the last one ended";
inline const std::string kEntryAccount = "6 an entry is of its account's merchant and currency";
inline const std::string kBalance = "6 a balance is the sum of its entries";
inline const std::string kAccountCounts = "6 an account counts its entries and its steps";
inline const std::string kPostedOnce = "7 one posting per document and reason";
inline const std::string kPosted = "7 every document is posted";
inline const std::string kWrittenOff = "3 only an accepted receipt is written off, and only by operators";
inline const std::string kPostingDocument = "7 no posting without its document";
inline const std::string kStepPosting = "7 no step without its posting";
inline const std::string kOneChannel = "8 a channel is one account";
inline const std::string kPaymentChannel = "8 a channel's payment is over the account of that name";
inline const std::string kReceiptChannel = "8 a channel's receipt is over the account of that name";
inline const std::string kReceivableChannel = "8 a channel's account is over the account of that name";
inline const std::string kReceiptOver = "8 a receipt is over the channel account of its payment";
inline const std::string kRefundOver = "8 a refund is over the channel account of its payment";
inline const std::string kReversalOver = "8 a reversal is over the channel account of its payment";
inline const std::string kOrderKey = "9 a natural key names its order";
inline const std::string kReceiptKey = "9 a natural key names its receipt";
inline const std::string kRefundKey = "9 a natural key names its refund";
inline const std::string kAccountKey = "9 a natural key names its account";
inline const std::string kKeyNames = "9 a natural key names what is there";
inline const std::string kAnswer = "9 an idempotency key has its answer";
inline const std::string kNotified = "11 a final order has told its notify_url";
inline const std::string kDeliveryDue = "11 a delivery is done, in backoff or exhausted";
inline const std::string kExhausted = "11 an exhausted delivery is in the exception queue";
inline const std::string kDeliveryOrder = "11 no delivery without its order";
inline const std::string kReserved = "14 an id is reserved before it is used";
inline const std::string kOrderDue = "16 an open order is due";
inline const std::string kPaymentDue = "16 an open payment is due";
inline const std::string kRefundDue = "16 an open refund is due";
inline const std::string kReversalDue = "16 an open reversal is due";
inline const std::string kWaitsForNobody = "16 no order waits for payments that have all ended";
inline const std::string kParked = "16 a parked order is in the exception queue";
inline const std::string kStepMerchant = "1 a step is of its root's merchant";
inline const std::string kFirstState = "1 what comes into being is in a first state";
inline const std::string kWalletPaid = "3 a payment over the wallet took its amount from its account, once";
inline const std::string kFeeMax = "3 only a payment that succeeded is charged a fee, and no more than its amount";
inline const std::string kWalletRefunded = "5 a refund over the wallet gave its amount back to the account, once";
inline const std::string kReturned = "5 what came back of a refund is the sum of its returns";
inline const std::string kReturn = "5 a return of positive amount names its refund";
inline const std::string kBorne = "5 the platform bears no more than external refunds took and did not return";
inline const std::string kReturnOnce = "5 a return is counted once";
inline const std::string kFeeAgain = "5 fees that are charged again are those of the returns";
inline const std::string kFeeShare = "5 of a fee goes back the share that is refunded";
inline const std::string kHeld = "6 held is the sum of the open holds";
inline const std::string kAvailable = "6 what is available is never below zero";
inline const std::string kClosedEmpty = "6 a closed account is empty";
inline const std::string kBooksOpen = "6 an account of the books is open and nobody's";
inline const std::string kNotOpen = "6 nothing leaves an account that is not open, nothing enters a closed one";
inline const std::string kHoldAccounts = "6 a hold is between two accounts of its merchant";
inline const std::string kHoldPosted = "6 a hold posts no more than it held, and only when it is posted";
inline const std::string kTransferAccounts = "6 a transfer is between two accounts of its merchant";
inline const std::string kTransferSays = "6 a transfer says what it moved, or why not";
inline const std::string kHappened = "7 nothing is posted that did not happen";
inline const std::string kPostingStep = "7 no posting without its step";
inline const std::string kChart = "7 money moves between the accounts of its reason";
inline const std::string kOwnAccounts = "7 a transfer or a hold moves money between its own accounts";
inline const std::string kOneHold = "7 a source and a reference name one hold";
inline const std::string kOneTransfer = "7 a source and a reference name one transfer";
inline const std::string kWalletFor = "7 the wallet moves money for a payment or a refund only";
inline const std::string kTransferKey = "9 a natural key names its transfer";
inline const std::string kHoldKey = "9 a natural key names its hold";
inline const std::string kPriceKey = "9 a natural key names its price";
inline const std::string kOnePrice = "9 a name names one price";
inline const std::string kLock = "14 a lock is whole, and its number counts the locks";
inline const std::string kArchivedGone = "1 an archived order is not there any more";
inline const std::string kArchivedOwes = "4 an archived order left nothing in suspense or in transit";
inline const std::string kArchivedNumbers = "9 the numbers of an archived order stay taken";
inline const std::string kHoldDue = "16 a hold is due while it is open";

// SQL expressions for ids.
inline std::string order(const std::string& name) {
  return fmt::format("(SELECT id FROM orders WHERE merchant_order_no='{}')", name);
}
inline std::string in_order(const std::string& table, const std::string& name) {
  return fmt::format("(SELECT id FROM {} WHERE order_id={})", table, order(name));
}
inline std::string payment(const std::string& name) { return in_order("payments", name); }
inline std::string receipt(const std::string& name) { return in_order("receipts", name); }
inline std::string reversal(const std::string& name) { return in_order("reversals", name); }
inline std::string refund(const std::string& number) {
  return fmt::format("(SELECT id FROM refunds WHERE merchant_refund_no='{}')", number);
}
/// The first or the last return among the refunds of that order.
inline std::string money_return(const std::string& name, const std::string& which = "min") {
  return fmt::format("(SELECT {}(id) FROM returns WHERE order_id={})", which, order(name));
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
/// The n-th event of the order.
inline std::string nth_event(const std::string& name, int n) {
  return fmt::format("(SELECT id FROM events WHERE root_id={} ORDER BY id LIMIT 1 OFFSET {})", order(name), n);
}
inline std::string account(const std::string& kind) {
  return fmt::format("(SELECT id FROM accounts WHERE kind='{}')", kind);
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
inline const std::string kActiveKey = "(SELECT id FROM api_keys WHERE revoked_at IS NULL)";
inline const std::string kMerchant = "(SELECT id FROM merchants)";
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
