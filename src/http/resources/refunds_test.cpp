// Tests of refunds of archived orders with HTTP requests, if the order is not restored. The end-to-end tests of
// archives restore it.

#include "base/testing/temporary_directory.h"
#include "http/testing/test_server.h"
#include "model/natural_key.h"
#include "store/archive/files.h"
#include "store/archive/line.h"
#include "store/archive/manifest.h"

namespace finality::http {
namespace {

constexpr OrderId kOrder{400};
constexpr PaymentId kPayment{401};

OrderAggregate paid_order() {
  FakeRows rows;
  OrderAggregate aggregate = rows.add_order(kOrder, kShop);
  Payment& payment = aggregate.payments.emplace_back();
  payment.id = kPayment;
  payment.order_id = kOrder;
  payment.merchant_id = kShop;
  payment.channel = "sandbox";
  payment.currency = aggregate.order.currency;
  return aggregate;
}

/// A directory with one archive, which contains the order.
struct Archives {
  TemporaryDirectory directory_;
  std::filesystem::path lines_ = directory_.path() / "year-1" / store::kLinesFile;
  std::string name_ = write();

  std::string write() const {
    std::filesystem::create_directory(lines_.parent_path());
    store::Manifest manifest{.before = kNow, .made_at = kNow, .done = true};
    const std::string line = store::line_of({paid_order(), {}, {}});
    auto writer = store::LineWriter::open(lines_);
    EXPECT_TRUE(manifest.totals.add(line) && writer && writer->add(line));
    manifest.sha256 = writer->finish().value();
    manifest.archive = store::name_of_archive("year-1", manifest.sha256);
    EXPECT_TRUE(store::write_manifest(lines_.parent_path(), manifest));
    return manifest.archive;
  }
};

class RefundsOfAnArchivedOrder : protected Archives, public Server {
 protected:
  RefundsOfAnArchivedOrder() : Server(directory_.path()) {
    store_.rows.archived_orders[kOrder] = {kOrder, kShop, kNow, name_};
    store_.rows.keys[key_of_refund_no(kShop, "R-archived")] = kOrder.value;
  }

  static std::string body(const std::string& number, std::optional<OrderId> order = std::nullopt,
                          PaymentId payment = kPayment) {
    return R"({"payment":")" + to_text(payment) + R"(","merchant_refund_no":")" + number +
           (order ? R"(","order":")" + to_text(*order) : "") + R"("})";
  }
  std::future<net::HttpResponse> refund(const std::string& body, const std::string& key = "sk_shop",
                                        net::Headers headers = {}) {
    return send("POST", "/v1/refunds", key, body, std::move(headers));
  }
  // Takes the command of the refund, replies with the status, and returns what the engine was to refuse with.
  std::optional<Refusal> take_refund(int status, OrderId order = {}) {
    Request request = engine_.take();
    const auto* command = std::get_if<CreateRefund>(&request.command);
    EXPECT_NE(command, nullptr);
    if (command != nullptr) {
      EXPECT_EQ(command->order_id, order);
      EXPECT_EQ(command->channel, order.value == 0 ? "" : "sandbox");
    }
    Reply reply{.status = status, .body = "{}"};
    if (status == 404) reply.refusal = Refusal{RefusalCode::not_found, "", {}, {}};
    std::optional<Refusal> refuse_with = request.refuse_with;
    request.reply(std::move(reply));
    return refuse_with;
  }
};

TEST_F(RefundsOfAnArchivedOrder, AreNotFoundWithoutTheOrder) {
  auto answer = refund(body("R-1"));
  EXPECT_FALSE(take_refund(404));
  EXPECT_EQ(code_of(answer.get()), "not_found");
}

TEST_F(RefundsOfAnArchivedOrder, OfAnotherMerchantAreNotFound) {
  store_.rows.archived_orders[kOrder].merchant_id = kOtherShop;
  auto answer = refund(body("R-1", kOrder));
  EXPECT_FALSE(take_refund(404));
  const net::HttpResponse response = answer.get();
  EXPECT_EQ(code_of(response), "not_found");
  EXPECT_FALSE(response.body.contains(name_)) << response.body;
}

TEST_F(RefundsOfAnArchivedOrder, AreRefusedIfTheArchiveCannotBeRead) {
  std::filesystem::remove(lines_);
  auto answer = refund(body("R-1", kOrder));
  const auto refusal = take_refund(410);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, RefusalCode::archived);
  EXPECT_TRUE(refusal->detail.contains(name_) && refusal->detail.contains("finality unarchive")) << refusal->detail;
  EXPECT_EQ(answer.get().status, 410);
  EXPECT_EQ(restorer_->counters().failures, 1U);
}

TEST_F(RefundsOfAnArchivedOrder, AreRepeatedIfTheServerCannotRestoreNow) {
  restorer_->stop();
  auto answer = refund(body("R-1", kOrder));
  const auto refusal = take_refund(503);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, RefusalCode::busy);
  EXPECT_EQ(answer.get().status, 503);
}

TEST_F(RefundsOfAnArchivedOrder, RestoreNothingForARequestThatIsNotExecuted) {
  auto answer = refund(body("R-1", kOrder), "op_viewer", naming(kShop));
  const auto refusal = take_refund(403);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, RefusalCode::forbidden);
  EXPECT_EQ(answer.get().status, 403);
  net::Headers headers;
  headers.add("Idempotency-Key", "");
  EXPECT_EQ(code_of(refund(body("R-1", kOrder), "sk_shop", headers).get()), "invalid_request");
  EXPECT_TRUE(engine_.empty());
  EXPECT_EQ(restorer_->counters().restored + restorer_->counters().failures, 0U);
}

TEST_F(RefundsOfAnArchivedOrder, MustNameTheOrderOfThePayment) {
  Payment payment = paid_order().payments.front();
  payment.id = PaymentId{201};
  store_.rows.orders.at(OrderId{100}).payments.push_back(payment);
  auto answer = refund(body("R-1", kOrder, payment.id));
  const auto refusal = take_refund(400, OrderId{100});
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, RefusalCode::invalid_request);
  EXPECT_EQ(answer.get().status, 400);
}

class RefundsWithoutArchives : public Server {};

TEST_F(RefundsWithoutArchives, AreRefusedAsArchived) {
  store_.rows.archived_orders[kOrder] = {kOrder, kShop, kNow, "year-1-0a1b2c3d"};
  auto answer = send(
      "POST", "/v1/refunds", "sk_shop",
      R"({"payment":")" + to_text(kPayment) + R"(","merchant_refund_no":"R-1","order":")" + to_text(kOrder) + R"("})");
  Request request = engine_.take();
  ASSERT_TRUE(request.refuse_with);
  EXPECT_EQ(request.refuse_with->code, RefusalCode::archived);
  EXPECT_TRUE(request.refuse_with->detail.contains("finality unarchive")) << request.refuse_with->detail;
  request.reply({.status = 410, .body = "{}"});
  EXPECT_EQ(answer.get().status, 410);
}

}  // namespace
}  // namespace finality::http
