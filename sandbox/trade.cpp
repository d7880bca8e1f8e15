#include "sandbox/trade.h"

namespace finality::sandbox {

boost::json::object to_json(const Trade& trade) {
  boost::json::object json{{"trade_no", trade.trade_no}, {"out_trade_no", trade.out_trade_no},
                           {"channel", trade.channel},   {"state", name_of(trade.state)},
                           {"amount", trade.amount},     {"currency", trade.currency},
                           {"paid", trade.paid},         {"refunded", trade.refunded},
                           {"payer", trade.payer},       {"subject", trade.subject},
                           {"scenario", trade.scenario}, {"created_at", to_rfc3339(trade.created_at)}};
  if (trade.paid_at) json["paid_at"] = to_rfc3339(*trade.paid_at);
  if (trade.expires_at) json["expires_at"] = to_rfc3339(*trade.expires_at);
  return json;
}

boost::json::object to_json(const Refund& refund) {
  return {{"refund_no", refund.refund_no},
          {"out_refund_no", refund.out_refund_no},
          {"trade_no", refund.trade_no},
          {"amount", refund.amount},
          {"currency", refund.currency},
          {"state", refund.state},
          {"created_at", to_rfc3339(refund.created_at)}};
}

}  // namespace finality::sandbox
