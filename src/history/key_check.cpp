// Checks that an Idempotency-Key has one answer, that a number names one object, and that acknowledged objects stay.
#include <boost/json/array.hpp>

#include <algorithm>
#include <tuple>

#include "history/reading.h"

namespace finality::history {
namespace {

namespace json = boost::json;

std::string answer_of(const Asked& asked) {
  const std::string_view id = text(asked.answer(), "id");
  return fmt::format(
      "{} {}", asked.operation->status,
      asked.outcome == OperationOutcome::done ? (id.empty() ? text(asked.answer(), "token") : id) : asked.code);
}

bool is_same_request(const Asked& one, const Asked& other) { return one.body() == other.body(); }

using Group = std::vector<const Asked*>;  // requests with one key

// Compares the stored answers of a key with the one that returned first.
void check_kept(std::string_view key, const Group& kept, Findings& findings) {
  const Asked* first = *std::ranges::min_element(kept, {}, [](const Asked* one) { return one->operation->returned; });
  for (const Asked* one : kept) {
    if (one == first) continue;
    const std::vector<std::size_t> both{first->place, one->place};
    if (!is_same_request(*first, *one))
      findings.add(key, "one request per key", both,
                   "two different requests with one key were both executed: {} and {}", answer_of(*first),
                   answer_of(*one));
    else if (answer_of(*first) != answer_of(*one))
      findings.add(key, "one response per key", both, "the first answer was {}, another was {}", answer_of(*first),
                   answer_of(*one));
    else if (!one->operation->replayed && first->operation->returned < one->operation->call)
      findings.add(key, "one response per key", both, "the request was executed again after it had been answered");
  }
}

void check_group(std::string_view key, const Group& group, Findings& findings) {
  Group kept;
  for (const Asked* one : group) {
    if (is_kept(*one)) kept.push_back(one);
    const bool replayed = one->operation->replayed;
    const bool reused = one->code == "idempotency_key_reused";
    const auto was_before = [&](const Asked* other) {
      return other != one && other->operation->call < one->operation->returned &&
             is_same_request(*one, *other) == replayed;
    };
    if ((replayed || reused) && std::ranges::none_of(group, was_before))
      findings.add(key, "one response per key", {one->place}, "{}",
                   replayed ? "the answer is marked as replayed, but no earlier request has the same body"
                            : "the key is reported as reused, but no earlier request has another body");
  }
  if (!kept.empty()) check_kept(key, kept, findings);
}

// Numbers.

void check_number(std::map<std::string, const Observation*>& known, const std::string& name, const Observation& seen,
                  Findings& findings) {
  const auto [at, is_new] = known.try_emplace(name, &seen);
  const std::string_view id = text(*seen.fields, "id"), other = text(*at->second->fields, "id");
  if (!is_new && id != other)
    findings.add(id, "one object per number", {at->second->asked->place, seen.asked->place}, "{} names both {} and {}",
                 name, other, id);
}

std::string number_of(const Object& object, const Observation& seen) {
  const json::object& fields = *seen.fields;
  const auto scoped = [&](std::string_view scope, std::string_view name) {
    const std::string_view value = text(fields, name);
    return value.empty() ? std::string() : fmt::format("{} {} {}{}", object.kind, name, scope, value);
  };
  if (object.kind == "order") return scoped("", "merchant_order_no");
  if (object.kind == "payment") return scoped(fmt::format("{} ", text(fields, "order")), "merchant_payment_no");
  if (object.kind == "refund") return scoped("", "merchant_refund_no");
  return scoped(fmt::format("{} ", text(fields, "source")), "reference");
}

bool is_creation(const Asked& asked) {
  return asked.posts({"orders"}) || asked.posts({"orders", "*", "payments"}) || asked.posts({"refunds"}) ||
         asked.posts({"transfers"}) || asked.posts({"holds"}) || asked.posts({"accounts"});
}

void check_creation(const Asked& asked, std::map<std::string_view, const Asked*>& makers, Findings& findings) {
  const std::string_view id = text(asked.answer(), "id");
  // If an account has already paid the order, the answer is that payment, whatever its number.
  const bool may_be_another = asked.path.size() == 3 && asked.operation->status == 200;
  for (const auto& [name, wanted] : asked.body()) {
    if (may_be_another) break;
    const json::value* told = asked.answer().if_contains(name);
    if (told != nullptr && !wanted.is_object() && *told != wanted)
      findings.add(id, "a response matches its request", {asked.place}, "{} differs from the request",
                   std::string_view(name));
  }
  if (asked.operation->status != 201 || asked.operation->replayed) return;
  const auto [at, is_new] = makers.try_emplace(id, &asked);
  if (!is_new)
    findings.add(id, "one creation per object", {at->second->place, asked.place}, "two responses report its creation");
}

// Acknowledged objects.

std::int64_t acknowledged(const Object& object) {
  std::int64_t at = kNever;
  for (const Observation& seen : object.observations) at = std::min(at, seen.asked->operation->returned);
  return at;
}

const Observation& first_told(const Object& object) {
  return *std::ranges::min_element(object.observations, {},
                                   [](const Observation& one) { return one.asked->operation->returned; });
}

void require_absent(const Reading& reading, const Asked& asked, std::string_view id, Findings& findings) {
  const auto at = reading.objects.find(id);
  if (at == reading.objects.end() || acknowledged(at->second) >= asked.operation->call) return;
  const Asked& told = *first_told(at->second).asked;
  if (told.operation->merchant == asked.operation->merchant)
    findings.add(id, "acknowledged objects exist", {told.place, asked.place},
                 "the object was acknowledged, but later not found");
}

bool is_empty_list(const Asked& asked) {
  const json::value* data = asked.answer().if_contains("data");
  return asked.operation->method == "GET" && data != nullptr && data->is_array() && data->get_array().empty();
}

// Checks an empty list of the objects with a given number.
void check_empty_list(const Reading& reading, const Asked& asked, Findings& findings) {
  if (asked.path.size() != 1 || asked.query.empty()) return;
  for (const auto& [id, object] : reading.objects) {
    if (std::string(object.kind) + "s" != asked.path[0]) continue;
    const json::object& fields = *first_told(object).fields;
    const bool matches = std::ranges::all_of(asked.query, [&](const auto& one) {
      const bool is_number = one.first == "merchant_order_no" || one.first == "reference" || one.first == "source";
      return is_number && text(fields, one.first) == one.second;
    });
    if (matches) require_absent(reading, asked, id, findings);
  }
}

}  // namespace

void check_keys(const Reading& reading, Findings& findings) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Group> groups;
  for (const Asked& asked : reading.asked)
    if (asked.is_post && !asked.operation->key.empty())
      groups[{asked.operation->merchant, asked.operation->path, asked.operation->key}].push_back(&asked);
  for (const auto& [name, group] : groups) check_group(std::get<2>(name), group, findings);
}

void check_numbers(const Reading& reading, Findings& findings) {
  std::map<std::string, const Observation*> known;
  for (const auto& [id, object] : reading.objects) {
    const Observation& seen = object.observations.front();
    const std::string number = number_of(object, seen);
    if (!number.empty())
      check_number(known, fmt::format("{} {}", seen.asked->operation->merchant, number), seen, findings);
  }
  std::map<std::string_view, const Asked*> makers;
  for (const Asked& asked : reading.asked) {
    if (asked.outcome == OperationOutcome::done && is_creation(asked)) check_creation(asked, makers, findings);
    if (asked.code == "not_found" && asked.path.size() >= 2) require_absent(reading, asked, asked.path[1], findings);
    if (is_empty_list(asked)) check_empty_list(reading, asked, findings);
  }
}

}  // namespace finality::history
