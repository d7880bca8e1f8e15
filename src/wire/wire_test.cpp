#include "wire/wire.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "wire/audience.h"
#include "wire/test_json.h"

namespace finality::wire {
namespace {

constexpr Time kAt{1'769'903'999'000};  // 2026-01-31T23:59:59.000Z in milliseconds
const Currency kCny = *parse_currency("CNY");

Payment a_payment() {
  Payment payment;
  payment.id = PaymentId{2};
  payment.order_id = OrderId{1};
  payment.channel = "sandbox";
  payment.channel_account_id = ChannelAccountId{31};
  payment.method = "redirect";
  payment.state = PaymentState::pending;
  payment.amount = 1999;
  payment.currency = kCny;
  payment.out_trade_no = "n-1";
  payment.created_at = kAt;
  return payment;
}

OrderAggregate an_order() {
  OrderAggregate aggregate;
  Order& order = aggregate.order;
  order.id = OrderId{1};
  order.merchant_order_no = "A-1";
  order.amount = 1999;
  order.currency = kCny;
  order.subject = "A pot of 茶 \"green\"";
  order.expires_at = kAt + std::chrono::hours(1);
  order.created_at = kAt;
  return aggregate;
}

TEST(OrderJson, HasExactlyTheContractsFields) {
  EXPECT_EQ(
      order_json(an_order(), "http://x/checkout/t"),
      joined({R"("id":"ord_0000000000001")", R"("object":"order")", R"("merchant_order_no":"A-1")", R"("amount":1999)",
              R"("currency":"CNY")", R"("subject":"A pot of 茶 \"green\"")", R"("state":"pending")",
              R"("close_requested":false)", R"("paid_amount":0)", R"("refunded_amount":0)",
              R"("capture_method":"automatic")", R"("expires_at":"2026-02-01T00:59:59.000Z")",
              R"("created_at":"2026-01-31T23:59:59.000Z")", R"("version":1)", R"("checkout_url":"http://x/checkout/t")",
              R"("metadata":{})", R"("payments":[])"}));
}

TEST(OrderJson, HasOptionalFieldsThatHaveValues) {
  OrderAggregate aggregate = an_order();
  Order& order = aggregate.order;
  order.state = OrderState::closed;
  order.close_requested = true;
  order.close_reason = ClosedReason::expired;
  order.closed_at = kAt;
  order.return_url = "https://shop.example/r";
  order.notify_url = "https://shop.example/n";
  order.metadata = R"({"cart":"7"})";
  aggregate.payments.push_back(a_payment());
  const auto json = boost::json::parse(order_json(aggregate, "u")).as_object();
  EXPECT_EQ(json.at("closed_reason"), "expired");
  EXPECT_EQ(json.at("closed_at"), "2026-01-31T23:59:59.000Z");
  EXPECT_EQ(json.at("return_url"), "https://shop.example/r");
  EXPECT_EQ(json.at("notify_url"), "https://shop.example/n");
  EXPECT_EQ(json.at("metadata").as_object().at("cart"), "7");
  EXPECT_EQ(json.at("payments").as_array().size(), 1u);
}

TEST(OrderJson, HasAClosedReasonOnlyWhenClosed) {
  OrderAggregate aggregate = an_order();
  aggregate.order.close_requested = true;
  aggregate.order.close_reason = ClosedReason::cancelled;
  EXPECT_FALSE(has(order_json(aggregate, "u"), "closed_reason"));
}

TEST(PaymentJson, HasExactlyTheContractsFields) {
  EXPECT_EQ(payment_json(a_payment()),
            joined({R"("id":"pay_0000000000002")", R"("object":"payment")", R"("order":"ord_0000000000001")",
                    R"("channel":"sandbox")", R"("channel_account":"cha_000000000000z")", R"("method":"redirect")",
                    R"("state":"pending")", R"("amount":1999)", R"("currency":"CNY")", R"("paid_amount":0)",
                    R"("reversed_amount":0)", R"("fee_amount":0)", R"("out_trade_no":"n-1")",
                    R"("action":{"type":"none"})", R"("created_at":"2026-01-31T23:59:59.000Z")", R"("version":1)"}));
}

TEST(PaymentJson, HasOptionalFieldsThatHaveValues) {
  Payment payment = a_payment();
  payment.merchant_payment_no = "P-1";
  payment.channel_trade_no = "T1";
  payment.account_id = AccountId{7};
  payment.fee_amount = 12;
  payment.action_type = ActionType::qr_code;
  payment.action_url = "https://pay.example";
  payment.action_code = "q";
  payment.failure_code = "declined";
  payment.failure_message = "no";
  const auto json = boost::json::parse(payment_json(payment)).as_object();
  EXPECT_EQ(json.at("merchant_payment_no"), "P-1");
  EXPECT_EQ(json.at("channel_trade_no"), "T1");
  EXPECT_EQ(json.at("account"), "acc_0000000000007");
  EXPECT_EQ(json.at("fee_amount"), 12);
  EXPECT_EQ(json.at("action"), boost::json::parse(R"({"type":"qr_code","url":"https://pay.example","code":"q"})"));
  EXPECT_EQ(json.at("failure"), boost::json::parse(R"({"code":"declined","message":"no"})"));
}

TEST(PaymentJson, ShowsOnlyItsOwnReceipts) {
  const Receipt own{.id = ReceiptId{3},
                    .payment_id = PaymentId{2},
                    .channel = "sandbox",
                    .channel_account_id = ChannelAccountId{31},
                    .channel_trade_no = "T1",
                    .amount = 1999,
                    .currency = kCny,
                    .state = ReceiptState::accepted,
                    .paid_at = kAt};
  Receipt others = own;
  others.payment_id = PaymentId{9};
  const OrderAggregate order{.receipts = {own, others}};
  const auto json = boost::json::parse(payment_json(a_payment(), order, true)).as_object();
  EXPECT_EQ(boost::json::serialize(json.at("receipts")),
            "[" +
                joined({R"("id":"rcp_0000000000003")", R"("object":"receipt")", R"("payment":"pay_0000000000002")",
                        R"("channel":"sandbox")", R"("channel_account":"cha_000000000000z")",
                        R"("channel_trade_no":"T1")", R"("amount":1999)", R"("currency":"CNY")",
                        R"("state":"accepted")", R"("paid_at":"2026-01-31T23:59:59.000Z")"}) +
                "]");
}

TEST(ChannelSettlementJson, IsPartOfItsPaymentReceiptAndRefund) {
  Payment payment = a_payment();
  const Receipt receipt{.id = ReceiptId{3}, .payment_id = payment.id, .state = ReceiptState::accepted};
  const Refund refund{.id = RefundId{4}, .payment_id = payment.id};
  const ChannelSettlement settlement{.document_type = ObjectType::receipt,
                                     .document_id = 3,
                                     .transaction_no = "B1",
                                     .amount = 1999,
                                     .settled_amount = 277,
                                     .settled_currency = *parse_currency("USD"),
                                     .fee = 8,
                                     .exchange_rate = "0.1387",
                                     .available_on = kAt};
  ChannelSettlement of_refund = settlement;
  of_refund.document_type = ObjectType::refund;
  of_refund.document_id = 4;
  of_refund.available_on.reset();
  OrderAggregate order{.payments = {payment}, .receipts = {receipt}, .refunds = {refund}};
  EXPECT_FALSE(has(payment_json(payment, order, true), "channel_settlement"));
  order.channel_settlements = {settlement, of_refund};
  const std::string fields = R"("amount":277,"currency":"USD","fee":8,"net":269,"exchange_rate":"0.1387",)"
                             R"("transaction_no":"B1")";
  const auto shown = boost::json::parse("{" + fields + R"(,"available_on":"2026-01-31T23:59:59.000Z"})");
  const auto json = boost::json::parse(payment_json(payment, order, true)).as_object();
  EXPECT_EQ(json.at("channel_settlement"), shown);
  EXPECT_EQ(json.at("receipts").at(0).at("channel_settlement"), shown);
  EXPECT_EQ(boost::json::parse(order_json(order, "")).at("payments").at(0).at("channel_settlement"), shown);
  EXPECT_EQ(boost::json::parse(refund_json(refund, order)).at("channel_settlement"),
            boost::json::parse("{" + fields + "}"));
}

TEST(RefundJson, HasTheContractsFields) {
  const Refund refund{.id = RefundId{4},
                      .order_id = OrderId{1},
                      .payment_id = PaymentId{2},
                      .channel_account_id = ChannelAccountId{31},
                      .merchant_refund_no = "R-1",
                      .amount = 5,
                      .currency = kCny,
                      .reason = "cold",
                      .returned_amount = 1,
                      .fee_returned = 2,
                      .created_at = kAt};
  EXPECT_EQ(refund_json(refund),
            joined({R"("id":"ref_0000000000004")", R"("object":"refund")", R"("kind":"refund")",
                    R"("payment":"pay_0000000000002")", R"("order":"ord_0000000000001")",
                    R"("channel_account":"cha_000000000000z")", R"("amount":5)", R"("currency":"CNY")",
                    R"("state":"pending")", R"("attempts":0)", R"("created_at":"2026-01-31T23:59:59.000Z")",
                    R"("version":1)", R"("origin":"merchant")", R"("merchant_refund_no":"R-1")",
                    R"("returned_amount":1)", R"("fee_returned":2)", R"("reason":"cold")"}));
  Refund external = refund;
  external.origin = RefundOrigin::channel;
  external.merchant_refund_no.clear();
  external.channel_refund_no = "C1";
  external.receipt_id = ReceiptId{3};
  external.charged = 2;
  for (const char* part :
       {R"("origin":"channel")", R"("channel_refund_no":"C1")", R"("receipt":"rcp_)", R"("charged_to_platform":2)"})
    EXPECT_NE(refund_json(external).find(part), std::string::npos) << part;
  EXPECT_FALSE(has(refund_json(external), "merchant_refund_no"));
  Refund bare = refund;
  bare.reason.reset();
  EXPECT_FALSE(has(refund_json(bare), "reason"));
  EXPECT_FALSE(has(refund_json(bare), "failure"));
}

TEST(ReturnJson, HasTheContractsFields) {
  const Return row{.id = ReturnId{6},
                   .order_id = OrderId{1},
                   .refund_id = RefundId{4},
                   .amount = 3,
                   .currency = kCny,
                   .channel_no = "B1",
                   .to_platform = 1,
                   .fee_charged = 2,
                   .created_at = kAt};
  EXPECT_EQ(return_json(row),
            joined({R"("id":"ret_0000000000006")", R"("object":"return")", R"("of":"ref_0000000000004")",
                    R"("amount":3)", R"("currency":"CNY")", R"("channel_no":"B1")", R"("fee_charged":2)",
                    R"("created_at":"2026-01-31T23:59:59.000Z")"}));
}

TEST(ReversalJson, IsARefundThatNamesItsReceipt) {
  const Reversal reversal{.id = ReversalId{5},
                          .order_id = OrderId{1},
                          .payment_id = PaymentId{2},
                          .receipt_id = ReceiptId{3},
                          .channel_account_id = ChannelAccountId{31},
                          .amount = 5,
                          .currency = kCny,
                          .created_at = kAt};
  const auto json = boost::json::parse(reversal_json(reversal, std::nullopt)).as_object();
  EXPECT_EQ(json.at("object"), "refund");
  EXPECT_EQ(json.at("kind"), "reversal");
  EXPECT_EQ(json.at("receipt"), "rcp_0000000000003");
  EXPECT_EQ(json.at("channel_account"), "cha_000000000000z");
  EXPECT_FALSE(json.contains("merchant_refund_no"));
  EXPECT_FALSE(json.contains("fee_returned"));
  EXPECT_FALSE(json.contains("authorization"));
}

TEST(ChannelAccountJson, HasTheContractsFields) {
  ChannelAccount account{.id = ChannelAccountId{31},
                         .channel = "wechat-tea",
                         .kind = "wechatpay",
                         .identity = "mchid 1900000001",
                         .merchants = "mer_0000000000007 mer_0000000000008",
                         .settings = R"({"appid":"wx1"})",
                         .created_at = kAt};
  const auto with = [](std::string_view merchants) {
    return joined({R"("id":"cha_000000000000z")", R"("object":"channel_account")", R"("channel":"wechat-tea")",
                   R"("kind":"wechatpay")", std::string(merchants) + R"("funds":"platform")",
                   R"("merchant_currency":"presentment")", R"("settings":{"appid":"wx1"})", R"("state":"enabled")",
                   R"("created_at":"2026-01-31T23:59:59.000Z")", R"("version":1)"});
  };
  EXPECT_EQ(channel_account_json(account), with(R"("merchants":["mer_0000000000007","mer_0000000000008"],)"));
  account.settings = R"({"appid":"wx1","bank_account":"icbc"})";
  EXPECT_TRUE(channel_account_json(account).contains(account.settings));
  EXPECT_EQ(shown_to(Audience::merchant, channel_account_json(account)), with("")) << "nothing about the platform";
  account.merchants = account.settings = "";
  EXPECT_FALSE(has(channel_account_json(account), "merchants"));
  EXPECT_TRUE(channel_account_json(account).contains(R"("settings":{})"));
}

TEST(ChannelRateJson, HasExactlyTheContractsFields) {
  ChannelRate rate{.id = ChannelRateId{6},
                   .channel_account_id = ChannelAccountId{31},
                   .method = "native",
                   .currency = kCny,
                   .basis_points = 60,
                   .fixed = 10,
                   .minimum = 1,
                   .maximum = 500,
                   .from_date = "2026-07-01",
                   .created_at = kAt};
  EXPECT_EQ(channel_rate_json(rate),
            joined({R"("id":"crt_0000000000006")", R"("object":"channel_rate")",
                    R"("channel_account":"cha_000000000000z")", R"("method":"native")", R"("currency":"CNY")",
                    R"("basis_points":60)", R"("fixed":10)", R"("minimum":1)", R"("maximum":500)",
                    R"("from":"2026-07-01")", R"("created_at":"2026-01-31T23:59:59.000Z")", R"("version":1)"}));
  rate.method.reset();
  rate.currency.reset();
  rate.minimum.reset();
  rate.maximum.reset();
  for (const char* name : {"method", "currency", "minimum", "maximum"})
    EXPECT_FALSE(has(channel_rate_json(rate), name));
}

TEST(CaseJson, ListsItsEvidenceAndItsResolutions) {
  Case row{.id = CaseId{10},
           .root_id = 1,
           .kind = CaseKind::amount_mismatch,
           .object_id = 2,
           .evidence = R"([{"a":1},{"b":2}])",
           .created_at = kAt,
           .due_at = kAt};
  EXPECT_EQ(case_json(row, nullptr),
            joined({R"("id":"cas_000000000000a")", R"("object":"case")", R"("kind":"amount_mismatch")",
                    R"("object_id":"pay_0000000000002")", R"("order":"ord_0000000000001")", R"("state":"open")",
                    R"("evidence":[{"a":1},{"b":2}])", R"("resolutions":["accept","refund"])",
                    R"("created_at":"2026-01-31T23:59:59.000Z")", R"("due_at":"2026-01-31T23:59:59.000Z")",
                    R"("version":1)"}));
  row.resolution = "refund";
  row.note = "ticket 4711";
  row.proposed_by = "op";
  row.approved_by = "ap";
  for (const char* field : {"resolution", "note", "proposed_by", "approved_by"})
    EXPECT_TRUE(has(case_json(row, nullptr), field)) << field;
}

TEST(CaseJson, PreviewsThePostingsTheRequestsOrTheRefusalOfItsResolutions) {
  const Case row{.id = CaseId{1}, .kind = CaseKind::conflicting_result};
  const Currency currency = *parse_currency("CNY");
  ResolutionPreview moves{.resolution = "write_off"};
  moves.entries.push_back(
      {{.merchant_id = MerchantId{7}, .amount = -500, .currency = currency, .type = EntryType::receipt_written_off},
       {.kind = AccountKind::loss}});
  moves.entries.push_back(
      {{.merchant_id = MerchantId{7}, .amount = 500, .currency = currency, .type = EntryType::receipt_written_off},
       {.kind = AccountKind::channel_receivable, .channel = "sandbox"},
       true});
  moves.requests = {{"sandbox", ChannelRequestKind::refund, 500, currency}, {"sandbox", ChannelRequestKind::query}};
  const ResolutionPreview refused{.resolution = "keep",
                                  .refusal = Refusal{RefusalCode::illegal_transition, "It has ended.", {}, {}}};
  const std::string json = case_json(row, nullptr, std::vector{moves, refused});
  EXPECT_TRUE(json.ends_with(
      R"("previews":[{"resolution":"write_off","postings":[)"
      R"({"merchant":"mer_0000000000007","type":"receipt_written_off","account":"loss",)"
      R"("direction":"debit","amount":500,"currency":"CNY"},)"
      R"({"merchant":"mer_0000000000007","type":"receipt_written_off","account":"channel_receivable",)"
      R"("channel":"sandbox","direction":"credit","amount":500,"currency":"CNY","after_result":true}],)"
      R"("requests":[{"channel":"sandbox","kind":"refund","amount":500,"currency":"CNY"},)"
      R"({"channel":"sandbox","kind":"query"}]},)"
      R"({"resolution":"keep","postings":[],"requests":[],"refusal":{"code":"illegal_transition","detail":"It has ended."}}]})"))
      << json;
}

TEST(CaseJson, NamesItsOrder) {
  Case row{.id = CaseId{1}, .root_id = 5, .object_type = ObjectType::refund};
  EXPECT_TRUE(case_json(row, nullptr).contains(R"("order":"ord_0000000000005")"));
  row.object_type = ObjectType::delivery;
  EXPECT_FALSE(has(case_json(row, nullptr), "order"));
}

TEST(CaseJson, NamesTheMerchantOfAnAssignment) {
  Case row{.id = CaseId{1}, .kind = CaseKind::unknown_receipt, .object_type = ObjectType::unknown_receipt};
  EXPECT_FALSE(has(case_json(row, nullptr), "merchant"));
  row.assign_to = MerchantId{7};
  EXPECT_TRUE(case_json(row, nullptr).contains(R"("merchant":"mer_0000000000007")"));
  EXPECT_TRUE(case_json(row, nullptr).contains(R"("resolutions":["assign","keep","cancel"])"));
}

TEST(UnknownReceiptJson, HasTheContractsFields) {
  UnknownReceipt row{
      .id = UnknownReceiptId{1}, .channel = "sandbox", .channel_trade_no = "T1", .out_trade_no = "till-1"};
  row.amount = 500;
  row.currency = *parse_currency("CNY");
  row.paid_at = row.created_at = kAt;
  EXPECT_EQ(unknown_receipt_json(row),
            joined({R"("id":"urc_0000000000001")", R"("object":"unknown_receipt")", R"("channel":"sandbox")",
                    R"("channel_trade_no":"T1")", R"("out_trade_no":"till-1")", R"("amount":500)",
                    R"("currency":"CNY")", R"("state":"unassigned")", R"("paid_at":"2026-01-31T23:59:59.000Z")",
                    R"("created_at":"2026-01-31T23:59:59.000Z")"}));
  row.assigned_to = MerchantId{7};
  EXPECT_TRUE(unknown_receipt_json(row).contains(R"("merchant":"mer_0000000000007")"));
  row.is_contradicted = true;
  EXPECT_TRUE(unknown_receipt_json(row).contains(R"("contradicted":true)"));
}

TEST(EventJson, ShowsTheTransitionAndItsCause) {
  Event event;
  event.id = EventId{6};
  event.object_type = ObjectType::payment;
  event.object_id = 2;
  event.event = "paid_unexpectedly";
  event.from_state = "pending";
  event.to_state = "closed";
  event.actions = static_cast<std::int64_t>(fsm::Actions::reverse | fsm::Actions::open_case);
  event.cause = CauseKind::operator_;
  event.detail = R"({"note":"x"})";
  event.at = kAt;
  EXPECT_EQ(event_json(event),
            joined({R"("id":"evt_0000000000006")", R"("object":"event")", R"("at":"2026-01-31T23:59:59.000Z")",
                    R"("type":"payment.paid_unexpectedly")", R"("object_type":"payment")",
                    R"("object_id":"pay_0000000000002")", R"("machine":"payment")", R"("from":"pending")",
                    R"("event":"paid_unexpectedly")", R"("to":"closed")", R"("cell":"move")",
                    R"("actions":["reverse","case"])", R"("cause":{"note":"x","kind":"operator"})"}));
  event.from_state.reset();
  EXPECT_FALSE(has(event_json(event), "from"));
}

TEST(DeliveryJson, HasOptionalFieldsThatHaveValues) {
  Delivery delivery{.id = DeliveryId{7},
                    .order_id = OrderId{1},
                    .url = "https://shop.example",
                    .type = "order.closed",
                    .created_at = kAt};
  const std::string bare = delivery_json(delivery);
  for (const char* field : {"endpoint", "last_status", "last_error", "due_at", "delivered_at"})
    EXPECT_FALSE(has(bare, field)) << field;
  delivery.endpoint_id = WebhookEndpointId{8};
  delivery.last_status = 500;
  delivery.last_error = "status 500";
  delivery.due_at = kAt;
  delivery.delivered_at = kAt;
  const auto json = boost::json::parse(delivery_json(delivery)).as_object();
  EXPECT_EQ(json.at("id"), "msg_0000000000007");
  EXPECT_EQ(json.at("endpoint"), "whe_0000000000008");
  EXPECT_EQ(json.at("last_status"), 500);
}

TEST(Secrets, AreShownOnlyWhereTheContractAllowsIt) {
  const WebhookEndpoint endpoint{.id = WebhookEndpointId{8},
                                 .url = "https://shop.example",
                                 .types = "order.closed order.failed",
                                 .secret = Secret("whsec_tea"),
                                 .previous_secret = Secret("whsec_old"),
                                 .created_at = kAt};
  EXPECT_EQ(webhook_endpoint_json(endpoint, false).find("whsec"), std::string::npos);
  EXPECT_NE(webhook_endpoint_json(endpoint, true).find("whsec_tea"), std::string::npos);
  EXPECT_EQ(webhook_endpoint_json(endpoint, true).find("whsec_old"), std::string::npos);
  EXPECT_EQ(boost::json::parse(webhook_endpoint_json(endpoint, false)).as_object().at("types"),
            boost::json::parse(R"(["order.closed","order.failed"])"));

  const Merchant merchant{.id = MerchantId{9},
                          .name = "Tea",
                          .webhook_secret = Secret("whsec_tea"),
                          .link_secret = Secret("hidden"),
                          .created_at = kAt};
  EXPECT_FALSE(has(merchant_json(merchant, false), "webhook_secret"));
  EXPECT_TRUE(has(merchant_json(merchant, true), "webhook_secret"));
  EXPECT_EQ(merchant_json(merchant, true).find("hidden"), std::string::npos);
}

TEST(ApiKeyJson, NamesItsRoleAndItsMerchant) {
  ApiKey key{.id = ApiKeyId{1}, .role = Role::operator_, .name = "operators", .created_at = kAt};
  EXPECT_EQ(api_key_json(key), joined({R"("id":"key_0000000000001")", R"("object":"api_key")", R"("role":"operator")",
                                       R"("name":"operators")", R"("created_at":"2026-01-31T23:59:59.000Z")"}));
  key.merchant_id = MerchantId{9};
  EXPECT_TRUE(has(api_key_json(key), "merchant"));
}

TEST(ProblemJson, HasTheContractsFields) {
  const Refusal refusal{RefusalCode::order_not_payable, "It is closed.", {}, "closed"};
  EXPECT_EQ(problem_json(refusal, "req_1"),
            joined({R"("type":"urn:finality:problem:order_not_payable")", R"("title":"Order not payable")",
                    R"("status":409)", R"("detail":"It is closed.")", R"("code":"order_not_payable")",
                    R"("state":"closed")", R"("request_id":"req_1")"}));
  EXPECT_TRUE(has(problem_json({RefusalCode::invalid_request, "x", "amount", {}}, "r"), "param"));
}

TEST(ProblemJson, EveryRefusalHasAStatusAndATitleAndServerErrorsHaveARetryAfter) {
  for (std::size_t i = 0; i < kCount<RefusalCode>; ++i) {
    const RefusalInfo info = info_of(static_cast<RefusalCode>(i));
    EXPECT_GE(info.status, 400);
    EXPECT_FALSE(info.title.empty());
    if (info.status >= 500) EXPECT_GT(info.retry_after_seconds, 0);
    if (info.stored) EXPECT_TRUE(info.status == 409 || info.status == 422);
  }
}

TEST(ListJson, WrapsItems) {
  EXPECT_EQ(list_json("/v1/orders?a=\"", true, {}),
            R"({"object":"list","url":"/v1/orders?a=\"","has_more":true,"data":[]})");
  EXPECT_EQ(list_json("/x", false, std::vector<std::string>{R"({"a":1})", "{}"}),
            R"({"object":"list","url":"/x","has_more":false,"data":[{"a":1},{}]})");
}

TEST(NotificationJson, IsStandardWebhooks) {
  EXPECT_EQ(notification_json("order.closed", kAt, R"({"id":"x"})"),
            R"({"type":"order.closed","timestamp":"2026-01-31T23:59:59.000Z","data":{"id":"x"}})");
}

}  // namespace
}  // namespace finality::wire
