// Simulated channel: trades, refunds and the money of payers. It models the known behavior of channels, and reads only
// the identifiers and amounts in requests, not the engine's rows. The seed determines its faults and false results, but
// the channel never loses money. If it reported a trade as unpaid and the trade is paid later, it eventually reports
// the payment.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/evidence.h"
#include "sim/upstream/channel_profile.h"
#include "sim/upstream/holds.h"
#include "sim/world/sim_scheduler.h"

namespace finality::sim {

enum class TradeState : std::uint8_t { waiting, paid, failed, closed };

struct Trade {
  std::string channel;
  std::string out_trade_no;
  std::string trade_no;
  MinorUnits amount = 0;  // amount of the payment request
  Currency currency;
  TradeState state = TradeState::waiting;
  MinorUnits paid = 0;               // amount that the payer paid
  MinorUnits requested_refunds = 0;  // executed refunds that were requested
  MinorUnits accepted_refunds = 0;   // accepted refunds, not executed yet
  MinorUnits external_refunds = 0;   // executed refunds without a request
  MinorUnits returned = 0;           // part of all refunds that the payer's bank returned
  MinorUnits external_returned = 0;
  Time external_returned_at;                     // when that part was returned
  std::string external_refund_no;                // channel's identifier of the refund without a request
  Time externally_refunded_at;                   // time of that refund
  MinorUnits denied_refunds = 0;                 // part of requested_refunds that the channel reported as refused
  MinorUnits cash_refunds = 0;                   // paid to the payer by operators outside the channel
  std::optional<ReportedSettlement> settlement;  // assigned some time after the payment
  Time paid_at;
  bool reported_unpaid = false;  // the channel has reported failed, closed or not_found
  bool sibling = false;          // another trade has the same out_trade_no
  bool notifying = false;        // a notification waits for its acknowledgement
  // Only captures:
  std::string out_authorization_no;  // of the hold from which the amount was captured; empty for a payment
  bool is_external = false;          // another system captured it, under a number that no engine knows
  bool shares_trade_no = false;      // `trade_no` is the number of the hold, which all its captures share
};

/// State of a requested refund. `number_invalid`: refused; a new request needs another out_refund_no. `stranded`:
/// accepted, but blocked until a person acts at the channel.
enum class UpstreamRefundState : std::uint8_t { accepted, done, refused, number_invalid, stranded };

struct UpstreamRefund {
  std::string out_refund_no;
  Trade* trade = nullptr;
  MinorUnits amount = 0;
  UpstreamRefundState state = UpstreamRefundState::accepted;
  MinorUnits returned = 0;  // part that the payer's bank returned
  Time done_at{};           // when it was executed
  Time returned_at{};       // when a part was returned
  std::optional<ReportedSettlement> settlement{};
};

class Upstream {
 public:
  /// Delivers a notification about a trade. Calls the callback once, with whether the notification was acknowledged.
  using Notify = std::function<void(const Trade&, Evidence, std::function<void(bool acknowledged)>)>;

  /// Delivers a notification about a requested refund. Calls the callback once, with whether it was acknowledged.
  using NotifyRefund =
      std::function<void(const UpstreamRefund&, RefundEvidence, std::function<void(bool acknowledged)>)>;

  Upstream(SimScheduler& scheduler, Notify notify, NotifyRefund notify_refund, HoldBook::Notify notify_hold,
           ChannelProfiles profile = {})
      : scheduler_(scheduler),
        notify_(std::move(notify)),
        notify_refund_(std::move(notify_refund)),
        profile_(std::move(profile)),
        holds_(scheduler, profile_, std::move(notify_hold),
               [this](const UpstreamHold& hold, const std::string& out_trade_no, MinorUnits amount,
                      bool is_external) -> Trade& { return collect(hold, out_trade_no, amount, is_external); }) {}

