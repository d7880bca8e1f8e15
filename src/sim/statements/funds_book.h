// What changes the balance of the simulated channel accounts and bank accounts, in the form of the lines of funds and
// bank statements. The lines come from the channels' own records (Upstream) and from what the seed draws: withdrawals,
// top-ups, adjustments, and movements of a kind that no adapter knows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/policy.h"
#include "model/statement_line.h"
#include "sim/upstream/upstream.h"
#include "sim/world/sim_scheduler.h"

namespace finality::sim {

/// What a channel charges for every payment: 0.6 %.
inline constexpr std::int64_t kCostBasisPoints = 60;

/// Which numbers a channel's funds statement states about a refund.
enum class RefundNumbers : std::uint8_t {
  all,
  of_refund,  // only those of the refund, as WeChat Pay
  of_trade,   // only those of the payment, as Alipay
};

class FundsBook {
 public:
  /// REQUIRES: all arguments outlive this object.
  FundsBook(SimScheduler& scheduler, const Upstream& upstream, const Policy& policy, std::chrono::minutes utc_offset)
      : scheduler_(scheduler), upstream_(upstream), policy_(policy), utc_offset_(utc_offset) {}

  /// Draws which numbers each channel states, and schedules movements until faults stop.
  void start();
  /// Records a payment at the channel that no engine has requested, with its fee. `line`: as in a statement of trades.
  void add_unknown_payment(const std::string& channel, const StatementLine& line);
  /// Returns all movements of the day of a channel account or bank account, with all numbers.
  std::vector<StatementLine> records_of(const std::string& account, const std::string& date) const;
  /// Returns the line with the numbers that the channel states.
  StatementLine as_listed(const std::string& account, StatementLine line) const;
  /// Returns a line about a payment or a movement that neither the channel nor an engine can explain.
  StatementLine foreign_line(StatementKind kind, Time at);

 private:
  void plan(const std::string& channel);
  void move(const std::string& channel);
  void withdraw(const std::string& channel);
  void top_up(const std::string& channel);
  void add(const std::string& account, LineKind kind, MinorUnits amount, Time at, const char* text);
  void add_to_bank(const std::string& channel, LineKind kind, MinorUnits amount, Duration after);
  template <class Visit>
  void each_movement(const std::string& account, Visit visit) const;
  MinorUnits balance_of(const std::string& channel) const;

  SimScheduler& scheduler_;
  const Upstream& upstream_;
  const Policy& policy_;
  const std::chrono::minutes utc_offset_;
  std::map<std::string, RefundNumbers> numbers_;           // by channel
  std::map<std::string, std::vector<StatementLine>> own_;  // movements that Upstream does not know, by account
  std::int64_t last_number_ = 0;
};

}  // namespace finality::sim
