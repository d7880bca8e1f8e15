// Texts of the timeline: one summary and one JSON detail per item. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "model/aggregate.h"
#include "model/objects/account.h"
#include "model/objects/entry.h"
#include "model/objects/event.h"

namespace finality::query {

ObjectRef object_of(const Event& event);
/// The item's `kind`: event, case or operator.
std::string_view kind_of(const Event& event);
/// Whether the event was caused by evidence of a channel: a response, a notification or a query result.
bool is_channel_evidence(CauseKind cause);
/// The item's `kind`: response, notification or query. REQUIRES: is_channel_evidence(cause).
std::string_view channel_evidence_kind(CauseKind cause);
/// Returns the event's detail, or `{}` if the detail is empty.
std::string_view or_empty(const std::string& detail);

std::string channel_evidence_text(const Event& event);
std::string event_text(const Event& event);
/// A request that was sent to a channel, for a payment, a refund or a reversal.
struct SentRequest {
  ObjectRef object;
  std::string channel;
  ChannelAccountId channel_account;
  std::string_view number_name;  // name of the field with `number` in the detail: out_trade_no or out_refund_no
  std::string number;
  MinorUnits amount = 0;
  Currency currency;
  std::string method;  // of a payment; empty for a refund or a reversal
  std::optional<std::string> scenario;
};
std::string request_text(const SentRequest& sent);
std::string entry_text(const Entry& entry, const Account& account);
std::string delivery_text(const Delivery& delivery);
std::string case_text(const Case& row);

std::string request_detail(const SentRequest& sent);
std::string entry_detail(const Entry& entry, const Account& account);

/// Renders one item as JSON: `{at, kind, summary, object_id, detail}`. `detail` must be JSON; it is copied unchanged.
std::string item_json(Time at, std::string_view kind, std::string_view summary, ObjectRef object,
                      std::string_view detail);

}  // namespace finality::query
