#include "query/timeline.h"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include "model/out_trade_no.h"
#include "query/testing/fakes.h"

namespace finality::query {
namespace {

namespace json = boost::json;

constexpr MerchantId kShop{7};
constexpr OrderId kOrder{100};
constexpr PaymentId kPayment{101};

// Fixture: an order that was paid through the sandbox, and whose webhook was delivered to the merchant.
class PaidOrder : public testing::Test {
 protected:
  PaidOrder() {
    OrderAggregate& aggregate = store_.rows.add_order(kOrder, kShop);
    Payment payment;
    payment.id = kPayment;
    payment.channel = "sandbox";
    payment.method = "default";
    payment.amount = 1234;
    payment.currency = aggregate.order.currency;
    payment.out_trade_no = "T1";
    aggregate.payments.push_back(payment);

    add_event(1, kOrder, "created", {}, "pending", CauseKind::api, R"({"key":"key_1"})", 10);
    add_event(1, kPayment, "send", "created", "processing", CauseKind::api, R"({"key":"key_1"})", 10);
    const std::string paid = R"({"evidence":"paid","channel":"sandbox","channel_trade_no":"S1","amount":1234,)"
                             R"("currency":"CNY"})";
    add_event(2, kPayment, "paid", "processing", "succeeded", CauseKind::notification, paid, 20);
    store_.rows.events.back().journal_id = EntryId{50};
    add_event(2, kOrder, "paid", "processing", "succeeded", CauseKind::notification, paid, 20);
    add_entry();
    add_delivery();
  }

  void add_event(std::int64_t version, ObjectRef object, std::string event, std::optional<std::string> from,
                 std::string to, CauseKind cause, std::string detail, std::int64_t at) {
    Event row;
    row.root_id = object.type == ObjectType::delivery ? object.value : kOrder.value;
    row.id = EventId{static_cast<std::int64_t>(store_.rows.events.size()) + 1};
    row.root_version = version;
    row.object_type = object.type;
    row.object_id = object.value;
    row.event = std::move(event);
    row.from_state = std::move(from);
    row.to_state = std::move(to);
    row.cause = cause;
    row.detail = std::move(detail);
    row.at = Time{at};
    store_.rows.events.push_back(std::move(row));
  }
  void add_entry() {
    Account account;
    account.id = AccountId{40};
    store_.rows.accounts[account.id] = account;
    Entry entry;
    entry.id = entry.journal_id = EntryId{50};
    entry.account_id = account.id;
    entry.amount = 1234;
    entry.balance_after = 5000;
    entry.currency = *parse_currency("CNY");
    entry.created_at = Time{20};
    store_.rows.entries.push_back(entry);
  }
  void add_delivery() {
    Delivery delivery;
    delivery.id = DeliveryId{60};
    delivery.merchant_id = kShop;
    delivery.order_id = kOrder;
    delivery.type = "order.succeeded";
    delivery.url = "https://shop.example/";
    delivery.created_at = Time{20};
    store_.rows.deliveries.push_back(delivery);
    add_event(1, delivery.id, "created", {}, "pending", CauseKind::notification, "", 20);
    add_event(2, delivery.id, "acknowledged", "pending", "delivered", CauseKind::timer, "", 30);
  }

  std::expected<Listed<TimelineItem>, Refusal> read(MerchantId merchant = kShop, std::size_t limit = 1000) {
    FakeReader reader(store_.rows);
    return read_timeline(reader, merchant, kOrder, {.audience = audience_, .limit = limit});
  }
  // Reads one page and returns its items.
  Listed<TimelineItem> page_of(const TimelinePage& page) {
    FakeReader reader(store_.rows);
    const auto listed = read_timeline(reader, kShop, kOrder, page);
    EXPECT_TRUE(listed);
    return *listed;
  }
  static std::vector<std::string> ids_of(const std::vector<TimelineItem>& items) {
    std::vector<std::string> ids;
    for (const TimelineItem& item : items) ids.push_back(to_text(item.place));
    return ids;
  }
  // Checks that pages of `limit` items, in both directions, contain each item of the timeline once, in order.
  void check_pages(const std::vector<TimelineItem>& all, std::size_t limit) {
    const std::vector<std::string> expected = ids_of(all);
    std::vector<std::string> forwards;
    TimelinePage next{.audience = audience_, .limit = limit};
    for (bool has_more = true; has_more;) {
      const Listed<TimelineItem> page = page_of(next);
      has_more = page.has_more;
      EXPECT_LE(page.rows.size(), limit);
      ASSERT_FALSE(page.rows.empty());
      std::ranges::copy(ids_of(page.rows), std::back_inserter(forwards));
      next.after = page.rows.back().place;
    }
    EXPECT_EQ(forwards, expected);
    std::vector<std::string> backwards{expected.back()};
    TimelinePage previous{.audience = audience_, .limit = limit, .before = all.back().place};
    for (bool has_more = true; has_more;) {
      const Listed<TimelineItem> page = page_of(previous);
      has_more = page.has_more;
      ASSERT_FALSE(page.rows.empty());
      const std::vector<std::string> ids = ids_of(page.rows);
      backwards.insert(backwards.begin(), ids.begin(), ids.end());
      previous.before = page.rows.front().place;
    }
    EXPECT_EQ(backwards, expected);
  }

