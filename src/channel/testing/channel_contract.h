// Contract suite for channel adapters. Tests every kind of evidence and every cause of a failed verification.
//
// The test of an adapter describes its channel in a class Subject and instantiates the suite. A "genuine" response is a
// correctly signed response that the real channel could send. A function returns nullopt if the channel has no such
// response.
//
//   struct Subject {
//     static std::unique_ptr<Channel> make();
//     /// Returns the genuine response to the call that gives this kind of evidence.
//     static std::optional<net::HttpResponse> answer(const ChannelCall&, EvidenceKind, Time);
//     /// Whether responses to a call of this kind contain the out_trade_no. If so, `answer_about` returns a genuine
//     /// response with status 200 about the trade `out_trade_no`.
//     static bool names_trade(ChannelCallKind);
//     static net::HttpResponse answer_about(std::string out_trade_no, const ChannelCall&, Time);
//     /// Like `answer` and `answer_about`, for refunds. Used only if the channel implements Refunds.
//     static std::optional<net::HttpResponse> refund_answer(const RefundCall&, RefundEvidenceKind, Time);
//     static net::HttpResponse refund_answer_about(std::string out_refund_no, const RefundCall&, Time);
//     /// Return the response with the statement or a link to it, the response that the day is empty, and the response
//     /// that the statement is not ready. All are nullopt if the channel does not implement Statements.
//     static std::optional<net::HttpResponse> statement_answer(const StatementCall&, Time);
//     static std::optional<net::HttpResponse> empty_day_answer(const StatementCall&, Time);
//     static std::optional<net::HttpResponse> unready_statement_answer(const StatementCall&, Time);
//     /// Returns a genuine response to a query: the trade of the call was paid and fully refunded.
//     static net::HttpResponse refunded_answer(const ChannelCall&, Time);
//     /// The refunded amount, in fen, that a query reports for a fully refunded trade of 10.00 CNY; 0 if a query does
//     /// not report the amount.
//     static constexpr MinorUnits kRefundedSum;
//     /// Whether the channel signs this response.
//     static bool is_signed(const net::HttpResponse&);
//     /// Remove the signature from a response or a notification.
//     static void remove_signature(net::HttpResponse&);
//     static void remove_signature(net::HttpRequest&);
//     /// Return a notification that the payment of the call is paid. `paid_notification` signs with the channel's key
//     /// at the given time, `forged_notification` signs with a wrong key.
//     static net::HttpRequest paid_notification(const ChannelCall&, Time);
//     static net::HttpRequest forged_notification(const ChannelCall&, Time);
//     /// Returns a notification with exactly this content and a valid signature.
//     static net::HttpRequest notification_of(std::string content, Time);
//   };
//   INSTANTIATE_TYPED_TEST_SUITE_P(Name, ChannelContract, Subject);
//
// testing/statement_contract.h tests the files of statements, testing/authorization_contract.h the calls of
// authorizations and captures.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "channel/testing/channel_calls.h"

namespace finality::channel_contract {

template <class Subject>
class ChannelContract : public testing::Test {
 protected:
  std::unique_ptr<Channel> channel_ = Subject::make();
  ChannelCall query_ = call_of(ChannelCallKind::query_payment, *channel_);

  /// Calls check(call, kind, response) for every payment call and every genuine response whose evidence is not
  /// `unknown`.
  template <class Check>
  void for_each_answer(Check check) {
    for (const ChannelCall& call : all_calls(*channel_)) {
      for (std::size_t i = 0; i < kCount<EvidenceKind>; ++i) {
        const auto kind = static_cast<EvidenceKind>(i);
        const auto answer = kind == EvidenceKind::unknown ? std::nullopt : Subject::answer(call, kind, kNow);
        if (!answer) continue;
        SCOPED_TRACE(std::string(name_of(call.kind)) + " of " + call.payment.method + " answered " +
                     std::string(name_of(kind)));
        check(call, kind, *answer);
      }
    }
  }

  /// Calls check(call, kind, response) for every refund call and every genuine response whose evidence is not
  /// `unknown`.
  template <class Check>
  void for_each_refund_answer(Check check) {
    for (const RefundCall& call : all_refund_calls(*channel_)) {
      for (std::size_t i = 0; i < kCount<RefundEvidenceKind>; ++i) {
        const auto kind = static_cast<RefundEvidenceKind>(i);
        const auto answer =
            kind == RefundEvidenceKind::unknown ? std::nullopt : Subject::refund_answer(call, kind, kNow);
        if (!answer) continue;
        SCOPED_TRACE(std::string(name_of(call.kind)) + " answered " + std::string(name_of(kind)));
        check(call, kind, *answer);
      }
    }
  }

