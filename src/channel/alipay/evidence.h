// Derives evidence about a payment, a capture or a refund from a verified response of Alipay. Pure.
#pragma once

#include "channel/alipay/answer.h"
#include "model/effect.h"
#include "model/evidence.h"

namespace finality::alipay {

/// Returns evidence about the payment of `call`; `unknown` if the response is about a different trade. The caller sets
/// `source` and `asked_at`. If Alipay does not report when a trade was paid, `paid_at` is 0 and the caller sets it.
Evidence read_evidence(const ChannelCall& call, const AlipayReply& answer);

/// Returns evidence about the capture of `call`, like that about a payment: a capture (转支付) is a trade of Alipay.
Evidence read_evidence(const CaptureCall& call, const AlipayReply& answer);

/// Returns evidence about the refund of `call`; `unknown` if the response is about a different refund. Code 10000 does
/// not state that money moved. Only fund_change=Y in a refund, or REFUND_SUCCESS in a query, does.
RefundEvidence read_evidence(const RefundCall& call, const AlipayReply& answer);

}  // namespace finality::alipay
