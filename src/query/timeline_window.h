// Collects the items of one page of a timeline, in any order.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "query/timeline.h"

namespace finality::query {

/// Keeps the items nearest to the cursor of the page, one more than the page has, so that memory does not grow with the
/// timeline.
class TimelineWindow {
 public:
  /// `page` must outlive this object.
  explicit TimelineWindow(const TimelinePage& page) : page_(page) {}

  /// Returns whether an item at a place from `first` to `last` can be on the page, given the items added so far.
  bool wants(const TimelinePlace& first, const TimelinePlace& last) const {
    if ((page_.after && last <= *page_.after) || (page_.before && first >= *page_.before)) return false;
    if (items_.size() <= page_.limit) return true;
    return is_backwards() ? last > items_.begin()->first : first < std::prev(items_.end())->first;
  }
  bool wants(const TimelinePlace& place) const { return wants(place, place); }

  /// Adds an item. REQUIRES: wants(place).
  void add(const TimelinePlace& place, std::string json) {
    items_.emplace(place, std::move(json));
    if (items_.size() > page_.limit + 1) items_.erase(is_backwards() ? items_.begin() : std::prev(items_.end()));
  }

  /// Returns the page. Removes all items.
  Listed<TimelineItem> take() {
    Listed<TimelineItem> page;
    page.has_more = items_.size() > page_.limit;
    if (page.has_more) items_.erase(is_backwards() ? items_.begin() : std::prev(items_.end()));
    for (auto& [place, json] : items_) page.rows.push_back({place, std::move(json)});
    items_.clear();
    return page;
  }

 private:
  bool is_backwards() const { return page_.before.has_value(); }

  const TimelinePage& page_;
  std::map<TimelinePlace, std::string> items_;
};

}  // namespace finality::query
