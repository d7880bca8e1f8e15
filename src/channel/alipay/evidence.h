// What a believed answer says about a payment or about money going back. Pure.
#pragma once

#include "channel/alipay/answer.h"
#include "model/effect.h"
#include "model/evidence.h"

namespace finality::alipay {

/// `source` and `asked_at` are the caller's to set, and `paid_at` where Alipay did not say when it was paid (0 then).
/// An answer about another trade than the one that was asked about is `unknown`.
Evidence read_evidence(const ChannelCall& call, const AlipayReply& answer);

/// 10000 alone says that a refund was taken; only fund_change=Y, or REFUND_SUCCESS of a query, that money moved.
RefundEvidence read_evidence(const RefundCall& call, const AlipayReply& answer);

}  // namespace finality::alipay
