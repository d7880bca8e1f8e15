#include "channel/sandbox/channel.h"

#include <fmt/format.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "channel/sandbox/testing/test_sandbox.h"
#include "channel/testing/statement_contract.h"

namespace finality::channel_contract {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Sandbox, ChannelContract, SandboxSubject);
INSTANTIATE_TYPED_TEST_SUITE_P(Sandbox, StatementContract, SandboxSubject);

class SandboxChannelTest : public testing::Test {
 protected:
  ChannelCall call(ChannelCallKind kind) const { return call_of(kind, *channel_); }
  Evidence evidence_from(ChannelCallKind kind, net::HttpResponse response) const {
    return read_response(*channel_, call(kind), std::move(response));
  }
  Evidence query_evidence(const boost::json::object& trade) const {
    return evidence_from(ChannelCallKind::query_payment, signed_answer(200, {{"trade", trade}}, kNow));
  }

  std::unique_ptr<Channel> channel_ = SandboxSubject::make();
  ChannelCall query_ = call(ChannelCallKind::query_payment);
};

TEST_F(SandboxChannelTest, SendsATradeWithTheOrdersDeadline) {
  ChannelCall send = call(ChannelCallKind::send_payment);
  send.payment.scenario = "pay_late";
  const UpstreamRequest request = channel_->request_of(send, kNow);
  EXPECT_EQ(request.url, "http://127.0.0.1:8090/sandbox/trades");
  EXPECT_EQ(request.http.method, "POST");
  EXPECT_EQ(request.http.target, "/sandbox/trades");
  const boost::json::object expected{{"out_trade_no", send.payment.out_trade_no},
                                     {"amount", 1000},
                                     {"currency", "CNY"},
                                     {"subject", "Tea"},
                                     {"expires_at", to_rfc3339(send.order.expires_at)},
                                     {"notify_url", "https://pay.example/notify/sandbox"},
                                     {"return_url", "https://pay.example/return/t"},
                                     {"scenario", "pay_late"}};
  EXPECT_EQ(boost::json::parse(request.http.body), boost::json::value(expected));
}

TEST_F(SandboxChannelTest, LeavesOutOptionalFieldsThatAreNotSet) {
  ChannelCall send = call(ChannelCallKind::send_payment);
  send.return_url.clear();
  const auto body = boost::json::parse(channel_->request_of(send, kNow).http.body).as_object();
  EXPECT_FALSE(body.contains("return_url"));
  EXPECT_FALSE(body.contains("scenario"));
}

TEST_F(SandboxChannelTest, QueriesAndClosesByOurNumber) {
  const UpstreamRequest query = channel_->request_of(query_, kNow);
  EXPECT_EQ(query.http.method, "GET");
  EXPECT_EQ(query.url, "http://127.0.0.1:8090/sandbox/trades/" + query_.payment.out_trade_no);
  const UpstreamRequest close = channel_->request_of(call(ChannelCallKind::close_payment), kNow);
  EXPECT_EQ(close.http.method, "POST");
  EXPECT_EQ(close.url, query.url + "/close");
}

TEST_F(SandboxChannelTest, SignsTheRequestAsOnTheWire) {
  for (const std::string prefix : {"", "/gateway"}) {
    const auto channel =
        make_sandbox_channel({"sandbox2", "http://127.0.0.1:8090" + prefix, kSecret, "https://pay.example"});
    const UpstreamRequest request = channel->request_of(call_of(ChannelCallKind::send_payment, *channel), kNow);
    EXPECT_EQ(request.http.target, prefix + "/sandbox2/trades");
    const std::string text = fmt::format("POST\n{}\n{}\n{}", request.http.target, kNow.ms / 1000, request.http.body);
    EXPECT_EQ(request.http.headers.get("Sandbox-Signature"), to_hex(hmac_sha256(kSecret.reveal(), text)));
    EXPECT_EQ(request.http.headers.get("Sandbox-Timestamp"), std::to_string(kNow.ms / 1000));
  }
}

TEST_F(SandboxChannelTest, ReturnsThePayersPage) {
  const auto send = ChannelCallKind::send_payment;
  const Evidence sent = evidence_from(send, *SandboxSubject::answer(call(send), EvidenceKind::waiting, kNow));
  EXPECT_EQ(sent.action_type, ActionType::redirect);
  EXPECT_EQ(sent.action_url, "http://127.0.0.1:8090/wallet/sbt_1");
  EXPECT_EQ(sent.channel_trade_no, "sbt_1");
}

