#include "order_corruptions.h"

#include "damage.h"

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
  list.push_back({"FinalPaymentHasAPayer",
                  set("payments", payment("succeeded"), "payer='{}'"),
                  {{kPayerErased, "payment", payment("succeeded")}}});
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

}  // namespace

void damage_orders(std::vector<Corruption>& list) {
  damage_external_refunds(list);
  damage_returns(list);
  damage_settlements(list);
  damage_orders_and_payments(list);
  damage_receipts(list);
  damage_what_goes_back(list);
}

}  // namespace finality::audit
