// Test fixture with orders that have manual capture, and user accounts for authorizations over the wallet.
#pragma once

#include "decide/authorization/record_authorization.h"
#include "decide/authorization/record_capture.h"
#include "decide/testing/account_world.h"

namespace finality::test {

class Authorizations : public Accounts {
 public:
  Authorizations() {
    policy.channels["sandbox"].authorization = AuthorizationTerms{.methods = {"redirect"}, .capture_within_max = 168h};
    fund(payer, 10 * kAmount);
  }

  AuthorizationTerms& terms(const std::string& channel = "sandbox") { return *policy.channels[channel].authorization; }

  CreateOrder manual_request() {
    CreateOrder request = order_request();
    request.capture_method = CaptureMethod::manual;
    return request;
  }
  OrderId manual_order() { return new_order(manual_request()); }

  static PaymentFields fields() { return {.channel = "sandbox", .method = "redirect"}; }
  PaymentFields wallet_fields() const {
    return {.channel = std::string(kWallet), .method = "balance", .account_id = payer};
  }
  StartAuthorization start_request(OrderId order, PaymentFields with = fields()) {
    return {kMerchant, order, std::move(with), kCny};
  }
  AuthorizationId authorize(OrderId order, PaymentFields with = fields()) {
    return AuthorizationId{run(start_request(order, std::move(with)))->object.value};
  }

  // Records the channel's evidence about the newest authorization of the order.
  Decision report(OrderId order, AuthorizationEvidence evidence) {
    const Authorization& row = aggregate(order).authorizations.back();
    if (evidence.asked_at == Time{}) evidence.asked_at = now;
    return run(RecordAuthorization{row.merchant_id, order, row.channel, row.out_trade_no, std::move(evidence)});
  }
  static AuthorizationEvidence holds(MinorUnits amount = kAmount) {
    AuthorizationEvidence evidence{.kind = AuthorizationEvidenceKind::authorized};
    evidence.channel_trade_no = "AUTH-1";
    evidence.authorized = amount;
    evidence.currency = kCny;
    return evidence;
  }
  /// Creates an order whose amount is held by the channel.
  OrderId held_order() {
    const OrderId order = manual_order();
    authorize(order);
    report(order, holds());
    return order;
  }

  const Authorization& authorization(OrderId order) { return aggregate(order).authorizations.back(); }
  const Capture& last_capture(OrderId order) { return aggregate(order).captures.back(); }

  CreateCapture capture_request(OrderId order, std::optional<MinorUnits> amount = {}, bool is_final = true,
                                std::string number = {}) {
    if (number.empty()) number = "C" + std::to_string(++captures_);
    return {kMerchant, order, authorization(order).id, std::move(number), amount, is_final};
  }
  // Records the channel's evidence about the newest capture of the order.
  Decision report_capture(OrderId order, Evidence evidence) {
    const Capture& row = last_capture(order);
    if (evidence.asked_at == Time{}) evidence.asked_at = now;
    return run(
        RecordCapture{row.merchant_id, order, authorization(order).channel, row.out_trade_no, std::move(evidence)});
  }
  /// Captures an amount of the order's authorization.
  void capture(OrderId order, MinorUnits amount, bool is_final) {
    run(capture_request(order, amount, is_final));
    report_capture(order, paid("T" + std::to_string(captures_), amount));
  }

  /// Performs the requests to the wallet that the last command claimed.
  void settle_wallet() {
    const std::vector<Effect> claimed = effects;
    for (const Effect& effect : claimed) {
      if (const auto* call = std::get_if<CaptureCall>(&effect))
        run(SettleWalletHold{kMerchant, call->capture.order_id, call->capture.id, kCny});
      if (const auto* call = std::get_if<AuthorizationCall>(&effect))
        run(SettleWalletHold{kMerchant, call->authorization.order_id, call->authorization.id, kCny});
    }
  }

 private:
  int captures_ = 0;
};

}  // namespace finality::test
