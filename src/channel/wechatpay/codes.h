// Maps WeChat Pay's refusals, HTTP 4xx with {"code", "message"}, to evidence. The code determines the evidence. The
// HTTP status does not, because WeChat's pages list different statuses for the same code. Underscores in codes are
// ignored: ORDER_CLOSED and ORDERCLOSED are equal. Pure.
#pragma once

#include <string_view>

#include "model/effect.h"
#include "model/evidence.h"

namespace finality::wechatpay {

/// Returns the evidence that a refusal of `call` with this code gives; `unknown` for a code that is not in the table.
EvidenceKind meaning_of(std::string_view code, ChannelCallKind call);
RefundEvidenceKind meaning_of(std::string_view code, RefundCallKind call);

/// Implements Channel::config_hint. `code` is the code of a refusal or of a rejected response (wechatpay/answer.h).
std::string_view config_hint(std::string_view code);

}  // namespace finality::wechatpay