  FakeStore store_;
  wire::Audience audience_ = wire::Audience::operators;
};

TEST_F(PaidOrder, IsListedInOrderWithAllItsObjects) {
  const auto listed = read();
  ASSERT_TRUE(listed);
  EXPECT_FALSE(listed->has_more);
  std::vector<std::string> summaries;
  for (const TimelineItem& item : listed->rows) {
    const json::object read = json::parse(item.json).as_object();
    EXPECT_TRUE(read.at("detail").is_object());
    summaries.push_back(std::string(read.at("kind").as_string()) + ": " + std::string(read.at("summary").as_string()));
  }
  const std::string evidence = "(sandbox reported paid, trade S1, 12.34 CNY)";
  const std::string order = to_text(kOrder);
  const std::string payment = to_text(kPayment);
  const std::string delivery = to_text(DeliveryId{60});
  const std::string suffix = " (API request with key_1)";
  const std::vector<std::string> expected = {
      "event: order " + order + ": created, pending" + suffix,
      "event: payment " + payment + ": created → processing on send" + suffix,
      "request: payment " + payment + ": sent to sandbox as T1, 12.34 CNY by default",
      "notification: sandbox notification: paid, trade S1, 12.34 CNY",
      "event: payment " + payment + ": processing → succeeded on paid " + evidence,
      "entry: merchant_payable +12.34 CNY, balance 50.00 CNY (receipt_accepted)",
      "event: order " + order + ": processing → succeeded on paid " + evidence,
      "delivery: delivery " + delivery + ": order.succeeded to https://shop.example/",
      "delivery: delivery " + delivery + ": pending → delivered on acknowledged (scheduled)"};
  EXPECT_EQ(summaries, expected);
}

TEST_F(PaidOrder, ShowsEachRefundRequestWithItsNumber) {
  Refund refund;
  refund.id = RefundId{80};
  refund.payment_id = kPayment;
  refund.merchant_id = kShop;
  refund.amount = 700;
  refund.currency = store_.rows.orders[kOrder].order.currency;
  store_.rows.orders[kOrder].refunds.push_back(refund);
  const std::string detail = R"({"evidence":"try_again","channel":"sandbox","code":"NOT_ENOUGH"})";
  add_event(3, refund.id, "send", "pending", "processing", CauseKind::api, R"({"key":"key_1"})", 40);
  add_event(4, refund.id, "unknown", "processing", "processing", CauseKind::query, detail, 50);
  add_event(5, refund.id, "try_again", "processing", "pending", CauseKind::query, detail, 60);
  add_event(6, refund.id, "send", "pending", "processing", CauseKind::timer, "", 70);
  const auto listed = read();
  ASSERT_TRUE(listed);
  std::vector<std::string> sent;
  for (const TimelineItem& item : listed->rows) {
    const json::object shown = json::parse(item.json).as_object();
    if (shown.at("kind") != "request" || item.place.at < Time{40}) continue;
    EXPECT_EQ(shown.at("object_id"), json::value(to_text(refund.id)));
    EXPECT_EQ(shown.at("detail").at("amount"), 700);
    sent.push_back(std::string(shown.at("summary").as_string()));
  }
  const std::string begin = "refund " + to_text(refund.id) + ": sent to sandbox as " + out_number(kShop, 80);
  EXPECT_EQ(sent, (std::vector{begin + ", 7.00 CNY", begin + "x2, 7.00 CNY"}));
}

TEST_F(PaidOrder, ShowsEachReleaseAndCaptureRequestWithItsNumber) {
  OrderAggregate& aggregate = store_.rows.orders[kOrder];
  Authorization& hold = aggregate.authorizations.emplace_back();
  hold.id = AuthorizationId{90};
  hold.merchant_id = kShop;
  hold.channel = "sandbox";
  hold.method = "default";
  hold.amount = 1234;
  hold.currency = aggregate.order.currency;
  hold.out_trade_no = "Ta1";
  hold.release_attempts = 2;
  hold.release_amount = 534;
  Capture& capture = aggregate.captures.emplace_back();
  capture.id = CaptureId{91};
  capture.authorization_id = hold.id;
  capture.amount = 700;
  capture.currency = hold.currency;
  capture.out_trade_no = "Tc1";
  const std::string held = R"({"evidence":"authorized","channel":"sandbox","authorized":1234,"captured":700,)"
                           R"("released":0,"currency":"CNY"})";
  add_event(3, hold.id, "send", "created", "processing", CauseKind::api, "", 40);
  add_event(4, capture.id, "send", "pending", "processing", CauseKind::api, "", 50);
  add_event(5, hold.id, "release", "authorized", "releasing", CauseKind::api, "", 60);
  store_.rows.events.back().actions = static_cast<std::int64_t>(fsm::Actions::release);
  add_event(6, hold.id, "release_refused", "releasing", "releasing", CauseKind::channel_reply,
            R"({"evidence":"release_refused","channel":"sandbox"})", 65);
  add_event(7, hold.id, "release", "releasing", "releasing", CauseKind::query, held, 70);
  const auto listed = read();
  ASSERT_TRUE(listed);
  std::vector<std::string> shown;
  for (const TimelineItem& item : listed->rows) {
    const json::object row = json::parse(item.json).as_object();
    if (item.place.at >= Time{40} && (row.at("kind") == "request" || row.at("kind") == "query"))
      shown.push_back(std::string(row.at("summary").as_string()));
  }
  const std::string name = "authorization " + to_text(hold.id);
  EXPECT_EQ(shown, (std::vector<std::string>{
                       name + ": sent to sandbox as Ta1, 12.34 CNY by default",
                       "capture " + to_text(capture.id) + ": sent to sandbox as Tc1, 7.00 CNY",
                       name + ": release sent to sandbox as Ta1r1",
                       "sandbox query response: authorized, authorized 12.34 CNY, captured 7.00 CNY, released 0.00 CNY",
                       name + ": release sent to sandbox as Ta1r2, 5.34 CNY"}));
}

TEST_F(PaidOrder, ShowsTheReleaseOfAHoldInAnotherCurrency) {
  OrderAggregate& aggregate = store_.rows.orders[kOrder];
  Authorization& hold = aggregate.authorizations.emplace_back();
  hold.id = AuthorizationId{90};
  hold.merchant_id = kShop;
  hold.channel = "sandbox";
  hold.currency = aggregate.order.currency;
  hold.out_trade_no = "Ta1";
  hold.release_attempts = 1;
  hold.release_amount = 534;
  add_event(3, hold.id, "release", "failed", "failed", CauseKind::query,
            R"({"evidence":"authorized","authorized":534,"captured":0,"released":0,"currency":"USD"})", 60);
  const auto listed = read();
  ASSERT_TRUE(listed);
  EXPECT_TRUE(std::ranges::any_of(listed->rows, [&](const TimelineItem& item) {
    return json::parse(item.json).at("summary").as_string() ==
           "authorization " + to_text(hold.id) + ": release sent to sandbox as Ta1r1, 5.34 USD";
  }));
}

TEST_F(PaidOrder, IsCutAtTheLimit) {
  const auto listed = read(kShop, 2);
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->rows.size(), 2u);
  EXPECT_TRUE(listed->has_more);
}

TEST_F(PaidOrder, IsReadInPagesOfAnySize) {
  const auto all = read();
  ASSERT_TRUE(all);
  for (std::size_t limit = 1; limit <= all->rows.size(); ++limit) check_pages(all->rows, limit);
}

TEST_F(PaidOrder, HasPagesAfterTheFirstThousandItems) {
  for (std::int64_t i = 0; i < 1500; ++i)
    add_event(3 + i, kOrder, "close_requested", "pending", "pending", CauseKind::operator_, "", 40 + i / 100);
  const Listed<TimelineItem> first = page_of({});
  EXPECT_EQ(first.rows.size(), 1000u);
  EXPECT_TRUE(first.has_more);
  const Listed<TimelineItem> second = page_of({.after = first.rows.back().place});
  EXPECT_EQ(second.rows.size(), 509u);
  EXPECT_FALSE(second.has_more);
  EXPECT_LT(first.rows.back().place, second.rows.front().place);
}

TEST_F(PaidOrder, KeepsTheIdsOfItemsWhileItGrows) {
  const auto before = read();
  ASSERT_TRUE(before);
  add_event(3, kOrder, "close_requested", "pending", "pending", CauseKind::operator_, "", 25);
  add_event(4, kOrder, "close_requested", "pending", "pending", CauseKind::operator_, "", 40);
  const auto after = read();
  ASSERT_TRUE(after);
  std::vector<std::string> ids = ids_of(after->rows);
  for (const std::string& id : ids_of(before->rows)) EXPECT_EQ(std::ranges::count(ids, id), 1) << id;
  EXPECT_EQ(ids.size(), before->rows.size() + 2);
  EXPECT_EQ(json::parse(after->rows.front().json).at("id"), json::value(ids.front()));
}

TEST_F(PaidOrder, IsNotReadAfterItsClientIsGone) {
  FakeReader reader(store_.rows);
  const auto listed = read_timeline(reader, kShop, kOrder, {.closed = std::make_shared<const std::atomic<bool>>(true)});
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, RefusalCode::busy);
}

