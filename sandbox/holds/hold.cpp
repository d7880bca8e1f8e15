#include "sandbox/holds/hold.h"

#include <boost/json/array.hpp>

#include "sandbox/core/trade.h"

namespace finality::sandbox {
namespace {

boost::json::object capture_json(const Trade& capture) {
  return {{"out_trade_no", capture.out_trade_no},
          {"trade_no", capture.number()},
          {"amount", capture.paid},
          {"currency", capture.currency},
          {"paid_at", to_rfc3339(capture.paid_at.value_or(capture.created_at))}};
}

}  // namespace

boost::json::object to_json(const Hold& hold, std::span<const Trade> captures) {
  boost::json::array list;
  for (const Trade& capture : captures) list.push_back(capture_json(capture));
  boost::json::object json{
      {"auth_no", hold.hold_no},   {"out_order_no", hold.out_order_no}, {"state", name_of(hold.state)},
      {"amount", hold.amount},     {"authorized", hold.authorized},     {"captured", hold.captured},
      {"released", hold.released}, {"currency", hold.currency},         {"unfunded", hold.is_unfunded},
      {"payer", hold.payer},       {"captures", std::move(list)}};
  if (hold.ended_by != HoldEnd::none) json["ended_by"] = name_of(hold.ended_by);
  if (hold.authorized_at) json["authorized_at"] = to_rfc3339(*hold.authorized_at);
  if (hold.capture_before) json["capture_before"] = to_rfc3339(*hold.capture_before);
  return json;
}

boost::json::object to_json(const HoldChange& change) {
  boost::json::object json{{"kind", name_of(change.kind)}, {"amount", change.amount}};
  if (change.rest > 0) json["rest"] = change.rest;
  if (!change.number.empty()) json["number"] = change.number;
  return json;
}

}  // namespace finality::sandbox
