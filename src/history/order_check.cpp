// Checks each order with its payments, authorizations and refunds: the order ends once, one payment succeeds or one
// authorization is captured, none starts after the end of the order, and refunds do not exceed the collected amount.
#include <boost/json/array.hpp>

#include <algorithm>
#include <set>

#include "history/reading.h"

namespace finality::history {
namespace {

namespace json = boost::json;

constexpr std::string_view kOpen = "open";  // state for answers that show only that the order has not ended

/// The objects by which orders are paid: the field of the order with a list of them, their kind, and the state of the
/// one that paid the order.
struct Winner {
  std::string_view list, kind, state;
};
constexpr Winner kWinners[] = {{"payments", "payment", "succeeded"}, {"authorizations", "authorization", "captured"}};

bool has_won(std::string_view kind, std::string_view state) {
  return std::ranges::any_of(kWinners,
                             [&](const Winner& winner) { return winner.kind == kind && winner.state == state; });
}

/// A response and the order state that it shows.
struct Fact {
  const Request* request = nullptr;
  std::string_view state;

  Window window() const { return request->window; }
  bool is_final() const { return history::is_final("order", state); }
};

struct Refund {
  std::string_view id;
  std::string_view collector;
  std::string_view number;
  const Object* object = nullptr;
  std::int64_t amount = 0;
  bool is_external = false;  // made by the channel: not limited by the API, and may exist before any response shows it

