#include "wire/authorization_wire.h"

#include <gtest/gtest.h>

#include "wire/test_json.h"
#include "wire/wire.h"

namespace finality::wire {
namespace {

constexpr Time kAt{1'769'903'999'000};  // 2026-01-31T23:59:59.000Z in milliseconds
const Currency kCny = *parse_currency("CNY");

Authorization an_authorization() {
  Authorization row;
  row.id = AuthorizationId{2};
  row.order_id = OrderId{1};
  row.channel = "sandbox";
  row.channel_account_id = ChannelAccountId{31};
  row.method = "redirect";
  row.state = AuthorizationState::authorized;
  row.amount = 1999;
  row.authorized_amount = 1500;
  row.currency = kCny;
  row.out_trade_no = "n-1a1";
  row.channel_payer = "2088";
  row.created_at = kAt;
  return row;
}

Capture a_capture(AuthorizationId authorization = {2}) {
  Capture row;
  row.id = CaptureId{3};
  row.order_id = OrderId{1};
  row.authorization_id = authorization;
  row.merchant_capture_no = "C-1";
  row.amount = 700;
  row.currency = kCny;
  row.is_final = true;
  row.out_trade_no = "n-1c1";
  row.created_at = kAt;
  return row;
}

OrderAggregate a_manual_order() {
  OrderAggregate aggregate;
  aggregate.order.id = OrderId{1};
  aggregate.order.capture_method = CaptureMethod::manual;
  aggregate.order.currency = kCny;
  return aggregate;
}

boost::json::object parsed(const std::string& text) { return boost::json::parse(text).as_object(); }

TEST(AuthorizationJson, HasExactlyTheContractsFields) {
  EXPECT_EQ(authorization_json(an_authorization(), std::span<const Capture>()),
            joined({R"("id":"auth_0000000000002")", R"("object":"authorization")", R"("order":"ord_0000000000001")",
                    R"("channel":"sandbox")", R"("channel_account":"cha_000000000000z")", R"("method":"redirect")",
                    R"("state":"authorized")", R"("amount":1999)", R"("authorized_amount":1500)", R"("currency":"CNY")",
                    R"("captured_amount":0)", R"("released_amount":0)", R"("out_trade_no":"n-1a1")",
                    R"("action":{"type":"none"})", R"("unfunded":false)", R"("captures":[])",
                    R"("created_at":"2026-01-31T23:59:59.000Z")", R"("version":1)"}));
}

TEST(AuthorizationJson, HasOptionalFieldsThatHaveValues) {
  Authorization row = an_authorization();
  row.merchant_payment_no = "P-1";
  row.account_id = AccountId{9};
  row.channel_trade_no = "H1";
  row.failure_code = "NO";
  row.capture_before = kAt;
  row.end_reason = EndReason::order_closed;
  const auto json = parsed(authorization_json(row, std::span<const Capture>()));
  EXPECT_EQ(json.at("merchant_payment_no"), "P-1");
  EXPECT_EQ(json.at("account"), boost::json::value(to_text(AccountId{9})));
  EXPECT_EQ(json.at("channel_trade_no"), "H1");
  EXPECT_EQ(json.at("failure").at("code"), "NO");
  EXPECT_EQ(json.at("capture_before"), "2026-01-31T23:59:59.000Z");
  EXPECT_EQ(json.at("end_reason"), "order_closed");
}

TEST(AuthorizationJson, HasOnlyItsOwnCaptures) {
  const std::vector<Capture> captures = {a_capture(), a_capture(AuthorizationId{8})};
  EXPECT_EQ(parsed(authorization_json(an_authorization(), captures)).at("captures").as_array().size(), 1u);
}

TEST(CaptureJson, HasExactlyTheContractsFields) {
  EXPECT_EQ(capture_json(a_capture()),
            joined({R"("id":"cap_0000000000003")", R"("object":"capture")", R"("authorization":"auth_0000000000002")",
                    R"("order":"ord_0000000000001")", R"("origin":"merchant")", R"("merchant_capture_no":"C-1")",
                    R"("amount":700)", R"("currency":"CNY")", R"("state":"pending")", R"("final":true)",
                    R"("out_trade_no":"n-1c1")", R"("fee_amount":0)", R"("refunded_amount":0)",
                    R"("created_at":"2026-01-31T23:59:59.000Z")", R"("version":1)"}));
}

TEST(CaptureJson, OfOtherOriginHasNoMerchantCaptureNo) {
  Capture row = a_capture();
  row.origin = CaptureOrigin::channel;
  row.out_trade_no = "";
  EXPECT_FALSE(has(capture_json(row), "merchant_capture_no"));
  EXPECT_FALSE(has(capture_json(row), "out_trade_no"));
}

TEST(CaptureJson, WithItsOrderHasTheSettlementOfItsReceipt) {
  OrderAggregate aggregate = a_manual_order();
  aggregate.authorizations = {an_authorization()};
  aggregate.captures = {a_capture()};
  Receipt& receipt = aggregate.receipts.emplace_back();
  receipt.id = ReceiptId{4};
  receipt.capture_id = CaptureId{3};
  receipt.state = ReceiptState::accepted;
  ChannelSettlement& settlement = aggregate.channel_settlements.emplace_back();
  settlement.document_type = ObjectType::receipt;
  settlement.document_id = 4;
  EXPECT_TRUE(has(capture_json(aggregate.captures.front(), aggregate), "channel_settlement"));
  const auto shown = parsed(authorization_json(aggregate.authorizations.front(), aggregate));
  EXPECT_TRUE(shown.at("captures").at(0).as_object().contains("channel_settlement"));
}

TEST(OrderJson, OfAManualOrderHasItsAuthorizations) {
  OrderAggregate aggregate = a_manual_order();
  aggregate.authorizations = {an_authorization()};
  aggregate.authorizations.front().capture_before = kAt;
  aggregate.captures = {a_capture()};
  const auto json = parsed(order_json(aggregate, "u"));
  EXPECT_EQ(json.at("capture_method"), "manual");
  EXPECT_EQ(json.at("authorized_amount"), 1500);
  EXPECT_EQ(json.at("capture_before"), "2026-01-31T23:59:59.000Z");
  EXPECT_EQ(json.at("authorizations").at(0).at("captures").as_array().size(), 1u);
  EXPECT_TRUE(json.at("payments").as_array().empty());
}

TEST(OrderJson, CountsNoHoldThatWasNeverForTheOrder) {
  const auto amount_with = [](AuthorizationState state, std::optional<EndReason> reason) {
    OrderAggregate aggregate = a_manual_order();
    Authorization& row = aggregate.authorizations.emplace_back(an_authorization());
    row.state = state;
    row.end_reason = reason;
    return parsed(order_json(aggregate, "u")).at("authorized_amount").as_int64();
  };
  EXPECT_EQ(amount_with(AuthorizationState::authorized, {}), 1500);
  EXPECT_EQ(amount_with(AuthorizationState::captured, EndReason::captured), 1500);
  EXPECT_EQ(amount_with(AuthorizationState::released, EndReason::expired), 1500);
  EXPECT_EQ(amount_with(AuthorizationState::releasing, EndReason::late), 0);
  EXPECT_EQ(amount_with(AuthorizationState::released, EndReason::late), 0);
  EXPECT_EQ(amount_with(AuthorizationState::failed, {}), 0);
}

TEST(RefundJson, NamesTheAuthorizationAndTheCapture) {
  Refund refund;
  refund.id = RefundId{5};
  refund.authorization_id = AuthorizationId{2};
  refund.capture_id = CaptureId{3};
  const auto of_capture = parsed(refund_json(refund));
  EXPECT_EQ(of_capture.at("authorization"), "auth_0000000000002");
  EXPECT_EQ(of_capture.at("capture"), "cap_0000000000003");
  EXPECT_FALSE(of_capture.contains("payment"));
  refund.capture_id.reset();
  EXPECT_FALSE(has(refund_json(refund), "capture")) << "the channel refunds the trade of all captures";
}

TEST(ReversalJson, NamesTheCaptureAndItsAuthorization) {
  OrderAggregate aggregate = a_manual_order();
  aggregate.authorizations = {an_authorization()};
  aggregate.captures = {a_capture()};
  Reversal reversal;
  reversal.id = ReversalId{6};
  reversal.capture_id = aggregate.captures.front().id;
  const auto json = parsed(reversal_json(reversal, aggregate));
  EXPECT_EQ(json.at("authorization"), "auth_0000000000002");
  EXPECT_EQ(json.at("capture"), "cap_0000000000003");
  EXPECT_FALSE(json.contains("payment"));
  EXPECT_EQ(parsed(reversal_json(reversal, aggregate.authorizations.front().id)), json) << "in a webhook";
}

}  // namespace
}  // namespace finality::wire
