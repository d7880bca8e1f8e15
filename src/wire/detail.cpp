#include "wire/detail.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace finality::wire {
namespace {

namespace json = boost::json;

constexpr std::size_t kEvidenceBytesMax = 32 << 10;  // of one case

/// What of the evidence a call's result repeats; empty where there is none.
struct Reported {
  std::string_view kind{};
  std::string_view code{};
  std::string_view message{};
};

void add_text(json::object& out, std::string_view name, std::string_view text) {
  if (!text.empty()) out.emplace(name, text);
}

/// What submitted the command.
struct TriggerJson {
  const Cause& cause;
  const Reported& reported;

  json::object operator()(std::monostate) const { return {}; }
  json::object operator()(const ApiRequest& request) const {
    json::object out{{"request_id", request.request_id}, {"key", to_text(request.key)}};
    add_text(out, "traceparent", cause.traceparent);
    return out;
  }
  json::object operator()(const ReceivedNotification& notification) const {
    json::object out{{"request_id", notification.request_id}, {"out_trade_no", notification.out_trade_no}};
    if (notification.out_refund_no) out["out_refund_no"] = *notification.out_refund_no;
    return out;
  }
  json::object operator()(const ReturnedPayer& payer) const {
    return {{"request_id", payer.request_id}, {"asked_by", "payer_return"}};
  }
  json::object operator()(const CallResult& result) const {
    json::object out{{"call", result.call}};
    add_text(out, "evidence", reported.kind);
    if (!result.asked) {
      out["asked"] = false;
      return out;
    }
    if (result.status) {
      out["status"] = *result.status;
    } else {
      out["failure"] = result.failure;
      out["sent"] = result.sent;
    }
    add_text(out, "code", reported.code);
    add_text(out, "message", reported.message);
    return out;
  }
  json::object operator()(const DueSince& due) const { return json::object{{"due_at", to_rfc3339(due.due_at)}}; }
  json::object operator()(CommandLine) const { return json::object{{"command_line", true}}; }
  json::object operator()(BenchRun) const { return json::object{{"bench", true}}; }
};

json::object trigger_object(const Cause& cause, const Reported& reported = {}) {
  return std::visit(TriggerJson{cause, reported}, cause.trigger);
}

template <class Evidence>
void add_via(json::object& out, const Cause& cause, const Evidence& evidence) {
  if (std::holds_alternative<std::monostate>(cause.trigger)) return;
  out["via"] = trigger_object(cause, {name_of(evidence.kind), evidence.code, evidence.message});
}

json::object return_object(const ReportedReturn& reported) {
  return {{"number", reported.number}, {"amount", reported.amount}};
}

json::object refund_object(const ReportedRefund& reported) {
  json::object out{
      {"channel_refund_no", reported.number}, {"amount", reported.amount}, {"evidence", name_of(reported.kind)}};
  if (reported.returned) out["returned"] = return_object(*reported.returned);
  return out;
}

/// What a command found.
struct DetailJson {
  const Cause& cause;

  json::object operator()(std::monostate) const { return trigger_object(cause); }
  json::object operator()(const PaymentEvidence& found) const {
    const Evidence& evidence = found.evidence;
    json::object out{{"evidence", name_of(evidence.kind)}, {"asked_at", to_rfc3339(evidence.asked_at)}};
    if (evidence.channel_trade_no) out["channel_trade_no"] = *evidence.channel_trade_no;
    if (evidence.amount != 0) {
      out["amount"] = evidence.amount;
      out["currency"] = evidence.currency.text();
    }
    if (evidence.refunded != 0) out["refunded"] = evidence.refunded;
    if (evidence.is_refund_unknown) out["refunded"] = "unknown";
    if (evidence.refund) out["refund"] = refund_object(*evidence.refund);
    add_text(out, "code", evidence.code);
    add_text(out, "message", evidence.message);
    out["channel"] = found.channel;
    add_via(out, cause, evidence);
    return out;
  }
  json::object operator()(const AttemptEvidence& found) const {
    const RefundEvidence& evidence = found.evidence;
    json::object out{{"evidence", name_of(evidence.kind)},
                     {"channel", found.channel},
                     {"out_refund_no", found.out_refund_no},
                     {"asked_at", to_rfc3339(evidence.asked_at)}};
    if (evidence.is_stranded) out["stranded"] = true;
    if (evidence.returned) out["returned"] = return_object(*evidence.returned);
    add_text(out, "code", evidence.code);
    add_text(out, "message", evidence.message);
    add_via(out, cause, evidence);
    return out;
  }
  json::object operator()(const DeliveryResult& result) const {
    json::object out{{"attempt", result.number}};
    if (result.status) out["status"] = *result.status;
    add_text(out, "error", result.error);
    return out;
  }
  json::object operator()(const BrokenRule& broken) const { return json::object{{"finding", broken.finding}}; }
  json::object operator()(const ResolutionStep& step) const {
    return {{"case", to_text(step.case_id)}, {"resolution", step.resolution}, {"note", step.note}, {"key", step.key}};
  }
};

}  // namespace

std::string detail_json(const Cause& cause, const Detail& detail) {
  const json::object out = std::visit(DetailJson{cause}, detail);
  return out.empty() ? std::string() : json::serialize(out);
}

std::string with_exchange(std::string_view detail, std::string_view exchange) {
  const std::string_view before = detail.size() > 2 ? detail.substr(0, detail.size() - 1) : "{";
  return fmt::format(R"({}{}"exchange":{}}})", before, before.size() > 1 ? "," : "", exchange);
}

std::string with_evidence(std::string_view evidence, std::string_view detail) {
  if (evidence.empty()) evidence = "[]";
  if (evidence.size() + detail.size() > kEvidenceBytesMax) return std::string(evidence);
  std::string out(evidence.substr(0, evidence.size() - 1));
  if (out.size() > 1) out += ',';
  out += detail.empty() ? "{}" : detail;
  return out += ']';
}

}  // namespace finality::wire
