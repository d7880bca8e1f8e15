#include "wire/detail.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <initializer_list>
#include <utility>

#include "base/limits.h"

namespace finality::wire {
namespace {

namespace json = boost::json;

// Each command renders a detail, so the memory for it is on the stack. kDetailBytes suffices for evidence with its
// trigger; a larger detail allocates. Most JSON objects of a detail have at most kFields fields.
constexpr std::size_t kFields = 11;
constexpr std::size_t kDetailBytes = 4096;

using Members = std::initializer_list<std::pair<json::string_view, json::value_ref>>;

/// The fields of the evidence that are repeated in the JSON of the call. Empty without evidence.
struct Reported {
  std::string_view kind{};
  std::string_view code{};
  std::string_view message{};
};

void add_text(json::object& out, std::string_view name, std::string_view text) {
  if (!text.empty()) out.emplace(name, text);
}

/// Visitor that renders the trigger of the command as a JSON object.
struct TriggerJson {
  const Cause& cause;
  const Reported& reported;
  const json::storage_ptr& memory;

  json::object of(Members members) const { return {members, kFields, memory}; }

  json::object operator()(std::monostate) const { return of({}); }
  json::object operator()(const ApiRequest& request) const {
    json::object out = of({{"request_id", request.request_id}, {"key", to_text(request.key)}});
    add_text(out, "traceparent", cause.traceparent);
    return out;
  }
  json::object operator()(const ReceivedNotification& notification) const {
    json::object out = of({{"request_id", notification.request_id}, {"out_trade_no", notification.out_trade_no}});
    if (notification.out_refund_no) out.emplace("out_refund_no", *notification.out_refund_no);
    return out;
  }
  json::object operator()(const ReturnedPayer& payer) const {
    return of({{"request_id", payer.request_id}, {"asked_by", "payer_return"}});
  }
  json::object operator()(const ChoosingPayer& payer) const {
    return of({{"request_id", payer.request_id}, {"asked_by", "payer_choice"}});
  }
  json::object operator()(const CallResult& result) const {
    json::object out = of({{"call", result.call}});
    add_text(out, "evidence", reported.kind);
    if (!result.called) {
      out.emplace("asked", false);
      return out;
    }
    if (result.status) {
      out.emplace("status", *result.status);
    } else {
      out.emplace("failure", result.failure);
      out.emplace("sent", result.sent);
    }
    add_text(out, "code", reported.code);
    add_text(out, "message", reported.message);
    return out;
  }
  json::object operator()(const DueSince& due) const { return of({{"due_at", to_rfc3339(due.due_at)}}); }
  json::object operator()(CommandLine) const { return of({{"command_line", true}}); }
  json::object operator()(BenchRun) const { return of({{"bench", true}}); }
};

/// Visitor that renders the detail of the command as a JSON object.
struct DetailJson {
  const Cause& cause;
  const json::storage_ptr& memory;

  json::object of(Members members) const { return {members, kFields, memory}; }

  json::object operator()(std::monostate) const { return std::visit(TriggerJson{cause, {}, memory}, cause.trigger); }
  json::object operator()(const PaymentEvidence& found) const {
    const Evidence& evidence = found.evidence;
    json::object out = of({{"evidence", name_of(evidence.kind)}, {"asked_at", to_rfc3339(evidence.asked_at)}});
    if (evidence.channel_trade_no) out.emplace("channel_trade_no", *evidence.channel_trade_no);
    if (evidence.amount != 0) {
      out.emplace("amount", evidence.amount);
      out.emplace("currency", evidence.currency.text());
    }
    if (evidence.is_refund_unknown)
      out.emplace("refunded", "unknown");
    else if (evidence.refunded != 0)
      out.emplace("refunded", evidence.refunded);
    if (evidence.refund) out.emplace("refund", refund_object(*evidence.refund));
    add_settlement(out, evidence.settlement);
    add_text(out, "code", evidence.code);
    add_text(out, "message", evidence.message);
    out.emplace("channel", found.channel);
    add_via(out, evidence);
    return out;
  }
  json::object operator()(const AuthorizationReport& found) const {
    const AuthorizationEvidence& evidence = found.evidence;
    json::object out = of({{"evidence", name_of(evidence.kind)}, {"asked_at", to_rfc3339(evidence.asked_at)}});
    if (evidence.channel_trade_no) out.emplace("channel_trade_no", *evidence.channel_trade_no);
    if (evidence.authorized != 0) add_totals(out, evidence);
    if (evidence.authorized_at) out.emplace("authorized_at", to_rfc3339(*evidence.authorized_at));
    if (evidence.capture_before) out.emplace("capture_before", to_rfc3339(*evidence.capture_before));
    if (evidence.is_unfunded) out.emplace("unfunded", true);
    if (!evidence.captures.empty()) out.emplace("captures", captures_array(evidence.captures));
    add_text(out, "code", evidence.code);
    add_text(out, "message", evidence.message);
    out.emplace("channel", found.channel);
    add_via(out, evidence);
    return out;
  }
  json::object operator()(const AttemptEvidence& found) const {
    const RefundEvidence& evidence = found.evidence;
    json::object out = of({{"evidence", name_of(evidence.kind)},
                           {"channel", found.channel},
                           {"out_refund_no", found.out_refund_no},
                           {"asked_at", to_rfc3339(evidence.asked_at)}});
    if (evidence.is_stranded) out.emplace("stranded", true);
    if (evidence.returned) out.emplace("returned", return_object(*evidence.returned));
    add_settlement(out, evidence.settlement);
    add_text(out, "code", evidence.code);
    add_text(out, "message", evidence.message);
    add_via(out, evidence);
    return out;
  }
  json::object operator()(const DeliveryResult& result) const {
    json::object out = of({{"attempt", result.number}});
    if (result.status) out.emplace("status", *result.status);
    add_text(out, "error", result.error);
    return out;
  }
  json::object operator()(const BrokenRule& broken) const { return of({{"finding", broken.finding}}); }
  json::object operator()(const ResolutionStep& step) const {
    json::object out =
        of({{"case", to_text(step.case_id)}, {"resolution", step.resolution}, {"note", step.note}, {"key", step.key}});
    if (step.merchant) out.emplace("merchant", to_text(*step.merchant));
    return out;
  }
  json::object operator()(const FoundDifference& found) const {
    const Difference& difference = found.difference;
    json::object out = of({{"class", name_of(difference.difference_class)}, {"date", difference.date}});
    add_text(out, "also", difference.also);
    if (difference.statement_id) out.emplace("statement", to_text(*difference.statement_id));
    if (difference.line_no != 0) out.emplace("line_no", difference.line_no);
    if (difference.ours) out.emplace("ours", *difference.ours);
    if (difference.theirs) out.emplace("theirs", *difference.theirs);
    if (difference.amount != 0) {
      out.emplace("amount", difference.amount);
      out.emplace("currency", difference.currency.text());
    }
    add_text(out, "subject", difference.subject);
    return out;
  }

