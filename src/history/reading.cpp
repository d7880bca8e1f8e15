#include "history/reading.h"

#include <boost/json/array.hpp>

#include <algorithm>
#include <tuple>

namespace finality::history {
namespace {

namespace json = boost::json;

constexpr std::string_view kKinds[] = {"order",  "payment", "authorization", "capture",
                                       "refund", "account", "transfer",      "hold"};
// Fields with lists of objects that belong to an object.
constexpr std::string_view kParts[] = {"payments", "authorizations", "captures"};

template <class Each>
void split(std::string_view text, char at, Each each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    if (end > 0) each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void read_path(Request& request) {
  const std::string_view whole = request.operation->path;
  const std::size_t mark = std::min(whole.find('?'), whole.size());
  split(whole.substr(0, mark), '/', [&](std::string_view part) {
    if (part != "v1") request.path.push_back(part);
  });
  split(whole.substr(std::min(mark + 1, whole.size())), '&', [&](std::string_view pair) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    request.query[pair.substr(0, equals)] = pair.substr(std::min(equals + 1, pair.size()));
  });
}

OperationOutcome outcome_of(const Operation& operation) {
  if (operation.status == 0 || operation.status >= 500) return OperationOutcome::unknown;
  return operation.status < 300 ? OperationOutcome::done : OperationOutcome::refused;
}

Request read_operation(const Operation& operation, std::size_t place) {
  Request request{.place = place, .operation = &operation, .outcome = outcome_of(operation)};
  request.window = {operation.call, operation.returned};
  request.is_post = operation.method == "POST";
  read_path(request);
  if (operation.status >= 400) request.code = text(operation.answer, "code");
  return request;
}

/// Facts about all requests with one Idempotency-Key.
struct Key {
  std::int64_t first_call = kNever;
  bool is_refused = false;  // a response under this key is a permanent refusal
};

// Extends the window of a replayed response to begin with the first request with its key. Marks requests without a
// known outcome as refused if a request with the same key was permanently refused.
void apply_keys(std::vector<Request>& all) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Key> keys;
  const auto key_of = [&](const Request& request) -> Key& {
    return keys[{request.operation->merchant, request.operation->path, request.operation->key}];
  };
  for (const Request& request : all) {
    if (request.operation->key.empty()) continue;
    Key& key = key_of(request);
    key.first_call = std::min(key.first_call, request.operation->call);
    key.is_refused |= request.outcome == OperationOutcome::refused && is_kept(request);
  }
  for (Request& request : all) {
    if (request.operation->key.empty()) continue;
    const Key& key = key_of(request);
    if (request.operation->replayed) request.window.from = key.first_call;
    if (request.outcome == OperationOutcome::unknown && key.is_refused) request.outcome = OperationOutcome::refused;
  }
}

void add_observations(Reading& reading, const Request& request, const json::object& fields) {
  const std::string_view kind = text(fields, "object");
  if (const json::value* data = fields.if_contains("data"); kind == "list" && data != nullptr && data->is_array()) {
    for (const json::value& element : data->get_array())
      if (element.is_object()) add_observations(reading, request, element.get_object());
    return;
  }
  const std::string_view id = text(fields, "id");
  if (id.empty() || std::ranges::find(kKinds, kind) == std::ranges::end(kKinds)) return;
  Object& object = reading.objects[id];
  object.kind = kind;
  object.observations.push_back({&request, &fields, number(fields, "version").value_or(0)});
  for (const std::string_view name : kParts)
    for (const json::object* part : parts_of(fields, name)) add_observations(reading, request, *part);
}

}  // namespace

bool Request::matches(std::initializer_list<std::string_view> parts) const {
  return std::ranges::equal(path, parts,
                            [](auto segment, auto expected) { return expected == "*" || segment == expected; });
}

std::string_view Observation::state() const { return text(*fields, "state"); }

