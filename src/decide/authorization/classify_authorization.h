// Classifies channel evidence as an event of the authorization's state machine. Pure functions.
#pragma once

#include "model/aggregate.h"
#include "model/evidence.h"

namespace finality {

/// Input of classify(): the evidence, its authorization, and the facts that determine the event.
struct ClassifiedAuthorization {
  const OrderAggregate& aggregate;
  const Authorization& authorization;
  const AuthorizationEvidence& evidence;
  bool is_made_by_payer = false;  // Capabilities::made_by_payer: the channel creates it only when the payer opens it
};

/// Returns the event of the authorization's state machine that the evidence causes. Evidence that the hold is over
/// causes the event of its beginning; its end is a second event (`captured` or `released`).
/// REQUIRES: !is_of_another_hold().
AuthorizationEvent classify(const ClassifiedAuthorization& in);

/// Whether the evidence reports that the channel holds or has held an amount.
bool is_about_hold(const AuthorizationEvidence& evidence);

/// Whether the evidence is about another hold than that of the authorization: a payer can authorize a second hold under
/// one out_trade_no. It has another number at the channel, and its totals say nothing about the first hold.
bool is_of_another_hold(const Authorization& authorization, const AuthorizationEvidence& evidence);

/// Whether the evidence reports that the channel has held an amount and holds nothing any more.
bool is_hold_over(const AuthorizationEvidence& evidence);

}  // namespace finality
