#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include <string>
#include <vector>

#include "query/lists.h"
#include "query/testing/fakes.h"

namespace finality::query {
namespace {

constexpr MerchantId kShop{7};
constexpr OrderId kOrder{100};
constexpr AuthorizationId kHold{101};
constexpr AuthorizationId kOtherHold{102};
constexpr CaptureId kFirst{111};
constexpr CaptureId kSecond{112};
constexpr CaptureId kOther{113};

// An order with two authorizations: two captures share the trade of the first one, the second one has one capture.
class RefundsOfCaptures : public testing::Test {
 protected:
  RefundsOfCaptures() {
    for (const AuthorizationId id : {kHold, kOtherHold}) aggregate_.authorizations.emplace_back().id = id;
    add_capture(kHold, kFirst, ReceiptId{121}, "T1");
    add_capture(kHold, kSecond, ReceiptId{122}, "T1");
    add_capture(kOtherHold, kOther, ReceiptId{123}, "T2");
  }

  void add_capture(AuthorizationId hold, CaptureId id, ReceiptId receipt_id, const std::string& trade_no) {
    Capture& capture = aggregate_.captures.emplace_back();
    capture.id = id;
    capture.authorization_id = hold;
    Receipt& receipt = aggregate_.receipts.emplace_back();
    receipt.id = receipt_id;
    receipt.capture_id = id;
    receipt.channel_trade_no = trade_no;
    receipt.ordinal = static_cast<std::int64_t>(aggregate_.captures.size());
    receipt.currency = aggregate_.order.currency;
    receipt.state = ReceiptState::accepted;
  }
  void add_refund(RefundId id, AuthorizationId hold, std::optional<CaptureId> capture, ReceiptId receipt) {
    Refund& refund = aggregate_.refunds.emplace_back();
    refund.id = id;
    refund.authorization_id = hold;
    refund.capture_id = capture;
    refund.receipt_id = receipt;
    refund.currency = aggregate_.order.currency;
  }
  void add_reversal(ReversalId id, CaptureId capture, ReceiptId receipt) {
    Reversal& reversal = aggregate_.reversals.emplace_back();
    reversal.id = id;
    reversal.capture_id = capture;
    reversal.receipt_id = receipt;
    reversal.currency = aggregate_.order.currency;
  }

  // Returns the numbers of the listed refunds and reversals, newest first.
  std::vector<std::int64_t> listed(std::optional<ObjectRef> collected) {
    const Shown text = list_refunds(reader_, kShop, {collected, kOrder, {}}, Page{.limit = 10});
    if (!text) return {-1};
    const boost::json::value list = boost::json::parse(*text);
    std::vector<std::int64_t> ids;
    for (const auto& item : list.at("data").as_array())
      ids.push_back(parse_ref(std::string_view(item.at("id").as_string()))->value);
    return ids;
  }

  FakeRows rows_;
  FakeReader reader_{rows_};
  OrderAggregate& aggregate_ = rows_.add_order(kOrder, kShop);
};

using Ids = std::vector<std::int64_t>;

TEST_F(RefundsOfCaptures, ARefundOfACaptureIsListedByThatCaptureAndItsAuthorization) {
  add_refund(RefundId{1}, kHold, kSecond, ReceiptId{122});
  add_reversal(ReversalId{2}, kOther, ReceiptId{123});
  EXPECT_EQ(listed(kFirst), Ids{});
  EXPECT_EQ(listed(kSecond), Ids{1});
  EXPECT_EQ(listed(kOther), Ids{2});
  EXPECT_EQ(listed(kHold), Ids{1});
  EXPECT_EQ(listed(kOtherHold), Ids{2});
  EXPECT_EQ(listed({}), (Ids{2, 1}));
}

TEST_F(RefundsOfCaptures, ARefundOfTheWholeTradeIsListedByEachOfItsCaptures) {
  add_refund(RefundId{1}, kHold, {}, ReceiptId{121});
  add_refund(RefundId{2}, kOtherHold, {}, ReceiptId{123});
  EXPECT_EQ(listed(kFirst), Ids{1});
  EXPECT_EQ(listed(kSecond), Ids{1});
  EXPECT_EQ(listed(kOther), Ids{2});
  EXPECT_EQ(listed(kHold), Ids{1});
  EXPECT_EQ(listed(kOtherHold), Ids{2});
}

}  // namespace
}  // namespace finality::query
