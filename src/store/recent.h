// What was used last, and no more than fits.
#pragma once

#include <boost/unordered/unordered_map.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

namespace finality::store {

/// A map of at most `most` rows in two generations: what is used moves to the young one; when that is full the old one
/// goes. A key is in one of them at most, so that what is taken or forgotten is gone. Not thread safe.
template <class Key, class T, class Hash = std::hash<Key>>
class Recent {
 public:
  explicit Recent(std::size_t most) : half_(most / 2) {}

  /// Null when it is not there. Lasts until the next call.
  const T* find(const Key& key) {
    if (const auto at = young_.find(key); at != young_.end()) return &at->second;
    std::optional<T> row = take_from(old_, key);
    return row ? &put(key, std::move(*row)) : nullptr;
  }
  bool has(const Key& key) const { return young_.contains(key) || old_.contains(key); }
  /// Empty when it is not there.
  std::optional<T> take(const Key& key) {
    std::optional<T> row = take_from(young_, key);
    return row ? std::move(row) : take_from(old_, key);
  }
  T& put(const Key& key, T row) {
    if (young_.size() >= half_ && !young_.contains(key)) {
      old_ = std::move(young_);
      young_.clear();
    }
    old_.erase(key);
    return young_.insert_or_assign(key, std::move(row)).first->second;
  }
  void forget(const Key& key) {
    young_.erase(key);
    old_.erase(key);
  }
  void clear() {
    young_.clear();
    old_.clear();
  }

 private:
  using Rows = boost::unordered_map<Key, T, Hash>;

  static std::optional<T> take_from(Rows& rows, const Key& key) {
    const auto at = rows.find(key);
    if (at == rows.end()) return std::nullopt;
    std::optional<T> row(std::move(at->second));
    rows.erase(at);
    return row;
  }

  std::size_t half_;
  Rows young_;
  Rows old_;
};

}  // namespace finality::store
