// Objects of one type in a working set (working_set.h), as stored and with the changes of the batch so far.
//
// The functions that copy or move objects are defined in working_set.cpp, which instantiates each map of the working
// set once: in headers, every source that changes a row compiled the special members of all rows of an aggregate.
#pragma once

#include <boost/unordered/unordered_map.hpp>

#include <optional>
#include <vector>

namespace finality {

/// The stored and the current value of one object of the working set. Empty values mean that the object does not exist.
template <class T>
struct Slot {
  std::optional<T> now;   // current value, with the changes of the batch so far
  std::optional<T> base;  // stored value, once the object was changed
  bool has_base = false;  // false: the object is unchanged, and `now` is the stored value
  bool saved = false;     // the current scope's undo list contains the object
  bool recalled = false;  // read from a cache or without a lock: the store may have a newer value

  const std::optional<T>& in_store() const { return has_base ? base : now; }
};

/// All objects of one type, by key, with an undo list for the current scope. To avoid copies of large rows, the first
/// change of an object copies it once: the copy is both the stored value and the undo value of the scope.
template <class Key, class T, class Hash = std::hash<Key>>
class SlotMap {
 public:
  SlotMap();
  SlotMap(const SlotMap& other);
  SlotMap(SlotMap&& other) noexcept;
  SlotMap& operator=(const SlotMap& other);
  SlotMap& operator=(SlotMap&& other) noexcept;
  ~SlotMap();

  /// Sets the value read from the store: `row`, or empty if the row does not exist. REQUIRES: the current scope has not
  /// changed the object.
  void load(const Key& key, std::optional<T> row);
  /// Sets a value that was read from a cache or without a lock. The commit must check that the store still has this
  /// value.
  void recall(const Key& key, T row);
  bool loaded(const Key& key) const;
  bool any_recalled() const { return any_recalled_; }

  /// Returns the object, or null if it does not exist. REQUIRES: the object was loaded.
  const T* find(const Key& key) const;
  /// Returns the object for modification. REQUIRES: the object exists. The reference is valid until the scope ends.
  T& change(const Key& key);
  /// Inserts an object. REQUIRES: the object does not exist. The reference is valid until the scope ends.
  T& insert(const Key& key, T row);

  /// Ends the scope and keeps its changes. Returns whether the scope changed any object.
  bool accept();
  void roll_back();
  /// Calls visit(before, after) for each object that the current scope changed: its values before the scope and now.
  template <class Visit>
  void each_in_scope(Visit visit) const {
    for (const Before& before : undo_) visit(before.is_base ? before.slot->base : before.row, before.slot->now);
  }
  /// Calls visit(key, stored, current) for all objects. An empty value means that the object does not exist.
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [key, slot] : slots_) visit(key, slot.in_store(), slot.now);
  }
  /// Calls visit(stored, current) for all objects that recall() set.
  template <class Visit>
  void each_recalled(Visit visit) const {
    if (!any_recalled_) return;
    for (const auto& [key, slot] : slots_)
      if (slot.recalled) visit(*slot.in_store(), *slot.now);
  }
  void clear();

 private:
  /// Undo value of a slot: its value at the beginning of the scope.
  struct Before {
    Slot<T>* slot;
    bool is_base;  // the undo value is the slot's `base`; `row` is unused
    std::optional<T> row;
  };

  Slot<T>& save(const Key& key);

  boost::unordered_map<Key, Slot<T>, Hash> slots_;  // node based, so that pointers to slots remain valid
  std::vector<Before> undo_;
  bool any_recalled_ = false;
};

}  // namespace finality
