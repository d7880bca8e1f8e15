// JSON objects of the WeChat Pay gateway: trades, refunds and certificates. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/time/time.h"
#include "sandbox/core/trade.h"
#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {

/// Converts between a trade and its prepay_id. trade_no_of is empty for an invalid prepay_id.
std::string prepay_id_of(const Trade& trade);
std::string trade_no_of(std::string_view prepay_id);

/// A transaction, as in query responses. Before the payment it has no transaction_id.
boost::json::object transaction_of(const WechatpayMerchant& merchant, const Trade& trade);
/// A refund, as in the responses to its creation and to queries.
boost::json::object refund_of(const Refund& refund, const Trade& trade, Time now);
/// The refund's status at `now`: PROCESSING until it settles, ABNORMAL while it is stranded, then SUCCESS or CLOSED.
std::string_view refund_status(const Refund& refund, Time now);

/// A resource encrypted with the APIv3 key: algorithm, nonce, associated_data, ciphertext. The nonce depends on the
/// name and the plaintext, so the result is deterministic and no nonce is used for two plaintexts.
boost::json::object encrypted(const WechatpayAccount& account, std::string_view associated, std::string_view name,
                              std::string_view plain);
/// The encrypted platform certificates: the response to GET /v3/certificates.
boost::json::object certificates_of(const WechatpayAccount& account);

}  // namespace finality::sandbox