TEST_F(SandboxChannelTest, AWaitingTradeWithoutAPageForThePayerIsUnknown) {
  const boost::json::object trade = trade_of(query_, "waiting");
  const auto send = ChannelCallKind::send_payment;
  EXPECT_EQ(evidence_from(send, signed_answer(200, {{"trade", trade}}, kNow)).code, "malformed");
  for (const std::string& url :
       {std::string("javascript:alert(1)"), std::string("/wallet/sbt_1"), std::string("//pay.example/"),
        std::string("http://"), std::string("https:///wallet"), std::string("https://pay.example@evil.example/"),
        std::string("https://pay.example/\r\nSet-Cookie: a=b"), std::string("https://pay.example/\"><script>"),
        std::string("https://pay.example/ x"), "https://pay.example/" + std::string(limits::kUrlMax, 'x')}) {
    const boost::json::object bad{{"trade", trade}, {"action", {{"type", "redirect"}, {"url", url}}}};
    const Evidence evidence = evidence_from(send, signed_answer(200, bad, kNow));
    EXPECT_EQ(evidence.kind, EvidenceKind::unknown) << url;
    EXPECT_EQ(evidence.code, "malformed") << url;
    EXPECT_TRUE(evidence.action_url.empty()) << url;
  }
}

TEST_F(SandboxChannelTest, APaidTradeIsBookedAlsoWithAnInvalidPage) {
  const auto send = ChannelCallKind::send_payment;
  const boost::json::object body{{"trade", trade_of(query_, "paid", 1000)},
                                 {"action", {{"type", "redirect"}, {"url", "javascript:alert(1)"}}}};
  const Evidence evidence = evidence_from(send, signed_answer(200, body, kNow));
  EXPECT_EQ(evidence.kind, EvidenceKind::paid);
  EXPECT_TRUE(evidence.action_url.empty());
}

TEST_F(SandboxChannelTest, AnUnknownAnswerHasItsReason) {
  const auto send = ChannelCallKind::send_payment;
  EXPECT_EQ(evidence_from(send, {.status = 502, .body = "<html>"}).code, "http_502");
  EXPECT_EQ(evidence_from(send, {.status = 200, .body = "{}"}).code, "bad_signature");
  EXPECT_EQ(evidence_from(send, signed_answer(200, {}, kNow)).code, "malformed");
  EXPECT_EQ(evidence_from(send, signed_answer(401, {{"code", "invalid_signature"}}, kNow)).code, "invalid_signature");
  EXPECT_EQ(evidence_from(send, signed_answer(418, {}, kNow)).code, "http_418");
  const Evidence other = evidence_from(send, SandboxSubject::answer_about("another", call(send), kNow));
  EXPECT_EQ(other.code, "wrong_trade");
}

TEST_F(SandboxChannelTest, OnlyADefiniteRefusalOfTheSendingIsFailed) {
  struct Case {
    ChannelCallKind call;
    int status;
    const char* code;
    EvidenceKind expected;
  };
  using enum ChannelCallKind;
  const Case cases[] = {
      {send_payment, 400, "invalid_parameter", EvidenceKind::failed},
      {send_payment, 401, "invalid_signature", EvidenceKind::unknown},
      {send_payment, 404, "trade_not_exist", EvidenceKind::unknown},
      {send_payment, 404, "not_found", EvidenceKind::unknown},
      {send_payment, 409, "context_inconsistent", EvidenceKind::unknown},
      {query_payment, 400, "invalid_parameter", EvidenceKind::unknown},
      {query_payment, 401, "invalid_signature", EvidenceKind::unknown},
      {query_payment, 404, "not_found", EvidenceKind::unknown},
      {query_payment, 404, "trade_not_exist", EvidenceKind::not_found},
      {close_payment, 400, "invalid_parameter", EvidenceKind::unknown},
      {close_payment, 404, "trade_not_exist", EvidenceKind::not_found},
      {close_payment, 409, "trade_has_success", EvidenceKind::unknown},  // the response contains no trade
  };
  for (const Case& row : cases) {
    const boost::json::object body{{"code", row.code}, {"message", "why"}};
    const Evidence evidence = evidence_from(row.call, signed_answer(row.status, body, kNow));
    EXPECT_EQ(evidence.kind, row.expected) << name_of(row.call) << ' ' << row.status << ' ' << row.code;
    if (row.expected == EvidenceKind::failed) {
      EXPECT_EQ(evidence.code, "invalid_parameter");
      EXPECT_EQ(evidence.message, "why");
    }
  }
}