  /// Calls check(yields_evidence, response) for every signed response about a payment, a refund or a statement.
  /// yields_evidence(response) is whether the adapter accepts a response as evidence.
  template <class Check>
  void for_each_signed_answer(Check check) {
    for_each_answer([&](const ChannelCall& call, EvidenceKind, const net::HttpResponse& answer) {
      if (!Subject::is_signed(answer)) return;
      check(
          [&](const auto& response) { return read_response(*channel_, call, response).kind != EvidenceKind::unknown; },
          answer);
    });
    for_each_refund_answer([&](const RefundCall& call, RefundEvidenceKind, const net::HttpResponse& answer) {
      if (!Subject::is_signed(answer)) return;
      check(
          [&](const auto& response) {
            return read_response(*channel_, call, response).kind != RefundEvidenceKind::unknown;
          },
          answer);
    });
    for (const auto& answer : {Subject::statement_answer(kStatement, kNow), Subject::empty_day_answer(kStatement, kNow),
                               Subject::unready_statement_answer(kStatement, kNow)})
      if (answer && Subject::is_signed(*answer))
        check([&](const auto& response) { return read_response(*channel_, kStatement, response).has_value(); },
              *answer);
  }
};

TYPED_TEST_SUITE_P(ChannelContract);

TYPED_TEST_P(ChannelContract, HasANameAndAMethod) {
  EXPECT_FALSE(this->channel_->name().empty());
  EXPECT_FALSE(this->channel_->capabilities().methods.empty());
}

TYPED_TEST_P(ChannelContract, HasTermsOfAuthorizationsExactlyIfItHasTheInterface) {
  EXPECT_EQ(this->channel_->capabilities().authorization.has_value(), this->channel_->authorizations() != nullptr);
}

TYPED_TEST_P(ChannelContract, SameCallSameRequest) {
  const Channel& channel = *this->channel_;
  for (const ChannelCall& call : all_calls(channel))
    expect_same(channel.request_of(call, kNow), channel.request_of(call, kNow));
  for (const RefundCall& call : all_refund_calls(channel))
    expect_same(channel.refunds()->request_of(call, kNow), channel.refunds()->request_of(call, kNow));
  for (const StatementCall& call : all_statement_calls(channel))
    expect_same(*channel.statements()->request_of(call, kNow), *channel.statements()->request_of(call, kNow));
}

TYPED_TEST_P(ChannelContract, AnswersWithoutARequestAreThePayersAction) {
  for (const std::string& method : this->channel_->capabilities().methods) {
    const ChannelCall send = call_of(ChannelCallKind::send_payment, *this->channel_, method);
    const auto prepared = this->channel_->answer_without_asking(send, kNow);
    if (!prepared) continue;
    EXPECT_EQ(prepared->kind, EvidenceKind::waiting) << method;
    EXPECT_NE(prepared->action_type, ActionType::none) << method;
    EXPECT_EQ(prepared->asked_at, kNow);
    EXPECT_TRUE(this->channel_->capabilities().is_made_by_payer(method)) << method;
    const auto repeated = this->channel_->answer_without_asking(send, kNow);
    EXPECT_EQ(prepared->action_url + prepared->action_code, repeated->action_url + repeated->action_code);
  }
  for (const ChannelCallKind kind : {ChannelCallKind::query_payment, ChannelCallKind::close_payment})
    EXPECT_FALSE(this->channel_->answer_without_asking(call_of(kind, *this->channel_), kNow));
}

TYPED_TEST_P(ChannelContract, QueryDistinguishesEveryKind) {
  for (std::size_t i = 0; i < kCount<EvidenceKind>; ++i) {
    const auto kind = static_cast<EvidenceKind>(i);
    if (kind == EvidenceKind::unknown || kind == EvidenceKind::failed) continue;  // a channel may lack this kind
    EXPECT_TRUE(TypeParam::answer(this->query_, kind, kNow).has_value()) << name_of(kind);
  }
}

TYPED_TEST_P(ChannelContract, GenuineAnswersAreEvidence) {
  this->for_each_answer([&](const ChannelCall& call, EvidenceKind kind, const net::HttpResponse& answer) {
    const Evidence evidence = read_response(*this->channel_, call, answer);
    EXPECT_EQ(evidence.kind, kind) << evidence.code << ": " << evidence.message;
    EXPECT_EQ(evidence.asked_at, kNow);
    EXPECT_EQ(evidence.source,
              call.kind == ChannelCallKind::query_payment ? CauseKind::query : CauseKind::channel_reply);
  });
}

TYPED_TEST_P(ChannelContract, GenuineRefundAnswersAreEvidence) {
  bool refunded = false;
  this->for_each_refund_answer([&](const RefundCall& call, RefundEvidenceKind kind, const net::HttpResponse& answer) {
    const RefundEvidence evidence = read_response(*this->channel_, call, answer);
    EXPECT_EQ(evidence.kind, kind) << evidence.code << ": " << evidence.message;
    if (kind == RefundEvidenceKind::not_now)
      EXPECT_EQ(call.kind, RefundCallKind::send_refund) << "only a refund request can be refused temporarily";
    EXPECT_EQ(evidence.asked_at, kNow);
    EXPECT_EQ(evidence.source, call.kind == RefundCallKind::query_refund ? CauseKind::query : CauseKind::channel_reply);
    refunded = refunded || kind == RefundEvidenceKind::refunded;
  });
  EXPECT_EQ(refunded, this->channel_->refunds() != nullptr) << "one answer reports a completed refund";
}

TYPED_TEST_P(ChannelContract, PaidAndRefundedMoneyIsReportedInFull) {
  const Evidence paid =
      read_response(*this->channel_, this->query_, *TypeParam::answer(this->query_, EvidenceKind::paid, kNow));
  EXPECT_TRUE(paid.channel_trade_no.has_value());
  EXPECT_EQ(paid.amount, 1000);
  EXPECT_EQ(paid.currency.text(), "CNY");
  EXPECT_GT(paid.paid_at.ms, 0);
  const Evidence refunded =
      read_response(*this->channel_, this->query_, TypeParam::refunded_answer(this->query_, kNow));
  EXPECT_EQ(refunded.kind, EvidenceKind::paid);
  EXPECT_TRUE(refunded.channel_trade_no.has_value());
  EXPECT_EQ(refunded.refunded, TypeParam::kRefundedSum);
  EXPECT_EQ(refunded.is_refund_unknown, TypeParam::kRefundedSum == 0) << "the sum, or that it is unknown";
}

TYPED_TEST_P(ChannelContract, NoAnswerIsUnknown) {
  const UpstreamResponse no_response{.http = {}, .failure = "no answer"};
  const auto expect_timeout = [](const auto& evidence, auto unknown) {
    EXPECT_EQ(evidence.kind, unknown);
    EXPECT_EQ(evidence.code, "timeout");
    EXPECT_EQ(evidence.message, "no answer");
  };
  for (const ChannelCall& call : all_calls(*this->channel_))
    expect_timeout(this->channel_->evidence_of(call, no_response, kNow), EvidenceKind::unknown);
  for (const RefundCall& call : all_refund_calls(*this->channel_))
    expect_timeout(this->channel_->refunds()->evidence_of(call, no_response, kNow), RefundEvidenceKind::unknown);
  if (const Statements* statements = this->channel_->statements())
    EXPECT_FALSE(statements->statement_answer_of(kStatement, no_response, kNow));
}

TYPED_TEST_P(ChannelContract, ServerErrorsAreUnknownWhateverTheirBody) {
  for (const int status : {500, 502, 503}) {
    this->for_each_answer([&](const ChannelCall& call, EvidenceKind, net::HttpResponse answer) {
      answer.status = status;
      EXPECT_EQ(read_response(*this->channel_, call, answer).kind, EvidenceKind::unknown);
      EXPECT_FALSE(read_response(*this->channel_, call, answer).code.empty());
    });
    this->for_each_refund_answer([&](const RefundCall& call, RefundEvidenceKind, net::HttpResponse answer) {
      answer.status = status;
      EXPECT_EQ(read_response(*this->channel_, call, answer).kind, RefundEvidenceKind::unknown);
      EXPECT_FALSE(read_response(*this->channel_, call, answer).code.empty());
    });
  }
}

TYPED_TEST_P(ChannelContract, UnsignedAnswersAreUnknown) {
  this->for_each_signed_answer([&](auto yields_evidence, net::HttpResponse answer) {
    EXPECT_TRUE(yields_evidence(answer));
    TypeParam::remove_signature(answer);
    EXPECT_FALSE(yields_evidence(answer));
  });
}

TYPED_TEST_P(ChannelContract, TamperedAnswersAreUnknown) {
  this->for_each_signed_answer([&](auto yields_evidence, const net::HttpResponse& answer) {
    for (std::size_t i = 0; i < answer.body.size(); ++i) {
      net::HttpResponse tampered = answer;
      tampered.body[i] = static_cast<char>(tampered.body[i] ^ 1);
      ASSERT_FALSE(yields_evidence(tampered)) << "byte " << i << " of " << answer.body;
    }
  });
}

TYPED_TEST_P(ChannelContract, EmptyAndTruncatedAnswersAreUnknown) {
  this->for_each_signed_answer([&](auto yields_evidence, net::HttpResponse answer) {
    while (!answer.body.empty()) {
      answer.body.pop_back();
      ASSERT_FALSE(yields_evidence(answer)) << answer.body;
    }
  });
}

TYPED_TEST_P(ChannelContract, AnAnswerAboutAnotherTradeIsUnknown) {
  for (const ChannelCall& call : all_calls(*this->channel_)) {
    if (!TypeParam::names_trade(call.kind)) continue;
    const auto about = [&](const std::string& number) {
      return read_response(*this->channel_, call, TypeParam::answer_about(number, call, kNow)).kind;
    };
    EXPECT_NE(about(call.payment.out_trade_no), EvidenceKind::unknown) << call.payment.method;
    EXPECT_EQ(about(out_number(MerchantId{7}, 9)), EvidenceKind::unknown) << call.payment.method;
  }
}

TYPED_TEST_P(ChannelContract, AnAnswerAboutAnotherRefundIsUnknown) {
  if (this->channel_->refunds() == nullptr) return;
  const RefundCall call = refund_call_of(RefundCallKind::query_refund, *this->channel_);
  const auto about = [&](const std::string& number) {
    return read_response(*this->channel_, call, TypeParam::refund_answer_about(number, call, kNow)).kind;
  };
  EXPECT_EQ(about(call.out_refund_no), RefundEvidenceKind::refunded);
  EXPECT_EQ(about(out_number(MerchantId{7}, 10)), RefundEvidenceKind::unknown);
}

TYPED_TEST_P(ChannelContract, StatementAnswersYieldAFileOrALink) {
  const auto answer = TypeParam::statement_answer(kStatement, kNow);
  ASSERT_EQ(answer.has_value(), this->channel_->statements() != nullptr);
  if (!answer) return;
  const auto found = read_response(*this->channel_, kStatement, *answer);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_FALSE(std::holds_alternative<NoStatement>(*found));
}

TYPED_TEST_P(ChannelContract, AMissingStatementIsNotAnError) {
  if (this->channel_->statements() == nullptr) return;
  for (const bool is_empty_day : {true, false}) {
    auto answer = is_empty_day ? TypeParam::empty_day_answer(kStatement, kNow)
                               : TypeParam::unready_statement_answer(kStatement, kNow);
    ASSERT_TRUE(answer);
    const auto none = read_response(*this->channel_, kStatement, *answer);
    ASSERT_TRUE(none) << none.error().message;
    ASSERT_TRUE(std::holds_alternative<NoStatement>(*none));
    EXPECT_EQ(std::get<NoStatement>(*none).is_empty_day, is_empty_day);
    EXPECT_FALSE(std::get<NoStatement>(*none).code.empty());
    if (TypeParam::is_signed(*answer)) {
      net::HttpResponse unsigned_answer = *answer;
      TypeParam::remove_signature(unsigned_answer);
      EXPECT_FALSE(read_response(*this->channel_, kStatement, unsigned_answer)) << "unknown whether a statement exists";
    }
    answer->status = 503;
    EXPECT_FALSE(read_response(*this->channel_, kStatement, *answer)) << "unknown whether a statement exists";
  }
}

TYPED_TEST_P(ChannelContract, GenuineNotificationIsAccepted) {
  const auto notification = this->channel_->verify(TypeParam::paid_notification(this->query_, kNow), kNow);
  ASSERT_TRUE(notification) << notification.error().message;
  EXPECT_EQ(notification->out_trade_no, this->query_.payment.out_trade_no);
  EXPECT_EQ(notification->evidence.kind, EvidenceKind::paid);
  EXPECT_EQ(notification->evidence.amount, 1000);
  EXPECT_EQ(notification->evidence.currency.text(), "CNY");
  EXPECT_TRUE(notification->evidence.channel_trade_no.has_value());
  EXPECT_EQ(notification->evidence.source, CauseKind::notification);
  EXPECT_EQ(notification->evidence.asked_at, kNow);
}

TYPED_TEST_P(ChannelContract, TamperedNotificationIsRejected) {
  const net::HttpRequest genuine = TypeParam::paid_notification(this->query_, kNow);
  for (std::size_t i = 0; i < genuine.body.size(); ++i) {
    net::HttpRequest tampered = genuine;
    tampered.body[i] = static_cast<char>(tampered.body[i] ^ 1);
    ASSERT_FALSE(this->channel_->verify(tampered, kNow)) << "byte " << i;
  }
}

TYPED_TEST_P(ChannelContract, UnsignedNotificationIsRejected) {
  net::HttpRequest notification = TypeParam::paid_notification(this->query_, kNow);
  TypeParam::remove_signature(notification);
  EXPECT_FALSE(this->channel_->verify(notification, kNow));
}

TYPED_TEST_P(ChannelContract, NotificationOfAnotherSecretIsRejected) {
  EXPECT_FALSE(this->channel_->verify(TypeParam::forged_notification(this->query_, kNow), kNow));
}

TYPED_TEST_P(ChannelContract, TruncatedNotificationIsRejected) {
  net::HttpRequest notification = TypeParam::paid_notification(this->query_, kNow);
  while (!notification.body.empty()) {
    notification.body.pop_back();
    ASSERT_FALSE(this->channel_->verify(notification, kNow)) << notification.body;
  }
}

TYPED_TEST_P(ChannelContract, ArbitraryBytesAreRejected) {
  const Listener listener(*this->channel_);
  EXPECT_TRUE(rc::check("arbitrary bytes are rejected",
                        [&](const std::string& bytes) { RC_ASSERT(listener.believes_nothing_of(bytes)); }));
  EXPECT_TRUE(rc::check("signed arbitrary bytes are rejected", [&](const std::string& bytes) {
    RC_ASSERT(!this->channel_->verify(TypeParam::notification_of(bytes, kNow), kNow));
  }));
}

TYPED_TEST_P(ChannelContract, ASignedNotificationWithACorruptByteNeverCrashes) {
  const std::string genuine = TypeParam::paid_notification(this->query_, kNow).body;
  EXPECT_TRUE(rc::check("a signed corrupt notification is accepted or rejected", [&] {
    std::string body = genuine;
    body[*rc::gen::inRange<std::size_t>(0, body.size())] = *rc::gen::arbitrary<char>();
    const auto notification = this->channel_->verify(TypeParam::notification_of(body, kNow), kNow);
    if (notification && notification->evidence.kind == EvidenceKind::paid) RC_ASSERT(notification->evidence.amount > 0);
  }));
}

TYPED_TEST_P(ChannelContract, AcknowledgementsDiffer) {
  const net::HttpResponse yes = this->channel_->acknowledgement();
  const net::HttpResponse no = this->channel_->negative_acknowledgement(503);
  EXPECT_TRUE(yes.status >= 200 && yes.status < 300);
  EXPECT_TRUE(no.status != yes.status || no.body != yes.body);
}

REGISTER_TYPED_TEST_SUITE_P(ChannelContract, HasANameAndAMethod, HasTermsOfAuthorizationsExactlyIfItHasTheInterface,
                            SameCallSameRequest, AnswersWithoutARequestAreThePayersAction, QueryDistinguishesEveryKind,
                            GenuineAnswersAreEvidence, GenuineRefundAnswersAreEvidence,
                            PaidAndRefundedMoneyIsReportedInFull, NoAnswerIsUnknown,
                            ServerErrorsAreUnknownWhateverTheirBody, UnsignedAnswersAreUnknown,
                            TamperedAnswersAreUnknown, EmptyAndTruncatedAnswersAreUnknown,
                            AnAnswerAboutAnotherTradeIsUnknown, AnAnswerAboutAnotherRefundIsUnknown,
                            StatementAnswersYieldAFileOrALink, AMissingStatementIsNotAnError,
                            GenuineNotificationIsAccepted, TamperedNotificationIsRejected,
                            UnsignedNotificationIsRejected, NotificationOfAnotherSecretIsRejected,
                            TruncatedNotificationIsRejected, ArbitraryBytesAreRejected,
                            ASignedNotificationWithACorruptByteNeverCrashes, AcknowledgementsDiffer);

}  // namespace finality::channel_contract
