// Test fixture for commands: merchants, channels, a manual clock and an in-memory store. Each command is decided,
// checked against the invariants and stored, without the engine's threads.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "decide/decide.h"
#include "decide/invariants.h"
#include "decide/testing/test_store.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"

namespace finality {

/// Prints the names of enumerators instead of their values when a comparison fails.
template <DescribedEnum Enum>
std::ostream& operator<<(std::ostream& out, Enum value) {
  return out << name_of(value);
}

}  // namespace finality

namespace finality::test {

using namespace std::chrono_literals;

inline constexpr Time kNow{1'790'000'000'000};
inline constexpr MerchantId kMerchant{7};
inline constexpr MerchantId kOtherMerchant{8};
inline const Currency kCny = *parse_currency("CNY");
inline const Currency kUsd = *parse_currency("USD");
inline constexpr MinorUnits kAmount = 1999;

class World {
 public:
  World();
  World(const World&);
  World& operator=(const World&);
  ~World();

  Time now = kNow;
  Policy policy;
  Cause cause;  // cause of the commands that are run
  TestStore store;
  // Output of the last command:
  std::vector<Effect> effects;
  std::vector<std::string> findings;
  std::vector<Event> events;
  std::vector<DeliveryId> new_deliveries;

  /// Runs a command. The test fails if the command has findings.
  Decision run(const Command& command);

  /// Runs a command that may have findings. A refused command and a command with findings change no rows.
  Decision try_run(const Command& command);

  /// Returns the approval with the current version of its case, as if the approver had just reviewed the case.
  ApproveResolution reviewed(ApproveResolution approval) const;

  /// Runs a command and returns the name of its refusal code, or `ok`.
  std::string refusal_of(const Command& command);

  CreateOrder order_request();
  OrderId new_order() { return new_order(order_request()); }
  OrderId new_order(const CreateOrder& command);

  PaymentId start(OrderId order, PaymentFields fields = {.channel = "sandbox", .method = "redirect"});

  RecordEvidence evidence_command(PaymentId payment, Evidence evidence) const;
  /// Records evidence from the payment's channel with the clock's current time.
  Decision record_evidence(PaymentId payment, Evidence evidence);

  OrderAggregate& aggregate(OrderId id) { return store.orders.at(id); }
  const Order& order(OrderId id) const { return store.orders.at(id).order; }
  const OrderAggregate& order_of(PaymentId id) const { return *store.order_of(id); }
  const Account& account(AccountId id) const { return store.accounts.at(id); }
  const Transfer& transfer(TransferId id) const { return store.transfers.at(id); }
  const Hold& hold(HoldId id) const { return store.holds.at(id); }
  const Payment& payment(PaymentId id) const { return *find_row(order_of(id).payments, id); }
  const Delivery& delivery(DeliveryId id) const { return store.deliveries.at(id).delivery; }

  MinorUnits balance(AccountKind kind, Currency currency = kCny) const;
  /// Returns the kinds of the channel requests for payments among the effects of the last command.
  std::vector<ChannelCallKind> calls() const;
  /// Returns the types of the deliveries that the last command created, separated by spaces.
  std::string delivery_types() const;
  const Event* event_of(ObjectRef object) const;

 private:
  void note(const WorkingSet& rows);

  IdGenerator ids_{0, Time{}};
  int numbers_ = 0;
};

// Functions that return evidence of one kind, as a channel reports it.
Evidence waiting(std::string trade_no = "T1");
Evidence paid(std::string trade_no = "T1", MinorUnits amount = kAmount, Currency currency = kCny);
Evidence refunded(std::string trade_no = "T1", MinorUnits amount = kAmount);
Evidence failed(std::string code = "declined");
/// Returns `evidence` with a query as its source.
Evidence queried(Evidence evidence);
Evidence closed();
Evidence not_found();
Evidence unknown();

}  // namespace finality::test
