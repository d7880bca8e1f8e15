// Tests of notifications about refunds with HTTP requests.

#include <charconv>

#include "base/testing/recorded_log.h"
#include "http/testing/test_server.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"

namespace finality::http {
namespace {

constexpr RefundId kRefund{301};
constexpr ReversalId kReversal{302};

// Channel stub. A notification has the out_refund_no as its body, the out_trade_no in the header Trade and the
// channel_trade_no in the header Transaction. With the header Sum, it also reports a refund of that amount.
class RefundChannel final : public Channel {
 public:
  const std::string& name() const override { return name_; }
  const Capabilities& capabilities() const override { return capabilities_; }
  UpstreamRequest request_of(const ChannelCall&, Time) const override { return {}; }
  Evidence evidence_of(const ChannelCall&, const UpstreamResponse&, Time) const override { return {}; }
  Result<Notification> verify(const net::HttpRequest& raw, Time) const override {
    Notification word{std::string(raw.headers.get("Trade")), {}, RefundNotice{raw.body, {}}};
    if (const std::string_view number = raw.headers.get("Transaction"); !number.empty())
      word.evidence.channel_trade_no = std::string(number);
    const std::string_view sum = raw.headers.get("Sum");
    word.evidence.currency = *parse_currency("CNY");
    if (!sum.empty()) {
      word.evidence.kind = EvidenceKind::paid;
      word.evidence.refund = ReportedRefund{raw.body, 0};
      std::from_chars(sum.data(), sum.data() + sum.size(), word.evidence.refund->amount);
    }
    const std::string_view paid = raw.headers.get("Paid");
    if (!paid.empty()) std::from_chars(paid.data(), paid.data() + paid.size(), word.evidence.amount);
    word.refund->evidence = {
        .kind = RefundEvidenceKind::refunded, .source = CauseKind::notification, .code = "SUCCESS"};
    return word;
  }
  net::HttpResponse acknowledgement() const override { return {.status = 200, .headers = {}, .body = "success"}; }
  net::HttpResponse negative_acknowledgement(int status) const override {
    return {.status = status, .headers = {}, .body = "fail"};
  }

 private:
  std::string name_ = "bank";
  Capabilities capabilities_{.methods = {"web"}};
};

class RefundNotices : public Server {
 protected:
  RefundNotices() {
    channels_.push_back(std::make_unique<RefundChannel>());
    OrderAggregate& aggregate = store_.rows.orders.at(OrderId{100});
    for (const auto& [id, channel] : {std::pair(PaymentId{201}, "bank"), std::pair(PaymentId{202}, "sandbox")}) {
      Payment& payment = aggregate.payments.emplace_back();
      payment.id = id;
      payment.channel = channel;
      payment.out_trade_no = out_number(kShop, id.value);
    }
    add(aggregate.refunds, kRefund, PaymentId{201});
    add(aggregate.refunds, RefundId{303}, PaymentId{202});
    add(aggregate.reversals, kReversal, PaymentId{201});
  }
  template <class Rows, class AnId>
  static void add(Rows& rows, AnId id, PaymentId payment) {
    auto& row = rows.emplace_back();
    row.id = id;
    row.merchant_id = kShop;
    row.order_id = OrderId{100};
    row.payment_id = payment;
    row.attempts = 2;
    row.amount = 300;
    row.currency = *parse_currency("CNY");
  }

