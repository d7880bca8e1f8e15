// JSON objects of the WeChat Pay gateway: trades, refunds and certificates. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/time/time.h"
#include "sandbox/core/trade.h"
#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {

/// Convert between a trade and its prepay_id. trade_no_of() returns an empty text for an invalid prepay_id.
std::string prepay_id_of(const Trade& trade);
std::string trade_no_of(std::string_view prepay_id);

/// Returns a transaction, as in query responses. Before the payment, transaction_id is absent.
boost::json::object transaction_of(const WechatpayMerchant& merchant, const Trade& trade);
/// Returns a refund, as in the responses to its creation and to queries.
boost::json::object refund_of(const Refund& refund, const Trade& trade, Time now);
/// Returns the refund's status at `now`: PROCESSING until the refund settles, ABNORMAL while it is stranded, then
/// SUCCESS or CLOSED.
std::string_view refund_status(const Refund& refund, Time now);

/// Encrypts `plain` with the APIv3 key. Returns algorithm, nonce, associated_data and ciphertext. The nonce is derived
/// from `name` and `plain`: every attempt sends the same ciphertext, and different plaintexts get different nonces.
boost::json::object encrypted(const WechatpayAccount& account, std::string_view associated, std::string_view name,
                              std::string_view plain);
/// Returns the response to GET /v3/certificates: the encrypted platform certificate.
boost::json::object certificates_of(const WechatpayAccount& account);

}  // namespace finality::sandbox
