#include "channel/sandbox/trade.h"

#include "base/limits.h"
#include "channel/parsing/json_fields.h"
#include "channel/parsing/web_url.h"

namespace finality::sandbox_channel {
namespace {

constexpr std::size_t kNumberBytesMax = 64;
constexpr std::size_t kFieldBytesMax = 64;

struct Sums {
  MinorUnits paid = 0;
  MinorUnits refunded = 0;
};

std::optional<MinorUnits> sum_of(const boost::json::object& trade, std::string_view name) {
  const boost::json::value* value = trade.if_contains(name);
  const std::int64_t* sum = value == nullptr ? nullptr : value->if_int64();
  if (sum == nullptr || *sum < 0 || *sum > limits::kAmountMax) return std::nullopt;
  return *sum;
}

// A channel that returns a fee reports it as negative.
std::optional<MinorUnits> fee_of(const boost::json::object& settlement) {
  const boost::json::value* value = settlement.if_contains("fee");
  const std::int64_t* fee = value == nullptr ? nullptr : value->if_int64();
  if (fee == nullptr || *fee < -limits::kAmountMax || *fee > limits::kAmountMax) return std::nullopt;
  return *fee;
}

Result<Sums> read_sums(const boost::json::object& trade) {
  const auto paid = sum_of(trade, "paid");
  if (!paid) return fail("paid is not an amount in minor units");
  const auto refunded = sum_of(trade, "refunded");
  if (!refunded) return fail("refunded is not an amount in minor units");
  if (*refunded > 0 && *paid == 0) return fail("refunded is positive, but paid is 0");
  return Sums{*paid, *refunded};
}

// Derives the kind of evidence from state and sums. Returns an error if state and sums contradict each other.
Result<EvidenceKind> kind_of(std::string_view state, const Sums& sums) {
  const bool fully_refunded = sums.paid > 0 && sums.refunded >= sums.paid;  // refunded > paid: a refund was paid twice
  if (state == "paid") {
    if (sums.paid == 0) return fail("state is paid, but the amount in paid is 0");
    return EvidenceKind::paid;
  }
  if (state == "closed" && fully_refunded) return EvidenceKind::paid;
  if (sums.paid > 0) return fail("the amount in paid is positive, but state is not paid");
  if (state == "waiting") return EvidenceKind::waiting;
  if (state == "failed") return EvidenceKind::failed;
  if (state == "closed") return EvidenceKind::closed;
  return fail("state is not one of waiting, paid, failed and closed");
}

Result<Evidence> read_evidence(const boost::json::object& trade) {
  const auto trade_no = text_field(trade, "trade_no", kNumberBytesMax);
  if (!trade_no) return fail("trade_no is missing");
  const auto state = text_field(trade, "state", kFieldBytesMax);
  if (!state) return fail("state is missing");
  const auto currency = parse_currency(text_field(trade, "currency", kFieldBytesMax).value_or(""));
  if (!currency) return fail("currency is not a currency code");
  const Result<Sums> sums = read_sums(trade);
  if (!sums) return std::unexpected(sums.error());
  const Result<EvidenceKind> kind = kind_of(*state, *sums);
  if (!kind) return std::unexpected(kind.error());

  Evidence evidence{
      .kind = *kind, .channel_trade_no = std::string(*trade_no), .currency = *currency, .code = std::string(*state)};
  if (*kind == EvidenceKind::failed) evidence.message = "the trade failed at the channel";
  if (sums->paid == 0) return evidence;
  const auto paid_at = parse_rfc3339(text_field(trade, "paid_at", kFieldBytesMax).value_or(""));
  if (!paid_at) return fail("paid_at is not an RFC 3339 time");
  evidence.amount = sums->paid;
  evidence.paid_at = *paid_at;
  evidence.refunded = sums->refunded;
  if (auto settlement = read_settlement(trade))
    evidence.settlement = std::move(*settlement);
  else
    evidence.message = settlement.error().message;
  return evidence;
}

}  // namespace

Result<ReportedRefund> read_refund(const boost::json::object& body) {
  const boost::json::value* member = body.if_contains("refund");
  const boost::json::object* refund = member == nullptr ? nullptr : member->if_object();
  if (refund == nullptr) return fail("refund is missing");
  const auto number = text_field(*refund, "out_refund_no", kNumberBytesMax);
  const auto is_number = [](std::string_view text) { return !text.empty() && !text.contains(' '); };
  if (!number || !is_number(*number)) return fail("out_refund_no is missing, too long or has a space");
  const auto amount = sum_of(*refund, "amount");
  if (!amount || *amount == 0) return fail("refund.amount is not a positive amount");
  if (text_field(*refund, "state", kFieldBytesMax) != "succeeded") return fail("refund.state is not succeeded");
  ReportedRefund reported{std::string(*number), *amount};
  if (auto settlement = read_settlement(*refund)) reported.settlement = std::move(*settlement);
  if (!refund->contains("return_no")) return reported;
  const auto returned = text_field(*refund, "return_no", kNumberBytesMax);
  if (!returned || !is_number(*returned)) return fail("return_no is too long or has a space");
  reported.returned = ReportedReturn{std::string(*returned), *amount};
  return reported;
}

Result<std::optional<ReportedSettlement>> read_settlement(const boost::json::object& document) {
  const boost::json::value* member = document.if_contains("settlement");
  if (member == nullptr) return std::nullopt;
  const boost::json::object* object = member->if_object();
  if (object == nullptr) return fail("settlement is not an object");
  const auto number = text_field(*object, "transaction_no", kNumberBytesMax);
  if (!number || number->empty()) return fail("settlement.transaction_no is missing or too long");
  const auto currency = parse_currency(text_field(*object, "currency", kFieldBytesMax).value_or(""));
  if (!currency) return fail("settlement.currency is not a currency code");
  const auto amount = sum_of(*object, "amount");
  if (!amount || *amount == 0) return fail("settlement.amount is not a positive amount");
  const auto fee = fee_of(*object);
  if (!fee) return fail("settlement.fee is not an amount in minor units");
  const boost::json::value* net = object->if_contains("net");
  if (net == nullptr || *net != boost::json::value(*amount - *fee)) return fail("settlement.net is not amount - fee");
  ReportedSettlement settlement{.transaction_no = std::string(*number),
                                .amount = *amount,
                                .currency = *currency,
                                .fee = *fee,
                                .exchange_rate{text_field(*object, "exchange_rate", kFieldBytesMax).value_or("")}};
  if (object->contains("available_on")) {
    settlement.available_on = parse_rfc3339(text_field(*object, "available_on", kFieldBytesMax).value_or(""));
    if (!settlement.available_on) return fail("settlement.available_on is not an RFC 3339 time");
  }
  return settlement;
}

std::optional<std::string> read_page(const boost::json::object& body) {
  const boost::json::object* action = object_field(body, "action");
  if (action == nullptr || text_field(*action, "type", kFieldBytesMax) != "redirect") return std::nullopt;
  const auto url = text_field(*action, "url", limits::kUrlMax);
  if (!url || !parse_web_url(*url)) return std::nullopt;
  return std::string(*url);
}

Result<Trade> read_trade(const boost::json::object& body, std::string_view channel) {
  const boost::json::value* member = body.if_contains("trade");
  const boost::json::object* trade = member == nullptr ? nullptr : member->if_object();
  if (trade == nullptr) return fail("trade is missing");
  if (text_field(*trade, "channel", kFieldBytesMax) != channel) return fail("trade.channel is not this channel");
  const auto out_trade_no = text_field(*trade, "out_trade_no", kNumberBytesMax);
  if (!out_trade_no) return fail("out_trade_no is missing");
  Result<Evidence> evidence = read_evidence(*trade);
  if (!evidence) return std::unexpected(evidence.error());
  return Trade{std::string(*out_trade_no), std::move(*evidence)};
}

}  // namespace finality::sandbox_channel