  std::future<net::HttpResponse> notify(const std::string& number, const std::string& sum = "",
                                        const std::string& path = "/notify/bank", std::int64_t payment = 201) {
    net::Headers headers;
    headers.add("Trade", out_number(kShop, payment));
    if (!sum.empty()) headers.add("Sum", sum);
    return send("POST", path, "", number, headers);
  }
  static Reply not_found() { return {.status = 404, .refusal = Refusal{RefusalCode::not_found, "", {}, {}}}; }
  bool refused_as(const std::string& reason) {
    return fetch("GET", "/metrics", "").body.contains(R"(channel="bank",reason=")" + reason + '"');
  }
};

TEST_F(RefundNotices, AreSubmittedWithoutReadingTheStore) {
  store_.rows.broken = true;
  const std::string number = out_number(kShop, kRefund.value);
  auto answer = notify(number, "300");
  Request request = engine_.take();
  const auto& [trade, out_refund_no, evidence] = std::get<RecordRefundNotice>(request.command);
  const auto& payment = std::get<RecordEvidence>(trade);
  EXPECT_EQ(payment.merchant_id, kShop);
  EXPECT_EQ(payment.payment_id, PaymentId{201});
  EXPECT_EQ(payment.channel, "bank");
  EXPECT_EQ(payment.out_trade_no, out_number(kShop, 201));
  EXPECT_EQ(payment.evidence.kind, EvidenceKind::paid);
  EXPECT_EQ(payment.evidence.refund->amount, 300);
  EXPECT_EQ(out_refund_no, number);
  EXPECT_EQ(evidence.kind, RefundEvidenceKind::refunded);
  EXPECT_EQ(request.merchant_id, kShop);
  EXPECT_EQ(request.cause.kind, CauseKind::notification);
  EXPECT_EQ(std::get<ReceivedNotification>(request.cause.trigger).out_refund_no, number);
  request.reply({.status = 200});
  EXPECT_EQ(answer.get().body, "success");
}

TEST_F(RefundNotices, AreRefusedWhenTheEngineFindsNoRefund) {
  const std::string own_number = out_number(kShop, kRefund.value);
  for (const std::string& number : {std::string("R-1"), out_number(MerchantId{9}, 999), own_number,
                                    out_number(kShop, kReversal.value), own_number + "x02", own_number + "x"}) {
    auto answer = notify(number);
    engine_.take().reply(not_found());
    EXPECT_EQ(answer.get().status, 404) << number;
  }
  EXPECT_TRUE(refused_as("foreign_refund"));
  EXPECT_FALSE(refused_as("refund_gone"));
}

TEST_F(RefundNotices, AreRefusedForAnotherMerchantsPathOrAForeignTrade) {
  const std::string number = out_number(kShop, kRefund.value);
  EXPECT_EQ(notify(number, "", "/notify/bank/" + to_text(kOtherShop)).get().status, 404);
  net::Headers headers;
  headers.add("Trade", "T-1");
  EXPECT_EQ(fetch("POST", "/notify/bank", "", number, headers).status, 404);
  EXPECT_TRUE(engine_.empty());
  EXPECT_TRUE(refused_as("foreign_trade"));
}

TEST_F(RefundNotices, OfUnknownPaymentsAreBookedForThePlatform) {
  net::Headers headers;
  headers.add("Sum", "300");
  headers.add("Paid", "500");
  headers.add("Transaction", "T-1");
  headers.add("Trade", "till-1");
  auto answer = send("POST", "/notify/bank", "", "R-1", headers);
  Request request = engine_.take();
  const auto& command = std::get<RecordUnknownReceipt>(request.command);
  EXPECT_EQ(command.out_trade_no, "till-1");
  EXPECT_EQ(command.evidence.amount, 500);
  EXPECT_EQ(command.evidence.refund->amount, 300);
  request.reply({.status = 201});
  EXPECT_EQ(answer.get().body, "success");
}

TEST_F(RefundNotices, AreAcknowledgedAfterTheCommitOnly) {
  const std::string number = out_number(kShop, kRefund.value);
  auto answer = notify(number);
  engine_.take().reply({.status = 503, .refusal = Refusal{RefusalCode::busy, "", {}, {}}});
  EXPECT_EQ(answer.get().status, 503);
  answer = notify(number);
  engine_.take().reply(not_found());
  EXPECT_EQ(answer.get().status, 404);
  store_.rows.broken = true;
  answer = notify(number);
  engine_.take().reply(not_found());
  EXPECT_EQ(answer.get().status, 503) << "the reason cannot be read";
}

/// Notifications about an archived order. The store has only the natural key of the order's receipt and the name of its
/// archive.
class NoticesOfAnArchivedOrder : public RefundNotices {
 protected:
  NoticesOfAnArchivedOrder() {
    store_.rows.archived_orders[OrderId{400}] = {OrderId{400}, kShop, kNow, "year-1-0a1b2c3d"};
    store_.rows.keys[key_of_receipt(kShop, "bank", "T-400")] = 400;
  }
  // Sends a notification whose refund or payment the engine does not find, and returns the response.
  net::HttpResponse refused_of(const std::string& transaction, const std::string& sum = "") {
    net::Headers headers;
    headers.add("Trade", out_number(kShop, 401));
    if (!transaction.empty()) headers.add("Transaction", transaction);
    if (!sum.empty()) headers.add("Sum", sum);
    auto answer = send("POST", "/notify/bank", "", out_number(kShop, 402), headers);
    engine_.take().reply(not_found());
    return answer.get();
  }
  const std::string restore_ = "restore_with=\"finality unarchive --store URL --from DIRECTORY ";
};

TEST_F(NoticesOfAnArchivedOrder, AreNotAcknowledgedAndTheLogHasTheRestoreCommand) {
  const RecordedLog log;
  EXPECT_EQ(refused_of("T-400").status, 404);
  EXPECT_TRUE(refused_as("refund_gone"));
  for (const std::string& part :
       {"out_refund_no=" + out_number(kShop, 402), "order=" + to_text(OrderId{400}),
        std::string("archive=year-1-0a1b2c3d"), restore_ + "--order " + to_text(OrderId{400}) + '"'})
    EXPECT_TRUE(log.contains(part)) << part << " in " << log.text();
}

TEST_F(NoticesOfAnArchivedOrder, OfAReportedRefundAreEvidenceAboutThePayment) {
  const RecordedLog log;
  EXPECT_EQ(refused_of("T-400", "300").status, 404);
  EXPECT_TRUE(refused_as("payment_gone"));
  EXPECT_TRUE(log.contains(restore_ + "--order " + to_text(OrderId{400}) + '"')) << log.text();
}

TEST_F(NoticesOfAnArchivedOrder, WithoutAKnownReceiptNameThePayment) {
  const RecordedLog log;
  EXPECT_EQ(refused_of("").status, 404);
  EXPECT_TRUE(log.contains("archive=unknown")) << log.text();
  EXPECT_TRUE(log.contains(restore_ + "--payment " + to_text(PaymentId{401}) + '"')) << log.text();
}

}  // namespace
}  // namespace finality::http
