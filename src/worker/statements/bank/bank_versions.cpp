#include "worker/statements/bank/bank_versions.h"

#include <utility>

namespace finality {

// The most certain ones first.
const BankVersions::Rule BankVersions::kRules[] = {
    [](const Movement& one) -> std::optional<std::pair<By, std::string>> {
      if (one.number.empty()) return std::nullopt;
      return std::pair(By::number, one.number);
    },
    [](const Movement& one) -> std::optional<std::pair<By, std::string>> {
      return std::pair(By::reference, one.reference);
    },
    [](const Movement& one) -> std::optional<std::pair<By, std::string>> {
      if (one.reference.empty()) return std::nullopt;
      return std::pair(By::reference, std::string());
    },
    [](const Movement& one) -> std::optional<std::pair<By, std::string>> {
      if (!one.reference.empty()) return std::nullopt;
      return std::pair(By::amount, std::string());
    }};

void BankVersions::add(const StatementLine& line, const Hash16& key) {
  lines_.push_back({{line.currency, line.amount, line.line_id, line.channel_trade_no}, key});
}

std::vector<Hash16> BankVersions::end_version() {
  taken_.clear();
  returned_.clear();
  take_known();
  if (has_versions()) take_replaced();
  std::vector<Hash16> identities;
  for (Line& line : lines_) {
    if (!line.identity) take(line, line.key);
    const Hash16 identity = *line.identity;
    const bool is_new = movements_.insert_or_assign(identity, std::move(line.movement)).second;
    if (is_new) order_.push_back(identity);
    if (!is_new && !newest_.contains(identity)) returned_.insert(identity);
    identities_.insert_or_assign(line.key, identity);
    identities.push_back(identity);
  }
  newest_ = std::exchange(taken_, {});
  lines_.clear();
  ++versions_;
  return identities;
}

Hash16 BankVersions::identity_of(const Hash16& key) const {
  const auto at = identities_.find(key);
  return at == identities_.end() ? key : at->second;
}

// A line whose key is an identity has that one, so that no other line of the version takes it.
void BankVersions::take_known() {
  for (Line& line : lines_)
    if (movements_.contains(line.key)) take(line, line.key);
  for (Line& line : lines_)
    if (const auto at = identities_.find(line.key); !line.identity && at != identities_.end()) take(line, at->second);
}

void BankVersions::take_replaced() {
  Places places = replaceable();
  for (const Rule rule : kRules)
    for (Line& line : lines_) {
      const auto by = line.identity ? std::nullopt : rule(line.movement);
      if (!by) continue;
      const auto at = places.find({line.movement.currency, line.movement.amount, by->first, by->second});
      while (at != places.end() && !line.identity && !at->second.empty()) {
        take(line, at->second.front());
        at->second.pop_front();
      }
    }
}

// The identities that no line of the version has yet.
BankVersions::Places BankVersions::replaceable() const {
  Places places;
  for (const Hash16& identity : order_) {
    if (taken_.contains(identity)) continue;
    const auto& [currency, amount, number, reference] = movements_.at(identity);
    if (!number.empty()) places[{currency, amount, By::number, number}].push_back(identity);
    places[{currency, amount, By::reference, reference}].push_back(identity);
    places[{currency, amount, By::amount, ""}].push_back(identity);
  }
  return places;
}

// Returns false if another line of the version has the identity.
bool BankVersions::take(Line& line, const Hash16& identity) {
  if (!taken_.insert(identity).second) return false;
  line.identity = identity;
  return true;
}

}  // namespace finality
