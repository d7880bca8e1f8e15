// Renders the items of the timeline: a summary in English and a detail in JSON per item. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/aggregate.h"
#include "model/objects/account.h"
#include "model/objects/entry.h"
#include "model/objects/event.h"

namespace finality::query {

ObjectRef object_of(const Event& event);
/// Returns the `kind` of the event's item: event, case or operator.
std::string_view kind_of(const Event& event);
/// Returns whether the cause is evidence of a channel: a response, a notification or a query result.
bool is_channel_evidence(CauseKind cause);
/// Returns the `kind` of the evidence's item: response, notification or query. REQUIRES: is_channel_evidence(cause).
std::string_view channel_evidence_kind(CauseKind cause);
/// Returns `detail`, or `{}` if it is empty, so that the result is always a JSON object.
std::string_view or_empty(const std::string& detail);

/// Returns the currency of the hold that the event's evidence reports; empty without such evidence.
std::optional<Currency> hold_currency_of(const Event& event);

std::string channel_evidence_text(const Event& event);
std::string event_text(const Event& event);
/// A request to a channel: to send a payment, authorization, capture, refund or reversal, or to release an
/// authorization.
struct SentRequest {
  ObjectRef object;
  std::string channel;
  ChannelAccountId channel_account;
  std::string_view number_name;  // name of the identifier in `number`: out_trade_no, out_refund_no or out_release_no
  std::string number;
  std::optional<MinorUnits> amount;  // empty if it is not known any more
  Currency currency;
  std::string method;  // method of a payment or authorization; otherwise empty
  std::optional<std::string> scenario;
};
std::string request_text(const SentRequest& sent);
std::string release_text(const SentRequest& sent);
std::string entry_text(const Entry& entry, const Account& account);
std::string delivery_text(const Delivery& delivery);
std::string case_text(const Case& row);

std::string request_detail(const SentRequest& sent);
std::string entry_detail(const Entry& entry, const Account& account);

/// Renders one item as JSON: `{id, at, kind, summary, object_id, detail}`. REQUIRES: `detail` is JSON, which is copied
/// unchanged.
std::string item_json(std::string_view id, Time at, std::string_view kind, std::string_view summary, ObjectRef object,
                      std::string_view detail);

}  // namespace finality::query
