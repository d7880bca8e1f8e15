#include "sandbox/alipay/trade.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sandbox/formats/yuan.h"

namespace finality::sandbox::alipay {
namespace {

constexpr std::size_t kBuyerDigits = 12;

std::string first_name_of(std::string_view payer) {
  std::string name(payer.substr(0, payer.find(' ')));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::string field_of(const boost::json::object& object, std::string_view name) {
  const boost::json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(std::string_view(value->get_string())) : std::string();
}

}  // namespace

std::string_view status_of(const Trade& trade) {
  switch (trade.state) {
    case TradeState::waiting:
      return "WAIT_BUYER_PAY";
    case TradeState::paid:
      return trade.refunded < trade.paid ? "TRADE_SUCCESS" : "TRADE_CLOSED";
    case TradeState::failed:
    case TradeState::closed:
      return "TRADE_CLOSED";
  }
  return {};
}

std::string total_of(const Trade& trade) { return to_yuan(trade.paid > 0 ? trade.paid : trade.amount); }

std::string buyer_id(std::string_view payer) {
  return fmt::format("2088{:0{}}", std::hash<std::string_view>()(payer) % 1'000'000'000'000, kBuyerDigits);
}

std::string buyer_logon_id(std::string_view payer) { return first_name_of(payer).substr(0, 3) + "***@sandbox.example"; }

boost::json::array fund_bills(MinorUnits amount) {
  return {boost::json::object{{"fund_channel", "ALIPAYACCOUNT"}, {"amount", to_yuan(amount)}}};
}

std::string to_text(const Details& details) {
  return boost::json::serialize(
      boost::json::object{{"body", details.body}, {"passback_params", details.passback_params}});
}

Details details_of(const Trade& trade) {
  boost::json::error_code error;
  const boost::json::value details = boost::json::parse(trade.details, error);
  if (error || !details.is_object()) return {};
  return {.body = field_of(details.get_object(), "body"),
          .passback_params = field_of(details.get_object(), "passback_params")};
}

std::string ledger_number(std::string_view trade_no, std::string_view out_request_no) {
  return fmt::format("{}/{}", trade_no, out_request_no);
}

// Returns the merchant's out_request_no. A refund that the channel initiated has none; for it, returns its key, which
// the channel assigned.
std::string out_request_no(const Refund& refund) {
  return refund.out_refund_no.substr(refund.out_refund_no.find('/') + 1);
}

}  // namespace finality::sandbox::alipay
