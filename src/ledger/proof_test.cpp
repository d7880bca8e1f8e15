#include "ledger/proof.h"

#include <gtest/gtest.h>

#include <vector>

namespace finality::ledger {
namespace {

/// Books and statements of three days, 20 to 22 September, built from movements.
class ProofTest : public testing::Test {
 protected:
  void move(std::string listed_on, std::string booked_on, MinorUnits amount) {
    movements_.push_back({std::move(listed_on), std::move(booked_on), amount});
  }
  // Returns the proof with the balances that follow from the movements, `extra` lines that the books do not have, and
  // entries without a line.
  Proof prove_on(const std::string& date, MinorUnits lines_only = 0, MinorUnits entries_only = 0) {
    ProofInput input{.date = date,
                     .first_date = "2026-09-20",
                     .books = opening_ + entries_only,
                     .statement = opening_ + lines_only,
                     .books_opening = opening_,
                     .opening = opening_,
                     .movements = movements_,
                     .differences = differences_};
    for (const ListedMovement& one : movements_) {
      if (one.booked_on <= date) input.books += one.amount;
      if (one.listed_on <= date) input.statement += one.amount;
      if (one.booked_on < input.first_date) {
        input.books_opening += one.amount;
      }
    }
    return prove(input);
  }

  MinorUnits opening_ = 500;
  std::vector<ListedMovement> movements_;
  std::vector<BalanceDifference> differences_;
};

TEST_F(ProofTest, BalancedBooksNeedNoReason) {
  move("2026-09-20", "2026-09-20", 1000);
  const Proof proof = prove_on("2026-09-20");
  EXPECT_EQ(proof.books, 1500);
  EXPECT_EQ(proof.statement, 1500);
  EXPECT_EQ(proof.booked_later, 0);
  EXPECT_EQ(proof.unexplained, 0);
}

TEST_F(ProofTest, LinesThatWerePostedOnALaterDayExplainTheDifference) {
  move("2026-09-20", "2026-09-20", 1000);
  move("2026-09-20", "2026-09-21", -6);  // a fee
  Proof proof = prove_on("2026-09-20");
  EXPECT_EQ(proof.booked_later, -6);
  EXPECT_EQ(proof.unexplained, 0);
  proof = prove_on("2026-09-21");
  EXPECT_EQ(proof.booked_later, 0);
  EXPECT_EQ(proof.statement, proof.books);
}

TEST_F(ProofTest, EntriesThatALaterStatementListsExplainTheDifference) {
  move("2026-09-22", "2026-09-20", 70);
  const Proof proof = prove_on("2026-09-21");
  EXPECT_EQ(proof.listed_later, 70);
  EXPECT_EQ(proof.statement - proof.books, -70);
  EXPECT_EQ(proof.unexplained, 0);
  EXPECT_EQ(prove_on("2026-09-22").listed_later, 0);
}

TEST_F(ProofTest, DifferencesExplainWhatOnlyOneSideHas) {
  differences_ = {{"2026-09-20", 30}, {"2026-09-20", -8}, {"2026-09-22", 1}, {"2026-09-20", 5, false}};
  const Proof proof = prove_on("2026-09-21", 30, 8);
  EXPECT_EQ(proof.differences, 22);
  EXPECT_EQ(proof.unexplained, 0);
}

TEST_F(ProofTest, WhatNothingExplainsIsUnexplainedInBothDirections) {
  move("2026-09-20", "2026-09-20", 1000);
  EXPECT_EQ(prove_on("2026-09-20", 3).unexplained, 3);
  EXPECT_EQ(prove_on("2026-09-20", 0, 3).unexplained, -3);
}

TEST_F(ProofTest, TwoOppositeErrorsAreBothListed) {
  differences_ = {{"2026-09-20", 40}, {"2026-09-20", -40}};
  const Proof proof = prove_on("2026-09-20", 40, 40);
  EXPECT_EQ(proof.statement, proof.books);
  EXPECT_EQ(proof.differences, 0);
  EXPECT_EQ(proof.unexplained, 0);
}

TEST_F(ProofTest, AnEntryFromBeforeTheFirstStatementIsNoOpeningBalance) {
  move("2026-09-20", "2026-09-19", 90);
  const Proof proof = prove_on("2026-09-20");
  EXPECT_EQ(proof.opening, 0);
  EXPECT_EQ(proof.unexplained, 0);
}

TEST_F(ProofTest, AnOpeningBalanceThatTheBooksLackIsNamed) {
  const Proof proof = prove({.date = "2026-09-20",
                             .first_date = "2026-09-20",
                             .books = 0,
                             .statement = 800,
                             .books_opening = 0,
                             .opening = 800,
                             .movements = {},
                             .differences = {}});
  EXPECT_EQ(proof.opening, 800);
  EXPECT_EQ(proof.unexplained, 0);
}

TEST(ProofDifference, CountsUntilItEnds) {
  const Time end{1000};
  Difference difference{.changes_balance = true};
  difference.state = DifferenceState::open;
  EXPECT_TRUE(is_counted_at(difference, end));
  difference.state = DifferenceState::resolved;  // kept: the difference remains
  EXPECT_TRUE(is_counted_at(difference, end));
  difference.ended_at = Time{999};
  EXPECT_FALSE(is_counted_at(difference, end));
  difference.ended_at = Time{1000};
  EXPECT_TRUE(is_counted_at(difference, end));
  difference.state = DifferenceState::repaired;
  difference.ended_at.reset();
  EXPECT_FALSE(is_counted_at(difference, end));
  difference.state = DifferenceState::open;
  difference.changes_balance = false;
  EXPECT_FALSE(is_counted_at(difference, end));
}

}  // namespace
}  // namespace finality::ledger
