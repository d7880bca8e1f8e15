#include "store/sql/packed_events.h"

#include <gtest/gtest.h>

#include <string>

#include "store/sql/columns.h"

namespace finality::store {
namespace {

constexpr std::int64_t kRoot = 1000;

Event event(std::int64_t id, std::int64_t version = 1, const std::string& detail = "{}") {
  return {.root_id = kRoot,
          .id = EventId{id},
          .merchant_id = MerchantId{1},
          .root_version = version,
          .object_type = ObjectType::payment,
          .object_id = kRoot + 2,
          .event = "paid",
          .from_state = "pending",
          .to_state = "pending",
          .detail = detail,
          .at = Time{5}};
}

std::vector<std::int64_t> ids_of(const std::vector<Event>& events) {
  std::vector<std::int64_t> ids;
  for (const Event& one : events) ids.push_back(one.id.value);
  return ids;
}

void expect_packed(const std::vector<Event>& events, std::size_t rows) {
  const std::vector<Change> changes = pack(events);
  EXPECT_EQ(changes.size(), rows);
  const auto again = unpack(changes);
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->size(), events.size());
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_TRUE(same_row((*again)[i], events[i])) << i;
}

TEST(PackedEvents, AreOneRowPerVersionOfARoot) {
  Event posted = event(12, 2);
  posted.journal_id = EntryId{9};  // before the event
  posted.actions = 3;
  Event created = event(20, 3);
  created.from_state.reset();
  created.cell = fsm::CellKind::keep;
  expect_packed({event(10), event(11), posted, event(14, 2), created}, 3);
}

TEST(PackedEvents, OfTwoRootsAreTwoRows) {
  Event other = event(11);
  other.root_id = kRoot + 1;
  expect_packed({event(10), other}, 2);
}

TEST(PackedEvents, ShareTheDetailExceptTheFirst) {
  const std::vector<Event> events{event(10, 1, R"({"exchange":"x"})"), event(11), event(12)};
  const Change change = pack(events).front();
  EXPECT_EQ(change.detail, "{}");
  EXPECT_EQ(change.first_detail, R"({"exchange":"x"})");
  expect_packed(events, 1);
  expect_packed({event(10), event(11), event(12, 1, "other")}, 2);
}

TEST(PackedEvents, KeepEveryText) {
  Event one = event(10);
  one.event = "a \"b\" \\ c\n";
  one.from_state = "";
  one.to_state = "\u8336";
  expect_packed({one}, 1);
}

TEST(PackedEvents, AreSortedByRootAndId) {
  EXPECT_EQ(ids_of(*unpack(pack(std::vector{event(12, 2), event(11), event(10)}))),
            (std::vector<std::int64_t>{10, 11, 12}));
}

TEST(PackedEvents, AStateOfAnOrderThatNeedsAPostingIsChecked) {
  Event failed = event(10);
  failed.to_state = "failed";
  EXPECT_TRUE(pack(std::vector{failed}).front().is_checked);
  EXPECT_FALSE(pack(std::vector{event(10)}).front().is_checked);
  failed.root_type = ObjectType::delivery;
  EXPECT_FALSE(pack(std::vector{failed}).front().is_checked);
}

TEST(PackedEvents, ThatAreUnreadableNameTheRow) {
  for (const char* steps : {"", "[", "{}", "[[]]", R"([[0,"tea",2,"paid",null,"pending"]])", R"([["0"]])"}) {
    Change change = pack(std::vector{event(10)}).front();
    change.steps = steps;
    const auto events = unpack(change);
    ASSERT_FALSE(events) << steps;
    EXPECT_TRUE(events.error().message.contains("root_id is 1000 and id is 10 is not readable")) << steps;
  }
}

/// Pages of three changes, with the events 10 11 12 | 20 | 30 31.
class EventPages : public testing::Test {
 protected:
  std::vector<std::int64_t> page(const Page& page, bool oldest_first, std::optional<ObjectRef> object = {}) {
    const auto listed = page_of_events(object, page, oldest_first,
                                       [&](const Window& window, std::size_t limit) -> Result<std::vector<Change>> {
                                         std::vector<Change> found;
                                         for (const Change& one : changes_)
                                           if (one.id.value > window.above && one.id.value < window.below)
                                             found.push_back(one);
                                         if (!window.upwards) std::ranges::reverse(found);
                                         if (found.size() > limit) found.resize(limit);
                                         return found;
                                       });
    has_more_ = listed->has_more;
    return ids_of(listed->rows);
  }
  using Ids = std::vector<std::int64_t>;

  std::vector<Change> changes_ =
      pack(std::vector{event(10), event(11), event(12), event(20, 2), event(30, 3), event(31, 3)});
  bool has_more_ = false;
};

TEST_F(EventPages, BeginAndEndWithinAChange) {
  EXPECT_EQ(page({.limit = 2}, true), (Ids{10, 11}));
  EXPECT_TRUE(has_more_);
  EXPECT_EQ(page({.limit = 3, .after = 11}, true), (Ids{12, 20, 30}));
  EXPECT_TRUE(has_more_);
  EXPECT_EQ(page({.limit = 3, .after = 20}, true), (Ids{30, 31}));
  EXPECT_FALSE(has_more_);
  EXPECT_EQ(page({.limit = 2}, false), (Ids{31, 30}));
  EXPECT_TRUE(has_more_);
  EXPECT_EQ(page({.limit = 3, .after = 30}, false), (Ids{20, 12, 11}));
  EXPECT_TRUE(has_more_);
  EXPECT_EQ(page({.limit = 9, .after = 12}, false), (Ids{11, 10}));
  EXPECT_FALSE(has_more_);
}

TEST_F(EventPages, ThatEndBeforeAnIdAreReadBackwards) {
  EXPECT_EQ(page({.limit = 2, .before = 30}, true), (Ids{12, 20}));
  EXPECT_TRUE(has_more_);
  EXPECT_EQ(page({.limit = 2, .before = 11}, false), (Ids{20, 12}));
  EXPECT_TRUE(has_more_);
}

TEST_F(EventPages, OfAnObjectReadUntilThePageIsFull) {
  changes_.clear();
  for (std::int64_t i = 0; i < 20; ++i) {
    Event one = event(100 + i, i + 1);
    if (i % 10 != 9) one.object_id = kRoot + 3;
    changes_.push_back(pack(std::vector{one}).front());
  }
  EXPECT_EQ(page({.limit = 1}, true, ObjectRef(ObjectType::payment, kRoot + 2)), Ids{109});
  EXPECT_TRUE(has_more_);
  EXPECT_EQ(page({.limit = 2}, false, ObjectRef(ObjectType::payment, kRoot + 2)), (Ids{119, 109}));
  EXPECT_FALSE(has_more_);
}

}  // namespace
}  // namespace finality::store