  // Requests to the channel. Each function executes one request and returns the result that the channel reports.
  Evidence send(const std::string& channel, const std::string& out_trade_no, MinorUnits amount, Currency currency);
  /// Queries the trade with that trade_no, or without `trade_no` the trade with that out_trade_no.
  Evidence query(const std::string& channel, const std::string& out_trade_no,
                 const std::optional<std::string>& trade_no = std::nullopt);
  Evidence close(const std::string& channel, const std::string& out_trade_no);
  RefundEvidence refund(const std::string& channel, const std::string& trade_no, const std::string& out_refund_no,
                        MinorUnits amount);
  RefundEvidence query_refund(const std::string& channel, const std::string& out_refund_no);
  Evidence capture(const CaptureOrder& order);
  HoldBook& holds() { return holds_; }
  const HoldBook& holds() const { return holds_; }

  /// Returns true if the channel's reports about holds list the captures with their numbers.
  bool reports_numbers(const std::string& channel) const {
    return profile_of(channel).reports_captures == ReportsCaptures::numbers;
  }
  /// Returns true if the channel has ever reported that kind of result for the out_trade_no, correct or false.
  bool has_reported(const std::string& channel, const std::string& out_trade_no, EvidenceKind kind) const;
  /// As above, for an out_refund_no.
  bool has_reported(const std::string& channel, const std::string& out_refund_no, RefundEvidenceKind kind) const;
  /// Returns the trade with that trade_no; null if there is none. Of captures that share the trade_no, returns the one
  /// with that out_trade_no, or without it the first.
  const Trade* find_trade(const std::string& channel, const std::string& trade_no,
                          std::string_view out_trade_no = {}) const;
  /// Records that operators paid this amount to the payer of the trade in cash, outside the channel.
  void record_cash_refund(const Trade& trade, MinorUnits amount);
  const std::vector<std::unique_ptr<Trade>>& trades() const { return trades_; }
  /// Calls visit(refund) for each requested refund.
  template <class Visit>
  void each_refund(Visit visit) const {
    for (const auto& [number, refund] : refunds_) visit(refund);
  }

 private:
  using Number = std::pair<std::string, std::string>;  // channel and its out_trade_no, trade_no or out_refund_no

  const ChannelProfile& profile_of(const std::string& channel) const;
  Trade* current(const Number& number);
  Trade& open_trade(const Number& number, MinorUnits amount, Currency currency, std::string trade_no = {});
  Trade& collect(const UpstreamHold& hold, const std::string& out_trade_no, MinorUnits amount, bool is_external);
  MinorUnits refunded_of(const Trade& trade) const;
  MinorUnits left_of(const Trade& trade) const;
  void plan_outcome(Trade& trade);
  void plan_payment(Trade& trade);
  void end_unpaid(Trade& trade);
  void pay(Trade& trade, MinorUnits amount);
  void refund_externally(Trade& trade);
  void return_external_refund(Trade& trade);
  Evidence record_result(const Number& number, Trade* trade, Evidence evidence);
  Evidence true_result_of(const Trade* trade) const;
  Evidence notification_of(const Trade& trade) const;
  Evidence false_result_of(const Trade& trade);
  void begin_notifying(Trade& trade);
  void notify(Trade& trade, int attempt);
  void settle_refund(UpstreamRefund& refund);
  void finish_refund(UpstreamRefund& refund);
  void strand_refund(UpstreamRefund& refund);
  void refuse_refund(UpstreamRefund& refund);
  void return_refund(UpstreamRefund& refund);
  void notify_return(UpstreamRefund& refund);
  void notify_refund(UpstreamRefund& refund, const RefundEvidence& evidence);
  void plan_settlement(Trade& trade);
  void plan_settlement(UpstreamRefund& refund);
  ReportedSettlement make_settlement(MinorUnits amount, MinorUnits fee);
  RefundEvidence result_of(UpstreamRefund& refund);
  RefundEvidence record_result(const Number& number, RefundEvidence evidence);

  SimScheduler& scheduler_;
  Notify notify_;
  NotifyRefund notify_refund_;
  ChannelProfiles profile_;
  std::vector<std::unique_ptr<Trade>> trades_;
  std::map<Number, std::vector<Trade*>> by_out_trade_no_;
  std::map<Number, std::vector<Trade*>> by_trade_no_;
  std::map<Number, UpstreamRefund> refunds_;
  std::map<Number, std::set<EvidenceKind>> reported_;
  std::map<Number, std::set<RefundEvidenceKind>> reported_refunds_;
  int settlements_ = 0;
  HoldBook holds_;
};

}  // namespace finality::sim
