// What the timeline says: a sentence and a detail per item. Pure.
#pragma once

#include <string>
#include <string_view>

#include "model/aggregate.h"
#include "model/objects/account.h"
#include "model/objects/entry.h"
#include "model/objects/event.h"

namespace finality::query {

ObjectRef object_of(const Event& event);
/// event, case or operator
std::string_view kind_of(const Event& event);
/// Whether a cause is something a channel said.
bool is_word_of_channel(CauseKind cause);
/// response, notification or query. REQUIRES: is_word_of_channel(cause).
std::string_view channel_word_kind(CauseKind cause);
/// An event's detail, which may be missing, as JSON.
std::string_view or_empty(const std::string& detail);

std::string channel_word_text(const Event& event);
std::string event_text(const Event& event);
/// A request that was sent to a channel, whatever it asked for.
struct SentRequest {
  ObjectRef object;  // the payment, the refund or the reversal
  std::string channel;
  ChannelAccountId channel_account;
  std::string_view number_name;  // what our number is called at the channel: out_trade_no, out_refund_no
  std::string number;
  MinorUnits amount = 0;
  Currency currency;
  std::string method;  // of a payment; else empty
  std::optional<std::string> scenario;
};
std::string request_text(const SentRequest& sent);
std::string entry_text(const Entry& entry, const Account& account);
std::string delivery_text(const Delivery& delivery);
std::string case_text(const Case& row);

std::string request_detail(const SentRequest& sent);
std::string entry_detail(const Entry& entry, const Account& account);

/// `{at, kind, summary, object_id, detail}`; `detail` is JSON already.
std::string item_json(Time at, std::string_view kind, std::string_view summary, ObjectRef object,
                      std::string_view detail);

}  // namespace finality::query
