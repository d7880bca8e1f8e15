// Checks that an Idempotency-Key has one response, that an identifier assigned by the merchant (merchant_order_no, …)
// identifies one object, and that objects in earlier responses do not disappear.
#include <boost/json/array.hpp>

#include <algorithm>
#include <tuple>

#include "history/reading.h"

namespace finality::history {
namespace {

namespace json = boost::json;

std::string result_of(const Request& request) {
  const std::string_view id = text(request.answer(), "id");
  return fmt::format(
      "{} {}", request.operation->status,
      request.outcome == OperationOutcome::done ? (id.empty() ? text(request.answer(), "token") : id) : request.code);
}

bool is_same_request(const Request& a, const Request& b) { return a.body() == b.body(); }

using Group = std::vector<const Request*>;  // all requests with one Idempotency-Key

// Compares all responses that the API stores under the key with the first of these responses to arrive.
void check_kept(std::string_view key, const Group& kept, Findings& findings) {
  const Request* first =
      *std::ranges::min_element(kept, {}, [](const Request* request) { return request->operation->returned; });
  for (const Request* request : kept) {
    if (request == first) continue;
    const std::vector<std::size_t> both{first->place, request->place};
    if (!is_same_request(*first, *request))
      findings.add(key, "one request per key", both,
                   "two different requests with one key were both executed: {} and {}", result_of(*first),
                   result_of(*request));
    else if (result_of(*first) != result_of(*request))
      findings.add(key, "one response per key", both, "the first answer was {}, another was {}", result_of(*first),
                   result_of(*request));
    else if (!request->operation->replayed && first->operation->returned < request->operation->call)
      findings.add(key, "one response per key", both, "the request was executed again after it had been answered");
  }
}

void check_group(std::string_view key, const Group& group, Findings& findings) {
  Group kept;
  for (const Request* request : group) {
    if (is_kept(*request)) kept.push_back(request);
    const bool replayed = request->operation->replayed;
    const bool reused = request->code == "idempotency_key_reused";
    const auto was_before = [&](const Request* other) {
      return other != request && other->operation->call < request->operation->returned &&
             is_same_request(*request, *other) == replayed;
    };
    if ((replayed || reused) && std::ranges::none_of(group, was_before))
      findings.add(key, "one response per key", {request->place}, "{}",
                   replayed ? "the answer is marked as replayed, but no earlier request has the same body"
                            : "the key is reported as reused, but no earlier request has another body");
  }
  if (!kept.empty()) check_kept(key, kept, findings);
}

// Checks of the identifiers that merchants assign: merchant_order_no, merchant_payment_no, merchant_refund_no,
// merchant_capture_no and the references of transfers and holds.

void check_number(std::map<std::string, const Observation*>& first, const std::string& name,
                  const Observation& observation, Findings& findings) {
  const auto [at, is_new] = first.try_emplace(name, &observation);
  const std::string_view id = text(*observation.fields, "id"), other = text(*at->second->fields, "id");
  if (!is_new && id != other)
    findings.add(id, "one object per number", {at->second->request->place, observation.request->place},
                 "{} names both {} and {}", name, other, id);
}

std::string number_of(const Object& object, const Observation& observation) {
  const json::object& fields = *observation.fields;
  const auto scoped = [&](std::string_view scope, std::string_view name) {
    const std::string_view value = text(fields, name);
    return value.empty() ? std::string() : fmt::format("{} {} {}{}", object.kind, name, scope, value);
  };
  if (object.kind == "order") return scoped("", "merchant_order_no");
  if (object.kind == "payment" || object.kind == "authorization")
    return scoped(fmt::format("{} ", text(fields, "order")), "merchant_payment_no");
  if (object.kind == "refund") return scoped("", "merchant_refund_no");
  if (object.kind == "capture") return scoped("", "merchant_capture_no");
  return scoped(fmt::format("{} ", text(fields, "source")), "reference");
}

bool is_creation(const Request& request) {
  return request.posts({"orders"}) || request.posts({"orders", "*", "payments"}) ||
         request.posts({"orders", "*", "authorizations"}) || request.posts({"authorizations", "*", "captures"}) ||
         request.posts({"refunds"}) || request.posts({"transfers"}) || request.posts({"holds"}) ||
         request.posts({"accounts"});
}

void check_creation(const Request& request, std::map<std::string_view, const Request*>& creators, Findings& findings) {
  const std::string_view id = text(request.answer(), "id");
  // If an account has already paid the order, the response contains the existing payment. Its merchant_payment_no may
  // differ from that of the request.
  const bool may_be_another = request.path.size() == 3 && request.operation->status == 200;
  for (const auto& [name, requested] : request.body()) {
    if (may_be_another) break;
    const json::value* returned = request.answer().if_contains(name);
    if (returned != nullptr && !requested.is_object() && *returned != requested)
      findings.add(id, "a response matches its request", {request.place}, "{} differs from the request",
                   std::string_view(name));
  }
  if (request.operation->status != 201 || request.operation->replayed) return;
  const auto [at, is_new] = creators.try_emplace(id, &request);
  if (!is_new)
    findings.add(id, "one creation per object", {at->second->place, request.place},
                 "two responses report its creation");
}

// Checks that an object in an earlier response is not reported as not found in a later response.

std::int64_t acknowledged(const Object& object) {
  std::int64_t at = kNever;
  for (const Observation& observation : object.observations)
    at = std::min(at, observation.request->operation->returned);
  return at;
}

const Observation& first_observation(const Object& object) {
  return *std::ranges::min_element(
      object.observations, {}, [](const Observation& observation) { return observation.request->operation->returned; });
}

void require_absent(const Reading& reading, const Request& request, std::string_view id, Findings& findings) {
  const auto at = reading.objects.find(id);
  if (at == reading.objects.end() || acknowledged(at->second) >= request.operation->call) return;
  const Request& acknowledging = *first_observation(at->second).request;
  if (acknowledging.operation->merchant == request.operation->merchant)
    findings.add(id, "acknowledged objects exist", {acknowledging.place, request.place},
                 "the object was acknowledged, but later not found");
}

bool is_empty_list(const Request& request) {
  const json::value* data = request.answer().if_contains("data");
  return request.operation->method == "GET" && data != nullptr && data->is_array() && data->get_array().empty();
}

// Checks the response to a list request by identifier. If the list is empty, no earlier response may contain an object
// with this identifier.
void check_empty_list(const Reading& reading, const Request& request, Findings& findings) {
  if (request.path.size() != 1 || request.query.empty()) return;
  for (const auto& [id, object] : reading.objects) {
    if (std::string(object.kind) + "s" != request.path[0]) continue;
    const json::object& fields = *first_observation(object).fields;
    const bool matches = std::ranges::all_of(request.query, [&](const auto& parameter) {
      const bool is_number =
          parameter.first == "merchant_order_no" || parameter.first == "reference" || parameter.first == "source";
      return is_number && text(fields, parameter.first) == parameter.second;
    });
    if (matches) require_absent(reading, request, id, findings);
  }
}

}  // namespace

void check_keys(const Reading& reading, Findings& findings) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Group> groups;
  for (const Request& request : reading.requests)
    if (request.is_post && !request.operation->key.empty())
      groups[{request.operation->merchant, request.operation->path, request.operation->key}].push_back(&request);
  for (const auto& [name, group] : groups) check_group(std::get<2>(name), group, findings);
}

void check_numbers(const Reading& reading, Findings& findings) {
  std::map<std::string, const Observation*> first_by_name;
  for (const auto& [id, object] : reading.objects) {
    const Observation& observation = object.observations.front();
    const std::string number = number_of(object, observation);
    if (!number.empty())
      check_number(first_by_name, fmt::format("{} {}", observation.request->operation->merchant, number), observation,
                   findings);
  }
  std::map<std::string_view, const Request*> creators;
  for (const Request& request : reading.requests) {
    if (request.outcome == OperationOutcome::done && is_creation(request)) check_creation(request, creators, findings);
    if (request.code == "not_found" && request.path.size() >= 2)
      require_absent(reading, request, request.path[1], findings);
    if (is_empty_list(request)) check_empty_list(reading, request, findings);
  }
}

}  // namespace finality::history
