// Checks each object separately: versions increase in time, all responses with one version have the same content, final
// states and fixed fields do not change, and cumulative amounts do not decrease.
#include <algorithm>

#include "history/reading.h"

namespace finality::history {
namespace {

namespace json = boost::json;

// Fields that two responses with the same version may contain with different values: they depend on the time of the
// request or on its parameters, or are objects with versions of their own.
constexpr std::string_view kOutside[] = {"lock", "receipts", "captures"};
constexpr std::string_view kFixed[] = {"merchant_order_no",
                                       "amount",
                                       "currency",
                                       "subject",
                                       "expires_at",
                                       "created_at",
                                       "capture_method",
                                       "metadata",
                                       "order",
                                       "payment",
                                       "authorization",
                                       "capture",
                                       "final",
                                       "channel",
                                       "method",
                                       "kind",
                                       "merchant_payment_no",
                                       "merchant_refund_no",
                                       "merchant_capture_no",
                                       "receipt",
                                       "out_trade_no",
                                       "debit_account",
                                       "credit_account",
                                       "account",
                                       "source",
                                       "reference",
                                       "overdraft",
                                       "name"};
// Amounts that never decrease. refunded_amount is not among them, because it decreases when the channel returns a part
// of a refund; order_check.cpp checks it.
constexpr std::string_view kGrowing[] = {"paid_amount", "reversed_amount", "posted_amount", "captured_amount",
                                         "released_amount"};
// Totals of other objects, which change without a new version of the object that shows them.
constexpr std::string_view kTotals[] = {"paid_amount",     "reversed_amount", "captured_amount",
                                        "released_amount", "refunded_amount", "posted_amount"};
// Kinds of the objects that belong to an order.
constexpr std::string_view kPartsOfOrders[] = {"payment", "authorization", "capture", "refund"};

template <std::size_t N>
bool contains(const std::string_view (&names)[N], std::string_view name) {
  return std::ranges::find(names, name) != std::ranges::end(names);
}

// Returns the first field that both objects contain with different values; empty if they agree. Ignores the totals of
// an object that belongs to an order (`is_part`).
std::string_view difference(const json::object& one, const json::object& other, bool is_part) {
  for (const auto& [name, value] : one) {
    const json::value* same = other.if_contains(name);
    const bool may_change = contains(kOutside, name) || (is_part && contains(kTotals, name));
    if (!may_change && same != nullptr && *same != value) return name;
  }
  return {};
}

// Whether the amount can be lower in a newer version. A channel can contradict the end of a hold: its totals then
// replace the amount that was released according to the end.
bool may_fall(const Object& object, const Observation& older, std::string_view name) {
  return name == "released_amount" && is_final(object.kind, older.state());
}

// Compares two observations of an object. `newer` has an equal or higher version.
void check_pair(std::string_view id, const Object& object, const Observation& older, const Observation& newer,
                Findings& findings) {
  const std::vector<std::size_t> both{older.request->place, newer.request->place};
  if (older.version == newer.version) {
    const std::string_view name = difference(*older.fields, *newer.fields, contains(kPartsOfOrders, object.kind));
    if (!name.empty())
      findings.add(id, "one content per version", both, "version {} was returned with two values of {}", older.version,
                   name);
    return;
  }
  if (is_final(object.kind, older.state()) && older.state() != newer.state())
    findings.add(id, "final states never change", both, "{} at version {}, {} at version {}", older.state(),
                 older.version, newer.state(), newer.version);
  for (const std::string_view name : kFixed) {
    // A reversal is excepted: its amount decreases when the channel makes an external refund of a part of the receipt.
    if (name == "amount" && text(*older.fields, "kind") == "reversal") continue;
    const json::value* was = older.fields->if_contains(name);
    const json::value* is = newer.fields->if_contains(name);
    if (was != nullptr && (is == nullptr || *was != *is))
      findings.add(id, "fixed fields never change", both, "{} changed between versions {} and {}", name, older.version,
                   newer.version);
  }
  for (const std::string_view name : kGrowing) {
    const auto was = number(*older.fields, name), is = number(*newer.fields, name);
    if (was && is && *was > *is && !may_fall(object, older, name))
      findings.add(id, "cumulative fields never decrease", both, "{} fell from {} to {}", name, *was, *is);
  }
  if (object.kind == "order" && older.fields->contains("close_requested") &&
      older.fields->at("close_requested") == true && newer.fields->if_contains("close_requested") != nullptr &&
      newer.fields->at("close_requested") == false)
    findings.add(id, "cumulative fields never decrease", both, "close_requested changed from true to false");
}

// Reports requests that returned an older version although they were sent after a response with a newer version. Visits
// the versions from newest to oldest.
void check_time(std::string_view id, const std::vector<Observation>& observations, Findings& findings) {
  const Observation* soonest = nullptr;  // earliest response that shows a newer version
  for (std::size_t end = observations.size(); end > 0;) {
    std::size_t begin = end;
    while (begin > 0 && observations[begin - 1].version == observations[end - 1].version) --begin;
    const Observation* soonest_here = soonest;
    for (std::size_t i = begin; i < end; ++i) {
      const Observation& observation = observations[i];
      if (soonest != nullptr && soonest->window().until < observation.window().from)
        findings.add(id, "versions never decrease", {soonest->request->place, observation.request->place},
                     "version {} was returned before version {} was requested", soonest->version, observation.version);
      if (soonest_here == nullptr || observation.window().until < soonest_here->window().until)
        soonest_here = &observation;
    }
    soonest = soonest_here;
    end = begin;
  }
}

}  // namespace

void check_objects(const Reading& reading, Findings& findings) {
  for (const auto& [id, object] : reading.objects) {
    const auto& observations = object.observations;
    for (std::size_t i = 1; i < observations.size(); ++i)
      check_pair(id, object, observations[i - 1], observations[i], findings);
    check_time(id, observations, findings);
  }
}

}  // namespace finality::history
