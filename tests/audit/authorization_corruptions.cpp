#include "authorization_corruptions.h"

#include "damage.h"

namespace finality::audit {
namespace {

// Presence bits of the children of an order.
constexpr std::string_view kHasAuthorizations = "128";
constexpr std::string_view kHasCaptures = "256";

void damage_rows(std::vector<Corruption>& list) {
  const std::string twice = authorization("captured_twice");
  const std::string held = authorization("authorized");
  list.push_back({"AuthorizationOnAnAutomaticOrder",
                  set("authorizations", held, "order_id=" + order("pending")),
                  {{kAuthorizationMethod, "authorization", held},
                   {kHolder, "order", order("authorized")},
                   {kHolder, "order", order("pending")}}});
  list.push_back({"OrderWithPaymentsBecameManual",
                  set("orders", order("succeeded"), "capture_method='manual'"),
                  {{kPaymentMethod, "payment", payment("succeeded")}, {kOneCaptured, "order", order("succeeded")}}});
  list.push_back({"OrderWithCapturesBecameAutomatic",
                  set("orders", order("captured_twice"), "capture_method='automatic'"),
                  {{kAuthorizationMethod, "authorization", twice},
                   {kCaptureMethod, "capture", capture("C-first")},
                   {kOneSucceeded, "order", order("captured_twice")}}});
  list.push_back({"OrderOfAnAuthorizationDeleted",
                  remove("orders", order("authorized")),
                  {{kAuthorizationOrder, "authorization", held}, {kStepRow, "order", order("authorized")}}});
  list.push_back({"AuthorizationAmountChanged",
                  set("authorizations", held, "amount=amount+1"),
                  {{kAuthorizationAmount, "authorization", held}}});
  list.push_back({"AuthorizationHasAPayerAfterItsRequest",
                  set("authorizations", held, "payer='{}'"),
                  {{kHoldersPayerErased, "authorization", held}}});
  list.push_back({"AuthorizationDeleted",
                  remove("authorizations", twice),
                  {{kCaptureAuthorization, "capture", capture("C-first")},
                   {kReceiptPayment, "receipt", captured_receipt("C-first")},
                   {kOneCaptured, "order", order("captured_twice")},
                   {kStepRow, "authorization", twice}}});
  list.push_back({"CaptureOfAnotherOrdersAuthorization",
                  set("captures", capture("C-open"), "authorization_id=" + held),
                  {{kCaptureAuthorization, "capture", capture("C-open")}}});
  const std::string doubled = "(SELECT max(id)+1 FROM authorizations)";
  list.push_back({"TwoAuthorizationsHoldTheAmount",
                  copy("authorizations", held, "id=" + doubled),
                  {{kHolder, "order", order("authorized")},
                   {kAuthorizationOrdinal, "authorization", doubled},
                   {kState, "authorization", doubled}}});
  list.push_back({"CaptureOrdinalTwice",
                  set("captures", capture("C-last"), "ordinal=1"),
                  {{kCaptureOrdinal, "capture", later("captures", capture("C-first"), capture("C-last"))}}});
  list.push_back({"CaptureNumberTwice",
                  set("captures", capture("C-last"), "merchant_capture_no='C-first'"),
                  {{kCaptureNo, "capture", later("captures", capture("C-first"), capture("C-last"))}}});
  list.push_back({"CaptureOfTheChannelWithANumber",
                  set("captures", external_capture("captured_elsewhere"), "merchant_capture_no='C-theirs'"),
                  {{kCaptureNumbered, "capture", external_capture("captured_elsewhere")}}});
  list.push_back({"CaptureNumberKeyDeleted",
                  fmt::format("DELETE FROM keys WHERE id={};", capture("C-refused")),
                  {{kCaptureKey, "capture", capture("C-refused")}}});
  list.push_back({"ReservedTradeDeleted",
                  fmt::format("DELETE FROM keys WHERE merchant_id=1 AND id={};", order("over_captured")),
                  {{kReservedTrade, "capture", external_capture("over_captured")}}});
  list.push_back({"OrderDeniesItsAuthorizations",
                  set("orders", order("authorized"), fmt::format("children=children-{}", kHasAuthorizations)),
                  {{kOrderChildren, "order", order("authorized")}}});
  list.push_back({"OrderDeniesItsCaptures",
                  set("orders", order("captured_twice"), fmt::format("children=children-{}", kHasCaptures)),
                  {{kOrderChildren, "order", order("captured_twice")}}});
  list.push_back({"AuthorizationVersionSkipped",
                  set("authorizations", held, "version=version+1"),
                  {{kChildVersion, "authorization", held}}});
  list.push_back({"CaptureVersionSkipped",
                  set("captures", capture("C-open"), "version=version+1"),
                  {{kChildVersion, "capture", capture("C-open")}}});
}

void rewrite_ends(std::vector<Corruption>& list) {
  const std::string released = authorization("released");
  const std::string late = authorization("late_hold");
  list.push_back({"AuthorizedWithoutAHolder",
                  set("authorizations", authorization("authorized"), "state='pending'"),
                  {{kHolder, "order", order("authorized")}, {kState, "authorization", authorization("authorized")}}});
  list.push_back({"HoldThatIsCalledLate",
                  set("authorizations", authorization("authorized"), "state='releasing', end_reason='late'"),
                  {{kHolder, "order", order("authorized")}}});
  list.push_back({"OrderIsNotAuthorized",
                  set("orders", order("authorized"), "state='pending', due_at=1"),
                  {{kHolder, "order", order("authorized")}, {kState, "order", order("authorized")}}});
  list.push_back(
      {"SucceededOrderOfAReleasedAuthorization",
       set("authorizations", authorization("captured_twice"), "state='released'"),
       {{kOneCaptured, "order", order("captured_twice")}, {kState, "authorization", authorization("captured_twice")}}});
  list.push_back({"ClosedOrderHasAnOpenAuthorization",
                  set("authorizations", released, "state='pending', due_at=1"),
                  {{kEndedUnauthorized, "authorization", released}, {kState, "authorization", released}}});
  list.push_back({"ClosedOrderWasPaid",
                  set("orders", order("released"), "paid_amount=1"),
                  {{kEndedWithoutMoney, "order", order("released")}, {kOrderPaid, "order", order("released")}}});
  list.push_back({"EndedForNoReason",
                  set("authorizations", released, "end_reason=NULL"),
                  {{kEndReason, "authorization", released}}});
  list.push_back({"HeldAfterTheEndWithoutAChase",
                  set("authorizations", late, "close_pending=0, due_at=NULL"),
                  {{kHeldAfterEnd, "authorization", late}}});
  list.push_back({"ReleaseForgotten",
                  set("authorizations", released, "released_amount=0"),
                  {{kHeldAfterEnd, "authorization", released}}});
  list.push_back({"ReleasedMoreThanWasHeld",
                  set("authorizations", authorization("lapsed"), "released_amount=released_amount+1"),
                  {{kReleasedAmount, "authorization", authorization("lapsed")}}});
  list.push_back({"ClosingOrderHasNoOpenAuthorization",
                  set("authorizations", authorization("authorized"), "state='released', end_reason='order_closed'") +
                      set("orders", order("authorized"), "close_requested=1"),
                  {{kClosingHasPayment, "order", order("authorized")}, {kCloseAsked, "order", order("authorized")}}});
}

void damage_captures(std::vector<Corruption>& list) {
  const std::string twice = authorization("captured_twice");
  const std::string first = capture("C-first");
  const std::string taken = captured_receipt("C-first");
  const std::string open = capture("C-open");
  const std::string new_capture = "(SELECT max(id)+1 FROM captures)";
  list.push_back({"CaptureRaised",
                  set("captures", first, "amount=amount+1"),
                  {{kAcceptedEqual, "receipt", taken}, {kRequestedMax, "authorization", twice}}});
  list.push_back(
      {"ReceiptWithoutItsCapture",
       remove("captures", first),
       {{kReceiptPayment, "receipt", taken}, {kStepRow, "capture", first}, {kCapturedAmount, "authorization", twice}}});
  list.push_back({"SucceededCaptureWithoutReceipt",
                  remove("receipts", taken),
                  {{kOneAccepted, "capture", first},
                   {kCapturePaid, "capture", first},
                   {kCapturedAmount, "authorization", twice},
                   {kOrderPaid, "order", order("captured_twice")}}});
  list.push_back({"ReceiptWithBothCollectors",
                  set("receipts", taken, "payment_id=" + payment("succeeded")),
                  {{kOneCollector, "receipt", taken}}});
  list.push_back({"ReceiptOfAnotherCapturesOrdinal",
                  set("receipts", taken, "ordinal=(SELECT ordinal+1 FROM captures WHERE id=" + first + ")"),
                  {{kReceiptOrdinal, "receipt", taken}}});
  list.push_back({"CapturedAmountChanged",
                  set("authorizations", twice, "captured_amount=captured_amount-1"),
                  {{kCapturedAmount, "authorization", twice}}});
  list.push_back({"CapturePaidAmountChanged",
                  set("captures", first, "paid_amount=paid_amount+1"),
                  {{kCapturePaid, "capture", first}}});
  list.push_back({"CaptureReversedAmountChanged",
                  set("captures", first, "reversed_amount=1"),
                  {{kCaptureReversed, "capture", first}}});
  list.push_back({"CaptureRefundedAmountChanged",
                  set("captures", first, "refunded_amount=0"),
                  {{kCaptureRefunded, "capture", first}}});
  list.push_back({"RefundOfAnotherReceipt",
                  set("refunds", refund("R-captured"), "receipt_id=" + captured_receipt("C-last")),
                  {{kExternalReceipt, "refund", refund("R-captured")}, {kCaptureRefunded, "capture", first}}});
  list.push_back({"RefundOfAnotherAuthorization",
                  set("refunds", refund("R-captured"), "authorization_id=" + authorization("released")),
                  {{kRefundAuthorization, "refund", refund("R-captured")}}});
  list.push_back({"RefundOfACaptureAboveIt",
                  set("refunds", refund("R-captured"), "amount=amount+1000"),
                  {{kRefundMax, "capture", first}, {kRefundedAmount, "order", order("captured_twice")}}});
  list.push_back({"RefundOfATradeAboveIt",
                  set("refunds", refund("R-trade"), "amount=amount+1000"),
                  {{kTradeRefundMax, "authorization", authorization("one_trade")},
                   {kOverRefunded, "receipt", captured_receipt("C-trade-first")},
                   {kCaptureRefunded, "capture", capture("C-trade-last")},
                   {kRefundedAmount, "order", order("one_trade")}}});
  list.push_back({"RefundOfATradeNamesItsLastReceipt",
                  set("refunds", refund("R-trade"), "receipt_id=" + captured_receipt("C-trade-last")),
                  {{kTradeReceipt, "refund", refund("R-trade")}}});
  list.push_back({"RefundOfATradeAllocatedToItsLastCapture",
                  set("captures", capture("C-trade-first"), "refunded_amount=200") +
                      set("captures", capture("C-trade-last"), "refunded_amount=300"),
                  {{kCaptureRefunded, "capture", capture("C-trade-first")},
                   {kCaptureRefunded, "capture", capture("C-trade-last")}}});
  list.push_back({"TwoCapturesAreOpen",
                  copy("captures", open, "id=" + new_capture + ", ordinal=2, merchant_capture_no='C-second'"),
                  {{kOneOpenCapture, "authorization", authorization("capturing")},
                   {kState, "capture", new_capture},
                   {kCaptureKey, "capture", new_capture}}});
  list.push_back({"CaptureOfAReleasedAuthorization",
                  set("authorizations", authorization("capturing"), "state='released', end_reason='requested'"),
                  {{kCaptureOfHold, "capture", open}, {kHolder, "order", order("capturing")}}});
  list.push_back({"OpenCapturesAboveTheHold",
                  set("captures", open, "amount=1001"),
                  {{kRequestedMax, "authorization", authorization("capturing")}}});
  list.push_back({"OverCapturedCaseDeleted",
                  fmt::format("DELETE FROM cases WHERE kind='over_captured' AND root_id={};", order("over_captured")),
                  {{kOverCaptured, "authorization", authorization("over_captured")}}});
  list.push_back(
      {"ExternalCaptureCaseOfAnotherKind",
       fmt::format("UPDATE cases SET kind='conflicting_result' WHERE kind='external_capture' AND root_id={};",
                   order("captured_elsewhere")),
       {{kExternalCapture, "capture", external_capture("captured_elsewhere")}}});
  list.push_back(
      {"FeeOfACaptureChanged", set("captures", first, "fee_amount=fee_amount-1"), {{kPosted, "capture", first}}});
  list.push_back({"FeeOfAnOpenCapture", set("captures", open, "fee_amount=1"), {{kFeeMax, "capture", open}}});
}

void damage_channels_and_time(std::vector<Corruption>& list) {
  const std::string held = authorization("authorized");
  const std::string first = capture("C-first");
  const std::string over_old = "channel_account_id=" + channel_account("old");
  list.push_back({"AuthorizationOverAnotherAccount",
                  set("authorizations", held, over_old),
                  {{kAuthorizationChannel, "authorization", held}}});
  list.push_back({"AuthorizationOverABankAccount",
                  set("authorizations", held, "channel='treasury', channel_account_id=" + channel_account("treasury")),
                  {{kAuthorizationSort, "authorization", held}}});
  list.push_back({"AuthorizationOfOtherFunds",
                  set("authorizations", held, "funds='merchant'"),
                  {{kAuthorizationFunds, "authorization", held}}});
  list.push_back({"CaptureOverAnotherAccount", set("captures", first, over_old), {{kCaptureOver, "capture", first}}});
  list.push_back({"CapturedReceiptOverAnotherAccount",
                  set("receipts", captured_receipt("C-first"), over_old),
                  {{kReceiptOver, "receipt", captured_receipt("C-first")}}});
  list.push_back(
      {"AuthorizedDeliveryDeleted",
       fmt::format("DELETE FROM deliveries WHERE type='order.authorized' AND order_id={};", order("authorized")),
       {{kAuthorizedNotified, "order", order("authorized")}}});
  list.push_back({"CaptureDeliveryOfAnotherType",
                  fmt::format("UPDATE deliveries SET type='capture.failed' WHERE type='capture.succeeded' AND "
                              "order_id={};",
                              order("captured_twice")),
                  {{kCaptureNotified, "order", order("captured_twice")}}});
  list.push_back({"OpenAuthorizationNeverDue",
                  set("authorizations", held, "due_at=NULL"),
                  {{kAuthorizationDue, "authorization", held}}});
  list.push_back({"ChasedHoldNeverDue",
                  set("authorizations", authorization("late_hold"), "due_at=NULL"),
                  {{kAuthorizationDue, "authorization", authorization("late_hold")},
                   {kHeldAfterEnd, "authorization", authorization("late_hold")}}});
  list.push_back({"WatchAfterTheDeadline",
                  set("authorizations", held, "due_at=capture_before+1"),
                  {{kHeldDue, "authorization", held}}});
  list.push_back({"HeldWithoutADeadline",
                  set("authorizations", held, "capture_before=NULL"),
                  {{kHeldDue, "authorization", held}}});
  list.push_back({"OpenCaptureNeverDue",
                  set("captures", capture("C-open"), "due_at=NULL"),
                  {{kCaptureDue, "capture", capture("C-open")}}});
}

void damage_wallet_holds(std::vector<Corruption>& list) {
  const std::string captured = wallet_hold("wallet_captured");
  const std::string open = wallet_hold("wallet_authorized");
  list.push_back({"WalletHoldOpenAfterTheEnd",
                  set("holds", wallet_hold("wallet_released"), "state='held'"),
                  {{kWalletHeld, "authorization", authorization("wallet_released")},
                   {kHeld, "account", user_account("rich")},
                   {kState, "hold", wallet_hold("wallet_released")}}});
  list.push_back({"WalletHoldPostedMore",
                  set("holds", captured, "posted_amount=posted_amount+1"),
                  {{kWalletHeld, "authorization", authorization("wallet_captured")}, {kPosted, "hold", captured}}});
  list.push_back({"WalletHoldOfAnotherAccount",
                  set("authorizations", authorization("wallet_authorized"), "account_id=" + user_account("poor")),
                  {{kWalletHeld, "authorization", authorization("wallet_authorized")}}});
  list.push_back({"WalletHoldDue", set("holds", open, "due_at=1"), {{kHoldDue, "hold", open}}});
  list.push_back({"WalletHoldForAUser",
                  set("holds", open, "credit_account_id=" + user_account("poor")),
                  {{kHoldAccounts, "hold", open}}});
  list.push_back(
      {"WalletHoldForNobody",
       set("holds", open, "reference='nothing'"),
       {{kWalletHoldFor, "hold", open}, {kWalletHeld, "authorization", authorization("wallet_authorized")}}});
  const std::string archived =
      "(SELECT min(h.id) FROM holds h WHERE h.source='wallet' AND h.state='posted' AND NOT EXISTS (SELECT 1 FROM "
      "authorizations a WHERE substr(a.out_trade_no, 1, 26) || 'h'=h.reference))";
  list.push_back({"WalletHoldOfNoArchivedOrder",
                  fmt::format("UPDATE entries SET created_at=created_at+1 WHERE document_id={};", archived),
                  {{kWalletHoldFor, "hold", archived}}});
}

}  // namespace

void damage_authorizations(std::vector<Corruption>& list) {
  damage_rows(list);
  rewrite_ends(list);
  damage_captures(list);
  damage_channels_and_time(list);
  damage_wallet_holds(list);
}

}  // namespace finality::audit
