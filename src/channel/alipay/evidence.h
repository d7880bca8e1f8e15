// Evidence about a payment or a refund from a verified response. Pure.
#pragma once

#include "channel/alipay/answer.h"
#include "model/effect.h"
#include "model/evidence.h"

namespace finality::alipay {

/// Evidence about the payment of `call`. The caller sets `source` and `asked_at`, and also `paid_at` when Alipay does
/// not report it (`paid_at` is 0 then). A response about a different trade is `unknown`.
Evidence read_evidence(const ChannelCall& call, const AlipayReply& answer);

/// Evidence about the refund of `call`. Code 10000 alone states that Alipay accepted the refund. Only fund_change=Y, or
/// REFUND_SUCCESS in a query, states that money moved.
RefundEvidence read_evidence(const RefundCall& call, const AlipayReply& answer);

}  // namespace finality::alipay
