// LRU cache with a fixed maximum number of rows.
#pragma once

#include <boost/intrusive/list.hpp>
#include <boost/unordered/unordered_map.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

namespace finality::store {

/// A map of at most `most` rows. When the map is full, each new row evicts the least recently used row. Rows are
/// evicted one at a time, because evicting many rows at once would delay the caller. Not thread safe.
template <class Key, class T, class Hash = std::hash<Key>>
class LruCache {
 public:
  explicit LruCache(std::size_t most) : most_(most) {}

  /// Returns the row and marks it as used; null if absent. The pointer is valid until the next non-const call.
  const T* find(const Key& key) {
    const auto at = rows_.find(key);
    if (at == rows_.end()) return nullptr;
    by_use_.splice(by_use_.end(), by_use_, by_use_.iterator_to(at->second));
    return &at->second.row;
  }
  bool has(const Key& key) const { return rows_.contains(key); }
  /// Removes and returns the row; empty if absent.
  std::optional<T> take(const Key& key) {
    const auto at = rows_.find(key);
    if (at == rows_.end()) return std::nullopt;
    std::optional<T> row(std::move(at->second.row));
    erase(at);
    return row;
  }
  /// Inserts or replaces the row and marks it as used. Evicts the least recently used row if the cache is full.
  void put(const Key& key, T row) {
    const auto [at, is_new] = rows_.try_emplace(key);
    Kept& kept = at->second;
    kept.row = std::move(row);
    if (!is_new) return by_use_.splice(by_use_.end(), by_use_, by_use_.iterator_to(kept));
    kept.key = &at->first;
    by_use_.push_back(kept);
    if (rows_.size() > most_) erase(rows_.find(*by_use_.front().key));
  }
  void forget(const Key& key) {
    if (const auto at = rows_.find(key); at != rows_.end()) erase(at);
  }
  void clear() {
    by_use_.clear();
    rows_.clear();
  }

 private:
  struct Kept : boost::intrusive::list_base_hook<> {
    T row;
    const Key* key = nullptr;
  };
  using Rows = boost::unordered_map<Key, Kept, Hash>;  // node-based, so that rows keep their addresses

  void erase(Rows::iterator at) {
    by_use_.erase(by_use_.iterator_to(at->second));
    rows_.erase(at);
  }

  std::size_t most_;
  Rows rows_;
  boost::intrusive::list<Kept> by_use_;  // least recently used first; destroyed before rows_, which it links
};

}  // namespace finality::store
