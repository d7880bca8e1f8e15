#include "corruptions.h"

#include "account_corruptions.h"
#include "damage.h"
#include "statement_corruptions.h"

namespace finality::audit {
namespace {

void damage_external_refunds(std::vector<Corruption>& list) {
  const std::string first = external_refund("external");
  const std::string last = external_refund("external", "max");
  const std::string taken = accepted_receipt("external");
  list.push_back(
      {"ExternalRefundRaised",
       set("refunds", first, "amount=amount+1000"),
       {{kOverRefunded, "receipt", taken}, {kRefundedAmount, "order", order("external")}, {kPosted, "refund", first}}});
  list.push_back(
      {"ExternalRefundOfNoReceipt", set("refunds", first, "receipt_id=NULL"), {{kExternalReceipt, "refund", first}}});
  list.push_back({"ExternalRefundCaseOfAnotherKind",
                  fmt::format("UPDATE cases SET kind='conflicting_result' WHERE object_id={};", first),
                  {{kExternalHasCase, "refund", first}}});
  list.push_back({"ExternalRefundNumberTwice",
                  fmt::format("UPDATE refunds SET channel_refund_no='C1' WHERE id IN ({}, {});", first, last),
                  {{kNumberOnce, "refund", last}}});
  list.push_back(
      {"RefundNumberNotBooked", set("receipts", taken, "numbered_refunds=5000"), {{kNumbered, "receipt", taken}}});
  list.push_back({"ExternalRefundChargedByNobody",
                  set("refunds", first, "charged=1"),
                  {{kCharged, "refund", first}, {kPosted, "refund", first}}});
}

void damage_returns(std::vector<Corruption>& list) {
  const std::string of = refund("R-returned");
  const std::string first = money_return("refund_returned");
  const std::string last = money_return("refund_returned", "max");
  list.push_back({"ReturnRaised",
                  set("returns", first, "amount=amount+1"),
                  {{kReturned, "refund", of}, {kPosted, "money_return", first}}});
  list.push_back({"RefundSaysThatMoreCameBack",
                  set("refunds", of, "returned_amount=returned_amount+1"),
                  {{kReturned, "refund", of}, {kRefundedAmount, "order", order("refund_returned")}}});
  list.push_back({"ReturnDeleted",
                  remove("returns", first),
                  {{kReturned, "refund", of}, {kPostingDocument, "money_return", first}}});
  list.push_back({"ReturnOfAnotherRefund",
                  set("returns", first, "refund_id=" + refund("R-succeeded")),
                  {{kReturned, "refund", of}, {kReturn, "money_return", first}}});
  list.push_back({"ReturnNumberTwice",
                  fmt::format("UPDATE returns SET channel_no='B1' WHERE id={};", last),
                  {{kReturnOnce, "money_return", last}}});
  list.push_back({"ReturnToThePlatform",
                  set("returns", first, "to_platform=1"),
                  {{kPosted, "money_return", first}, {kBorne, "receipt", accepted_receipt("refund_returned")}}});
  list.push_back({"FeeChargedAgainForNothing",
                  set("refunds", of, "fee_charged_again=fee_charged_again+1"),
                  {{kFeeAgain, "refund", of}, {kFeeShare, "payment", payment("refund_returned")}}});
}

void damage_settlements(std::vector<Corruption>& list) {
  const std::string of_receipt = settlement("settled", "receipt");
  const std::string of_refund = settlement("settled", "refund");
  const std::string converted = conversion("settled", "receipt_converted", "CNY");
  list.push_back({"SettlementOfAnotherAmount",
                  set("channel_settlements", of_receipt, "amount=amount+1"),
                  {{kSettledAmount, "channel_settlement", of_receipt},
                   {kPosted, "channel_settlement", of_receipt},
                   {kConversion, "entry", converted}}});
  list.push_back({"SettledAmountByTheRate",
                  set("channel_settlements", of_receipt, "settled_amount=settled_amount+1"),
                  {{kPosted, "channel_settlement", of_receipt},
                   {kConversion, "entry", conversion("settled", "receipt_converted", "USD")}}});
  list.push_back({"SettledTwice",
                  fmt::format("UPDATE channel_settlements SET document_type='receipt', document_id={} WHERE id={};",
                              accepted_receipt("settled"), of_refund),
                  {{kSettledOnce, "channel_settlement", of_refund},
                   {kSettledAmount, "channel_settlement", of_refund},
                   {kPosted, "channel_settlement", of_refund}}});
  list.push_back({"TransactionNumberTwice",
                  "UPDATE channel_settlements SET transaction_no='B-1';",
                  {{kTransactionOnce, "channel_settlement", of_refund}}});
  list.push_back({"ConversionsSwapped",
                  fmt::format("UPDATE entries SET type='refund_converted' WHERE type='receipt_converted' AND "
                              "document_id={};",
                              of_receipt),
                  {{kPosted, "channel_settlement", of_receipt}, {kConversion, "entry", converted}}});
  list.push_back({"SettlementWithoutKey",
                  fmt::format("DELETE FROM keys WHERE id={};", of_receipt),
                  {{kSettlementKey, "channel_settlement", of_receipt}}});
}

void damage_the_ledger(std::vector<Corruption>& list) {
  const std::string payable = "merchant_payable";
  list.push_back({"BalanceChanged",
                  set("accounts", account(payable), "balance=balance+1"),
                  {{kBalance, "account", account(payable)}}});
  list.push_back({"AccountVersionChanged",
                  set("accounts", account(payable), "version=version+1"),
                  {{kAccountCounts, "account", account(payable)}}});
  list.push_back({"AccountDeleted",
                  remove("accounts", account(payable)),
                  {{kEntryAccount, "entry", nth_entry(payable, 0)}, {kKeyNames, "key", account(payable)}}});
  list.push_back(
      {"FirstEntryDeleted",
       remove("entries", nth_entry(payable, 0)),
       {{kEntryBegins, "entry", nth_entry(payable, 1)}, {kJournalZero, "entry", journal_of(nth_entry(payable, 0))}}});
  list.push_back({"MiddleEntryDeleted",
                  remove("entries", nth_entry(payable, 1)),
                  {{kEntryBegins, "entry", nth_entry(payable, 2)},
                   {kJournalZero, "entry", journal_of(nth_entry(payable, 1))},
                   {kBalance, "account", account(payable)}}});
  list.push_back(
      {"LastEntryDeleted",
       remove("entries", last_entry(payable)),
       {{kAccountCounts, "account", account(payable)}, {kJournalZero, "entry", journal_of(last_entry(payable))}}});
  list.push_back({"EntryAmountChanged",
                  set("entries", nth_entry(payable, 1), "amount=amount+1"),
                  {{kEntryAddsUp, "entry", nth_entry(payable, 1)},
                   {kJournalZero, "entry", journal_of(nth_entry(payable, 1))},
                   {kBalance, "account", account(payable)}}});
  list.push_back({"EntryDoubled",
                  copy("entries", last_entry(payable), "id=" + kNewEntry),
                  {{kEntryBegins, "entry", kNewEntry},
                   {kJournalZero, "entry", journal_of(last_entry(payable))},
                   {kAccountCounts, "account", account(payable)}}});
  list.push_back({"JournalUnbalancedAndAllElseMadeToFit",
                  set("entries", last_entry(payable), "amount=amount+5, balance_after=balance_after+5") +
                      set("accounts", account(payable), "balance=balance+5"),
                  {{kJournalZero, "entry", journal_of(last_entry(payable))}}});
  list.push_back({"EntryChainBroken",
                  set("entries", nth_entry(payable, 2), "previous_id=" + nth_entry(payable, 0)),
                  {{kEntryBegins, "entry", nth_entry(payable, 2)}}});
  list.push_back({"EntryMovedToAnotherAccount",
                  set("entries", last_entry(payable), "account_id=" + account("suspense")),
                  {{kBalance, "account", account(payable)}, {kBalance, "account", account("suspense")}}});
  list.push_back(
      {"EntryOfAnotherCurrency",
       set("entries", last_entry(payable), "currency='USD'"),
       {{kEntryAccount, "entry", last_entry(payable)}, {kJournalZero, "entry", journal_of(last_entry(payable))}}});
}

void damage_postings(std::vector<Corruption>& list) {
  list.push_back({"WrittenOffByNobody",
                  set("receipts", receipt("succeeded"), "written_off=1"),
                  {{kWrittenOff, "receipt", receipt("succeeded")}, {kPosted, "receipt", receipt("succeeded")}}});
  const std::string posted_later =
      fmt::format("(SELECT min(id) FROM entries WHERE document_id={})", receipt("refunded"));
  list.push_back({"PostedForAnotherDocument",
                  fmt::format("UPDATE entries SET document_id={} WHERE document_id={};", receipt("succeeded"),
                              receipt("refunded")),
                  {{kPostedOnce, "entry", posted_later}, {kPosted, "receipt", receipt("refunded")}}});
  list.push_back(
      {"PostedForAnotherReason",
       fmt::format("UPDATE entries SET type='receipt_in_suspense' WHERE document_id={};", receipt("succeeded")),
       {{kPosted, "receipt", receipt("succeeded")}}});
  list.push_back(
      {"PostingDeleted",
       fmt::format("DELETE FROM entries WHERE document_id={};", receipt("succeeded")),
       {{kPosted, "receipt", receipt("succeeded")}, {kStepPosting, "event", event("succeeded", "payment", "paid")}}});
  list.push_back({"PostingOfNothing",
                  fmt::format("UPDATE entries SET document_id=12345 WHERE document_id={};", receipt("wrong")),
                  {{kPostingDocument, "receipt", "12345"}, {kPosted, "receipt", receipt("wrong")}}});
  list.push_back({"StepNamesNoPosting",
                  set("events", event("succeeded", "payment", "paid"), "journal_id=12345"),
                  {{kStepPosting, "event", event("succeeded", "payment", "paid")}}});
}

void rewrite_states(std::vector<Corruption>& list) {
  list.push_back({"FinalPaymentReopened",
                  set("payments", payment("succeeded"), "state='pending', due_at=1"),
                  {{kState, "payment", payment("succeeded")},
                   {kOneSucceeded, "order", order("succeeded")},
                   {kOneAccepted, "payment", payment("succeeded")}}});
  list.push_back({"OpenPaymentSucceeded",
                  set("payments", payment("waiting"), "state='succeeded'"),
                  {{kState, "payment", payment("waiting")}, {kOneAccepted, "payment", payment("waiting")}}});
  list.push_back({"FinalOrderReopened",
                  set("orders", order("succeeded"), "state='pending', due_at=1"),
                  {{kState, "order", order("succeeded")}, {kOneSucceeded, "order", order("succeeded")}}});
  list.push_back({"FailedOrderClosed",
                  set("orders", order("failed"), "state='closed'"),
                  {{kState, "order", order("failed")},
                   {kClosedWhy, "order", order("failed")},
                   {kNotified, "order", order("failed")}}});
  list.push_back({"ClosedOrderHasAnOpenPayment",
                  set("payments", payment("paid_late"), "state='pending', due_at=1"),
                  {{kEndedUnpaid, "payment", payment("paid_late")}, {kState, "payment", payment("paid_late")}}});
  list.push_back({"ClosedForNoReason",
                  set("orders", order("closed"), "close_reason=NULL"),
                  {{kClosedWhy, "order", order("closed")}}});
  list.push_back({"RefundReopened",
                  set("refunds", refund("R-succeeded"), "state='processing', due_at=1"),
                  {{kState, "refund", refund("R-succeeded")},
                   {kRefundedAmount, "order", order("refunded")},
                   {kInTransit, "merchant", kMerchant}}});
  list.push_back({"FailedRefundSucceeded",
                  set("refunds", refund("R-failed"), "state='succeeded'"),
                  {{kState, "refund", refund("R-failed")}, {kPosted, "refund", refund("R-failed")}}});
  list.push_back({"ReversalReopened",
                  set("reversals", reversal("returned"), "state='processing', due_at=1"),
                  {{kState, "reversal", reversal("returned")}, {kReversalReturned, "reversal", reversal("returned")}}});
  list.push_back({"ReversalSucceededOnPaper",
                  set("reversals", reversal("paid_late"), "state='succeeded'"),
                  {{kState, "reversal", reversal("paid_late")},
                   {kReversalReturned, "reversal", reversal("paid_late")},
                   {kPosted, "reversal", reversal("paid_late")}}});
  list.push_back({"DeliveryReopened",
                  set("deliveries", notification("succeeded"), "state='pending', due_at=1"),
                  {{kState, "delivery", notification("succeeded")}}});
  list.push_back({"CaseResolvedOnPaper",
                  set("cases", case_of("wrong"), "state='resolved'"),
                  {{kState, "exception_case", case_of("wrong")}, {kSuspenseOpen, "receipt", receipt("wrong")}}});
  list.push_back({"EndpointDeletedOnPaper",
                  "UPDATE webhook_endpoints SET state='deleted' WHERE state='disabled';",
                  {{kState, "webhook_endpoint", "(SELECT id FROM webhook_endpoints WHERE state='disabled')"}}});
  list.push_back({"KeyUnrevoked",
                  "UPDATE api_keys SET revoked_at=NULL;",
                  {{kState, "api_key", "(SELECT id FROM api_keys WHERE revoked_at IS NOT NULL)"}}});
}

void rewrite_versions(std::vector<Corruption>& list) {
  list.push_back({"OrderVersionSkipped",
                  set("orders", order("succeeded"), "version=version+1"),
                  {{kRootVersion, "order", order("succeeded")}}});
  list.push_back({"OrderVersionLowered",
                  set("orders", order("succeeded"), "version=version-1"),
                  {{kRootVersion, "order", order("succeeded")}}});
  list.push_back({"OrderVersionSkippedWithItsSteps",
                  fmt::format("UPDATE events SET root_version=root_version+1 WHERE root_id={0} AND root_version>1;"
                              "UPDATE orders SET version=version+1 WHERE id={0};",
                              order("succeeded")),
                  {{kRootVersion, "order", order("succeeded")}}});
  list.push_back(
      {"OrderVersionsBeginAtZero",
       fmt::format("UPDATE events SET root_version=0 WHERE root_id={} AND root_version=1;", order("succeeded")),
       {{kRootVersion, "order", order("succeeded")}}});
  list.push_back({"DeliveryVersionSkipped",
                  set("deliveries", notification("succeeded"), "version=version+1"),
                  {{kRootVersion, "delivery", notification("succeeded")}}});
  list.push_back(
      {"MerchantVersionSkipped", "UPDATE merchants SET version=2;", {{kRootVersion, "merchant", kMerchant}}});
  const std::string endpoint = "(SELECT id FROM webhook_endpoints WHERE state='disabled')";
  list.push_back({"ApiKeyVersionSkipped",
                  set("api_keys", kActiveKey, "version=version+1"),
                  {{kRootVersion, "api_key", kActiveKey}}});
  list.push_back({"EndpointVersionSkipped",
                  set("webhook_endpoints", endpoint, "version=version+1"),
                  {{kRootVersion, "webhook_endpoint", endpoint}}});
  list.push_back({"PaymentVersionSkipped",
                  set("payments", payment("succeeded"), "version=version+1"),
                  {{kChildVersion, "payment", payment("succeeded")}}});
  list.push_back({"CaseVersionSkipped",
                  set("cases", case_of("wrong"), "version=version+1"),
                  {{kChildVersion, "exception_case", case_of("wrong")}}});
}

void damage_steps(std::vector<Corruption>& list) {
  const std::string paid = event("succeeded", "payment", "paid");
  const std::string waiting = event("succeeded", "payment", "waiting");
  list.push_back({"FirstStepDeleted",
                  remove("events", nth_event("succeeded", 0)),
                  {{kBegins, "event", event("succeeded", "order", "payment_started")}}});
  list.push_back({"MiddleStepDeleted",
                  remove("events", waiting),
                  {{kBegins, "event", paid}, {kChildVersion, "payment", payment("succeeded")}}});
  list.push_back({"LastStepDeleted",
                  remove("events", event("succeeded", "order", "paid")),
                  {{kState, "order", order("succeeded")}}});
  list.push_back({"ApiKeyDeleted",
                  remove("api_keys", kActiveKey),
                  {{kStepRow, "api_key", kActiveKey}, {kStepRoot, "api_key", kActiveKey}}});
  list.push_back({"OnlyStepDeleted",
                  fmt::format("DELETE FROM events WHERE root_id={};", kMerchant),
                  {{kState, "merchant", kMerchant}, {kRootVersion, "merchant", kMerchant}}});
  list.push_back({"OrderDeniesItsPayments",
                  set("orders", order("succeeded"), "children=children-1"),
                  {{kOrderChildren, "order", order("succeeded")}}});
  list.push_back({"OrderClaimsARefund",
                  set("orders", order("closing"), "children=children+4"),
                  {{kOrderChildren, "order", order("closing")}}});
  list.push_back({"KeptStepDeleted",
                  remove("events", event("contradicted", "payment", "failed")),
                  {{kChildVersion, "payment", payment("contradicted")}}});
  list.push_back({"CloseAskedStepDeleted",
                  remove("events", event("closing", "order", "close_requested")),
                  {{kCloseAsked, "order", order("closing")}}});
  list.push_back({"StepEndsElsewhere",
                  set("events", waiting, "to_state='processing'"),
                  {{kInTable, "event", waiting}, {kBegins, "event", paid}}});
  list.push_back({"LastStepEndsElsewhere",
                  set("events", paid, "to_state='closed'"),
                  {{kInTable, "event", paid}, {kState, "payment", payment("succeeded")}}});
  list.push_back({"StepOfAnotherCell", set("events", waiting, "cell='keep'"), {{kInTable, "event", waiting}}});
  list.push_back({"StepOfAnotherEvent", set("events", waiting, "event='failed'"), {{kInTable, "event", waiting}}});
  list.push_back({"StepWithoutItsAction",
                  set("events", event("paid_late", "payment", "paid_unexpectedly"), "actions=0"),
                  {{kInTable, "event", event("paid_late", "payment", "paid_unexpectedly")}}});
  list.push_back({"CreationOfAnotherCell",
                  set("events", nth_event("succeeded", 0), "cell='keep'"),
                  {{kInTable, "event", nth_event("succeeded", 0)}}});
  // A final payment changes its state, and the rest of the store is adapted to the change.
  list.push_back({"IllegalStepInserted",
                  copy("events", paid,
                       "id=" + kNewEvent +
                           ", event='failed', from_state='succeeded', to_state='failed', journal_id=NULL, actions=0") +
                      set("payments", payment("succeeded"), "state='failed', version=version+1"),
                  {{kInTable, "event", kNewEvent}, {kOneAccepted, "payment", payment("succeeded")}}});
  list.push_back({"RefusedStepInserted",
                  copy("events", waiting,
                       "id=" + kNewEvent + ", root_id=" + order("waiting") + ", object_id=" + payment("waiting") +
                           ", event='send', from_state='pending', to_state='pending', cell='refuse', root_version=1") +
                      set("payments", payment("waiting"), "version=version+1"),
                  {{kInTable, "event", kNewEvent}}});
  list.push_back({"StepOfNothing",
                  copy("events", waiting, "id=" + kNewEvent + ", object_id=12345"),
                  {{kStepRow, "payment", "12345"}}});
  list.push_back({"StepOfNoRoot",
                  copy("events", nth_event("closed", 0), "id=" + kNewEvent + ", root_id=12345"),
                  {{kStepRoot, "order", "12345"}}});
  list.push_back({"CloseAskedOnPaper",
                  set("orders", order("pending"), "close_requested=1"),
                  {{kCloseAsked, "order", order("pending")}, {kClosingHasPayment, "order", order("pending")}}});
}

void damage_orders_and_payments(std::vector<Corruption>& list) {
  list.push_back({"OrderDeleted",
                  remove("orders", order("succeeded")),
                  {{kPaymentOrder, "payment", payment("succeeded")},
                   {kStepRow, "order", order("succeeded")},
                   {kStepRoot, "order", order("succeeded")},
                   {kKeyNames, "key", order("succeeded")},
                   {kDeliveryOrder, "delivery", notification("succeeded")}}});
  list.push_back({"OrderWithoutPaymentsDeleted",
                  remove("orders", order("pending")),
                  {{kStepRow, "order", order("pending")}, {kKeyNames, "key", order("pending")}}});
  list.push_back({"SucceededPaymentDeleted",
                  remove("payments", payment("succeeded")),
                  {{kOneSucceeded, "order", order("succeeded")},
                   {kReceiptPayment, "receipt", receipt("succeeded")},
                   {kStepRow, "payment", payment("succeeded")}}});
  list.push_back(
      {"FailedPaymentDeleted", remove("payments", payment("failed")), {{kStepRow, "payment", payment("failed")}}});
  list.push_back({"PaymentAmountChanged",
                  set("payments", payment("waiting"), "amount=amount+1"),
                  {{kOrderAmount, "payment", payment("waiting")}}});
  list.push_back({"PaymentCurrencyChanged",
                  set("payments", payment("waiting"), "currency='USD'"),
                  {{kOrderAmount, "payment", payment("waiting")}}});
  list.push_back(
      {"SucceededPaymentAmountChanged",
       set("payments", payment("succeeded"), "amount=amount+1"),
       {{kAcceptedEqual, "receipt", receipt("succeeded")}, {kOrderAmount, "payment", payment("succeeded")}}});
  list.push_back({"PaymentPaidAmountChanged",
                  set("payments", payment("succeeded"), "paid_amount=paid_amount+1"),
                  {{kPaidAmount, "payment", payment("succeeded")}}});
  list.push_back({"PaymentReversedAmountChanged",
                  set("payments", payment("returned"), "reversed_amount=0"),
                  {{kReversedAmount, "payment", payment("returned")}}});
  list.push_back({"OrderAmountChanged",
                  set("orders", order("succeeded"), "amount=amount-1"),
                  {{kOrderAmount, "payment", payment("succeeded")}}});
  list.push_back({"OrderPaidAmountChanged",
                  set("orders", order("succeeded"), "paid_amount=paid_amount-1"),
                  {{kOrderPaid, "order", order("succeeded")}}});
  list.push_back({"MerchantOrderNumberDoubled",
                  fmt::format("UPDATE orders SET merchant_order_no='pending' WHERE id={};", order("waiting")),
                  {{kOrderNo, "order", later("orders", order("pending"), order("waiting"))}}});
}

void damage_receipts(std::vector<Corruption>& list) {
  const std::string new_receipt = "(SELECT max(id)+1 FROM receipts)";
  list.push_back({"ReceiptDoubled",
                  copy("receipts", receipt("succeeded"), "id=" + new_receipt),
                  {{kReceiptOnce, "receipt", new_receipt},
                   {kPaidAmount, "payment", payment("succeeded")},
                   {kOneAccepted, "payment", payment("succeeded")},
                   {kReceiptKey, "receipt", new_receipt},
                   {kPosted, "receipt", new_receipt}}});
  list.push_back({"AcceptedReceiptDeleted",
                  remove("receipts", receipt("succeeded")),
                  {{kOneAccepted, "payment", payment("succeeded")},
                   {kPaidAmount, "payment", payment("succeeded")},
                   {kPostingDocument, "receipt", receipt("succeeded")},
                   {kKeyNames, "key", receipt("succeeded")}}});
  list.push_back({"SuspenseReceiptDeleted",
                  remove("receipts", receipt("wrong")),
                  {{kSuspense, "merchant", kMerchant}, {kPaidAmount, "payment", payment("wrong")}}});
  list.push_back({"ReturnedReceiptDeleted",
                  remove("receipts", receipt("returned")),
                  {{kPaidAmount, "payment", payment("returned")}, {kReversedAmount, "payment", payment("returned")}}});
  list.push_back({"AcceptedReceiptAmountChanged",
                  set("receipts", receipt("succeeded"), "amount=amount+1"),
                  {{kAcceptedEqual, "receipt", receipt("succeeded")}, {kPosted, "receipt", receipt("succeeded")}}});
  list.push_back({"SuspenseReceiptAmountChanged",
                  set("receipts", receipt("wrong"), "amount=amount+1"),
                  {{kSuspense, "merchant", kMerchant}, {kPosted, "receipt", receipt("wrong")}}});
  list.push_back({"SuspenseReceiptReturnedOnPaper",
                  set("receipts", receipt("paid_late"), "state='returned'"),
                  {{kSuspense, "merchant", kMerchant},
                   {kReversedAmount, "payment", payment("paid_late")},
                   {kReversalReturned, "reversal", reversal("paid_late")}}});
  list.push_back(
      {"AcceptedReceiptMoved",
       set("receipts", receipt("succeeded"), "order_id=" + order("failed") + ", payment_id=" + payment("failed")),
       {{kOneAccepted, "payment", payment("succeeded")},
        {kOneAccepted, "payment", payment("failed")},
        {kPaidAmount, "payment", payment("failed")}}});
  list.push_back({"ReceiptOfNoPayment",
                  set("receipts", receipt("wrong"), "payment_id=12345"),
                  {{kReceiptPayment, "receipt", receipt("wrong")}, {kSuspenseOpen, "receipt", receipt("wrong")}}});
  list.push_back({"CaseOfASuspenseReceiptDeleted",
                  remove("cases", case_of("wrong")),
                  {{kSuspenseOpen, "receipt", receipt("wrong")}, {kStepRow, "exception_case", case_of("wrong")}}});
}

void damage_what_goes_back(std::vector<Corruption>& list) {
  const std::string new_reversal = "(SELECT max(id)+1 FROM reversals)";
  list.push_back({"ReversalRaised",
                  set("reversals", reversal("paid_late"), "amount=amount+1"),
                  {{kReversalMax, "reversal", reversal("paid_late")}}});
  list.push_back({"ReversalDoubled",
                  copy("reversals", reversal("paid_late"), "id=" + new_reversal),
                  {{kReversalMax, "reversal", reversal("paid_late")}, {kState, "reversal", new_reversal}}});
  list.push_back({"ReversalDeleted",
                  remove("reversals", reversal("paid_late")),
                  {{kSuspenseOpen, "receipt", receipt("paid_late")}, {kStepRow, "reversal", reversal("paid_late")}}});
  list.push_back({"ReversalNeverDue",
                  set("reversals", reversal("paid_late"), "due_at=NULL"),
                  {{kReversalDue, "reversal", reversal("paid_late")}}});
  list.push_back({"RefundRaised",
                  set("refunds", refund("R-processing"), "amount=amount+1000"),
                  {{kRefundMax, "payment", payment("refunded")},
                   {kInTransit, "merchant", kMerchant},
                   {kPosted, "refund", refund("R-processing")}}});
  list.push_back({"RefundDeleted",
                  remove("refunds", refund("R-succeeded")),
                  {{kRefundedAmount, "order", order("refunded")},
                   {kStepRow, "refund", refund("R-succeeded")},
                   {kPostingDocument, "refund", refund("R-succeeded")}}});
  list.push_back({"RefundNeverDue",
                  set("refunds", refund("R-processing"), "due_at=NULL"),
                  {{kRefundDue, "refund", refund("R-processing")}}});
  list.push_back({"RefundedAmountChanged",
                  set("orders", order("refunded"), "refunded_amount=0"),
                  {{kRefundedAmount, "order", order("refunded")}}});
}

void damage_keys(std::vector<Corruption>& list) {
  const auto unname = [](const std::string& id) { return fmt::format("DELETE FROM keys WHERE id={};", id); };
  list.push_back({"OrderKeyDeleted", unname(order("closed")), {{kOrderKey, "order", order("closed")}}});
  list.push_back({"ReceiptKeyDeleted", unname(receipt("wrong")), {{kReceiptKey, "receipt", receipt("wrong")}}});
  list.push_back({"RefundKeyDeleted", unname(refund("R-failed")), {{kRefundKey, "refund", refund("R-failed")}}});
  list.push_back({"AccountKeyDeleted", unname(account("suspense")), {{kAccountKey, "account", account("suspense")}}});
  list.push_back({"KeyOfNothing",
                  fmt::format("INSERT INTO keys VALUES ({}, {}, 12345);", kNewHash, kMerchant),
                  {{kKeyNames, "key", "12345"}}});
  list.push_back({"TwoKeysForOneOrder",
                  fmt::format("INSERT INTO keys VALUES ({}, {}, {});", kNewHash, kMerchant, order("closed")),
                  {{kOrderKey, "order", order("closed")}}});
  list.push_back({"AnswerDeleted",
                  "DELETE FROM idempotency_records;",
                  {{kAnswer, "idempotency_record", "(SELECT id FROM idempotency_records)"}}});
  list.push_back({"ReservationLowered",
                  "UPDATE nodes SET ids_until=(SELECT max(at) FROM events)-1;",
                  {{kReserved, "event", "(SELECT max(id) FROM events)"}}});
  list.push_back({"NodeDeleted",
                  "DELETE FROM nodes;",
                  {{kReserved, "event", "(SELECT id FROM events WHERE root_id>2 ORDER BY root_id, id LIMIT 1)"}}});
}

void damage_deliveries_and_time(std::vector<Corruption>& list) {
  const std::string pending = "(SELECT min(id) FROM deliveries WHERE state='pending')";
  const std::string exhausted = "(SELECT min(id) FROM deliveries WHERE state='exhausted')";
  list.push_back({"NotificationDeleted",
                  remove("deliveries", notification("succeeded")),
                  {{kNotified, "order", order("succeeded")}, {kStepRow, "delivery", notification("succeeded")}}});
  list.push_back(
      {"DeliveryToAnEndpointDeleted",
       fmt::format("DELETE FROM deliveries WHERE order_id={} AND endpoint_id IS NOT NULL;", order("succeeded")),
       {{kStepRow, "delivery",
         fmt::format("(SELECT id FROM deliveries WHERE order_id={} AND endpoint_id IS NOT NULL)",
                     order("succeeded"))}}});
  list.push_back(
      {"PendingDeliveryNeverDue", set("deliveries", pending, "due_at=NULL"), {{kDeliveryDue, "delivery", pending}}});
  list.push_back({"CaseOfAnExhaustedDeliveryDeleted",
                  "DELETE FROM cases WHERE kind='delivery_exhausted';",
                  {{kExhausted, "delivery", exhausted}, {kDeliveryChildren, "delivery", exhausted}}});
  list.push_back({"OpenPaymentNeverDue",
                  set("payments", payment("processing"), "due_at=NULL"),
                  {{kPaymentDue, "payment", payment("processing")}}});
  list.push_back({"ChasedPaymentNeverDue",
                  set("payments", payment("failed"), "state='closed', close_pending=1, due_at=NULL"),
                  {{kPaymentDue, "payment", payment("failed")}}});
  list.push_back(
      {"OpenOrderNeverDue", set("orders", order("pending"), "due_at=NULL"), {{kOrderDue, "order", order("pending")}}});
  list.push_back(
      {"CaseOfAParkedOrderDeleted", remove("cases", case_of("parked")), {{kParked, "order", order("parked")}}});
  list.push_back({"ParkedStepDeleted",
                  remove("events", event("parked", "order", "parked")),
                  {{kParked, "order", order("parked")}}});
  list.push_back(
      {"ParkedOnPaper", set("orders", order("pending"), "parked=1"), {{kParked, "order", order("pending")}}});
}

void damage_channel_rates(std::vector<Corruption>& list) {
  const std::string rate = "(SELECT id FROM channel_rates WHERE from_date='2026-07-01')";
  list.push_back({"ChannelRateDeleted",
                  remove("channel_rates", rate),
                  {{kStepRow, "channel_rate", rate}, {kStepRoot, "channel_rate", rate}, {kKeyNames, "key", rate}}});
  list.push_back({"ChannelRateVersionSkipped",
                  set("channel_rates", rate, "version=version+1"),
                  {{kRootVersion, "channel_rate", rate}}});
  list.push_back({"ChannelRateKeyDeleted",
                  fmt::format("DELETE FROM keys WHERE id={};", rate),
                  {{kRateKey, "channel_rate", rate}}});
  list.push_back({"ChannelRateOfNoAccount",
                  set("channel_rates", rate, "channel_account_id=1"),
                  {{kRateAccount, "channel_rate", rate}}});
}

void damage_channel_accounts(std::vector<Corruption>& list) {
  const std::string old = channel_account("old");
  const std::string over_old = "channel_account_id=" + old;
  list.push_back({"ChannelAccountDeleted",
                  remove("channel_accounts", old),
                  {{kStepRow, "channel_account", old}, {kStepRoot, "channel_account", old}}});
  list.push_back({"ChannelAccountVersionSkipped",
                  set("channel_accounts", old, "version=version+1"),
                  {{kRootVersion, "channel_account", old}}});
  list.push_back({"ChannelAccountEnabledOnPaper",
                  set("channel_accounts", old, "state='enabled'"),
                  {{kState, "channel_account", old}}});
  list.push_back(
      {"ChannelRenamed",
       set("channel_accounts", channel_account("sandbox"), "channel='sandbox2'"),
       {{kPaymentChannel, "payment", payment("waiting")}, {kReceiptChannel, "receipt", receipt("succeeded")}}});
  list.push_back(
      {"ChannelOfTwoAccounts",
       "DROP INDEX channel_accounts_by_channel;" + set("channel_accounts", old, "channel='sandbox', id=id+1000000000"),
       {{kOneChannel, "channel_account", "(SELECT id+1000000000 FROM channel_accounts WHERE channel='old')"}}});
  list.push_back({"PaymentOverAnotherAccount",
                  set("payments", payment("waiting"), over_old),
                  {{kPaymentChannel, "payment", payment("waiting")}}});
  list.push_back(
      {"ReceiptOverAnotherAccount",
       set("receipts", receipt("succeeded"), over_old),
       {{kReceiptChannel, "receipt", receipt("succeeded")}, {kReceiptOver, "receipt", receipt("succeeded")}}});
  list.push_back({"RefundOverAnotherAccount",
                  set("refunds", refund("R-succeeded"), over_old),
                  {{kRefundOver, "refund", refund("R-succeeded")}}});
  list.push_back({"ReversalOverAnotherAccount",
                  set("reversals", reversal("returned"), over_old),
                  {{kReversalOver, "reversal", reversal("returned")}}});
  const std::string receivable =
      "(SELECT id FROM accounts WHERE kind='channel_receivable' AND channel='sandbox' AND currency='CNY' AND "
      "merchant_id<>1)";
  list.push_back({"ReceivableOverAnotherAccount",
                  set("accounts", receivable, over_old),
                  {{kReceivableChannel, "account", receivable}}});
  list.push_back({"UsersAccountOverAChannel",
                  set("accounts", user_account("rich"), over_old),
                  {{kReceivableChannel, "account", user_account("rich")}}});
}

void damage_bank_accounts(std::vector<Corruption>& list) {
  const std::string treasury = channel_account("treasury");
  const std::string over_treasury = "channel_account_id=" + treasury;
  const std::string of_treasury = "(SELECT id FROM accounts WHERE kind='bank' AND channel='treasury')";
  list.push_back({"BankAccountOfAChannel",
                  set("accounts", of_treasury, "channel='old', channel_account_id=" + channel_account("old")),
                  {{kAccountSort, "account", of_treasury}}});
  list.push_back({"BankAccountWithoutItsRow",
                  set("accounts", of_treasury, "channel_account_id=NULL"),
                  {{kReceivableChannel, "account", of_treasury}}});
  list.push_back({"BankAccountOfAnotherCurrency",
                  set("accounts", of_treasury, "currency='USD'"),
                  {{kBankCurrency, "account", of_treasury},
                   {kEntryAccount, "entry", debit("opening_balance_debited", adjustment("treasury"))}}});
  list.push_back({"OpeningBalanceOfAnotherBankAccount",
                  set("adjustments", adjustment("treasury"), "channel='', channel_account_id=NULL"),
                  {{kAdjustedAccount, "adjustment", adjustment("treasury")}}});
  list.push_back({"PenaltyOverABankAccount",
                  set("adjustments", adjustment("proposed"), "channel='treasury', " + over_treasury),
                  {{kAdjustmentSort, "adjustment", adjustment("proposed")}}});
  list.push_back({"PaymentOverABankAccount",
                  set("payments", payment("waiting"), "channel='treasury', " + over_treasury),
                  {{kPaymentSort, "payment", payment("waiting")}}});
  list.push_back({"UnknownReceiptOfABankAccount",
                  set("unknown_receipts", unknown_receipt("T-unknown"), "channel='treasury', " + over_treasury),
                  {{kUnknownSort, "unknown_receipt", unknown_receipt("T-unknown")}}});
}

void damage_what_was_archived(std::vector<Corruption>& list) {
  list.push_back(
      {"ArchivedOrderStillThere",
       fmt::format("INSERT INTO archived_orders SELECT id, merchant_id, 1, 'nowhere' FROM orders WHERE id={};",
                   order("succeeded")),
       {{kArchivedGone, "order", order("succeeded")}}});
  list.push_back({"StepOfAnArchivedOrderLeft",
                  set("events", event("succeeded", "order", "paid"), "root_id=" + kArchived),
                  {{kArchivedGone, "order", kArchived}}});
  list.push_back(
      {"NumberOfAnArchivedOrderIsFree",
       fmt::format("DELETE FROM keys WHERE hash=(SELECT hash FROM keys WHERE id={} ORDER BY hash LIMIT 1);", kArchived),
       {{kArchivedNumbers, "order", kArchived}}});
  list.push_back({"ArchivedOrderLeftMoneyInTransit",
                  fmt::format("UPDATE entries SET root_id={} WHERE document_id={};", kArchived, refund("R-processing")),
                  {{kArchivedSettled, "order", kArchived}}});
  list.push_back({"ArchivedOrderForgotten",
                  remove("archived_orders", kArchived),
                  {{kKeyNames, "key", kArchived},
                   {kPostingDocument, "refund",
                    fmt::format("(SELECT min(document_id) FROM entries WHERE root_id={} AND "
                                "document_type='refund')",
                                kArchived)}}});
  list.push_back(
      {"WalletMovedMoneyForNobody",
       "UPDATE transfers SET created_at=created_at+1 WHERE source='wallet' AND state='posted' AND reference NOT IN "
       "(SELECT out_trade_no FROM payments UNION ALL SELECT out_refund_no FROM refunds);",
       {{kWalletFor, "transfer",
         "(SELECT min(id) FROM transfers WHERE source='wallet' AND state='posted' AND reference NOT IN "
         "(SELECT out_trade_no FROM payments UNION ALL SELECT out_refund_no FROM refunds))"}}});
}

void damage_unknown_receipts(std::vector<Corruption>& list) {
  const std::string open = unknown_receipt("T-unknown");
  const std::string assigned = unknown_receipt("T-assigned");
  const std::string cancelled = unknown_receipt("T-cancelled");
  const std::string doubled = "(SELECT max(id)+1 FROM unknown_receipts)";
  list.push_back({"UnknownReceiptDeleted",
                  remove("unknown_receipts", open),
                  {{kStepRow, "unknown_receipt", open},
                   {kStepRoot, "unknown_receipt", open},
                   {kSuspense, "merchant", kPlatformRow},
                   {kPostingDocument, "unknown_receipt", open},
                   {kKeyNames, "key", open}}});
  list.push_back({"UnknownReceiptAmountChanged",
                  set("unknown_receipts", open, "amount=amount+1"),
                  {{kPosted, "unknown_receipt", open}, {kSuspense, "merchant", kPlatformRow}}});
  list.push_back({"UnknownReceiptAssignedOnPaper",
                  set("unknown_receipts", open, "state='assigned', assigned_to=" + kMerchant),
                  {{kState, "unknown_receipt", open},
                   {kPosted, "unknown_receipt", open},
                   {kAssigned, "unknown_receipt", open},
                   {kSuspense, "merchant", kPlatformRow}}});
  list.push_back({"UnknownReceiptContradictedOnPaper",
                  set("unknown_receipts", open, "is_contradicted=1"),
                  {{kContradicted, "unknown_receipt", open}}});
  list.push_back({"ContradictionOfAnUnknownReceiptForgotten",
                  set("unknown_receipts", unknown_receipt("T-contradicted"), "is_contradicted=0"),
                  {{kContradicted, "unknown_receipt", unknown_receipt("T-contradicted")}}});
  list.push_back({"UnknownReceiptDoubled",
                  copy("unknown_receipts", open, "id=" + doubled),
                  {{kUnknownOnce, "unknown_receipt", doubled}, {kUnknownKey, "unknown_receipt", doubled}}});
  list.push_back(
      {"AssignedToNobody",
       set("unknown_receipts", assigned, "assigned_to=NULL"),
       {{kAssigned, "unknown_receipt", assigned}, {kUnknownBooks, "entry", credit("receipt_assigned", assigned)}}});
  list.push_back({"AssignedByOneOperator",
                  fmt::format("UPDATE cases SET approved_by=proposed_by WHERE root_id={};", assigned),
                  {{kAssigned, "unknown_receipt", assigned}}});
  list.push_back({"UnknownReceiptCancelledOnPaper",
                  set("unknown_receipts", open, "state='cancelled'"),
                  {{kState, "unknown_receipt", open},
                   {kPosted, "unknown_receipt", open},
                   {kCancelled, "unknown_receipt", open},
                   {kSuspense, "merchant", kPlatformRow}}});
  list.push_back({"CancelledReceiptUnassigned",
                  set("unknown_receipts", cancelled, "state='unassigned'"),
                  {{kState, "unknown_receipt", cancelled},
                   {kCancelled, "unknown_receipt", cancelled},
                   {kHappened, "entry", debit("unknown_receipt_cancelled", cancelled)},
                   {kHappened, "entry", credit("unknown_receipt_cancelled", cancelled)},
                   {kSuspense, "merchant", kPlatformRow}}});
  list.push_back({"CancelledByOneOperator",
                  fmt::format("UPDATE cases SET approved_by=proposed_by WHERE root_id={};", cancelled),
                  {{kCancelled, "unknown_receipt", cancelled}}});
  list.push_back({"CaseOfAnUnknownReceiptDeleted",
                  fmt::format("DELETE FROM cases WHERE root_id={};", open),
                  {{kUnknownCase, "unknown_receipt", open}, {kUnknownChildren, "unknown_receipt", open}}});
  list.push_back(
      {"AssignmentInTheBooksOfThePlatform",
       fmt::format("UPDATE entries SET merchant_id=1 WHERE type='receipt_assigned' AND document_id={};", assigned),
       {{kUnknownBooks, "entry", debit("receipt_assigned", assigned)},
        {kEntryAccount, "entry", credit("receipt_assigned", assigned)}}});
  list.push_back({"ClearingBalanceChanged",
                  set("accounts", account("clearing"), "balance=balance+1"),
                  {{kClearing, "account", "(SELECT max(id) FROM accounts WHERE kind='clearing')"},
                   {kBalance, "account", account("clearing")}}});
  list.push_back({"UnknownReceiptKeyDeleted",
                  fmt::format("DELETE FROM keys WHERE id={};", open),
                  {{kUnknownKey, "unknown_receipt", open}}});
  list.push_back({"UnknownReceiptOverAnotherAccount",
                  set("unknown_receipts", open, "channel_account_id=" + channel_account("old")),
                  {{kUnknownChannel, "unknown_receipt", open}}});
  list.push_back(
      {"UnknownReceiptOfOtherFunds",
       set("unknown_receipts", assigned, "funds='merchant'"),
       {{kUnknownFunds, "unknown_receipt", assigned}, {kChart, "entry", credit("receipt_assigned", assigned)}}});
  list.push_back({"UnknownReceiptVersionSkipped",
                  set("unknown_receipts", open, "version=version+1"),
                  {{kRootVersion, "unknown_receipt", open}}});
}

void damage_identity_checks(std::vector<Corruption>& list) {
  const std::string row = "(SELECT id FROM identity_checks)";
  list.push_back({"IdentityCheckVersionSkipped",
                  set("identity_checks", row, "version=version+1"),
                  {{kRootVersion, "identity_check", row}}});
}

}  // namespace

const std::vector<Corruption>& corruptions() {
  static const std::vector<Corruption> all = [] {
    std::vector<Corruption> list;
    damage_external_refunds(list);
    damage_returns(list);
    damage_settlements(list);
    damage_the_ledger(list);
    damage_postings(list);
    rewrite_states(list);
    rewrite_versions(list);
    damage_steps(list);
    damage_orders_and_payments(list);
    damage_receipts(list);
    damage_what_goes_back(list);
    damage_keys(list);
    damage_channel_accounts(list);
    damage_bank_accounts(list);
    damage_channel_rates(list);
    damage_deliveries_and_time(list);
    damage_accounts(list);
    damage_what_was_archived(list);
    damage_unknown_receipts(list);
    damage_statements(list);
    damage_identity_checks(list);
    return list;
  }();
  return all;
}

}  // namespace finality::audit
