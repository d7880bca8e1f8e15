// Holds of the simulated channels: the amounts that they reserve for authorizations, and what is captured from them and
// released. As Upstream, the book reads only the identifiers and amounts in requests, and never loses money: an amount
// that is held although the channel denied it is eventually reported.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/evidence.h"
#include "sim/upstream/channel_profile.h"
#include "sim/world/sim_scheduler.h"

namespace finality::sim {

struct Trade;

/// State of a hold. `ended`: it was held, and nothing is held any more. `failed` and `closed`: never held.
enum class UpstreamHoldState : std::uint8_t { waiting, held, ended, failed, closed };

struct UpstreamHold {
  std::string channel;
  std::string out_trade_no;  // of the authorization
  std::string auth_no;       // assigned by the channel
  MinorUnits amount = 0;     // of the request
  Currency currency;
  UpstreamHoldState state = UpstreamHoldState::waiting;
  bool has_lapsed = false;         // only `ended`
  MinorUnits authorized = 0;       // approved, plus what other systems added
  MinorUnits captured = 0;         // sum of `captures`
  MinorUnits released = 0;         // returned to the payer without a capture
  std::vector<Trade*> captures;    // in the order of their execution
  Time began_at;                   // when the amount was reserved
  Time ends_at;                    // when the hold lapses
  bool reported_absent = false;    // the channel has reported failed, closed or not_found
  bool changed_elsewhere = false;  // another system has changed, captured or released it
  bool notifying = false;          // a notification waits for its acknowledgement

  MinorUnits held() const {
    return state == UpstreamHoldState::held ? std::max<MinorUnits>(authorized - captured - released, 0) : 0;
  }
};

/// A request to capture a part of a hold.
struct CaptureOrder {
  std::string channel;
  std::string out_authorization_no;
  std::string out_trade_no;  // of the capture
  MinorUnits amount = 0;
  bool is_final = false;  // the rest is released, if the channel has this flag
};

class HoldBook {
 public:
  /// Delivers a notification about a hold. Calls the callback once, with whether the notification was acknowledged.
  using Notify =
      std::function<void(const UpstreamHold&, AuthorizationEvidence, std::function<void(bool acknowledged)>)>;
  /// Creates the paid trade of a capture. `is_external`: another system captures.
  using Collect =
      std::function<Trade&(const UpstreamHold&, const std::string& out_trade_no, MinorUnits amount, bool is_external)>;

  /// REQUIRES: `scheduler` and `profiles` outlive this object.
  HoldBook(SimScheduler& scheduler, const ChannelProfiles& profiles, Notify notify, Collect collect)
      : scheduler_(scheduler), profiles_(profiles), notify_(std::move(notify)), collect_(std::move(collect)) {}

  // Requests to the channel. Each function executes one request and returns the result that the channel reports.
  AuthorizationEvidence send(const std::string& channel, const std::string& out_trade_no, MinorUnits amount,
                             Currency currency);
  AuthorizationEvidence query(const std::string& channel, const std::string& out_trade_no);
  /// Closes a waiting hold. Releases one that is held.
  AuthorizationEvidence close(const std::string& channel, const std::string& out_trade_no);
  AuthorizationEvidence release(const std::string& channel, const std::string& out_trade_no,
                                const std::string& out_request_no, MinorUnits amount);
  /// Executes a capture. Returns empty if it is executed, and otherwise the evidence of its refusal. REQUIRES: the
  /// channel has not executed a capture under that out_trade_no.
  std::optional<Evidence> capture(const CaptureOrder& order);

  /// Returns true if the channel has ever reported that kind of result for the out_trade_no, correct or false.
  bool has_reported(const std::string& channel, const std::string& out_trade_no, AuthorizationEvidenceKind kind) const;
  /// Returns the hold with that out_trade_no; null if there is none.
  const UpstreamHold* find(const std::string& channel, const std::string& out_trade_no) const;
  /// Calls visit(hold) for each hold.
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [number, hold] : holds_) visit(hold);
  }

 private:
  using Number = std::pair<std::string, std::string>;  // channel and out_trade_no or request number

  const ChannelProfile& profile_of(const UpstreamHold& hold) const { return profiles_.at(hold.channel); }
  const AuthorizationTerms& terms_of(const UpstreamHold& hold) const {
    return profile_of(hold).capabilities.authorization.value();
  }
  UpstreamHold* find(const Number& number);
  void plan_outcome(UpstreamHold& hold);
  void end_unheld(UpstreamHold& hold);
  void approve(UpstreamHold& hold);
  void approve_siblings(const UpstreamHold& hold);
  void plan_changes(UpstreamHold& hold);
  template <class Change>
  void plan_change(UpstreamHold& hold, Fault fault, Change change);
  void raise(UpstreamHold& hold);
  void capture_externally(UpstreamHold& hold);
  void release_externally(UpstreamHold& hold);
  void let_go(UpstreamHold& hold, MinorUnits amount);
  void end(UpstreamHold& hold, bool has_lapsed);
  void add_capture(UpstreamHold& hold, const std::string& out_trade_no, MinorUnits amount, bool is_external);
  AuthorizationEvidence true_result_of(const UpstreamHold* hold) const;
  AuthorizationEvidence false_result_of(const UpstreamHold& hold);
  AuthorizationEvidence record_result(const Number& number, AuthorizationEvidence evidence);
  void begin_notifying(UpstreamHold& hold);
  void notify(UpstreamHold& hold, int attempt);

  SimScheduler& scheduler_;
  const ChannelProfiles& profiles_;
  Notify notify_;
  Collect collect_;
  std::map<Number, UpstreamHold> holds_;
  std::map<Number, std::set<AuthorizationEvidenceKind>> reported_;
  std::set<Number> refused_captures_;  // their numbers stay refused
  std::map<Number, bool> releases_;    // by request number: whether it was executed; otherwise the number is invalid
  int external_captures_ = 0;
};

}  // namespace finality::sim