TEST(TimelinePlace, IsReadBackFromItsId) {
  const TimelinePlace place{kNow, TimelineSource::delivery_event, 1'234'567'890'123, 200};
  const std::string id = to_text(place);
  EXPECT_EQ(parse_timeline_place(id), place);
  std::string of_no_source = id;
  of_no_source[4 + 12] = 'z';  // the last digit of the time and the source
  for (const std::string& broken : {std::string(), std::string("tli_"), id + "0", "evt_" + id.substr(4), of_no_source,
                                    id.substr(0, id.size() - 1) + "x"})
    EXPECT_FALSE(parse_timeline_place(broken)) << broken;
}

TEST_F(PaidOrder, IsNotFoundForAnotherMerchant) { EXPECT_EQ(read(MerchantId{8}).error().code, RefusalCode::not_found); }

TEST_F(PaidOrder, StatesThatThePayersBrowserOrAppSendsTheRequest) {
  add_event(3, kPayment, "waiting", "processing", "pending", CauseKind::channel_reply,
            R"({"evidence":"waiting","channel":"alipay","via":{"call":"send_payment","asked":false}})", 40);
  add_event(4, kPayment, "waiting", "pending", "pending", CauseKind::channel_reply,
            R"({"evidence":"waiting","channel":"alipay","via":{"call":"send_payment","status":200}})", 50);
  const auto listed = read();
  ASSERT_TRUE(listed);
  const auto summary = [&](std::size_t from_end) {
    return json::parse(listed->rows[listed->rows.size() - from_end].json).at("summary");
  };
  EXPECT_EQ(summary(4), json::value("request sent to alipay by the payer's browser or app: waiting"));
  EXPECT_EQ(summary(2), json::value("alipay response: waiting"));
}

