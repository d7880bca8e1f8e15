// What every channel adapter must pass: each kind of word a channel may say, each way it can fail to be believed.
//
// An adapter's test describes its channel in a Subject and instantiates the suite:
//
//   struct Subject {
//     static std::unique_ptr<Channel> make();
//     /// The channel's genuine answer of that kind to that call; empty where the channel has no such answer.
//     static std::optional<net::HttpResponse> answer(const ChannelCall&, EvidenceKind, Time);
//     /// A genuine 200 about the trade of that number, whoever asked.
//     static net::HttpResponse answer_about(std::string out_trade_no, const ChannelCall&, Time);
//     /// Takes away what makes it believable.
//     static void remove_signature(net::Headers&);
//     /// A notification that the call's payment is paid, signed at that time; the second with somebody else's secret.
//     static net::HttpRequest paid_notification(const ChannelCall&, Time);
//     static net::HttpRequest forged_notification(const ChannelCall&, Time);
//     /// A notification of just these bytes, rightly signed.
//     static net::HttpRequest notification_of(std::string body, Time);
//   };
//   INSTANTIATE_TYPED_TEST_SUITE_P(Name, ChannelContract, Subject);
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "channel/channel.h"
#include "model/out_trade_no.h"

namespace finality::channel_contract {

inline constexpr Time kNow{1'790'000'000'000};

/// A call about one payment of 10.00 CNY.
inline ChannelCall call_of(ChannelCallKind kind, const Channel& channel) {
  ChannelCall call{.kind = kind, .deadline = kNow + limits::kChannelTimeout};
  call.order.subject = "Tea";
  call.order.expires_at = kNow + std::chrono::hours(1);
  call.return_url = "https://pay.example/return/t";
  call.payment.id = PaymentId{8};
  call.payment.channel = channel.name();
  call.payment.method = channel.capabilities().methods.front();
  call.payment.amount = 1000;
  call.payment.currency = *parse_currency("CNY");
  call.payment.out_trade_no = out_number(MerchantId{7}, 8);
  return call;
}

inline std::vector<ChannelCallKind> all_call_kinds() {
  return {ChannelCallKind::send_payment, ChannelCallKind::query_payment, ChannelCallKind::close_payment};
}

inline Evidence heard(const Channel& channel, const ChannelCall& call, net::HttpResponse response) {
  return channel.evidence_of(call, UpstreamResponse{std::move(response), ""}, kNow);
}

/// Puts arbitrary bytes wherever the channel can speak. Fit for a fuzzer: true when nothing of it was believed.
inline bool is_harmless(const Channel& channel, std::string_view bytes) {
  const ChannelCall call = call_of(ChannelCallKind::query_payment, channel);
  for (const int status : {200, 204, 400, 404, 409, 500}) {
    net::HttpResponse response{.status = status, .body = std::string(bytes)};
    if (heard(channel, call, response).kind != EvidenceKind::unknown) return false;
  }
  net::HttpRequest notification{.method = "POST", .target = "/notify/" + channel.name(), .body = std::string(bytes)};
  return !channel.verify(notification, kNow);
}

template <class Subject>
class ChannelContract : public testing::Test {
 protected:
  std::unique_ptr<Channel> channel_ = Subject::make();
  ChannelCall query_ = call_of(ChannelCallKind::query_payment, *channel_);

  /// Every answer that proves something, to every call that has it.
  template <class Check>
  void for_each_answer(Check check) {
    for (const ChannelCallKind kind : all_call_kinds()) {
      const ChannelCall call = call_of(kind, *channel_);
      for (std::size_t i = 0; i < kCount<EvidenceKind>; ++i) {
        const auto said = static_cast<EvidenceKind>(i);
        const auto answer = Subject::answer(call, said, kNow);
        if (!answer) continue;
        SCOPED_TRACE(std::string(name_of(kind)) + " answered " + std::string(name_of(said)));
        check(call, said, *answer);
      }
    }
  }