TEST_F(SandboxChannelTest, SumsAndStateMustNotContradictEachOther) {
  EXPECT_EQ(query_evidence(trade_of(query_, "paid", 1000, 400)).kind, EvidenceKind::paid);
  EXPECT_EQ(query_evidence(trade_of(query_, "paid", 1000, 400)).refunded, 400);
  EXPECT_EQ(query_evidence(trade_of(query_, "closed", 1000, 1000)).kind, EvidenceKind::paid);
  EXPECT_EQ(query_evidence(trade_of(query_, "closed", 1000, 1000)).refunded, 1000);
  EXPECT_EQ(query_evidence(trade_of(query_, "closed", 1000, 400)).kind, EvidenceKind::unknown);
  EXPECT_EQ(query_evidence(trade_of(query_, "paid", 0)).kind, EvidenceKind::unknown);
  EXPECT_EQ(query_evidence(trade_of(query_, "paid", 1000, 1001)).refunded, 1001) << "a refund was paid out twice";
  EXPECT_EQ(query_evidence(trade_of(query_, "waiting", 0, 1)).kind, EvidenceKind::unknown);
  EXPECT_EQ(query_evidence(trade_of(query_, "waiting", 1000)).kind, EvidenceKind::unknown);
  EXPECT_EQ(query_evidence(trade_of(query_, "settled")).kind, EvidenceKind::unknown);
}

TEST_F(SandboxChannelTest, AnotherAmountIsReportedUnchanged) {
  EXPECT_EQ(query_evidence(trade_of(query_, "paid", 100)).amount, 100);
}

TEST_F(SandboxChannelTest, AMissingOrBrokenFieldIsUnknown) {
  const boost::json::object whole = trade_of(query_, "paid", 1000);
  ASSERT_EQ(query_evidence(whole).kind, EvidenceKind::paid);
  for (const char* name : {"trade_no", "out_trade_no", "channel", "state", "currency", "paid", "refunded", "paid_at"}) {
    boost::json::object trade = whole;
    trade.erase(name);
    EXPECT_EQ(query_evidence(trade).code, "malformed") << name;
    trade[name] = nullptr;
    EXPECT_EQ(query_evidence(trade).code, "malformed") << name;
    trade[name] = -1;
    EXPECT_EQ(query_evidence(trade).code, "malformed") << name;
    trade[name] = 1000.0;
    EXPECT_EQ(query_evidence(trade).code, "malformed") << name;
    trade[name] = std::string(100, 'A');
    EXPECT_EQ(query_evidence(trade).kind, EvidenceKind::unknown) << name;
  }
}

