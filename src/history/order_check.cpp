// Checks each order with its payments and refunds: it ends once, one payment succeeds, no payment starts after the end,
// and refunds do not exceed the paid amount.
#include <boost/json/array.hpp>

#include <algorithm>
#include <set>

#include "history/reading.h"

namespace finality::history {
namespace {

namespace json = boost::json;

constexpr std::string_view kOpen = "open";  // for answers that only show that the order has not ended

/// An answer that shows the state of an order.
struct Fact {
  const Asked* asked = nullptr;
  std::string_view state;

  Window window() const { return asked->window; }
  bool is_final() const { return history::is_final("order", state); }
};

struct Refund {
  std::string_view id;
  std::string_view payment;
  std::string_view number;
  const Object* object = nullptr;
  std::int64_t amount = 0;
  bool is_external = false;  // made by the channel: has no limit, and may have existed before any answer showed it

  bool was_ever(std::string_view state) const {
    return std::ranges::any_of(object->observations, [&](const Observation& one) { return one.state() == state; });
  }
  bool had_failed_before(std::int64_t at) const {
    return std::ranges::any_of(object->observations, [&](const Observation& one) {
      return one.state() == "failed" && one.window().until < at;
    });
  }
  bool had_succeeded_before(std::int64_t at) const {
    return std::ranges::any_of(object->observations, [&](const Observation& one) {
      return one.state() == "succeeded" && one.window().until < at;
    });
  }
  std::int64_t made_after() const {
    std::int64_t at = kNever;
    for (const Observation& one : object->observations) at = std::min(at, one.window().from);
    return at;
  }
  const Observation& told_first() const {
    return *std::ranges::min_element(object->observations, {},
                                     [](const Observation& one) { return one.window().until; });
  }
  // Whether the refund was observed at that time or later. Before, a part may have been returned unobserved.
  bool was_seen_from(std::int64_t at) const {
    return std::ranges::any_of(object->observations, [&](const Observation& one) { return one.window().from >= at; });
  }
  // The amount that the channel had returned by the end of the history.
  std::int64_t returned() const {
    std::int64_t most = 0;
    for (const Observation& one : object->observations)
      most = std::max(most, history::number(*one.fields, "returned_amount").value_or(0));
    return most;
  }
  // The time until which the refund certainly counts towards the refunded amount.
  std::int64_t counts_until() const {
    if (was_ever("succeeded")) return kNever;
    std::int64_t at = 0;
    for (const Observation& one : object->observations)
      if (one.state() != "failed") at = std::max(at, one.window().from);
    return at;
  }
};

struct OrderStory {
  std::vector<Fact> facts;
  std::vector<const Observation*> orders;
  std::map<std::string_view, const Observation*> winners;  // payments observed as succeeded
  std::vector<Refund> refunds;
  std::vector<const Asked*> begun;  // requests that created a payment
};

using Stories = std::map<std::string_view, OrderStory>;

std::string_view state_refused_in(const Asked& asked) {
  if (asked.code == "order_succeeded") return "succeeded";
  if (asked.code == "payment_in_progress") return kOpen;
  return asked.code == "order_not_payable" ? text(asked.answer(), "state") : std::string_view();
}

void add_object(Stories& stories, std::string_view id, const Object& object) {
  const std::string_view kind = object.kind;
  const std::string_view order = kind == "order" ? id : text(*object.observations.front().fields, "order");
  if (order.empty()) return;
  const bool is_refund = kind == "refund" && text(*object.observations.front().fields, "kind") == "refund";
  OrderStory& story = stories[order];
  for (const Observation& seen : object.observations) {
    if (kind == "order") story.orders.push_back(&seen);
    if (kind == "order") story.facts.push_back({seen.asked, seen.state()});
    const bool wins = kind == "payment" && seen.state() == "succeeded";
    if (wins) story.winners.try_emplace(id, &seen);
    const bool is_asked_for = is_refund && text(*seen.fields, "origin") != "channel";
    if (wins || is_asked_for) story.facts.push_back({seen.asked, "succeeded"});
  }
  if (is_refund)
    story.refunds.push_back({id, text(*object.observations.front().fields, "payment"),
                             text(*object.observations.front().fields, "merchant_refund_no"), &object,
                             number(*object.observations.front().fields, "amount").value_or(0),
                             text(*object.observations.front().fields, "origin") == "channel"});
}

Stories stories_of(const Reading& reading) {
  Stories stories;
  for (const auto& [id, object] : reading.objects)
    if (object.kind == "order" || object.kind == "payment" || object.kind == "refund") add_object(stories, id, object);
  for (const Asked& asked : reading.asked) {
    if (asked.path.size() != 3 || asked.path[0] != "orders") continue;
    const std::string_view state = state_refused_in(asked);
    if (!state.empty()) stories[asked.path[1]].facts.push_back({&asked, state});
    if (asked.posts({"orders", "*", "payments"}) && asked.operation->status == 201 && !asked.operation->replayed)
      stories[asked.path[1]].begun.push_back(&asked);
  }
  return stories;
}

// The end.

const Fact* first_end(const OrderStory& story) {
  const Fact* first = nullptr;
  for (const Fact& fact : story.facts)
    if (fact.is_final() && (first == nullptr || fact.window().until < first->window().until)) first = &fact;
  return first;
}

void check_end(std::string_view id, const OrderStory& story, const Fact& end, Findings& findings) {
  for (const Fact& fact : story.facts) {
    const std::vector<std::size_t> both{end.asked->place, fact.asked->place};
    if (fact.is_final() && fact.state != end.state)
      findings.add(id, "final states never change", both, "one answer shows {}, another shows {}", end.state,
                   fact.state);
    if (!fact.is_final() && end.window().until < fact.window().from)
      findings.add(id, "final states never change", both, "{} was returned before the request that returned {}",
                   end.state, fact.state);
  }
  for (const Asked* begun : story.begun)
    if (end.window().until < begun->window.from)
      findings.add(id, "no new payment on a closing or final order", {end.asked->place, begun->place},
                   "a payment was created after the order was returned as {}", end.state);
}

void check_closing(std::string_view id, const OrderStory& story, Findings& findings) {
  for (const Observation* seen : story.orders) {
    const json::value* closing = seen->fields->if_contains("close_requested");
    if (closing == nullptr || *closing != true) continue;
    for (const Asked* begun : story.begun)
      if (seen->window().until < begun->window.from)
        findings.add(id, "no new payment on a closing or final order", {seen->asked->place, begun->place},
                     "a payment was created after the order was returned with close_requested");
  }
}

void check_winners(std::string_view id, const OrderStory& story, Findings& findings) {
  if (story.winners.size() > 1)
    findings.add(id, "one succeeded payment per succeeded order",
                 {story.winners.begin()->second->asked->place, std::next(story.winners.begin())->second->asked->place},
                 "{} and {} both succeeded", story.winners.begin()->first, std::next(story.winners.begin())->first);
  for (const Observation* seen : story.orders) {
    const json::value* payments = seen->fields->if_contains("payments");
    if (payments == nullptr || !payments->is_array()) continue;
    const auto won = std::ranges::count_if(payments->get_array(), [](const json::value& one) {
      return one.is_object() && text(one.get_object(), "state") == "succeeded";
    });
    if (won != (seen->state() == "succeeded" ? 1 : 0))
      findings.add(id, "one succeeded payment per succeeded order", {seen->asked->place},
                   "the order is {}, but {} of its payments succeeded", seen->state(), won);
    if (seen->state() == "succeeded" && number(*seen->fields, "paid_amount") != number(*seen->fields, "amount"))
      findings.add(id, "a succeeded order is paid in full", {seen->asked->place},
                   "the order succeeded, but paid_amount differs from amount");
  }
}

// Refunds.

std::optional<std::int64_t> amount_of_payment(const Reading& reading, std::string_view payment) {
  const auto at = reading.objects.find(payment);
  return at == reading.objects.end() ? std::nullopt : number(*at->second.observations.front().fields, "amount");
}

void check_refunds(const Reading& reading, const OrderStory& story, Findings& findings) {
  for (const Refund& latest : story.refunds) {
    if (latest.is_external) continue;
    const auto paid = amount_of_payment(reading, latest.payment);
    const std::int64_t at = latest.told_first().window().until;  // the refund existed by then
    // If it may have failed since, for example because its answer is a replay, it only counted at some earlier moment.
    const std::int64_t since = latest.counts_until() >= at ? at : latest.told_first().window().from;
    std::int64_t sum = 0;
    std::vector<std::size_t> shown;
    for (const Refund& one : story.refunds) {
      if (one.is_external) continue;
      const bool counts = one.id == latest.id
                              ? latest.counts_until() > 0
                              : one.payment == latest.payment && one.told_first().window().until <= since &&
                                    at <= one.counts_until() && one.was_seen_from(at);
      if (!counts) continue;
      sum += one.amount - one.returned();
      shown.push_back(one.told_first().asked->place);
    }
    if (paid && sum > *paid)
      findings.add(latest.payment, "refunds never exceed the paid amount", shown,
                   "{} was paid, but refunds add up to {}", *paid, sum);
  }
}

struct Bounds {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

// The most that unanswered refund requests sent before `until` may have taken from the payment, excluding number `but`.
std::int64_t unknown_refunds(const Reading& reading, std::string_view payment, std::int64_t until, std::int64_t paid,
                             std::string_view but = {}) {
  std::int64_t sum = 0;
  std::set<std::string_view> counted{but};
  for (const Asked& asked : reading.asked) {
    if (!asked.posts({"refunds"}) || asked.outcome != OperationOutcome::unknown || asked.operation->call >= until)
      continue;
    if (text(asked.body(), "payment") == payment && counted.insert(text(asked.body(), "merchant_refund_no")).second)
      sum += number(asked.body(), "amount").value_or(paid);
  }
  return sum;
}

// Whether some answer lists all refunds of the order, including external ones, as of time `at` or later.
bool lists_refunds(const Reading& reading, std::string_view order, std::int64_t at) {
  return std::ranges::any_of(reading.asked, [&](const Asked& asked) {
    const auto named = asked.query.find("order");
    const json::value* more = asked.answer().if_contains("has_more");
    return !asked.is_post && asked.matches({"refunds"}) && asked.outcome == OperationOutcome::done &&
           named != asked.query.end() && named->second == order && more != nullptr && *more == false &&
           asked.window.from >= at;
  });
}

void check_refused_refund(const Reading& reading, const Asked& asked, const Stories& stories, Findings& findings) {
  const std::string_view payment = text(asked.body(), "payment");
  const auto paid = amount_of_payment(reading, payment);
  if (!paid) return;
  // The requested refund itself cannot have taken the money; otherwise it would have been the answer.
  const std::string_view itself = text(asked.body(), "merchant_refund_no");
  std::int64_t most = unknown_refunds(reading, payment, asked.window.until, *paid, itself);
  for (const auto& [id, story] : stories) {
    if (story.winners.contains(payment) && !lists_refunds(reading, id, asked.window.until)) return;
    for (const Refund& one : story.refunds)
      if (one.payment == payment && (one.is_external || one.number != itself) &&
          (one.is_external || one.made_after() < asked.window.until) && !one.had_failed_before(asked.window.from))
        most += one.amount;
  }
  if (number(asked.body(), "amount").value_or(1) + most <= *paid)
    findings.add(payment, "a refusal has a reason", {asked.place},
                 "refund_exceeds_paid: {} was paid, but other refunds add up to at most {}", *paid, most);
}

void check_refunded_amount(const Reading& reading, std::string_view id, const OrderStory& story, Findings& findings) {
  for (const Observation* seen : story.orders) {
    const auto told = number(*seen->fields, "refunded_amount"), paid = number(*seen->fields, "paid_amount");
    if (!told || !paid) continue;
    Bounds bounds;
    std::set<std::string_view> payments;
    for (const Refund& one : story.refunds) {
      if (!one.is_external && one.had_succeeded_before(seen->window().from))
        bounds.least += one.amount - one.returned();
      if (one.is_external || one.made_after() < seen->window().until) bounds.most += one.amount;
    }
    if (*told > bounds.most)
      for (const auto& [payment, winner] : story.winners)
        bounds.most += unknown_refunds(reading, payment, seen->window().until, *paid);
    // External refunds are known only if all refunds were listed. Searching for that list visits every answer, so it
    // happens last.
    const bool is_too_much = *told > bounds.most && lists_refunds(reading, id, seen->window().until);
    if (*told < bounds.least || is_too_much)
      findings.add(id, "refunded_amount matches the refunds", {seen->asked->place},
                   "refunded_amount is {}, but the refunds explain only {} to {}", *told, bounds.least, bounds.most);
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
  for (const Asked& asked : reading.asked)
    if (asked.code == "refund_exceeds_paid") check_refused_refund(reading, asked, stories, findings);
}

}  // namespace finality::history
