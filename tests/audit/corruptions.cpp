#include "corruptions.h"

#include "account_corruptions.h"
#include "authorization_corruptions.h"
#include "channel_corruptions.h"
#include "damage.h"
#include "order_corruptions.h"
#include "statement_corruptions.h"

namespace finality::audit {
namespace {

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
  list.push_back({"AcceptedByNobody",
                  set("cases", case_of("underpaid"), "resolution='refund'"),
                  {{kMismatch, "receipt", receipt("underpaid")}}});
  list.push_back({"AcceptedDifferenceChanged",
                  set("receipts", receipt("underpaid"), "accepted_difference=0"),
                  {{kAcceptedEqual, "receipt", receipt("underpaid")}, {kPosted, "receipt", receipt("underpaid")}}});
  list.push_back({"ReviewOfAnEndedOrder",
                  set("orders", order("wrong"), "state='failed'"),
                  {{kUnderReview, "payment", payment("wrong")}, {kEndedUnpaid, "payment", payment("wrong")}}});
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
                  {{kState, "exception_case", case_of("wrong")},
                   {kUnderReview, "payment", payment("wrong")},
                   {kCaseTwoKeys, "exception_case", case_of("wrong")},
                   {kSuspenseOpen, "receipt", receipt("wrong")}}});
  list.push_back({"CaseApprovedByItsProposer",
                  set("cases", case_of("kept"), "approved_by=proposed_by"),
                  {{kCaseTwoKeys, "exception_case", case_of("kept")}}});
  list.push_back({"CaseApprovedByNoKey",
                  set("cases", case_of("kept"), "approved_by=NULL"),
                  {{kCaseTwoKeys, "exception_case", case_of("kept")}}});
  list.push_back({"CaseProposedByNoKey",
                  set("cases", case_of("kept"), "proposed_by=NULL"),
                  {{kCaseTwoKeys, "exception_case", case_of("kept")}}});
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
  list.push_back({"StepsAreNoNumbers",
                  set("changes", paid, "steps=replace(steps, '[[0,', '[[\"x\",')"),
                  {{kReadable, "event", paid}}});
  list.push_back({"StepsAreMissing", set("changes", paid, "steps='[]'"), {{kReadable, "event", paid}}});
  list.push_back({"ChangeIsNotChecked", set("changes", paid, "is_checked=0"), {{kChecked, "event", paid}}});
  list.push_back({"UnpostedChangeIsChecked", set("changes", waiting, "is_checked=1"), {{kChecked, "event", waiting}}});
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

void damage_what_was_archived(std::vector<Corruption>& list) {
  list.push_back(
      {"ArchivedOrderStillThere",
       fmt::format("INSERT INTO archived_orders SELECT id, merchant_id, 1, 'nowhere', 0 FROM orders WHERE id={};",
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
    damage_orders(list);
    damage_channels(list);
    damage_the_ledger(list);
    damage_postings(list);
    rewrite_states(list);
    rewrite_versions(list);
    damage_steps(list);
    damage_keys(list);
    damage_deliveries_and_time(list);
    damage_accounts(list);
    damage_authorizations(list);
    damage_what_was_archived(list);
    damage_statements(list);
    damage_identity_checks(list);
    return list;
  }();
  return all;
}

}  // namespace finality::audit
