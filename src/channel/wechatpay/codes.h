// What WeChat Pay's refusals mean: HTTP 4xx with {"code", "message"}, by code and not by status, since the status of
// one code differs between WeChat's own pages. Spelled with and without '_' alike (ORDER_CLOSED, ORDERCLOSED). Pure.
#pragma once

#include <string_view>

#include "model/effect.h"
#include "model/evidence.h"

namespace finality::wechatpay {

/// What a refusal of that call says. A code that is not in the table says nothing: unknown.
EvidenceKind meaning_of(std::string_view code, ChannelCallKind call);
RefundEvidenceKind meaning_of(std::string_view code, RefundCallKind call);

/// Which settings to look at where an answer came to that code: Channel::config_hint.
std::string_view config_hint(std::string_view code);

}  // namespace finality::wechatpay
