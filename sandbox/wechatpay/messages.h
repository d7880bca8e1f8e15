// What the WeChat Pay gateway says about trades, refunds and its certificates, as JSON objects. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/time/time.h"
#include "sandbox/core/trade.h"
#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {

/// What clients are handed to pay a trade with, and the trade's number that is in it; empty when there is none.
std::string prepay_id_of(const Trade& trade);
std::string trade_no_of(std::string_view prepay_id);

/// A transaction, as queries answer with it. Before it is paid it has no number of the channel.
boost::json::object transaction_of(const WechatpayMerchant& merchant, const Trade& trade);
/// A refund, as its creation and queries answer with it.
boost::json::object refund_of(const Refund& refund, const Trade& trade, Time now);
/// PROCESSING until it is settled, then SUCCESS or CLOSED.
std::string_view refund_status(const Refund& refund, Time now);

/// What is encrypted with the APIv3 key: algorithm, nonce, associated_data, ciphertext. The same plain text under the
/// same name has the same nonce, and no other has: so it comes out the same every time.
boost::json::object encrypted(const WechatpayAccount& account, std::string_view associated, std::string_view name,
                              std::string_view plain);
/// The platform certificates, encrypted: the answer to GET /v3/certificates.
boost::json::object certificates_of(const WechatpayAccount& account);

}  // namespace finality::sandbox