 private:
  // Adds the field `via`: the trigger with which the evidence arrived.
  template <class Evidence>
  void add_via(json::object& out, const Evidence& evidence) const {
    if (std::holds_alternative<std::monostate>(cause.trigger)) return;
    const Reported reported{name_of(evidence.kind), evidence.code, evidence.message};
    out.emplace("via", std::visit(TriggerJson{cause, reported, memory}, cause.trigger));
  }
  void add_settlement(json::object& out, const std::optional<ReportedSettlement>& reported) const {
    if (!reported) return;
    out.emplace("channel_settlement", of({{"amount", reported->amount},
                                          {"currency", reported->currency.text()},
                                          {"fee", reported->fee},
                                          {"exchange_rate", reported->exchange_rate},
                                          {"transaction_no", reported->transaction_no}}));
  }
  static void add_totals(json::object& out, const AuthorizationEvidence& evidence) {
    out.emplace("authorized", evidence.authorized);
    out.emplace("captured", evidence.captured);
    out.emplace("released", evidence.released);
    out.emplace("currency", evidence.currency.text());
  }
  json::array captures_array(const std::vector<ReportedCapture>& captures) const {
    json::array list(memory);
    for (const ReportedCapture& capture : captures)
      list.push_back(of({{"out_trade_no", capture.out_trade_no},
                         {"channel_trade_no", capture.channel_trade_no},
                         {"amount", capture.amount},
                         {"currency", capture.currency.text()},
                         {"paid_at", to_rfc3339(capture.paid_at)}}));
    return list;
  }
  json::object return_object(const ReportedReturn& reported) const {
    return of({{"number", reported.number}, {"amount", reported.amount}});
  }
  json::object refund_object(const ReportedRefund& reported) const {
    json::object out =
        of({{"channel_refund_no", reported.number}, {"amount", reported.amount}, {"evidence", name_of(reported.kind)}});
    if (reported.returned) out.emplace("returned", return_object(*reported.returned));
    add_settlement(out, reported.settlement);
    return out;
  }
};

}  // namespace

std::string detail_json(const Cause& cause, const Detail& detail) {
  unsigned char space[kDetailBytes];
  json::monotonic_resource resource(space);
  const json::storage_ptr memory(&resource);
  const json::object out = std::visit(DetailJson{cause, memory}, detail);
  return out.empty() ? std::string() : json::serialize(out);
}

std::string with_exchange(std::string_view detail, std::string_view exchange) {
  const std::string_view before = detail.size() > 2 ? detail.substr(0, detail.size() - 1) : "{";
  return fmt::format(R"({}{}"exchange":{}}})", before, before.size() > 1 ? "," : "", exchange);
}

std::string with_evidence(std::string_view evidence, std::string_view detail) {
  if (evidence.empty()) evidence = "[]";
  if (evidence.size() + detail.size() > limits::kCaseEvidenceBytesMax) return std::string(evidence);
  std::string out(evidence.substr(0, evidence.size() - 1));
  if (out.size() > 1) out += ',';
  out += detail.empty() ? "{}" : detail;
  return out += ']';
}

}  // namespace finality::wire
