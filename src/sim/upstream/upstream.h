// The channel as the outside world has it: trades, and the money of payers. Written from what channels are known to do,
// it knows nothing of our rows: only numbers, amounts and words. It is hostile as the seed wants it, but it never loses
// money, and whoever was told that a trade is dead hears of it in the end when it is paid after all.
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
#include "sim/world/sim_scheduler.h"

namespace finality::sim {

enum class TradeState : std::uint8_t { waiting, paid, failed, closed };

struct Trade {
  std::string channel;
  std::string out_trade_no;
  std::string trade_no;
  MinorUnits asked = 0;  // what it should collect
  Currency currency;
  TradeState state = TradeState::waiting;
  MinorUnits paid = 0;           // what the payer gave
  MinorUnits ours_back = 0;      // what went back because we said so
  MinorUnits ours_promised = 0;  // accepted, not back yet
  MinorUnits foreign_back = 0;   // what went back without us
  MinorUnits returned = 0;       // of both: returned to us again
  MinorUnits foreign_returned = 0;
  std::string foreign_number;  // under this number of its own
  MinorUnits unsaid_back = 0;  // of ours_back: what the channel's own word denied
  MinorUnits cash_back = 0;    // what operators paid back by other means
  Time paid_at;
  bool told_dead = false;  // we were told that nothing will come of it
  bool sibling = false;    // not the only one of its out_trade_no
  bool notifying = false;  // word of the money is on its way, until it is acknowledged
};

/// `dead`: refused for the moment, and never again under that number. `stranded`: accepted, and it gets no further
/// until somebody acts.
enum class UpstreamRefundState : std::uint8_t { accepted, done, refused, dead, stranded };

struct UpstreamRefund {
  std::string out_refund_no;
  Trade* trade = nullptr;
  MinorUnits amount = 0;
  UpstreamRefundState state = UpstreamRefundState::accepted;
  MinorUnits returned = 0;  // what came back of it, once it was done
};

class Upstream {
 public:
  /// Brings a notification to us; the answer whether it was acknowledged comes back by the callback.
  using Notify = std::function<void(const Trade&, Evidence, std::function<void(bool acknowledged)>)>;

  /// Likewise, about a refund of ours.
  using NotifyRefund =
      std::function<void(const UpstreamRefund&, RefundEvidence, std::function<void(bool acknowledged)>)>;

  Upstream(SimScheduler& scheduler, Notify notify, NotifyRefund notify_refund, ChannelProfiles profile = {})
      : scheduler_(scheduler),
        notify_(std::move(notify)),
        notify_refund_(std::move(notify_refund)),
        profile_(std::move(profile)) {}

  /// What the channel does and says when our request arrives.
  Evidence send(const std::string& channel, const std::string& out_trade_no, MinorUnits amount, Currency currency);
  /// By our number, or by the channel's own where one is named.
  Evidence query(const std::string& channel, const std::string& out_trade_no,
                 const std::optional<std::string>& trade_no = std::nullopt);
  Evidence close(const std::string& channel, const std::string& out_trade_no);
  RefundEvidence refund(const std::string& channel, const std::string& trade_no, const std::string& out_refund_no,
                        MinorUnits amount);
  RefundEvidence query_refund(const std::string& channel, const std::string& out_refund_no);

  /// Whether the channel ever said that word of the trade, in truth or not.
  bool has_said(const std::string& channel, const std::string& out_trade_no, EvidenceKind kind) const;
  const Trade* find_trade(const std::string& channel, const std::string& trade_no) const;
  /// Operators have handed the payer that much.
  void hand_cash(const std::string& channel, const std::string& trade_no, MinorUnits amount);
  const std::vector<std::unique_ptr<Trade>>& trades() const { return trades_; }

 private:
  using Number = std::pair<std::string, std::string>;  // channel, number

  const ChannelProfile& profile_of(const std::string& channel) const;
  Trade* current(const Number& number);
  Trade& open_trade(const Number& number, MinorUnits amount, Currency currency);
  void plan_fate(Trade& trade);
  void plan_payment(Trade& trade);
  void end_unpaid(Trade& trade);
  void pay(Trade& trade, MinorUnits amount);
  void give_back(Trade& trade);
  void return_foreign(Trade& trade);
  Evidence say(const Number& number, Trade* trade, Evidence evidence);
  Evidence truth_of(const Trade* trade) const;
  Evidence notice_of(const Trade& trade) const;
  Evidence lie_about(const Trade& trade);
  void begin_notifying(Trade& trade);
  void notify(Trade& trade, int attempt);
  void settle_refund(UpstreamRefund& refund);
  void finish_refund(UpstreamRefund& refund);
  void strand_refund(UpstreamRefund& refund);
  void refuse_refund(UpstreamRefund& refund);
  void return_refund(UpstreamRefund& refund);
  void tell_return(UpstreamRefund& refund);
  RefundEvidence word_of(UpstreamRefund& refund);

  SimScheduler& scheduler_;
  Notify notify_;
  NotifyRefund notify_refund_;
  ChannelProfiles profile_;
  std::vector<std::unique_ptr<Trade>> trades_;
  std::map<Number, std::vector<Trade*>> by_our_number_;
  std::map<Number, Trade*> by_trade_no_;
  std::map<Number, UpstreamRefund> refunds_;
  std::map<Number, std::set<EvidenceKind>> said_;
};

}  // namespace finality::sim
