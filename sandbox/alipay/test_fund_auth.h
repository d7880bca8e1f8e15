// Test fixture: a merchant who freezes, captures and releases amounts at the Alipay gateway.
#pragma once

#include <string>

#include "sandbox/alipay/test_world.h"

namespace finality::sandbox {

class AlipayHoldTest : public AlipayTest {
 protected:
  static constexpr const char* kBarcode = "281234567890123456";

  /// Returns the content of a request that freezes 10.00 under the number, which is also the out_request_no.
  Object freeze_order(const std::string& number, const std::string& scenario = "manual") const {
    return {{"out_order_no", number},     {"out_request_no", number},
            {"order_title", "茶 Tea"},    {"amount", "10.00"},
            {"product_code", "PRE_AUTH"}, {"extra_param", boost::json::serialize(Object{{"scenario", scenario}})}};
  }
  Object freeze(const std::string& number, const std::string& scenario = "manual") {
    Object order = freeze_order(number, scenario);
    order["auth_code"] = kBarcode;
    order["auth_code_type"] = "bar_code";
    return call_gateway("alipay.fund.auth.order.freeze", order, notified());
  }
  Object voucher(const std::string& number, const std::string& scenario = "manual") {
    return call_gateway("alipay.fund.auth.order.voucher.create", freeze_order(number, scenario), notified());
  }

  /// Freezes 10.00 by barcode, lets the payer authorize, and returns the auth_no.
  std::string held(const std::string& number, const std::string& scenario = "manual") {
    const std::string auth_no = at(freeze(number, scenario), "auth_no");
    visit("POST", "/wallet/" + auth_no + "/pay");
    EXPECT_EQ(at(query_freeze(number), "order_status"), "AUTHORIZED");
    return auth_no;
  }

  Object query_operation(const std::string& number, const std::string& request_no, const std::string& type = "") {
    Object biz{{"out_order_no", number}, {"out_request_no", request_no}};
    if (!type.empty()) biz["operation_type"] = type;
    return call_gateway("alipay.fund.auth.operation.detail.query", biz);
  }
  Object query_freeze(const std::string& number) { return query_operation(number, number, "FREEZE"); }
  Object wait_for_order_status(const std::string& number, const std::string& status) {
    wait([&] { return at(query_freeze(number), "order_status") == status; });
    Object node = query_freeze(number);
    EXPECT_EQ(at(node, "order_status"), status);
    return node;
  }

  Object cancel(const std::string& number) {
    const Object biz{{"out_order_no", number}, {"out_request_no", number}, {"remark", "不再需要"}};
    return call_gateway("alipay.fund.auth.operation.cancel", biz, notified());
  }
  Object unfreeze(const std::string& auth_no, const std::string& number, const std::string& amount) {
    const Object biz{{"auth_no", auth_no}, {"out_request_no", number}, {"amount", amount}, {"remark", "不再需要"}};
    return call_gateway("alipay.fund.auth.order.unfreeze", biz, notified());
  }

  Object capture_order(const std::string& auth_no, const std::string& number, const std::string& amount) {
    return {{"out_trade_no", number},
            {"total_amount", amount},
            {"subject", "茶 Tea"},
            {"product_code", "PRE_AUTH"},
            {"auth_no", auth_no},
            {"seller_id", "2088000000000001"},
            {"buyer_id", payer_of_hold(auth_no)}};
  }
  /// Captures an amount. `mode`: auth_confirm_mode; empty: it is absent.
  Object capture(const std::string& auth_no, const std::string& number, const std::string& amount,
                 const std::string& mode = "") {
    Object order = capture_order(auth_no, number, amount);
    if (!mode.empty()) order["auth_confirm_mode"] = mode;
    return call_gateway("alipay.trade.pay", order, notified());
  }

  std::string payer_of_hold(const std::string& auth_no) {
    const std::string number(visit("GET", "/wallet/" + auth_no).text("out_order_no"));
    return at(query_freeze(number), "payer_user_id");
  }

  /// Checks total_freeze_amount, total_pay_amount and rest_amount of a query.
  void expect_totals(const Object& node, const char* frozen, const char* paid, const char* rest) {
    EXPECT_EQ(at(node, "total_freeze_amount"), frozen);
    EXPECT_EQ(at(node, "total_pay_amount"), paid);
    EXPECT_EQ(at(node, "rest_amount"), rest);
  }
};

}  // namespace finality::sandbox
