// Test fixture: a ledger in a temporary directory, in an open transaction, at a time that the test sets.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/crypto/random.h"
#include "sandbox/core/china_time.h"
#include "sandbox/core/ledger.h"
#include "sandbox/core/order_intake.h"

namespace finality::sandbox {

class TestLedger : public testing::Test {
 protected:
  TestLedger() { ledger_.begin(at_china("2026-03-02 00:00:00")); }
  ~TestLedger() override {
    ledger_.commit();
    std::filesystem::remove_all(directory_);
  }

  static Time at_china(std::string_view text) { return parse_china_time(text).value_or(Time()); }
  static Day day(std::string_view date) { return parse_china_day(date).value_or(Day()); }

  /// Sets the time, for example "2026-03-02 09:30:00" in China, without performing planned events.
  void jump_to(std::string_view time) {
    ledger_.commit();
    ledger_.begin(at_china(time));
  }
  /// Sets the time and performs the planned events that are due, at that time. Unless `sends_` is false, the merchant
  /// has received all notifications, without acknowledging them.
  void advance_to(std::string_view time) {
    jump_to(time);
    if (sends_) send_all(ledger_);
    for (Trade& trade : ledger_.due_trades(100)) ledger_.act(trade);
    for (Hold& hold : ledger_.due_holds(100)) ledger_.act(hold);
  }

  /// Creates a trade at the current time.
  Trade create(const std::string& out_trade_no, MinorUnits amount, const std::string& scenario = "manual",
               const std::string& channel = "sandbox", const std::string& currency = "CNY") {
    Trade order;
    order.channel = channel;
    order.out_trade_no = out_trade_no;
    order.amount = amount;
    order.currency = currency;
    order.subject = "tea";
    order.notify_url = "http://merchant.example/notify";
    order.scenario = scenario;
    order.reports_settlement = channel == "sandbox";
    return *enter(ledger_, order).trade;
  }
  /// Creates a trade and pays it, at the current time.
  Trade pay(const std::string& out_trade_no, MinorUnits amount, const std::string& scenario = "manual",
            const std::string& channel = "sandbox", const std::string& currency = "CNY") {
    Trade trade = create(out_trade_no, amount, scenario, channel, currency);
    EXPECT_TRUE(ledger_.pay(trade));
    return trade;
  }
  /// Returns the notifications that are due, or their types, earliest first.
  std::vector<Notification> due_notifications() {
    return ledger_.due_notifications(100, [](const std::string&) { return false; });
  }
  std::vector<std::string> notified() {
    std::vector<std::string> types;
    for (const Notification& notification : due_notifications()) types.push_back(notification.type);
    return types;
  }
  /// Sends all notifications that are due for the first time. They remain due.
  static void send_all(Ledger& ledger) {
    for (const Notification& one : ledger.due_notifications(100, [](const std::string&) { return false; }))
      if (one.attempts == 0) ledger.defer(one, ledger.now());
  }
  /// The merchant acknowledges all notifications that are due.
  void acknowledge_all() {
    for (const Notification& notification : due_notifications()) ledger_.acknowledge(notification);
  }
  /// Refunds a trade; `takes` is the time until the refund is final.
  Refund refund(const Trade& trade, const std::string& out_refund_no, MinorUnits amount, Duration takes = {}) {
    const auto refund = ledger_.refund({.channel = trade.channel,
                                        .out_refund_no = out_refund_no,
                                        .trade_no = trade.trade_no,
                                        .amount = amount,
                                        .currency = trade.currency,
                                        .settles_after = takes,
                                        .may_return = takes == Duration{}});
    EXPECT_TRUE(refund);
    return refund.value_or(Refund());
  }

  std::filesystem::path directory_ = make_directory();
  Ledger ledger_{directory_ / "sandbox.db"};
  bool sends_ = true;

 private:
  static std::filesystem::path make_directory() {
    const auto path = std::filesystem::temp_directory_path() / ("finality-sandbox-ledger-" + random_hex(8));
    std::filesystem::create_directories(path);
    return path;
  }
};

}  // namespace finality::sandbox
