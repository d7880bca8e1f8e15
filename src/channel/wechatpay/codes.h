// Meaning of WeChat Pay's refusals: HTTP 4xx with {"code", "message"}. The code determines the meaning, not the HTTP
// status, because WeChat's own pages give different statuses for one code. Underscores are ignored (ORDER_CLOSED,
// ORDERCLOSED). Pure.
#pragma once

#include <string_view>

#include "model/effect.h"
#include "model/evidence.h"

namespace finality::wechatpay {

/// The evidence that a refusal of that call gives. `unknown` for a code that is not in the table.
EvidenceKind meaning_of(std::string_view code, ChannelCallKind call);
RefundEvidenceKind meaning_of(std::string_view code, RefundCallKind call);

/// Implements Channel::config_hint.
std::string_view config_hint(std::string_view code);

}  // namespace finality::wechatpay
