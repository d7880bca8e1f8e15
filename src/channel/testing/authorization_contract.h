// Contract suite for the calls of authorizations and captures. The Subject of channel_contract.h has in addition:
//
//     /// Return the genuine response to the call that gives this kind of evidence.
//     static std::optional<net::HttpResponse> authorization_answer(const AuthorizationCall&, AuthorizationEvidenceKind,
//                                                                  Time);
//     static std::optional<net::HttpResponse> capture_answer(const CaptureCall&, EvidenceKind, Time);
//     /// Returns a notification with the channel's signature: the amount of the call is held since the given time.
//     static net::HttpRequest held_notification(const AuthorizationCall&, Time);
//
//   INSTANTIATE_TYPED_TEST_SUITE_P(Name, AuthorizationContract, Subject);
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <memory>

#include "channel/testing/channel_calls.h"

namespace finality::channel_contract {

template <class Subject>
class AuthorizationContract : public testing::Test {
 protected:
  std::unique_ptr<Channel> channel_ = Subject::make();
  AuthorizationCall query_ = authorization_call_of(AuthorizationCallKind::query_authorization, *channel_);
  CaptureCall query_capture_ = capture_call_of(CaptureCallKind::query_capture, *channel_);

  static auto answer(const AuthorizationCall& call, AuthorizationEvidenceKind kind) {
    return Subject::authorization_answer(call, kind, kNow);
  }
  static auto answer(const CaptureCall& call, EvidenceKind kind) { return Subject::capture_answer(call, kind, kNow); }

  /// Calls check(call, kind, response) for every call and every genuine response whose evidence is not `unknown`.
  template <class Check>
  void for_each_answer(Check check) {
    for_each_answer<AuthorizationEvidenceKind>(all_authorization_calls(*channel_), check);
    for_each_answer<EvidenceKind>(all_capture_calls(*channel_), check);
  }

  template <class Call>
  bool is_evidence(const Call& call, const net::HttpResponse& response) const {
    const auto evidence = read_response(*channel_, call, response);
    return evidence.kind != decltype(evidence.kind)::unknown;
  }

