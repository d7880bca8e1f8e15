// Each object alone: its versions are one order of events that respects time, each version is one content, a final
// state stays, what is fixed stays, what only grows grows.
#include <algorithm>

#include "history/reading.h"

namespace finality::history {
namespace {

namespace json = boost::json;

// What depends on the moment of the question, or on how it was asked.
constexpr std::string_view kOutside[] = {"lock", "receipts"};
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
                                       "channel",
                                       "method",
                                       "kind",
                                       "merchant_payment_no",
                                       "merchant_refund_no",
                                       "receipt",
                                       "out_trade_no",
                                       "debit_account",
                                       "credit_account",
                                       "account",
                                       "source",
                                       "reference",
                                       "overdraft",
                                       "name"};
// Not refunded_amount: what the channel returns of a refund lowers it (order_check.cpp).
constexpr std::string_view kGrowing[] = {"paid_amount", "reversed_amount", "posted_amount"};

bool is_outside(std::string_view name) { return std::ranges::find(kOutside, name) != std::ranges::end(kOutside); }

// The first field that both tell and in which they differ; empty when there is none. Of what is a part of an order the
// version counts its own steps, while sums over its parts go on.
std::string_view difference(const json::object& one, const json::object& other, bool is_part) {
  for (const auto& [name, value] : one) {
    const json::value* same = other.if_contains(name);
    const bool goes_on = is_part && std::ranges::find(kGrowing, std::string_view(name)) != std::ranges::end(kGrowing);
    if (!is_outside(name) && !goes_on && same != nullptr && *same != value) return name;
  }
  return {};
}

// Between two observations, the older version first.
void check_pair(std::string_view id, const Object& object, const Observation& older, const Observation& newer,
                Findings& findings) {
  const std::vector<std::size_t> both{older.asked->place, newer.asked->place};
  if (older.version == newer.version) {
    const std::string_view name =
        difference(*older.fields, *newer.fields, object.kind == "payment" || object.kind == "refund");
    if (!name.empty())
      findings.add(id, "one version, one content", both, "version {} was told with two values of {}", older.version,
                   name);
    return;
  }
  if (is_final(object.kind, older.state()) && older.state() != newer.state())
    findings.add(id, "final is final", both, "{} at version {}, {} at version {}", older.state(), older.version,
                 newer.state(), newer.version);
  for (const std::string_view name : kFixed) {
    // A reversal sends back less once the channel has refunded a part of its receipt by itself.
    if (name == "amount" && text(*older.fields, "kind") == "reversal") continue;
    const json::value* was = older.fields->if_contains(name);
    const json::value* is = newer.fields->if_contains(name);
    if (was != nullptr && (is == nullptr || *was != *is))
      findings.add(id, "fixed stays", both, "{} has changed between versions {} and {}", name, older.version,
                   newer.version);
  }
  for (const std::string_view name : kGrowing) {
    const auto was = number(*older.fields, name), is = number(*newer.fields, name);
    if (was && is && *was > *is) findings.add(id, "what grows grows", both, "{} fell from {} to {}", name, *was, *is);
  }
  if (object.kind == "order" && older.fields->contains("close_requested") &&
      older.fields->at("close_requested") == true && newer.fields->if_contains("close_requested") != nullptr &&
      newer.fields->at("close_requested") == false)
    findings.add(id, "what grows grows", both, "a close that was asked for is forgotten");
}

// Whoever asked after a newer version was told was told an older one. By version, the newest first.
void check_time(std::string_view id, const std::vector<Observation>& observations, Findings& findings) {
  const Observation* soonest = nullptr;  // told, of all newer versions
  for (std::size_t end = observations.size(); end > 0;) {
    std::size_t begin = end;
    while (begin > 0 && observations[begin - 1].version == observations[end - 1].version) --begin;
    const Observation* soonest_here = soonest;
    for (std::size_t i = begin; i < end; ++i) {
      const Observation& seen = observations[i];
      if (soonest != nullptr && soonest->window().until < seen.window().from)
        findings.add(id, "versions never go back", {soonest->asked->place, seen.asked->place},
                     "version {} was told before version {} was asked for", soonest->version, seen.version);
      if (soonest_here == nullptr || seen.window().until < soonest_here->window().until) soonest_here = &seen;
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
