// Cache whose entries expire after a fixed time. Adding an entry to a full cache first removes all others. Thread safe.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "base/time/time.h"

namespace finality {

template <class Key, class Value, class Hasher = std::hash<Key>>
class ExpiringCache {
 public:
  ExpiringCache(std::size_t entries_max, Duration kept) : entries_max_(entries_max), kept_(kept) {}

  /// Returns the value of the key; empty if the key has no entry, or if its entry has expired at `now`.
  std::optional<Value> get(const Key& key, Time now) const {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(key);
    if (at == entries_.end() || has_expired(at->second, now)) return std::nullopt;
    return at->second.value;
  }
  /// Returns the value of the key if its entry was stored at `since` or later, or had not expired at `since`.
  std::optional<Value> get_as_of(const Key& key, Time since) const {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(key);
    if (at == entries_.end() || since - at->second.stored_at >= kept_) return std::nullopt;
    return at->second.value;
  }
  /// Returns true if the key has an entry, even an expired one.
  bool contains(const Key& key) const {
    const std::lock_guard lock(mutex_);
    return entries_.contains(key);
  }
  /// Adds or replaces the entry. The entry expires at `now` plus the duration given to the constructor.
  void put(const Key& key, Value value, Time now) {
    const std::lock_guard lock(mutex_);
    store(key, std::move(value), now);
  }
  /// Adds an entry if the key has no unexpired entry. Returns true if the entry was added. Of concurrent calls with the
  /// same key, only one returns true.
  bool put_if_absent(const Key& key, Value value, Time now) {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(key);
    if (at != entries_.end() && !has_expired(at->second, now)) return false;
    store(key, std::move(value), now);
    return true;
  }
  void erase(const Key& key) {
    const std::lock_guard lock(mutex_);
    entries_.erase(key);
  }
  /// Lets all entries expire. contains() still finds them.
  void expire_all() {
    const std::lock_guard lock(mutex_);
    for (auto& [key, entry] : entries_) entry.stored_at = Time{};
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
  }

 private:
  struct Entry {
    Value value;
    Time stored_at;
  };

  // An entry that was stored after `now` has expired too: a clock set back must not extend its lifetime.
  bool has_expired(const Entry& entry, Time now) const {
    return now < entry.stored_at || now - entry.stored_at >= kept_;
  }
  // REQUIRES: mutex_ is held.
  void store(const Key& key, Value value, Time now) {
    if (entries_.size() >= entries_max_ && !entries_.contains(key)) entries_.clear();
    entries_.insert_or_assign(key, Entry{std::move(value), now});
  }

  const std::size_t entries_max_;
  const Duration kept_;
  mutable std::mutex mutex_;
  boost::unordered_flat_map<Key, Entry, Hasher> entries_;
};

}  // namespace finality
