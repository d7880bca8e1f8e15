#include "sandbox/core/settlement.h"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <chrono>

namespace finality::sandbox {
namespace {

constexpr Duration kAvailableAfter = std::chrono::days(2);
constexpr std::int64_t kMillion = 1'000'000;

// Converts the whole millions and the rest separately, because the product of a large amount and the rate overflows.
MinorUnits converted(MinorUnits amount, std::int64_t rate_millionths) {
  const MinorUnits settled = amount / kMillion * rate_millionths + amount % kMillion * rate_millionths / kMillion;
  return std::max<MinorUnits>(settled, 1);
}

}  // namespace

SettledMoney settled_money(std::string_view settlement) {
  const boost::json::object json = boost::json::parse(settlement).as_object();
  const auto text = [&](const char* name) { return std::string(std::string_view(json.at(name).as_string())); };
  return {.at = parse_rfc3339(text("available_on")).value_or(Time()) - kAvailableAfter,
          .currency = text("currency"),
          .amount = json.at("amount").as_int64(),
          .fee = json.at("fee").as_int64()};
}

boost::json::object settlement_of(MinorUnits amount, const SettlementTerms& terms, const SettlementEntry& entry) {
  const MinorUnits settled = converted(amount, terms.rate_millionths);
  const MinorUnits fee = (settled * terms.fee_per_mille + 999) / 1000;
  return {{"amount", settled},
          {"currency", entry.currency},
          {"fee", fee},
          {"net", settled - fee},
          {"exchange_rate", terms.reported_rate},
          {"transaction_no", entry.transaction_no},
          {"available_on", to_rfc3339(entry.settled_at + kAvailableAfter)}};
}

}  // namespace finality::sandbox
