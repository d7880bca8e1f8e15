// Tests of unknown receipts: their booking in the books of the platform, the assignment to a merchant, and the
// cancellation.
#include "decide/payment/record_unknown_receipt.h"

#include <gtest/gtest.h>

#include "decide/testing/test_world.h"

namespace finality::test {
namespace {

class UnknownReceiptTest : public testing::Test {
 protected:
  RecordUnknownReceipt report(std::string trade = "T1", MinorUnits amount = kAmount) {
    return {"sandbox", "till-1", paid(std::move(trade), amount)};
  }
  const UnknownReceiptAggregate& receive() { return receive(report()); }
  const UnknownReceiptAggregate& receive(const RecordUnknownReceipt& command) {
    const Decision decision = world_.run(command);
    return world_.store.unknown_receipts.at(UnknownReceiptId{decision->object.value});
  }
  ProposeResolution proposal(const UnknownReceiptAggregate& aggregate, std::optional<MerchantId> merchant,
                             std::string resolution = "assign") {
    return {kPlatform,
            aggregate.unknown_receipt.id,
            aggregate.cases.front().id,
            std::move(resolution),
            "from the till",
            "key_a",
            merchant};
  }
  ApproveResolution approval(const UnknownReceiptAggregate& aggregate, std::optional<MerchantId> merchant,
                             std::string key = "key_b") {
    return world_.reviewed({kPlatform,
                            aggregate.unknown_receipt.id,
                            aggregate.cases.front().id,
                            std::move(key),
                            {},
                            "sandbox",
                            kCny,
                            merchant,
                            merchant});
  }
  MinorUnits balance(MerchantId merchant, AccountKind kind) const {
    for (const auto& [id, account] : world_.store.accounts)
      if (account.merchant_id == merchant && account.kind == kind && account.currency == kCny) return account.balance;
    return 0;
  }
  std::size_t entries_of(EntryType type) const {
    return static_cast<std::size_t>(std::ranges::count(world_.store.entries, type, &Entry::type));
  }

