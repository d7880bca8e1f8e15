#include "http/input/payment_fields.h"

#include <fmt/ranges.h>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/usable_channels.h"
#include "query/route_payment.h"

namespace finality::http {
namespace {

constexpr std::size_t kPayerTextMax = 128;
constexpr std::size_t kScenarioMax = 64;
constexpr std::size_t kMethodMax = 64;

std::string read_payer(Fields& fields) {
  std::optional<Fields> payer = fields.optional_object("payer");
  if (!payer) return {};
  boost::json::object out;
  if (const auto openid = payer->optional_text("openid", kPayerTextMax)) out["openid"] = *openid;
  if (const auto auth_code = payer->optional_text("auth_code", kPayerTextMax)) out["auth_code"] = *auth_code;
  if (const auto client_ip = payer->optional_address("client_ip")) out["client_ip"] = *client_ip;
  return out.empty() ? std::string() : boost::json::serialize(out);
}

// Reads `account` and `lock_token` if the channel debits an account, as the wallet does. Otherwise refuses both fields.
void read_account(Fields& fields, const Capabilities& channel, PaymentFields& payment) {
  if (channel.takes_account) {
    payment.account_id = fields.id<AccountId>("account");
    payment.lock_token = fields.optional_text("lock_token", limits::kReferenceMax);
    return;
  }
  for (const std::string_view name : {"account", "lock_token"})
    if (fields.has(name)) fields.refuse(name, "is only allowed for the channel " + std::string(kWallet));
}

// Returns the capabilities of the channel or kind `word`. A kind has the capabilities of its first channel, because all
// channels of a kind share one adapter.
Capabilities capabilities_of(const Policy& policy, std::string_view word) {
  const std::vector<std::string_view> of_kind = channels_of_kind(policy, word);
  const auto channel = policy.channels.find(policy.channels.contains(word) || of_kind.empty() ? word : of_kind.front());
  return channel == policy.channels.end() ? Capabilities{} : channel->second;
}

// Returns the methods of payments or, if `capture` is `manual`, of authorizations. The engine refuses an authorization
// at a channel without authorizations, and states the reason.
const std::vector<std::string>& methods_of(const Capabilities& channel, CaptureMethod capture) {
  return capture == CaptureMethod::manual && channel.authorization ? channel.authorization->methods : channel.methods;
}

// Reads `method`. The default is the first of `accepted`. For a merchant that may not use the channel, any word is
// accepted, because a refusal would disclose the channel's methods.
std::string read_method(Fields& fields, const std::vector<std::string>& accepted, bool usable) {
  const std::vector<std::string_view> methods(accepted.begin(), accepted.end());
  const auto method = usable ? fields.optional_choice("method", methods) : fields.optional_word("method", kMethodMax);
  return method ? std::string(*method) : methods.empty() ? std::string() : std::string(methods.front());
}

// Reads the channel or kind, and the method. Accepts channels that the merchant may not use, because a repeated request
// must get its first reply even if the merchant has lost access to the channel. The engine refuses new requests.
void read_channel(Fields& fields, const Policy& policy, MerchantId merchant, CaptureMethod capture,
                  PaymentFields& payment) {
  std::string word = fields.choice("channel", channel_names(policy, merchant), channel_names(policy));
  const Capabilities capabilities = capabilities_of(policy, word);
  const bool usable = is_usable(policy, merchant, word);
  (usable ? payment.channel : payment.requested_channel) = std::move(word);
  payment.method = read_method(fields, methods_of(capabilities, capture), usable);
  read_account(fields, capabilities, payment);
}

// Reads one of an order's `methods`. Accepts channels that the merchant may not use, as read_channel().
CheckoutMethod read_checkout_method(Fields& fields, const Policy& policy, MerchantId merchant, CaptureMethod capture) {
  CheckoutMethod read{.channel = fields.choice("channel", channel_names(policy, merchant), channel_names(policy)),
                      .method = fields.word("method", kMethodMax)};
  if (!is_usable(policy, merchant, read.channel) && channels_of_kind(policy, read.channel).empty()) return read;
  const Capabilities channel = capabilities_of(policy, read.channel);
  std::vector<std::string_view> offered;
  for (const std::string& method : methods_of(channel, capture))
    if (channel.page_methods.contains(method)) offered.push_back(method);
  if (offered.empty())
    fields.refuse("channel", "has no method that the checkout page can start");
  else if (std::ranges::find(offered, read.method) == offered.end())
    fields.refuse("method",
                  fmt::format("must be a method that the checkout page can start: {}", fmt::join(offered, ", ")));
  return read;
}

}  // namespace

std::vector<CheckoutMethod> read_checkout_methods(Fields& fields, const Policy& policy, MerchantId merchant,
                                                  CaptureMethod capture) {
  std::vector<CheckoutMethod> methods;
  for (Fields& item : fields.optional_objects("methods", limits::kOrderMethodsMax)) {
    CheckoutMethod read = read_checkout_method(item, policy, merchant, capture);
    if (std::ranges::find(methods, read) != methods.end()) item.refuse("method", "is listed twice for this channel");
    methods.push_back(std::move(read));
  }
  return methods;
}

PaymentFields read_payment_fields(Fields& fields, const Policy& policy, MerchantId merchant, CaptureMethod capture) {
  PaymentFields payment;
  if (fields.has("channel") || policy.routes.empty()) {
    read_channel(fields, policy, merchant, capture, payment);
  } else {
    payment.method = fields.optional_word("method", kMethodMax).value_or("");
    read_account(fields, {}, payment);
  }
  payment.merchant_payment_no = fields.optional_text("merchant_payment_no", limits::kMerchantNumberMax);
  payment.payer = read_payer(fields);
  payment.scenario = fields.optional_word("scenario", kScenarioMax);
  check_payment_fields(fields, payment, policy);
  return payment;
}

void check_payment_fields(Fields& fields, const PaymentFields& payment, const Policy& policy) {
  if (const auto invalid = query::invalid_field_of(payment, policy)) fields.refuse(invalid->field, invalid->why);
}

}  // namespace finality::http