std::string_view text(const json::object& fields, std::string_view name) {
  const json::value* value = fields.if_contains(name);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

std::optional<std::int64_t> number(const json::object& fields, std::string_view name) {
  const json::value* value = fields.if_contains(name);
  return value != nullptr && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
}

std::vector<const json::object*> parts_of(const json::object& fields, std::string_view name) {
  std::vector<const json::object*> parts;
  const json::value* list = fields.if_contains(name);
  if (list == nullptr || !list->is_array()) return parts;
  for (const json::value& element : list->get_array())
    if (element.is_object()) parts.push_back(&element.get_object());
  return parts;
}

bool is_collector(std::string_view kind) { return kind == "payment" || kind == "capture"; }

std::string_view collector_of(const json::object& refund) {
  for (const std::string_view name : {"payment", "capture", "authorization"})
    if (const std::string_view id = text(refund, name); !id.empty()) return id;
  return {};
}

bool is_kept(const Request& request) {
  constexpr std::string_view kNotKept[] = {"idempotency_key_reused", "idempotency_key_in_use", "account_locked",
                                           "payment_in_progress", "capture_in_progress"};
  if (request.operation->status >= 200 && request.operation->status < 300) return true;
  const int status = request.operation->status;
  return (status == 409 || status == 422) && std::ranges::find(kNotKept, request.code) == std::ranges::end(kNotKept);
}

bool is_final(std::string_view kind, std::string_view state) {
  constexpr std::pair<std::string_view, std::string_view> kFinal[] = {{"order", "succeeded"},
                                                                      {"order", "failed"},
                                                                      {"order", "closed"},
                                                                      {"payment", "succeeded"},
                                                                      {"payment", "failed"},
                                                                      {"payment", "closed"},
                                                                      {"authorization", "captured"},
                                                                      {"authorization", "released"},
                                                                      {"authorization", "failed"},
                                                                      {"authorization", "closed"},
                                                                      {"capture", "succeeded"},
                                                                      {"capture", "failed"},
                                                                      {"refund", "succeeded"},
                                                                      {"refund", "failed"},
                                                                      {"refund", "settled_offline"},
                                                                      {"transfer", "refused"},
                                                                      {"transfer", "reversed"},
                                                                      {"hold", "posted"},
                                                                      {"hold", "voided"},
                                                                      {"hold", "expired"},
                                                                      {"account", "closed"}};
  return std::ranges::find(kFinal, std::pair(kind, state)) != std::ranges::end(kFinal);
}

bool Findings::is_new(std::string_view object, std::string_view rule) const {
  return std::ranges::none_of(report_.impossible, [&](const Impossibility& violation) {
    return violation.object == object && violation.rule == rule;
  });
}

Reading read(std::span<const Operation> history) {
  Reading reading;
  reading.requests.reserve(history.size());
  for (const Operation& operation : history)
    reading.requests.push_back(read_operation(operation, reading.requests.size()));
  apply_keys(reading.requests);
  for (const Request& request : reading.requests)
    if (request.outcome == OperationOutcome::done) add_observations(reading, request, request.answer());
  for (auto& [id, object] : reading.objects)
    std::ranges::sort(object.observations, {}, [](const Observation& observation) {
      return std::pair(observation.version, observation.request);
    });
  return reading;
}

Report check(std::span<const Operation> history) {
  Report report;
  const Reading reading = read(history);
  report.operations = history.size();
  report.unanswered = static_cast<std::size_t>(std::ranges::count(history, 0, &Operation::status));
  report.objects = reading.objects.size();
  Findings findings(report);
  check_keys(reading, findings);
  check_numbers(reading, findings);
  check_objects(reading, findings);
  check_orders(reading, findings);
  check_authorizations(reading, findings);
  check_guards(reading, findings);
  check_accounts(reading, findings);
  for (Impossibility& violation : report.impossible) {
    std::ranges::sort(violation.operations, {},
                      [&](std::size_t place) { return std::pair(history[place].call, place); });
    violation.operations.erase(std::ranges::unique(violation.operations).begin(), violation.operations.end());
  }
  return report;
}

}  // namespace finality::history