  World world_;
};

TEST_F(UnknownReceiptTest, AnUnknownPaymentIsBookedForThePlatformWithACase) {
  const UnknownReceiptAggregate& aggregate = receive();
  const UnknownReceipt& receipt = aggregate.unknown_receipt;
  EXPECT_EQ(receipt.merchant_id, kPlatform);
  EXPECT_EQ(receipt.state, UnknownReceiptState::unassigned);
  EXPECT_EQ(receipt.amount, kAmount);
  EXPECT_EQ(receipt.out_trade_no, "till-1");
  EXPECT_EQ(receipt.version, 1);
  EXPECT_EQ(balance(kPlatform, AccountKind::suspense), kAmount);
  EXPECT_EQ(balance(kPlatform, AccountKind::channel_receivable), -kAmount);
  ASSERT_EQ(aggregate.cases.size(), 1u);
  EXPECT_EQ(aggregate.cases.front().kind, CaseKind::unknown_receipt);
  EXPECT_EQ(aggregate.cases.front().merchant_id, kPlatform);
  EXPECT_FALSE(aggregate.cases.front().evidence.empty());
  EXPECT_EQ(world_.new_deliveries.size(), 0u) << "a case of the platform has no webhook";
}

TEST_F(UnknownReceiptTest, RepeatedEvidenceChangesNothing) {
  const UnknownReceiptId id = receive().unknown_receipt.id;
  const Decision again = world_.run(report());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->object, ObjectRef(id));
  EXPECT_FALSE(again->created);
  EXPECT_TRUE(world_.events.empty());
  EXPECT_EQ(world_.store.unknown_receipts.size(), 1u);
  EXPECT_EQ(balance(kPlatform, AccountKind::suspense), kAmount);
}

TEST_F(UnknownReceiptTest, EvidenceThatIsNoPaymentIsRefused) {
  const auto refusal_of = [&](Evidence evidence) {
    return world_.refusal_of(RecordUnknownReceipt{"sandbox", "till-1", std::move(evidence)});
  };
  EXPECT_EQ(refusal_of(waiting()), "not_found");
  Evidence unnamed = paid();
  unnamed.channel_trade_no.reset();
  EXPECT_EQ(refusal_of(unnamed), "not_found");
  EXPECT_EQ(refusal_of(paid("T1", 0)), "not_found");
  EXPECT_TRUE(world_.store.unknown_receipts.empty());
}

TEST_F(UnknownReceiptTest, APaymentWithRefundsIsBookedAndCannotBeAssigned) {
  struct Row {
    const char* what;
    void (*change)(Evidence& evidence);
    bool is_contradicted;
  };
  const Row rows[] = {
      {"a refunded total", [](Evidence& evidence) { evidence.refunded = 5; }, true},
      {"a refund", [](Evidence& evidence) { evidence.refund = ReportedRefund{"R1", 5}; }, true},
      {"a refund without its amount", [](Evidence& evidence) { evidence.is_refund_unknown = true; }, true},
      {"a settlement",
       [](Evidence& evidence) { evidence.settlement = ReportedSettlement{"S1", kAmount, kCny, 0, {}, {}}; }, false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    world_ = World();
    RecordUnknownReceipt command = report();
    row.change(command.evidence);
    const UnknownReceiptAggregate& aggregate = receive(command);
    EXPECT_EQ(aggregate.unknown_receipt.is_contradicted, row.is_contradicted);
    EXPECT_EQ(balance(kPlatform, AccountKind::suspense), kAmount);
    ASSERT_EQ(aggregate.cases.size(), 1u);
    EXPECT_EQ(world_.refusal_of(command), "ok");
    EXPECT_TRUE(world_.events.empty()) << "the evidence is repeated";
    ASSERT_TRUE(world_.run(proposal(aggregate, kMerchant)));
    EXPECT_EQ(world_.refusal_of(approval(aggregate, kMerchant)), row.is_contradicted ? "illegal_transition" : "ok");
    EXPECT_EQ(balance(kPlatform, AccountKind::suspense), row.is_contradicted ? kAmount : 0);
    if (!row.is_contradicted) continue;
    EXPECT_EQ(aggregate.cases.front().state, CaseState::proposed) << "a refused approval changes nothing";
    ASSERT_TRUE(world_.run(proposal(aggregate, std::nullopt, "cancel")));
    EXPECT_EQ(world_.refusal_of(approval(aggregate, std::nullopt)), "ok");
  }
}

TEST_F(UnknownReceiptTest, ContradictingEvidenceIsAddedToTheCaseOnce) {
  struct Row {
    const char* what;
    void (*change)(RecordUnknownReceipt& command);
    bool is_added;
  };
  using Command = RecordUnknownReceipt;
  const Row rows[] = {
      {"the same", [](Command&) {}, false},
      {"another code", [](Command& command) { command.evidence.code = "SETTLED"; }, false},
      {"another time",
       [](Command& command) { command.evidence.asked_at = command.evidence.asked_at + std::chrono::hours(1); }, false},
      {"another amount", [](Command& command) { command.evidence.amount = kAmount + 1; }, true},
      {"another currency", [](Command& command) { command.evidence.currency = *parse_currency("USD"); }, true},
      {"another number", [](Command& command) { command.out_trade_no = "till-2"; }, true},
      {"a refunded total", [](Command& command) { command.evidence.refunded = 5; }, true},
      {"a refund", [](Command& command) { command.evidence.refund = ReportedRefund{"R1", 5}; }, true},
      {"a refund without its amount", [](Command& command) { command.evidence.is_refund_unknown = true; }, true},
      {"a settlement",
       [](Command& command) { command.evidence.settlement = ReportedSettlement{"S1", kAmount, kCny, 0, {}, {}}; },
       true},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    world_ = World();
    const UnknownReceiptAggregate& aggregate = receive();
    RecordUnknownReceipt command = report();
    row.change(command);
    for (const bool is_first : {true, false}) {
      const Decision decision = world_.run(command);
      ASSERT_TRUE(decision);
      EXPECT_EQ(decision->object, ObjectRef(aggregate.unknown_receipt.id));
      EXPECT_EQ(world_.events.empty(), !row.is_added || !is_first);
      const bool is_settlement = command.evidence.settlement.has_value();
      EXPECT_EQ(aggregate.unknown_receipt.is_contradicted, row.is_added && !is_settlement);
      EXPECT_EQ(aggregate.unknown_receipt.version, row.is_added ? 2 : 1);
    }
    EXPECT_EQ(aggregate.unknown_receipt.amount, kAmount) << "the booking is unchanged";
    EXPECT_EQ(balance(kPlatform, AccountKind::suspense), kAmount);
    EXPECT_EQ(aggregate.cases.size(), 1u);
  }
}

TEST_F(UnknownReceiptTest, EvidenceAfterTheDecisionOpensAnotherCase) {
  for (const std::string resolution : {"assign", "cancel", "keep"}) {
    SCOPED_TRACE(resolution);
    world_ = World();
    const UnknownReceiptAggregate& aggregate = receive();
    const std::optional<MerchantId> merchant = resolution == "assign" ? std::optional(kMerchant) : std::nullopt;
    ASSERT_TRUE(world_.run(proposal(aggregate, merchant, resolution)));
    ASSERT_TRUE(world_.run(approval(aggregate, merchant)));
    const UnknownReceiptState state = aggregate.unknown_receipt.state;
    RecordUnknownReceipt command = report();
    command.evidence.refunded = 5;
    ASSERT_TRUE(world_.run(command));
    ASSERT_EQ(aggregate.cases.size(), 2u);
    const CaseId second = aggregate.cases.back().id;
    EXPECT_EQ(aggregate.cases.back().state, CaseState::open);
    EXPECT_TRUE(aggregate.unknown_receipt.is_contradicted);

    const auto decide_as = [&](const char* name, std::optional<MerchantId> named) {
      ProposeResolution propose = proposal(aggregate, named, name);
      propose.case_id = second;
      if (const std::string refusal = world_.refusal_of(propose); refusal != "ok") return refusal;
      ApproveResolution approve = approval(aggregate, named);
      approve.case_id = second;
      return std::string(world_.refusal_of(world_.reviewed(approve)));
    };
    EXPECT_EQ(decide_as("assign", kOtherMerchant), "illegal_transition");
    if (resolution != "keep") EXPECT_EQ(decide_as("cancel", std::nullopt), "illegal_transition");
    EXPECT_EQ(aggregate.unknown_receipt.state, state);
    EXPECT_EQ(decide_as("keep", std::nullopt), "ok");
    EXPECT_EQ(aggregate.unknown_receipt.state, state);
  }
}

TEST_F(UnknownReceiptTest, ATradeWhoseReceiptIsArchivedIsRefused) {
  const PaymentId payment = world_.start(world_.new_order());
  const std::string number = world_.payment(payment).out_trade_no;
  ASSERT_TRUE(world_.record_evidence(payment, paid("T7")));
  world_.store.orders.clear();  // the key of the receipt stays in the store
  EXPECT_EQ(world_.refusal_of(RecordUnknownReceipt{"sandbox", number, paid("T7")}), "not_found");
  EXPECT_EQ(world_.refusal_of(RecordUnknownReceipt{"sandbox", number, paid("T8")}), "ok");
}

// A capture's receipt has a key with the capture's ordinal if the channel uses one trade number for all captures.
TEST_F(UnknownReceiptTest, ATradeOfACaptureWhoseReceiptIsArchivedIsRefused) {
  const std::string number = out_capture_no(kMerchant, OrderId{42}, 3);
  EXPECT_TRUE(world_.run(RecordUnknownReceipt{"sandbox", number, paid("T6")}));
  for (const auto& [trade_no, ordinal] : {std::pair("T7", 0), std::pair("T8", 3)}) {
    const Hash16 key = key_of_receipt(kMerchant, "sandbox", trade_no, ordinal);
    world_.store.keys[key] = {key, kMerchant, 99};
    EXPECT_EQ(world_.refusal_of(RecordUnknownReceipt{"sandbox", number, paid(trade_no)}), "not_found") << trade_no;
  }
}

TEST_F(UnknownReceiptTest, AnAssignmentPostsOneJournalInTheBooksOfEachMerchant) {
  const UnknownReceiptAggregate& aggregate = receive();
  ASSERT_TRUE(world_.run(proposal(aggregate, kMerchant)));
  EXPECT_EQ(aggregate.cases.front().assign_to, kMerchant);
  EXPECT_EQ(world_.refusal_of(approval(aggregate, kMerchant, "key_a")), "forbidden");
  ASSERT_TRUE(world_.run(approval(aggregate, kMerchant)));
  EXPECT_EQ(aggregate.unknown_receipt.state, UnknownReceiptState::assigned);
  EXPECT_EQ(aggregate.unknown_receipt.assigned_to, kMerchant);
  EXPECT_EQ(aggregate.cases.front().state, CaseState::resolved);
  EXPECT_EQ(balance(kPlatform, AccountKind::suspense), 0);
  EXPECT_EQ(balance(kPlatform, AccountKind::clearing), kAmount);
  EXPECT_EQ(balance(kMerchant, AccountKind::clearing), -kAmount);
  EXPECT_EQ(balance(kMerchant, AccountKind::merchant_payable), kAmount);
  for (const Entry& entry : world_.store.entries)
    EXPECT_EQ(entry.root_id, aggregate.unknown_receipt.id.value) << name_of(entry.type);
  const auto journals =
      std::ranges::count_if(world_.events, [](const Event& event) { return event.journal_id.has_value(); });
  EXPECT_EQ(journals, 2);

  ASSERT_TRUE(world_.run(approval(aggregate, kMerchant))) << "a repeated approval has no effect";
  EXPECT_EQ(entries_of(EntryType::receipt_assigned), 2u);
}

TEST_F(UnknownReceiptTest, MoneyThatThePlatformDoesNotHoldIsAssignedToMerchantDirect) {
  world_.policy.accounts["sandbox"] = {.channel = "sandbox", .funds = Funds::merchant};
  const UnknownReceiptAggregate& aggregate = receive();
  ASSERT_TRUE(world_.run(proposal(aggregate, kMerchant)));
  ASSERT_TRUE(world_.run(approval(aggregate, kMerchant)));
  EXPECT_EQ(balance(kMerchant, AccountKind::merchant_direct), kAmount);
  EXPECT_EQ(balance(kMerchant, AccountKind::merchant_payable), 0);
}

TEST_F(UnknownReceiptTest, AProposalToAssignNamesAMerchant) {
  const UnknownReceiptAggregate& aggregate = receive();
  const auto param_of = [&](const ProposeResolution& command) {
    const Decision decision = world_.run(command);
    return decision ? "ok" : decision.error().param.value_or("none");
  };
  EXPECT_EQ(param_of(proposal(aggregate, std::nullopt)), "merchant");
  EXPECT_EQ(param_of(proposal(aggregate, kPlatform)), "merchant");
  EXPECT_EQ(param_of(proposal(aggregate, MerchantId{99})), "merchant");
  EXPECT_EQ(param_of(proposal(aggregate, kMerchant, "keep")), "merchant");
  EXPECT_EQ(param_of(proposal(aggregate, kMerchant, "cancel")), "merchant");
  EXPECT_EQ(param_of(proposal(aggregate, kMerchant, "give_up")), "resolution");
  EXPECT_EQ(aggregate.cases.front().state, CaseState::open);
  EXPECT_EQ(param_of(proposal(aggregate, std::nullopt, "keep")), "ok");
}

TEST_F(UnknownReceiptTest, AnApprovalOfAReplacedProposalIsRefused) {
  const UnknownReceiptAggregate& aggregate = receive();
  ASSERT_TRUE(world_.run(proposal(aggregate, kOtherMerchant)));
  ApproveResolution reviewed = approval(aggregate, kMerchant);
  reviewed.reviewed_merchant = kOtherMerchant;
  EXPECT_EQ(world_.refusal_of(reviewed), "busy");
  reviewed = approval(aggregate, kOtherMerchant);
  reviewed.reviewed_merchant = kMerchant;
  EXPECT_EQ(world_.refusal_of(reviewed), "illegal_transition");
  EXPECT_EQ(balance(kPlatform, AccountKind::suspense), kAmount);
  reviewed.reviewed_merchant = kOtherMerchant;
  EXPECT_EQ(world_.refusal_of(reviewed), "ok");
}

TEST_F(UnknownReceiptTest, AnApprovalOfAnAssignmentNamesTheMerchant) {
  const UnknownReceiptAggregate& aggregate = receive();
  ASSERT_TRUE(world_.run(proposal(aggregate, kMerchant)));
  ApproveResolution command = approval(aggregate, kMerchant);
  command.reviewed_merchant.reset();
  const Decision decision = world_.run(command);
  ASSERT_FALSE(decision);
  EXPECT_EQ(decision.error().code, RefusalCode::invalid_request);
  EXPECT_EQ(decision.error().param, "merchant");
  EXPECT_EQ(aggregate.cases.front().state, CaseState::proposed);
  EXPECT_EQ(balance(kPlatform, AccountKind::suspense), kAmount);
}

TEST_F(UnknownReceiptTest, AKeptReceiptStaysInSuspense) {
  const UnknownReceiptAggregate& aggregate = receive();
  ASSERT_TRUE(world_.run(proposal(aggregate, std::nullopt, "keep")));
  ASSERT_TRUE(world_.run(world_.reviewed(ApproveResolution{
      kPlatform, aggregate.unknown_receipt.id, aggregate.cases.front().id, "key_b", "keep", {}, {}})));
  EXPECT_EQ(aggregate.unknown_receipt.state, UnknownReceiptState::unassigned);
  EXPECT_EQ(aggregate.cases.front().state, CaseState::resolved);
  EXPECT_EQ(balance(kPlatform, AccountKind::suspense), kAmount);
  EXPECT_EQ(entries_of(EntryType::receipt_assigned), 0u);
}

TEST_F(UnknownReceiptTest, ACancellationReversesTheBooking) {
  for (const Funds funds : {Funds::platform, Funds::merchant}) {
    SCOPED_TRACE(name_of(funds));
    world_ = World();
    world_.policy.accounts["sandbox"] = {.channel = "sandbox", .funds = funds};
    const UnknownReceiptAggregate& aggregate = receive();
    ASSERT_TRUE(world_.run(proposal(aggregate, std::nullopt, "cancel")));
    EXPECT_EQ(world_.refusal_of(approval(aggregate, std::nullopt, "key_a")), "forbidden");
    ASSERT_TRUE(world_.run(approval(aggregate, std::nullopt)));
    EXPECT_EQ(aggregate.unknown_receipt.state, UnknownReceiptState::cancelled);
    EXPECT_EQ(aggregate.unknown_receipt.assigned_to, std::nullopt);
    EXPECT_EQ(aggregate.cases.front().state, CaseState::resolved);
    EXPECT_EQ(balance(kPlatform, AccountKind::suspense), 0);
    EXPECT_EQ(balance(kPlatform, AccountKind::channel_receivable), 0);
    EXPECT_EQ(balance(kPlatform, AccountKind::clearing), 0);
    EXPECT_EQ(entries_of(EntryType::unknown_receipt_cancelled), 2u);
    const auto journals =
        std::ranges::count_if(world_.events, [](const Event& event) { return event.journal_id.has_value(); });
    EXPECT_EQ(journals, 1);

    ASSERT_TRUE(world_.run(approval(aggregate, std::nullopt))) << "a repeated approval has no effect";
    EXPECT_EQ(entries_of(EntryType::unknown_receipt_cancelled), 2u);
  }
}

TEST_F(UnknownReceiptTest, ARepeatedReportOfACancelledReceiptChangesNothing) {
  const UnknownReceiptAggregate& aggregate = receive();
  ASSERT_TRUE(world_.run(proposal(aggregate, std::nullopt, "cancel")));
  ASSERT_TRUE(world_.run(approval(aggregate, std::nullopt)));
  const Decision again = world_.run(report());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->object, ObjectRef(aggregate.unknown_receipt.id));
  EXPECT_FALSE(again->created);
  EXPECT_TRUE(world_.events.empty());
  EXPECT_EQ(aggregate.unknown_receipt.state, UnknownReceiptState::cancelled);
  EXPECT_EQ(balance(kPlatform, AccountKind::suspense), 0);
}

// The approval names the accounts of the proposal that the API has read. Another proposal can replace it meanwhile.
TEST_F(UnknownReceiptTest, AnApprovalWithoutTheAccountsOfTheProposalIsRefused) {
  struct Row {
    const char* what;
    std::string resolution;
    std::optional<MerchantId> assign_to;  // of the proposal
    std::optional<MerchantId> read;       // merchant that the approval names
    std::string channel;                  // channel that the approval names
    std::string expected;
  };
  const Row rows[] = {
      {"cancel replaced an assignment", "cancel", std::nullopt, kMerchant, "sandbox", "busy"},
      {"an assignment replaced cancel", "assign", kMerchant, std::nullopt, "sandbox", "busy"},
      {"cancel without a channel", "cancel", std::nullopt, std::nullopt, "", "busy"},
      {"cancel over another channel", "cancel", std::nullopt, std::nullopt, "sandbox2", "busy"},
      {"keep replaced an assignment", "keep", std::nullopt, kMerchant, "sandbox", "ok"},
      {"keep without a channel", "keep", std::nullopt, std::nullopt, "", "ok"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    world_ = World();
    const UnknownReceiptAggregate& aggregate = receive();
    ASSERT_TRUE(world_.run(proposal(aggregate, row.assign_to, row.resolution)));
    ApproveResolution command = approval(aggregate, row.read);
    command.reviewed_merchant = row.assign_to;
    command.channel = row.channel;
    EXPECT_EQ(world_.refusal_of(command), row.expected);
    EXPECT_EQ(aggregate.unknown_receipt.state, UnknownReceiptState::unassigned);
    EXPECT_EQ(balance(kPlatform, AccountKind::suspense), kAmount);
  }
}

TEST_F(UnknownReceiptTest, ADecidedReceiptAcceptsNoOtherDecision) {
  const std::pair<const char*, UnknownReceiptState> rows[] = {{"assign", UnknownReceiptState::assigned},
                                                              {"cancel", UnknownReceiptState::cancelled},
                                                              {"keep", UnknownReceiptState::unassigned}};
  for (const auto& [resolution, state] : rows) {
    SCOPED_TRACE(resolution);
    world_ = World();
    const UnknownReceiptAggregate& aggregate = receive();
    const bool names = std::string_view(resolution) == "assign";
    const std::optional<MerchantId> merchant = names ? std::optional(kMerchant) : std::nullopt;
    ASSERT_TRUE(world_.run(proposal(aggregate, merchant, resolution)));
    ASSERT_TRUE(world_.run(approval(aggregate, merchant)));
    EXPECT_EQ(world_.refusal_of(proposal(aggregate, std::nullopt, "cancel")), "illegal_transition");
    EXPECT_EQ(world_.refusal_of(proposal(aggregate, kMerchant)), "illegal_transition");
    EXPECT_EQ(aggregate.unknown_receipt.state, state);
  }
}

TEST_F(UnknownReceiptTest, ThePlatformHasNoOrdersAndNoMerchantKeys) {
  CreateOrder order = world_.order_request();
  order.merchant_id = kPlatform;
  EXPECT_EQ(world_.refusal_of(order), "forbidden");
  EXPECT_EQ(world_.refusal_of(CreateApiKey{kPlatform, Role::merchant, "key", sha256_16("key")}), "invalid_request");
  EXPECT_EQ(world_.refusal_of(CreateApiKey{{}, Role::admin, "key", sha256_16("key")}), "ok");
}

}  // namespace
}  // namespace finality::test
