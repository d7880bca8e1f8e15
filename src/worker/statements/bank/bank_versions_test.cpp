// Tests of the identities that the lines of a bank statement have in all versions.
#include "worker/statements/bank/bank_versions.h"

#include <gtest/gtest.h>

#include "worker/statements/line_keys.h"

namespace finality {
namespace {

constexpr ChannelAccountId kAccount{5};
const Currency kCny = *parse_currency("CNY");

StatementLine line_of(MinorUnits amount, std::string number = {}, std::string reference = {}) {
  return {.line_no = 1,
          .kind = amount < 0 ? LineKind::bank_debit : LineKind::bank_credit,
          .line_id = std::move(number),
          .channel_trade_no = std::move(reference),
          .currency = kCny,
          .amount = amount};
}

class BankVersionsTest : public testing::Test {
 protected:
  std::vector<Hash16> add(const std::vector<StatementLine>& lines) {
    LineKeys keys(kAccount);
    for (const StatementLine& line : lines) versions_.add(line, keys.next(line));
    return versions_.end_version();
  }
  static Hash16 key_of(const StatementLine& line, std::int64_t ordinal = 0) {
    return key_of_line(kAccount, line, ordinal);
  }

  BankVersions versions_;
};

using Identities = std::vector<Hash16>;

TEST_F(BankVersionsTest, TheLinesOfTheFirstVersionHaveTheirOwnKeys) {
  const Identities first = add({line_of(5), line_of(5)});
  EXPECT_EQ(first, (Identities{key_of(line_of(5)), key_of(line_of(5), 1)}));
}

TEST_F(BankVersionsTest, AnotherExportHasTheIdentitiesOfTheFirst) {
  const Identities first = add({line_of(5, "1"), line_of(-5, "2"), line_of(7, "3")});
  EXPECT_EQ(add({line_of(7, "C"), line_of(5, "A"), line_of(-5, "B")}), (Identities{first[2], first[0], first[1]}));
  EXPECT_EQ(add({line_of(-5), line_of(5), line_of(7)}), (Identities{first[1], first[0], first[2]}));
  EXPECT_EQ(versions_.identity_of(key_of(line_of(5, "A"))), first[0]);
  EXPECT_EQ(add({line_of(5, "1"), line_of(-5, "2"), line_of(7, "3")}), first);
}

TEST_F(BankVersionsTest, TheSameNumberOrReferenceIsPreferred) {
  const Identities first = add({line_of(5, "1", "R1"), line_of(5, "2", "R2"), line_of(5, "3")});
  EXPECT_EQ(add({line_of(5, "8"), line_of(5, "2"), line_of(5, "9", "R1")}), (Identities{first[2], first[1], first[0]}));
}

TEST_F(BankVersionsTest, AnotherReferenceIsAnotherMovement) {
  const Identities first = add({line_of(5, "1", "R1")});
  const StatementLine other = line_of(5, "2", "R2");
  EXPECT_EQ(add({other}), Identities{key_of(other)});
  EXPECT_EQ(add({line_of(5, "3", "R1")}), first);
  EXPECT_TRUE(versions_.has_returned(first.front()));
}

TEST_F(BankVersionsTest, ALineOfAnotherAmountIsAnotherMovement) {
  const Identities first = add({line_of(5, "1")});
  EXPECT_NE(add({line_of(6, "1")}), first);
  EXPECT_FALSE(versions_.has_returned(first.front()));
  EXPECT_EQ(add({line_of(5, "1")}), first);
  EXPECT_TRUE(versions_.has_returned(first.front()));
  add({line_of(5, "1")});
  EXPECT_FALSE(versions_.has_returned(first.front()));
}

TEST_F(BankVersionsTest, EachIdentityIsUsedOnce) {
  const Identities first = add({line_of(5, "1")});
  const StatementLine other = line_of(5, "2");
  EXPECT_EQ(add({other}), first);
  EXPECT_EQ(add({other, line_of(5, "1")}), (Identities{key_of(other), first.front()}))
      << "the line with the key of the identity has it";
}

}  // namespace
}  // namespace finality
