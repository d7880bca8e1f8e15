// A small cache whose entries are forgotten after a while, and all of them when it is full. Thread safe.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "base/time.h"

namespace finality::http {

template <class Key, class Value, class Hasher = std::hash<Key>>
class ExpiringCache {
 public:
  ExpiringCache(std::size_t entries_max, Duration kept) : entries_max_(entries_max), kept_(kept) {}

  std::optional<Value> get(const Key& key, Time now) const {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(key);
    // A clock that went backwards must not make an entry live longer.
    if (at == entries_.end() || now < at->second.stored_at || now - at->second.stored_at >= kept_) return std::nullopt;
    return at->second.value;
  }
  void put(const Key& key, Value value, Time now) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= entries_max_ && !entries_.contains(key)) entries_.clear();
    entries_.insert_or_assign(key, Entry{std::move(value), now});
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

  const std::size_t entries_max_;
  const Duration kept_;
  mutable std::mutex mutex_;
  boost::unordered_flat_map<Key, Entry, Hasher> entries_;
};

}  // namespace finality::http