  void expect_unknown(const ChannelCall& call, net::HttpResponse response) {
    const Evidence evidence = heard(*channel_, call, std::move(response));
    EXPECT_EQ(evidence.kind, EvidenceKind::unknown);
    EXPECT_FALSE(evidence.code.empty());
  }
};

TYPED_TEST_SUITE_P(ChannelContract);

TYPED_TEST_P(ChannelContract, HasANameAndAMethod) {
  EXPECT_FALSE(this->channel_->name().empty());
  EXPECT_FALSE(this->channel_->capabilities().methods.empty());
}

TYPED_TEST_P(ChannelContract, SameCallSameRequest) {
  for (const ChannelCallKind kind : all_call_kinds()) {
    const ChannelCall call = call_of(kind, *this->channel_);
    const UpstreamRequest one = this->channel_->request_of(call, kNow);
    const UpstreamRequest other = this->channel_->request_of(call, kNow);
    EXPECT_EQ(one.url, other.url);
    EXPECT_EQ(one.http.headers.fields(), other.http.headers.fields());
    EXPECT_EQ(one.http.body, other.http.body);
    EXPECT_TRUE(one.url.starts_with("http") && one.url.ends_with(one.http.target)) << one.url;
  }
}

TYPED_TEST_P(ChannelContract, QueryTellsEveryKindApart) {
  for (std::size_t i = 0; i < kCount<EvidenceKind>; ++i) {
    const auto kind = static_cast<EvidenceKind>(i);
    const bool proves = kind != EvidenceKind::unknown;
    EXPECT_EQ(TypeParam::answer(this->query_, kind, kNow).has_value(), proves) << name_of(kind);
  }
}

TYPED_TEST_P(ChannelContract, GenuineAnswersAreEvidence) {
  this->for_each_answer([&](const ChannelCall& call, EvidenceKind said, const net::HttpResponse& answer) {
    const Evidence evidence = heard(*this->channel_, call, answer);
    EXPECT_EQ(evidence.kind, said) << evidence.code << ": " << evidence.message;
    EXPECT_EQ(evidence.asked_at, kNow);
    EXPECT_EQ(evidence.source,
              call.kind == ChannelCallKind::query_payment ? CauseKind::query : CauseKind::channel_reply);
  });
}

TYPED_TEST_P(ChannelContract, MoneyIsToldInFull) {
  const Evidence paid =
      heard(*this->channel_, this->query_, *TypeParam::answer(this->query_, EvidenceKind::paid, kNow));
  EXPECT_TRUE(paid.channel_trade_no.has_value());
  EXPECT_EQ(paid.amount, 1000);
  EXPECT_EQ(paid.currency.text(), "CNY");
  EXPECT_GT(paid.paid_at.ms, 0);
  const Evidence refunded =
      heard(*this->channel_, this->query_, *TypeParam::answer(this->query_, EvidenceKind::refunded, kNow));
  EXPECT_TRUE(refunded.channel_trade_no.has_value());
  EXPECT_EQ(refunded.refunded, 1000);
}

TYPED_TEST_P(ChannelContract, NoAnswerIsUnknown) {
  for (const ChannelCallKind kind : all_call_kinds()) {
    const Evidence evidence =
        this->channel_->evidence_of(call_of(kind, *this->channel_), {.http = {}, .failure = "no answer"}, kNow);
    EXPECT_EQ(evidence.kind, EvidenceKind::unknown);
    EXPECT_EQ(evidence.code, "timeout");
    EXPECT_EQ(evidence.message, "no answer");
  }
}

TYPED_TEST_P(ChannelContract, ServerErrorsAreUnknownWhateverTheySay) {
  this->for_each_answer([&](const ChannelCall& call, EvidenceKind, net::HttpResponse answer) {
    for (const int status : {500, 502, 503}) {
      answer.status = status;
      this->expect_unknown(call, answer);
    }
  });
}

TYPED_TEST_P(ChannelContract, UnsignedAnswersAreUnknown) {
  this->for_each_answer([&](const ChannelCall& call, EvidenceKind, net::HttpResponse answer) {
    TypeParam::remove_signature(answer.headers);
    this->expect_unknown(call, answer);
  });
}

TYPED_TEST_P(ChannelContract, TamperedAnswersAreUnknown) {
  this->for_each_answer([&](const ChannelCall& call, EvidenceKind, const net::HttpResponse& answer) {
    for (std::size_t i = 0; i < answer.body.size(); ++i) {
      net::HttpResponse tampered = answer;
      tampered.body[i] = static_cast<char>(tampered.body[i] ^ 1);
      ASSERT_EQ(heard(*this->channel_, call, tampered).kind, EvidenceKind::unknown) << "byte " << i;
    }
  });
}

TYPED_TEST_P(ChannelContract, EmptyAndTruncatedAnswersAreUnknown) {
  this->for_each_answer([&](const ChannelCall& call, EvidenceKind, net::HttpResponse answer) {
    while (!answer.body.empty()) {
      answer.body.pop_back();
      this->expect_unknown(call, answer);
    }
  });
}

TYPED_TEST_P(ChannelContract, AnAnswerAboutAnotherTradeIsUnknown) {
  for (const ChannelCallKind kind : all_call_kinds()) {
    const ChannelCall call = call_of(kind, *this->channel_);
    EXPECT_NE(heard(*this->channel_, call, TypeParam::answer_about(call.payment.out_trade_no, call, kNow)).kind,
              EvidenceKind::unknown);
    this->expect_unknown(call, TypeParam::answer_about(out_number(MerchantId{7}, 9), call, kNow));
  }
}

TYPED_TEST_P(ChannelContract, GenuineNotificationIsBelieved) {
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

TYPED_TEST_P(ChannelContract, TamperedNotificationIsNotBelieved) {
  const net::HttpRequest genuine = TypeParam::paid_notification(this->query_, kNow);
  for (std::size_t i = 0; i < genuine.body.size(); ++i) {
    net::HttpRequest tampered = genuine;
    tampered.body[i] = static_cast<char>(tampered.body[i] ^ 1);
    ASSERT_FALSE(this->channel_->verify(tampered, kNow)) << "byte " << i;
  }
}

TYPED_TEST_P(ChannelContract, UnsignedNotificationIsNotBelieved) {
  net::HttpRequest notification = TypeParam::paid_notification(this->query_, kNow);
  TypeParam::remove_signature(notification.headers);
  EXPECT_FALSE(this->channel_->verify(notification, kNow));
}

TYPED_TEST_P(ChannelContract, NotificationOfAnotherSecretIsNotBelieved) {
  EXPECT_FALSE(this->channel_->verify(TypeParam::forged_notification(this->query_, kNow), kNow));
}

TYPED_TEST_P(ChannelContract, TruncatedNotificationIsNotBelievedEvenWhenSigned) {
  std::string body = TypeParam::paid_notification(this->query_, kNow).body;
  while (!body.empty()) {
    body.pop_back();
    ASSERT_FALSE(this->channel_->verify(TypeParam::notification_of(body, kNow), kNow)) << body;
  }
}

TYPED_TEST_P(ChannelContract, ArbitraryBytesAreHarmless) {
  EXPECT_TRUE(rc::check("arbitrary bytes are never believed",
                        [&](const std::string& bytes) { RC_ASSERT(is_harmless(*this->channel_, bytes)); }));
  EXPECT_TRUE(rc::check("nor are they when they are signed", [&](const std::string& bytes) {
    RC_ASSERT(!this->channel_->verify(TypeParam::notification_of(bytes, kNow), kNow));
  }));
}

TYPED_TEST_P(ChannelContract, ASignedNotificationWithABrokenByteNeverCrashes) {
  const std::string genuine = TypeParam::paid_notification(this->query_, kNow).body;
  EXPECT_TRUE(rc::check("what is signed and broken is read or refused", [&] {
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

REGISTER_TYPED_TEST_SUITE_P(ChannelContract, HasANameAndAMethod, SameCallSameRequest, QueryTellsEveryKindApart,
                            GenuineAnswersAreEvidence, MoneyIsToldInFull, NoAnswerIsUnknown,
                            ServerErrorsAreUnknownWhateverTheySay, UnsignedAnswersAreUnknown, TamperedAnswersAreUnknown,
                            EmptyAndTruncatedAnswersAreUnknown, AnAnswerAboutAnotherTradeIsUnknown,
                            GenuineNotificationIsBelieved, TamperedNotificationIsNotBelieved,
                            UnsignedNotificationIsNotBelieved, NotificationOfAnotherSecretIsNotBelieved,
                            TruncatedNotificationIsNotBelievedEvenWhenSigned, ArbitraryBytesAreHarmless,
                            ASignedNotificationWithABrokenByteNeverCrashes, AcknowledgementsDiffer);

}  // namespace finality::channel_contract