 private:
  template <class Kind, class Calls, class Check>
  void for_each_answer(const Calls& calls, Check check) {
    for (const auto& call : calls) {
      for (std::size_t i = 0; i < kCount<Kind>; ++i) {
        const auto kind = static_cast<Kind>(i);
        const auto found = kind == Kind::unknown ? std::nullopt : answer(call, kind);
        if (!found) continue;
        SCOPED_TRACE(std::string(name_of(call.kind)) + " answered " + std::string(name_of(kind)));
        check(call, kind, *found);
      }
    }
  }
};

TYPED_TEST_SUITE_P(AuthorizationContract);

TYPED_TEST_P(AuthorizationContract, TermsNameMethodsOfTheChannelAndATime) {
  const Capabilities can = capabilities_of(*this->channel_);
  ASSERT_TRUE(can.authorization);
  ASSERT_FALSE(can.authorization->methods.empty());
  for (const std::string& method : can.authorization->methods) EXPECT_TRUE(Capabilities::has(can.methods, method));
  EXPECT_GT(can.authorization->capture_within_max, Duration(0));
  EXPECT_EQ(can.authorization->refund_by == RefundBy::authorization, can.authorization->shares_trade_no);
}

TYPED_TEST_P(AuthorizationContract, SameCallSameRequest) {
  const Authorizations& calls = *this->channel_->authorizations();
  for (const AuthorizationCall& call : all_authorization_calls(*this->channel_))
    expect_same(calls.request_of(call, kNow), calls.request_of(call, kNow));
  for (const CaptureCall& call : all_capture_calls(*this->channel_))
    expect_same(calls.request_of(call, kNow), calls.request_of(call, kNow));
}

TYPED_TEST_P(AuthorizationContract, AnswersWithoutARequestAreThePayersAction) {
  const Authorizations& calls = *this->channel_->authorizations();
  using enum AuthorizationCallKind;
  for (const std::string& method : this->channel_->capabilities().authorization->methods) {
    const auto prepared =
        calls.answer_without_asking(authorization_call_of(send_authorization, *this->channel_, method), kNow);
    if (!prepared) continue;
    EXPECT_EQ(prepared->kind, AuthorizationEvidenceKind::waiting) << method;
    EXPECT_NE(prepared->action_type, ActionType::none) << method;
    EXPECT_EQ(prepared->asked_at, kNow);
    EXPECT_TRUE(this->channel_->capabilities().is_made_by_payer(method)) << method;
  }
  for (const AuthorizationCallKind kind : {query_authorization, close_authorization, release_authorization})
    EXPECT_FALSE(calls.answer_without_asking(authorization_call_of(kind, *this->channel_), kNow));
}

TYPED_TEST_P(AuthorizationContract, QueriesDistinguishTheKinds) {
  using enum AuthorizationEvidenceKind;
  for (const AuthorizationEvidenceKind kind : {waiting, authorized, released, closed, not_found})
    EXPECT_TRUE(this->answer(this->query_, kind)) << name_of(kind);
  for (const EvidenceKind kind : {EvidenceKind::paid, EvidenceKind::not_found})
    EXPECT_TRUE(this->answer(this->query_capture_, kind)) << name_of(kind);
}

TYPED_TEST_P(AuthorizationContract, GenuineAnswersAreEvidence) {
  this->for_each_answer([&](const auto& call, auto kind, const net::HttpResponse& answer) {
    const auto evidence = read_response(*this->channel_, call, answer);
    EXPECT_EQ(evidence.kind, kind) << evidence.code << ": " << evidence.message;
    EXPECT_EQ(evidence.asked_at, kNow);
    EXPECT_EQ(evidence.source, source_of(call));
  });
}

TYPED_TEST_P(AuthorizationContract, HeldAndReleasedAmountsAreReportedInFull) {
  using enum AuthorizationEvidenceKind;
  const AuthorizationEvidence held =
      read_response(*this->channel_, this->query_, *this->answer(this->query_, authorized));
  EXPECT_TRUE(held.channel_trade_no.has_value());
  EXPECT_EQ(held.authorized, 1000);
  EXPECT_EQ(held.captured, 0);
  EXPECT_EQ(held.released, 0);
  EXPECT_EQ(held.currency.text(), "CNY");
  EXPECT_FALSE(held.is_unfunded);
  EXPECT_FALSE(held.channel_payer.empty());
  const AuthorizationEvidence ended =
      read_response(*this->channel_, this->query_, *this->answer(this->query_, released));
  EXPECT_EQ(ended.authorized, 1000);
  EXPECT_EQ(ended.captured + ended.released, 1000);
}

TYPED_TEST_P(AuthorizationContract, CapturedMoneyIsReportedInFull) {
  const Evidence captured =
      read_response(*this->channel_, this->query_capture_, *this->answer(this->query_capture_, EvidenceKind::paid));
  EXPECT_TRUE(captured.channel_trade_no.has_value());
  EXPECT_EQ(captured.amount, 400);
  EXPECT_EQ(captured.currency.text(), "CNY");
  EXPECT_GT(captured.paid_at.ms, 0);
}

// A refused release leaves the hold as it is, and only a release reports that.
TYPED_TEST_P(AuthorizationContract, OnlyAReleaseIsRefusedAsOne) {
  using enum AuthorizationEvidenceKind;
  for (const AuthorizationCall& call : all_authorization_calls(*this->channel_))
    for (const AuthorizationEvidenceKind kind : {release_refused, release_again})
      EXPECT_EQ(this->answer(call, kind).has_value(), call.kind == AuthorizationCallKind::release_authorization)
          << name_of(call.kind) << ' ' << name_of(kind);
}

TYPED_TEST_P(AuthorizationContract, NoAnswerIsUnknown) {
  const UpstreamResponse no_response{.http = {}, .failure = "no answer"};
  const auto expect_timeout = [&](const auto& call) {
    const auto evidence = this->channel_->authorizations()->evidence_of(call, no_response, kNow);
    EXPECT_EQ(evidence.kind, decltype(evidence.kind)::unknown);
    EXPECT_EQ(evidence.code, "timeout");
    EXPECT_EQ(evidence.message, "no answer");
  };
  for (const AuthorizationCall& call : all_authorization_calls(*this->channel_)) expect_timeout(call);
  for (const CaptureCall& call : all_capture_calls(*this->channel_)) expect_timeout(call);
}

TYPED_TEST_P(AuthorizationContract, ServerErrorsAreUnknownWhateverTheirBody) {
  this->for_each_answer([&](const auto& call, auto, net::HttpResponse answer) {
    answer.status = 503;
    EXPECT_FALSE(this->is_evidence(call, answer));
    EXPECT_FALSE(read_response(*this->channel_, call, answer).code.empty());
  });
}

TYPED_TEST_P(AuthorizationContract, UnsignedTamperedAndTruncatedAnswersAreUnknown) {
  this->for_each_answer([&](const auto& call, auto, const net::HttpResponse& answer) {
    net::HttpResponse changed = answer;
    TypeParam::remove_signature(changed);
    EXPECT_FALSE(this->is_evidence(call, changed));
    for (std::size_t i = 0; i < answer.body.size(); ++i) {
      changed = answer;
      changed.body[i] = static_cast<char>(changed.body[i] ^ 1);
      ASSERT_FALSE(this->is_evidence(call, changed)) << "byte " << i << " of " << answer.body;
    }
    changed = answer;
    changed.body.pop_back();
    EXPECT_FALSE(this->is_evidence(call, changed));
  });
}

TYPED_TEST_P(AuthorizationContract, AnAnswerAboutAnotherAuthorizationOrCaptureIsUnknown) {
  AuthorizationCall other = this->query_;
  other.authorization.out_trade_no = out_authorization_no(MerchantId{7}, OrderId{6}, 2);
  EXPECT_FALSE(this->is_evidence(other, *this->answer(this->query_, AuthorizationEvidenceKind::authorized)));
  CaptureCall another = this->query_capture_;
  another.capture.out_trade_no = out_capture_no(MerchantId{7}, OrderId{6}, 2);
  EXPECT_FALSE(this->is_evidence(another, *this->answer(this->query_capture_, EvidenceKind::paid)));
}

TYPED_TEST_P(AuthorizationContract, AGenuineNotificationIsAccepted) {
  const auto notification = this->channel_->verify(TypeParam::held_notification(this->query_, kNow), kNow);
  ASSERT_TRUE(notification) << notification.error().message;
  EXPECT_EQ(notification->out_trade_no, this->query_.authorization.out_trade_no);
  EXPECT_FALSE(notification->is_ignored || notification->refund);
  ASSERT_TRUE(notification->authorization);
  EXPECT_EQ(notification->authorization->kind, AuthorizationEvidenceKind::authorized);
  EXPECT_EQ(notification->authorization->authorized, 1000);
  EXPECT_EQ(notification->authorization->currency.text(), "CNY");
  EXPECT_TRUE(notification->authorization->channel_trade_no.has_value());
  EXPECT_EQ(notification->authorization->source, CauseKind::notification);
  EXPECT_EQ(notification->authorization->asked_at, kNow);
}

TYPED_TEST_P(AuthorizationContract, ATamperedTruncatedOrUnsignedNotificationIsRejected) {
  const net::HttpRequest genuine = TypeParam::held_notification(this->query_, kNow);
  for (std::size_t i = 0; i < genuine.body.size(); ++i) {
    net::HttpRequest tampered = genuine;
    tampered.body[i] = static_cast<char>(tampered.body[i] ^ 1);
    ASSERT_FALSE(this->channel_->verify(tampered, kNow)) << "byte " << i;
    tampered.body = genuine.body.substr(0, i);
    ASSERT_FALSE(this->channel_->verify(tampered, kNow)) << tampered.body;
  }
  net::HttpRequest bare = genuine;
  TypeParam::remove_signature(bare);
  EXPECT_FALSE(this->channel_->verify(bare, kNow));
}

TYPED_TEST_P(AuthorizationContract, ASignedNotificationWithACorruptByteNeverCrashes) {
  const std::string genuine = TypeParam::held_notification(this->query_, kNow).body;
  EXPECT_TRUE(rc::check("a signed corrupt notification is accepted or rejected", [&] {
    std::string body = genuine;
    body[*rc::gen::inRange<std::size_t>(0, body.size())] = *rc::gen::arbitrary<char>();
    const auto notification = this->channel_->verify(TypeParam::notification_of(body, kNow), kNow);
    if (!notification || !notification->authorization) return;
    const AuthorizationEvidence& evidence = *notification->authorization;
    RC_ASSERT(evidence.kind != AuthorizationEvidenceKind::authorized || evidence.authorized > 0);
    RC_ASSERT(evidence.captured >= 0 && evidence.released >= 0 && evidence.asked_at <= kNow);
  }));
}

REGISTER_TYPED_TEST_SUITE_P(AuthorizationContract, TermsNameMethodsOfTheChannelAndATime, SameCallSameRequest,
                            AnswersWithoutARequestAreThePayersAction, QueriesDistinguishTheKinds,
                            GenuineAnswersAreEvidence, HeldAndReleasedAmountsAreReportedInFull,
                            CapturedMoneyIsReportedInFull, OnlyAReleaseIsRefusedAsOne, NoAnswerIsUnknown,
                            ServerErrorsAreUnknownWhateverTheirBody, UnsignedTamperedAndTruncatedAnswersAreUnknown,
                            AnAnswerAboutAnotherAuthorizationOrCaptureIsUnknown, AGenuineNotificationIsAccepted,
                            ATamperedTruncatedOrUnsignedNotificationIsRejected,
                            ASignedNotificationWithACorruptByteNeverCrashes);

}  // namespace finality::channel_contract
