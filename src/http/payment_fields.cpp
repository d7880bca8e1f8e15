#include "http/payment_fields.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace finality::http {
namespace {

constexpr std::size_t kPayerTextMax = 128;
constexpr std::size_t kScenarioMax = 64;

bool is_scenario(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::string read_payer(Fields& fields) {
  std::optional<Fields> payer = fields.optional_object("payer");
  if (!payer) return {};
  boost::json::object out;
  if (const auto openid = payer->optional_text("openid", kPayerTextMax)) out["openid"] = *openid;
  if (const auto auth_code = payer->optional_text("auth_code", kPayerTextMax)) out["auth_code"] = *auth_code;
  if (const auto client_ip = payer->optional_address("client_ip")) out["client_ip"] = *client_ip;
  return out.empty() ? std::string() : boost::json::serialize(out);
}

std::optional<std::string> read_scenario(Fields& fields, const Capabilities& channel) {
  const std::optional<std::string> scenario = fields.optional_text("scenario", kScenarioMax);
  if (!scenario) return std::nullopt;
  if (!channel.takes_scenario) {
    fields.refuse("scenario", "is only for channels whose gateway is the sandbox");
  } else if (!is_scenario(*scenario)) {
    fields.refuse("scenario", "must be 1 to " + std::to_string(kScenarioMax) + " of the characters a-z, 0-9 and _");
  }
  return scenario;
}

}  // namespace

PaymentFields read_payment_fields(Fields& fields, const Policy& policy) {
  PaymentFields payment;
  std::vector<std::string_view> channels;
  for (const auto& [name, capabilities] : policy.channels) channels.push_back(name);
  payment.channel = fields.choice("channel", channels);

  const auto channel = policy.channels.find(payment.channel);
  const Capabilities capabilities = channel == policy.channels.end() ? Capabilities{} : channel->second;
  const std::vector<std::string_view> methods(capabilities.methods.begin(), capabilities.methods.end());
  if (const auto method = fields.optional_choice("method", methods)) {
    payment.method = *method;
  } else if (!methods.empty()) {
    payment.method = methods.front();
  }
  payment.merchant_payment_no = fields.optional_text("merchant_payment_no", limits::kMerchantNumberMax);
  payment.payer = read_payer(fields);
  payment.scenario = read_scenario(fields, capabilities);
  return payment;
}

}  // namespace finality::http
