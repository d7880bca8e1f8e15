#include "model/working_set.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

constexpr AccountId kId{1};

TEST(WorkingSet, LaterCommandsReadTheChangesOfEarlierOnes) {
  WorkingSet rows;
  rows.accounts.load(kId, std::nullopt);
  rows.accounts.insert(kId, {.id = kId, .balance = 5});
  rows.accept();
  EXPECT_EQ(rows.accounts.find(kId)->balance, 5);
  EXPECT_TRUE(rows.changed());
}

TEST(WorkingSet, RollBackKeepsAcceptedChanges) {
  WorkingSet rows;
  rows.accounts.load(kId, Account{.id = kId, .balance = 1});
  rows.accounts.change(kId).balance = 2;
  rows.events.emplace_back();
  rows.accept();
  rows.accounts.change(kId).balance = 3;
  rows.accounts.change(kId).balance = 4;
  rows.accounts.insert(AccountId{2}, {.id = AccountId{2}});
  rows.events.emplace_back();
  rows.entries.emplace_back();
  rows.roll_back();
  EXPECT_EQ(rows.accounts.find(kId)->balance, 2);
  EXPECT_EQ(rows.accounts.find(AccountId{2}), nullptr);
  EXPECT_EQ(rows.events.size(), 1u);
  EXPECT_TRUE(rows.entries.empty());
}

TEST(WorkingSet, KeepsTheStoredValue) {
  WorkingSet rows;
  rows.accounts.load(kId, Account{.id = kId, .balance = 1});
  rows.accounts.change(kId).balance = 2;
  rows.accept();
  rows.accounts.each([](const AccountId&, const auto& base, const auto& now) {
    EXPECT_EQ(base->balance, 1);
    EXPECT_EQ(now->balance, 2);
  });
}

TEST(WorkingSet, RepeatedRollBacksRestoreTheStoredValue) {
  WorkingSet rows;
  rows.accounts.load(kId, Account{.id = kId, .balance = 1});
  const auto expect = [&](MinorUnits in_store, MinorUnits decided) {
    rows.accounts.each([&](const AccountId&, const auto& base, const auto& now) {
      EXPECT_EQ(base->balance, in_store);
      EXPECT_EQ(now->balance, decided);
    });
  };
  expect(1, 1);
  for (int again = 0; again < 2; ++again) {
    rows.accounts.change(kId).balance = 2;
    expect(1, 2);
    rows.roll_back();
    expect(1, 1);
  }
  rows.accounts.change(kId).balance = 3;
  rows.accept();
  rows.accounts.change(kId).balance = 4;
  rows.roll_back();
  expect(1, 3);
  rows.accounts.load(kId, Account{.id = kId, .balance = 5});
  expect(5, 5);
}

TEST(WorkingSet, AnInsertedRowIsNotStoredBeforeTheCommit) {
  WorkingSet rows;
  rows.accounts.load(kId, std::nullopt);
  rows.accounts.insert(kId, {.id = kId, .balance = 1});
  rows.roll_back();
  rows.accounts.each([](const AccountId&, const auto& base, const auto& now) { EXPECT_TRUE(!base && !now); });
  rows.accounts.insert(kId, {.id = kId, .balance = 2});
  rows.accounts.each_in_scope([](const auto& before, const auto& after) { EXPECT_TRUE(!before && after); });
  rows.accept();
  rows.accounts.change(kId).balance = 3;
  rows.accounts.each_in_scope([](const auto& before, const auto&) { EXPECT_EQ(before->balance, 2); });
  rows.accept();
  rows.accounts.each([](const AccountId&, const auto& base, const auto& now) {
    EXPECT_FALSE(base);
    EXPECT_EQ(now->balance, 3);
  });
}

TEST(WorkingSet, AScopeListsOnlyItsOwnChanges) {
  WorkingSet rows;
  rows.accounts.load(kId, Account{.id = kId, .balance = 1});
  rows.accounts.change(kId).balance = 2;
  rows.accept();
  int changes = 0;
  rows.accounts.each_in_scope([&](const auto&, const auto&) { ++changes; });
  EXPECT_EQ(changes, 0);
  rows.accounts.change(kId).balance = 3;
  rows.accounts.each_in_scope([&](const auto& before, const auto& after) {
    ++changes;
    EXPECT_EQ(before->balance, 2);
    EXPECT_EQ(after->balance, 3);
  });
  EXPECT_EQ(changes, 1);
}

TEST(WorkingSet, ReadingAnUndeclaredRowStopsTheProgram) {
  WorkingSet rows;
  rows.accounts.load(kId, std::nullopt);
  EXPECT_EQ(rows.accounts.find(kId), nullptr);
  EXPECT_DEATH(rows.accounts.find(AccountId{2}), "did not declare");
  EXPECT_DEATH(rows.accounts.change(AccountId{2}), "did not declare");
  EXPECT_DEATH(rows.accounts.change(kId), "does not exist");
}

TEST(WorkingSet, LoadingOverAChangeOfTheScopeStopsTheProgram) {
  WorkingSet rows;
  rows.accounts.load(kId, Account{.id = kId});
  rows.accounts.change(kId).balance = 1;
  EXPECT_DEATH(rows.accounts.load(kId, std::nullopt), "change of the current scope");
}

TEST(WorkingSet, InsertingTwiceStopsTheProgram) {
  WorkingSet rows;
  rows.accounts.insert(kId, {.id = kId});
  EXPECT_DEATH(rows.accounts.insert(kId, {.id = kId}), "inserted twice");
}

TEST(WorkingSet, ClearRemovesAllRows) {
  WorkingSet rows;
  rows.accounts.insert(kId, {.id = kId});
  rows.accept();
  rows.clear();
  EXPECT_FALSE(rows.changed());
  EXPECT_FALSE(rows.accounts.loaded(kId));
}

}  // namespace
}  // namespace finality