TEST_F(PaidOrder, StatesOnceWhyNoRequestWasSent) {
  add_event(3, kPayment, "unknown", "processing", "processing", CauseKind::channel_reply,
            R"({"evidence":"unknown","channel":"alipay","code":"channel_down","message":"it does not answer",)"
            R"("via":{"call":"send_payment","sent":false,"failure":"it does not answer"}})",
            40);
  const auto listed = read();
  ASSERT_TRUE(listed);
  EXPECT_EQ(json::parse(listed->rows[listed->rows.size() - 2].json).at("summary"),
            json::value("no request sent to alipay: unknown, channel_down, it does not answer"));
}

TEST_F(PaidOrder, ShowsCasesAndOperators) {
  OrderAggregate& aggregate = store_.rows.orders[kOrder];
  Case row;
  row.id = CaseId{70};
  row.object_id = kPayment.value;
  row.evidence = "[]";
  row.created_at = Time{40};
  aggregate.cases.push_back(row);
  add_event(3, kOrder, "close_requested", "pending", "pending", CauseKind::operator_, R"({"key":"key_2"})", 50);
  const auto listed = read();
  ASSERT_TRUE(listed);
  const json::object opened = json::parse(listed->rows[listed->rows.size() - 2].json).as_object();
  EXPECT_EQ(opened.at("kind"), "case");
  const json::object closed = json::parse(listed->rows.back().json).as_object();
  EXPECT_EQ(closed.at("kind"), "operator");
  const std::string suffix = ": close_requested, stays pending (operator request with key_2)";
  EXPECT_EQ(closed.at("summary"), json::value("order " + to_text(kOrder) + suffix));
}

TEST_F(PaidOrder, HasNoKeysAndNotesForItsMerchant) {
  add_event(3, kOrder, "closed", "pending", "closed", CauseKind::operator_,
            R"({"case":"cas_1","resolution":"refund","note":"a private note","key":"key_2"})", 50);
  const auto texts = [this] {
    std::string all;
    const auto listed = read();
    EXPECT_TRUE(listed);
    for (const TimelineItem& item : listed->rows) all += item.json;
    return all;
  };
  EXPECT_TRUE(texts().contains("(operator request with key_2, refund: a private note)"));
  audience_ = wire::Audience::merchant;
  EXPECT_TRUE(texts().contains("pending → closed on closed (operator request)"));
  EXPECT_FALSE(texts().contains("a private note"));
  EXPECT_FALSE(texts().contains("key_"));
}

}  // namespace
}  // namespace finality::query