  bool was_ever(std::string_view state) const {
    return std::ranges::any_of(object->observations,
                               [&](const Observation& observation) { return observation.state() == state; });
  }
  bool had_failed_before(std::int64_t at) const {
    return std::ranges::any_of(object->observations, [&](const Observation& observation) {
      return observation.state() == "failed" && observation.window().until < at;
    });
  }
  bool had_succeeded_before(std::int64_t at) const {
    return std::ranges::any_of(object->observations, [&](const Observation& observation) {
      return observation.state() == "succeeded" && observation.window().until < at;
    });
  }
  std::int64_t made_after() const {
    std::int64_t at = kNever;
    for (const Observation& observation : object->observations) at = std::min(at, observation.window().from);
    return at;
  }
  const Observation& first_observation() const {
    return *std::ranges::min_element(object->observations, {},
                                     [](const Observation& observation) { return observation.window().until; });
  }
  // Returns whether a response to a request sent at `at` or later shows the refund. Without such a response, the
  // channel may have returned a part of the refund unobserved.
  bool was_observed_from(std::int64_t at) const {
    return std::ranges::any_of(object->observations,
                               [&](const Observation& observation) { return observation.window().from >= at; });
  }
  // Returns the amount of this refund that the channel had returned by the end of the history.
  std::int64_t returned() const {
    std::int64_t most = 0;
    for (const Observation& observation : object->observations)
      most = std::max(most, history::number(*observation.fields, "returned_amount").value_or(0));
    return most;
  }
  // Returns the time until which the refund is certainly part of the refunded amount, because it had not failed.
  std::int64_t counts_until() const {
    if (was_ever("succeeded")) return kNever;
    std::int64_t at = 0;
    for (const Observation& observation : object->observations)
      if (observation.state() != "failed") at = std::max(at, observation.window().from);
    return at;
  }
};

struct OrderStory {
  std::vector<Fact> facts;
  std::vector<const Observation*> orders;
  std::map<std::string_view, const Observation*> winners;  // a response with each object that paid the order, by its id
  std::set<std::string_view> refundable;                   // ids of the objects whose money refunds can return
  std::vector<Refund> refunds;
  std::vector<const Request*> begun;  // requests that created a payment, authorization or capture
};

using Stories = std::map<std::string_view, OrderStory>;

std::string_view state_refused_in(const Request& request) {
  if (request.code == "order_succeeded") return "succeeded";
  if (request.code == "payment_in_progress") return kOpen;
  return request.code == "order_not_payable" ? text(request.answer(), "state") : std::string_view();
}

void add_object(Stories& stories, std::string_view id, const Object& object) {
  const std::string_view kind = object.kind;
  const std::string_view order = kind == "order" ? id : text(*object.observations.front().fields, "order");
  if (order.empty()) return;
  const bool is_refund = kind == "refund" && text(*object.observations.front().fields, "kind") == "refund";
  OrderStory& story = stories[order];
  for (const Observation& observation : object.observations) {
    if (kind == "order") story.orders.push_back(&observation);
    if (kind == "order") story.facts.push_back({observation.request, observation.state()});
    const bool wins = has_won(kind, observation.state());
    if (wins) story.winners.try_emplace(id, &observation);
    if (kind == "authorization" || (is_collector(kind) && observation.state() == "succeeded"))
      story.refundable.insert(id);
    // Captures can be refunded before the order is final.
    const bool is_requested =
        is_refund && !text(*observation.fields, "payment").empty() && text(*observation.fields, "origin") != "channel";
    if (wins || is_requested) story.facts.push_back({observation.request, "succeeded"});
  }
  if (is_refund)
    story.refunds.push_back({id, collector_of(*object.observations.front().fields),
                             text(*object.observations.front().fields, "merchant_refund_no"), &object,
                             number(*object.observations.front().fields, "amount").value_or(0),
                             text(*object.observations.front().fields, "origin") == "channel"});
}

// Returns whether the request created a payment, an authorization or a capture.
bool is_beginning(const Request& request) {
  const bool creates = request.posts({"orders", "*", "payments"}) || request.posts({"orders", "*", "authorizations"}) ||
                       request.posts({"authorizations", "*", "captures"});
  return creates && request.operation->status == 201 && !request.operation->replayed;
}

Stories stories_of(const Reading& reading) {
  Stories stories;
  for (const auto& [id, object] : reading.objects)
    if (object.kind == "order" || object.kind == "authorization" || is_collector(object.kind) ||
        object.kind == "refund")
      add_object(stories, id, object);
  for (const Request& request : reading.requests) {
    if (is_beginning(request))
      stories[request.path[0] == "orders" ? request.path[1] : text(request.answer(), "order")].begun.push_back(
          &request);
    if (request.path.size() != 3 || request.path[0] != "orders") continue;
    const std::string_view state = state_refused_in(request);
    if (!state.empty()) stories[request.path[1]].facts.push_back({&request, state});
  }
  return stories;
}

// Checks that an order ends once, and that no payment starts after the end.

const Fact* first_end(const OrderStory& story) {
  const Fact* first = nullptr;
  for (const Fact& fact : story.facts)
    if (fact.is_final() && (first == nullptr || fact.window().until < first->window().until)) first = &fact;
  return first;
}

void check_end(std::string_view id, const OrderStory& story, const Fact& end, Findings& findings) {
  for (const Fact& fact : story.facts) {
    const std::vector<std::size_t> both{end.request->place, fact.request->place};
    if (fact.is_final() && fact.state != end.state)
      findings.add(id, "final states never change", both, "one answer shows {}, another shows {}", end.state,
                   fact.state);
    if (!fact.is_final() && end.window().until < fact.window().from)
      findings.add(id, "final states never change", both, "{} was returned before the request that returned {}",
                   end.state, fact.state);
  }
  for (const Request* begun : story.begun)
    if (end.window().until < begun->window.from)
      findings.add(id, "no new payment on a closing or final order", {end.request->place, begun->place},
                   "{} was created after the order was returned as {}", text(begun->answer(), "id"), end.state);
}

void check_closing(std::string_view id, const OrderStory& story, Findings& findings) {
  for (const Observation* observation : story.orders) {
    const json::value* closing = observation->fields->if_contains("close_requested");
    if (closing == nullptr || *closing != true) continue;
    for (const Request* begun : story.begun)
      if (observation->window().until < begun->window.from)
        findings.add(id, "no new payment on a closing or final order", {observation->request->place, begun->place},
                     "{} was created after the order was returned with close_requested", text(begun->answer(), "id"));
  }
}

// Returns the number of listed objects that paid the order.
std::ptrdiff_t winners_in(const json::object& order) {
  std::ptrdiff_t won = 0;
  for (const auto& [list, kind, state] : kWinners)
    for (const json::object* part : parts_of(order, list)) won += text(*part, "state") == state ? 1 : 0;
  return won;
}

// Whether the order is paid in full, or operators may have accepted another amount: then paid_amount is a part of what
// the payment that paid the order has received.
bool is_paid_as_stated(const json::object& order) {
  const auto paid = number(order, "paid_amount");
  if (paid == number(order, "amount")) return true;
  for (const json::object* payment : parts_of(order, "payments"))
    if (text(*payment, "state") == "succeeded") return paid > 0 && number(*payment, "paid_amount") >= paid;
  return false;
}

void check_winners(std::string_view id, const OrderStory& story, Findings& findings) {
  if (story.winners.size() > 1)
    findings.add(
        id, "one succeeded payment per succeeded order",
        {story.winners.begin()->second->request->place, std::next(story.winners.begin())->second->request->place},
        "{} and {} both paid the order", story.winners.begin()->first, std::next(story.winners.begin())->first);
  for (const Observation* observation : story.orders) {
    if (!observation->fields->contains("payments")) continue;
    const auto won = winners_in(*observation->fields);
    if (won != (observation->state() == "succeeded" ? 1 : 0))
      findings.add(id, "one succeeded payment per succeeded order", {observation->request->place},
                   "the order is {}, but {} of its payments or authorizations paid it", observation->state(), won);
    if (observation->state() == "succeeded" && !observation->fields->contains("authorizations") &&
        !is_paid_as_stated(*observation->fields))
      findings.add(id, "a succeeded order is paid in full, or as its payment states", {observation->request->place},
                   "the order succeeded, but paid_amount differs from amount");
  }
}

// Checks that refunds do not exceed the paid amount, and that refunded_amount and refusals match the refunds.

// Returns the observed captured amount of the authorization that is selected by `is_after`: the least that was observed
// in a request sent at `at` or later, or else the most that was observed before `at`. The amount only grows.
std::optional<std::int64_t> captured_amount(const Object& authorization, std::int64_t at, bool is_after) {
  std::optional<std::int64_t> amount;
  for (const Observation& observation : authorization.observations) {
    const auto captured = number(*observation.fields, "captured_amount");
    const bool counts = is_after ? observation.window().from >= at : observation.window().until <= at;
    if (!captured || !counts) continue;
    amount = is_after ? std::min(amount.value_or(*captured), *captured) : std::max(amount.value_or(0), *captured);
  }
  return amount;
}

// Returns the paid amount of the object in its state `succeeded`; empty if no response shows it in this state.
std::optional<std::int64_t> succeeded_with(const Object& object) {
  for (const Observation& observation : object.observations)
    if (observation.state() == "succeeded") return number(*observation.fields, "paid_amount");
  return std::nullopt;
}

// Returns the most (`is_most`) or the least that the payment collected for its order; empty if it is not known.
// Operators may have accepted another amount than the order's. The paid amount of the payment includes receipts that
// were not accepted.
std::optional<std::int64_t> paid_amount(const Reading& reading, const Object& payment, bool is_most) {
  const auto order = reading.objects.find(text(*payment.observations.front().fields, "order"));
  const auto of_order = order == reading.objects.end() ? std::nullopt : succeeded_with(order->second);
  return of_order || !is_most ? of_order : succeeded_with(payment);
}

// Returns the most (`is_most`) or the least that the object had collected at `at`; empty if it is not known. An
// authorization collects more with each capture.
std::optional<std::int64_t> collected_amount(const Reading& reading, std::string_view collector, std::int64_t at,
                                             bool is_most) {
  const auto found = reading.objects.find(collector);
  if (found == reading.objects.end()) return std::nullopt;
  if (found->second.kind == "authorization") return captured_amount(found->second, at, is_most);
  if (!is_collector(found->second.kind)) return std::nullopt;
  if (found->second.kind == "payment") return paid_amount(reading, found->second, is_most);
  return number(*found->second.observations.front().fields, "amount");
}

void check_refunds(const Reading& reading, const OrderStory& story, Findings& findings) {
  for (const Refund& latest : story.refunds) {
    if (latest.is_external) continue;
    const std::int64_t at = latest.first_observation().window().until;  // the refund existed at this time or earlier
    const auto paid = collected_amount(reading, latest.collector, at, true);
    // The refund may have failed before `at`, for example if its response is a replay. In this case, the sum is checked
    // at the start of the response's window.
    const std::int64_t since = latest.counts_until() >= at ? at : latest.first_observation().window().from;
    std::int64_t sum = 0;
    std::vector<std::size_t> shown;
    for (const Refund& refund : story.refunds) {
      if (refund.is_external) continue;
      const bool counts = refund.id == latest.id ? latest.counts_until() > 0
                                                 : refund.collector == latest.collector &&
                                                       refund.first_observation().window().until <= since &&
                                                       at <= refund.counts_until() && refund.was_observed_from(at);
      if (!counts) continue;
      sum += refund.amount - refund.returned();
      shown.push_back(refund.first_observation().request->place);
    }
    if (paid && sum > *paid)
      findings.add(latest.collector, "refunds never exceed the paid amount", shown,
                   "{} was paid, but refunds add up to {}", *paid, sum);
  }
}

struct Bounds {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

// Returns the maximum amount that unanswered refund requests sent before `until` may have refunded. Excludes requests
// with the merchant_refund_no `but`.
std::int64_t uncertain_refunds(const Reading& reading, std::string_view collector, std::int64_t until,
                               std::int64_t paid, std::string_view but = {}) {
  std::int64_t sum = 0;
  std::set<std::string_view> counted{but};
  for (const Request& request : reading.requests) {
    if (!request.posts({"refunds"}) || request.outcome != OperationOutcome::unknown || request.operation->call >= until)
      continue;
    if (collector_of(request.body()) == collector && counted.insert(text(request.body(), "merchant_refund_no")).second)
      sum += number(request.body(), "amount").value_or(paid);
  }
  return sum;
}

// Returns whether a response to a request sent at `at` or later lists all refunds of the order, including external
// refunds.
bool lists_refunds(const Reading& reading, std::string_view order, std::int64_t at) {
  return std::ranges::any_of(reading.requests, [&](const Request& request) {
    const auto named = request.query.find("order");
    const json::value* more = request.answer().if_contains("has_more");
    return !request.is_post && request.matches({"refunds"}) && request.outcome == OperationOutcome::done &&
           named != request.query.end() && named->second == order && more != nullptr && *more == false &&
           request.window.from >= at;
  });
}

void check_refused_refund(const Reading& reading, const Request& request, const Stories& stories, Findings& findings) {
  const std::string_view collector = collector_of(request.body());
  const auto paid = collected_amount(reading, collector, request.window.from, false);
  if (!paid) return;
  // Excludes the requested refund: if it existed, the response would have been the refund instead of a refusal.
  const std::string_view itself = text(request.body(), "merchant_refund_no");
  std::int64_t most = uncertain_refunds(reading, collector, request.window.until, *paid, itself);
  for (const auto& [id, story] : stories) {
    if (story.refundable.contains(collector) && !lists_refunds(reading, id, request.window.until)) return;
    for (const Refund& refund : story.refunds)
      if (refund.collector == collector && (refund.is_external || refund.number != itself) &&
          (refund.is_external || refund.made_after() < request.window.until) &&
          !refund.had_failed_before(request.window.from))
        most += refund.amount;
  }
  if (number(request.body(), "amount").value_or(1) + most <= *paid)
    findings.add(collector, "a refusal has a reason", {request.place},
                 "refund_exceeds_paid: {} was paid, but other refunds add up to at most {}", *paid, most);
}

void check_refunded_amount(const Reading& reading, std::string_view id, const OrderStory& story, Findings& findings) {
  for (const Observation* observation : story.orders) {
    const auto reported = number(*observation->fields, "refunded_amount"),
               paid = number(*observation->fields, "paid_amount");
    if (!reported || !paid) continue;
    Bounds bounds;
    for (const Refund& refund : story.refunds) {
      if (!refund.is_external && refund.had_succeeded_before(observation->window().from))
        bounds.least += refund.amount - refund.returned();
      if (refund.is_external || refund.made_after() < observation->window().until) bounds.most += refund.amount;
    }
    if (*reported > bounds.most)
      for (const std::string_view collector : story.refundable)
        bounds.most += uncertain_refunds(reading, collector, observation->window().until, *paid);
    // External refunds are known only if a response lists all refunds. lists_refunds() is called last, because it
    // visits every response.
    const bool is_too_much = *reported > bounds.most && lists_refunds(reading, id, observation->window().until);
    if (*reported < bounds.least || is_too_much)
      findings.add(id, "refunded_amount matches the refunds", {observation->request->place},
                   "refunded_amount is {}, but the refunds explain only {} to {}", *reported, bounds.least,
                   bounds.most);
  }
}

}  // namespace

void check_orders(const Reading& reading, Findings& findings) {
  const Stories stories = stories_of(reading);
  for (const auto& [id, story] : stories) {
    if (const Fact* end = first_end(story)) check_end(id, story, *end, findings);
    check_closing(id, story, findings);
    check_winners(id, story, findings);
    check_refunds(reading, story, findings);
    check_refunded_amount(reading, id, story, findings);
  }
  for (const Request& request : reading.requests)
    if (request.code == "refund_exceeds_paid") check_refused_refund(reading, request, stories, findings);
}

}  // namespace finality::history