TEST_F(SandboxChannelTest, OldAndFutureTimestampsAreRejected) {
  for (const int seconds : {-301, 301, -100'000}) {
    const Time at = kNow + std::chrono::seconds(seconds);
    EXPECT_FALSE(channel_->verify(SandboxSubject::paid_notification(query_, at), kNow)) << seconds;
    const auto answer = *SandboxSubject::answer(query_, EvidenceKind::paid, at);
    EXPECT_EQ(read_response(*channel_, query_, answer).code, "bad_signature") << seconds;
  }
  EXPECT_TRUE(channel_->verify(SandboxSubject::paid_notification(query_, kNow - std::chrono::seconds(299)), kNow));
}

TEST_F(SandboxChannelTest, ATimestampHasOneValidSpelling) {
  for (const char* timestamp : {"+1790000000", " 1790000000", "1790000000.0", "0x6ab1", "99999999999999999999", ""}) {
    net::HttpRequest request{.method = "POST", .body = notification_body(trade_of(query_, "paid", 1000))};
    request.headers.add("Sandbox-Timestamp", timestamp);
    request.headers.add("Sandbox-Signature",
                        to_hex(hmac_sha256(kSecret.reveal(), std::string(timestamp) + "\n" + request.body)));
    EXPECT_FALSE(channel_->verify(request, kNow)) << timestamp;
  }
}

TEST_F(SandboxChannelTest, NotificationOfAnotherChannelIsRejected) {
  boost::json::object trade = trade_of(query_, "paid", 1000);
  trade["channel"] = "sandbox2";
  EXPECT_FALSE(channel_->verify(SandboxSubject::notification_of(notification_body(trade), kNow), kNow));
}

TEST_F(SandboxChannelTest, NotificationWithoutItsOwnFieldsIsRejected) {
  const std::string whole = notification_body(trade_of(query_, "paid", 1000));
  for (const char* name : {"id", "type", "created_at", "trade"}) {
    boost::json::object body = boost::json::parse(whole).as_object();
    body.erase(name);
    EXPECT_FALSE(channel_->verify(SandboxSubject::notification_of(boost::json::serialize(body), kNow), kNow)) << name;
  }
}

// The core uses the evidence about the trade if Finality has not requested a refund with this out_refund_no.
TEST_F(SandboxChannelTest, ARefundNotificationReportsTheRefundAndItsReturn) {
  boost::json::object refund{{"out_refund_no", "R1"}, {"amount", 400}, {"state", "succeeded"}};
  const auto verify = [&](std::string_view type) {
    boost::json::object body = boost::json::parse(notification_body(trade_of(query_, "paid", 1000, 400))).as_object();
    body["type"] = type;
    body["refund"] = refund;
    return channel_->verify(SandboxSubject::notification_of(boost::json::serialize(body), kNow), kNow);
  };
  const auto paid = verify("refund.succeeded");
  ASSERT_TRUE(paid) << paid.error().message;
  EXPECT_EQ(paid->refund.value().out_refund_no, "R1");
  EXPECT_EQ(paid->refund->evidence.kind, RefundEvidenceKind::refunded);
  EXPECT_FALSE(paid->refund->evidence.returned);
  EXPECT_EQ(paid->evidence.refund.value().amount, 400);
  refund["return_no"] = "B1";
  const auto returned = verify("refund.returned");
  ASSERT_TRUE(returned) << returned.error().message;
  EXPECT_EQ(returned->refund.value().evidence.returned.value().number, "B1");
  EXPECT_EQ(returned->evidence.refund.value().returned.value().amount, 400);
  for (const auto& [name, value] : {std::pair<const char*, boost::json::value>{"out_refund_no", ""},
                                    {"out_refund_no", "R 1"},
                                    {"amount", 0},
                                    {"amount", "400"},
                                    {"return_no", ""},
                                    {"return_no", "B 1"},
                                    {"return_no", 7},
                                    {"state", "closed"}}) {
    const boost::json::value whole = std::exchange(refund[name], value);
    EXPECT_FALSE(verify("refund.returned")) << name;
    refund[name] = whole;
  }
}

TEST_F(SandboxChannelTest, ASettlementIsReadFromTradesAndRefunds) {
  boost::json::object settlement{{"amount", 139},
                                 {"currency", "USD"},
                                 {"fee", 5},
                                 {"net", 134},
                                 {"exchange_rate", "0.1"},
                                 {"transaction_no", "B1"},
                                 {"available_on", "2026-09-23T14:13:20.000Z"}};
  const auto verify = [&](const char* type) {
    boost::json::object trade = trade_of(query_, "paid", 1000);
    trade["settlement"] = settlement;
    boost::json::object body = boost::json::parse(notification_body(trade)).as_object();
    body["type"] = type;
    body["refund"] = boost::json::object{
        {"out_refund_no", "R1"}, {"amount", 400}, {"state", "succeeded"}, {"settlement", settlement}};
    return channel_->verify(SandboxSubject::notification_of(boost::json::serialize(body), kNow), kNow);
  };
  const ReportedSettlement expected{.transaction_no = "B1",
                                    .amount = 139,
                                    .currency = *parse_currency("USD"),
                                    .fee = 5,
                                    .exchange_rate = "0.1",
                                    .available_on = parse_rfc3339("2026-09-23T14:13:20Z")};
  const auto settled = verify("trade.settled");
  ASSERT_TRUE(settled) << settled.error().message;
  EXPECT_EQ(settled->evidence.settlement, expected);
  const auto refunded = verify("refund.settled");
  ASSERT_TRUE(refunded) << refunded.error().message;
  EXPECT_EQ(refunded->refund.value().evidence.settlement, expected);
  EXPECT_EQ(refunded->evidence.refund.value().settlement, expected);

  for (const auto& [name, value] : {std::pair<const char*, boost::json::value>{"amount", 0},
                                    {"amount", "139"},
                                    {"currency", "usd"},
                                    {"fee", nullptr},
                                    {"net", 135},
                                    {"transaction_no", ""},
                                    {"available_on", "soon"}}) {
    const boost::json::value whole = std::exchange(settlement[name], value);
    const auto without = verify("trade.settled");
    ASSERT_TRUE(without) << name << ": the payment is evidence, whatever its settlement is";
    EXPECT_FALSE(without->evidence.settlement) << name;
    EXPECT_TRUE(without->evidence.message.contains(name)) << without->evidence.message;
    settlement[name] = whole;
  }
}

TEST_F(SandboxChannelTest, ATruncatedNotificationIsRejectedEvenWhenSigned) {
  std::string body = notification_body(trade_of(query_, "paid", 1000));
  while (!body.empty()) {
    body.pop_back();
    ASSERT_FALSE(channel_->verify(SandboxSubject::notification_of(body, kNow), kNow)) << body;
  }
}

TEST_F(SandboxChannelTest, ANotificationIsDatedByItsCreationNotItsArrival) {
  const std::string body = notification_body(trade_of(query_, "closed", 0));
  for (const Duration late : {Duration{0}, Duration{60'000}}) {
    const Time now = kNow + late;
    const auto notification = channel_->verify(SandboxSubject::notification_of(body, now), now);
    ASSERT_TRUE(notification) << notification.error().message;
    EXPECT_EQ(notification->evidence.asked_at, kNow);
  }
}

TEST_F(SandboxChannelTest, ErrorsDoNotContainTheSecret) {
  const auto refused = channel_->verify(SandboxSubject::forged_notification(query_, kNow), kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.find(kSecret.reveal()), std::string::npos);
}

TEST_F(SandboxChannelTest, AcknowledgesAsTheProtocolRequires) {
  EXPECT_EQ(channel_->acknowledgement().status, 200);
  EXPECT_EQ(channel_->acknowledgement().body, "success");
  EXPECT_EQ(channel_->acknowledgement().headers.get("content-type"), "text/plain");
  EXPECT_EQ(channel_->negative_acknowledgement(503).status, 503);
  EXPECT_EQ(channel_->negative_acknowledgement(503).body, "fail");
}

TEST(FindChannel, FindsByName) {
  Channels channels;
  channels.push_back(make_sandbox_channel({"sandbox", "http://a", kSecret, "http://b"}));
  channels.push_back(make_sandbox_channel({"sandbox2", "http://a", kSecret, "http://b"}));
  EXPECT_EQ(find_channel(channels, "sandbox2"), channels[1].get());
  EXPECT_EQ(find_channel(channels, "wallet"), nullptr);
}

TEST(SandboxKeys, TheSecretIsReplacedInUse) {
  const auto channel = make_sandbox_channel({"sandbox", "http://a", kSecret, "http://b"});
  const ChannelCall query{.kind = ChannelCallKind::query_payment};
  const auto headers = [&] { return channel->request_of(query, Time{1}).http.headers.fields(); };
  const auto before = headers();
  EXPECT_FALSE(channel->use_texts({}));
  EXPECT_EQ(headers(), before) << "an error changes nothing";
  ChannelTexts texts;
  texts.set("secret", Secret("another one"));
  EXPECT_TRUE(channel->use_texts(texts));
  EXPECT_NE(headers(), before);
}

TEST(SandboxInterfaces, AreThoseOfItsClass) {
  const std::unique_ptr<Channel> channel = make_sandbox_channel({"sandbox", "http://a", kSecret, "http://b"});
  EXPECT_NE(channel->refunds(), nullptr);
  EXPECT_NE(channel->statements(), nullptr);
  EXPECT_EQ(channel->maintenance(), nullptr);
  EXPECT_TRUE(capabilities_of(*channel).refunds);
}

}  // namespace
}  // namespace finality::channel_contract
