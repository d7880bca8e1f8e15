// Checks authorizations and captures: an order is authorized while one authorization holds its amount, captures collect
// at most that amount and add up to the paid amount, and nothing is captured after the end of the hold.
#include <algorithm>

#include "history/reading.h"

namespace finality::history {
namespace {

namespace json = boost::json;

// Returns whether the authorization holds its amount for its order. A late hold is only released.
bool is_holder(const json::object& authorization) {
  const std::string_view state = text(authorization, "state");
  return state == "authorized" || (state == "releasing" && text(authorization, "end_reason") != "late");
}

void check_order(std::string_view id, const Observation& observation, Findings& findings) {
  const json::object& order = *observation.fields;
  if (!order.contains("authorizations")) return;
  std::int64_t holders = 0, captured = 0;
  for (const json::object* authorization : parts_of(order, "authorizations")) {
    holders += is_holder(*authorization) ? 1 : 0;
    captured += number(*authorization, "captured_amount").value_or(0);
  }
  if (holders != (observation.state() == "authorized" ? 1 : 0))
    findings.add(id, "an authorized order has one hold", {observation.request->place},
                 "the order is {}, but {} authorizations hold its amount", observation.state(), holders);
  if (number(order, "paid_amount").value_or(captured) != captured)
    findings.add(id, "captures add up to the paid amount", {observation.request->place},
                 "paid_amount is {}, but {} was captured", number(order, "paid_amount").value_or(0), captured);
}

// A response shows an authorization with all its captures.
void check_amounts(std::string_view id, const Observation& observation, Findings& findings) {
  const json::object& fields = *observation.fields;
  const auto authorized = number(fields, "authorized_amount"), captured = number(fields, "captured_amount");
  if (!fields.contains("captures") || !authorized || !captured) return;
  std::int64_t succeeded = 0, requested = 0;
  for (const json::object* capture : parts_of(fields, "captures")) {
    const std::int64_t amount = number(*capture, "amount").value_or(0);
    if (text(*capture, "state") == "succeeded") succeeded += amount;
    if (text(*capture, "state") != "failed" && text(*capture, "origin") != "channel") requested += amount;
  }
  if (succeeded != *captured)
    findings.add(id, "captures add up to the captured amount", {observation.request->place},
                 "captured_amount is {}, but captures over {} succeeded", *captured, succeeded);
  if (requested > *authorized)
    findings.add(id, "captures never exceed the authorized amount", {observation.request->place},
                 "{} was authorized, but captures over {} were accepted", *authorized, requested);
}

// Returns whether nothing can be captured any more: the hold has ended, or its end is requested.
bool is_ending(const Observation& observation) {
  return observation.state() == "releasing" || is_final("authorization", observation.state()) ||
         observation.fields->contains("end_reason");
}

void check_end(const Reading& reading, std::string_view id, const Object& authorization, Findings& findings) {
  const Observation* end = nullptr;
  for (const Observation& observation : authorization.observations)
    if (is_ending(observation) && (end == nullptr || observation.window().until < end->window().until))
      end = &observation;
  if (end == nullptr) return;
  for (const Request& request : reading.requests) {
    const bool is_new = request.posts({"authorizations", "*", "captures"}) && request.path[1] == id &&
                        request.operation->status == 201 && !request.operation->replayed;
    if (is_new && end->window().until < request.window.from)
      findings.add(id, "no new capture after the end of the hold", {end->request->place, request.place},
                   "{} was created after the authorization was returned as {}", text(request.answer(), "id"),
                   end->state());
  }
}

// Returns the first call of a request for the capture; kNever if the history has none: Finality or the channel made it.
std::int64_t requested_at(const Reading& reading, std::string_view authorization, const json::object& capture) {
  std::int64_t at = kNever;
  const std::string_view name = text(capture, "merchant_capture_no");
  for (const Request& request : reading.requests)
    if (request.posts({"authorizations", "*", "captures"}) && request.path[1] == authorization && !name.empty() &&
        text(request.body(), "merchant_capture_no") == name)
      at = std::min(at, request.operation->call);
  return at;
}

// Returns whether the capture may have been open at some moment of the request.
bool may_be_open(const Reading& reading, const Request& request, const json::object& capture) {
  const std::int64_t made = requested_at(reading, request.path[1], capture);
  if (made != kNever && made >= request.window.until) return false;
  const auto known = reading.objects.find(text(capture, "id"));
  return known == reading.objects.end() ||
         std::ranges::none_of(known->second.observations, [&](const Observation& observation) {
           return is_final("capture", observation.state()) && observation.window().until < request.window.from;
         });
}

// Checks a refusal with capture_in_progress: another capture was open. Without a later response that lists all
// captures, Finality may have captured at a deadline, unobserved.
void check_progress(const Reading& reading, const Request& request, Findings& findings) {
  if (request.path.size() != 3 || request.path[0] != "authorizations") return;
  const auto at = reading.objects.find(request.path[1]);
  if (at == reading.objects.end()) return;
  for (const Observation& later : at->second.observations) {
    if (!later.fields->contains("captures") || later.window().from < request.window.until) continue;
    const auto captures = parts_of(*later.fields, "captures");
    if (std::ranges::any_of(captures, [&](const json::object* one) { return may_be_open(reading, request, *one); }))
      return;
    findings.add(request.path[1], "a refusal has a reason", {request.place, later.request->place},
                 "capture_in_progress: no other capture was open");
  }
}

}  // namespace

void check_authorizations(const Reading& reading, Findings& findings) {
  for (const auto& [id, object] : reading.objects) {
    for (const Observation& observation : object.observations) {
      if (object.kind == "order") check_order(id, observation, findings);
      if (object.kind == "authorization") check_amounts(id, observation, findings);
    }
    if (object.kind == "authorization") check_end(reading, id, object, findings);
  }
  for (const Request& request : reading.requests)
    if (request.code == "capture_in_progress") check_progress(reading, request, findings);
}

}  // namespace finality::history
