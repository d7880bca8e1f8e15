// WeChat Pay's gateway, API v3: the merchant's requests under /v3, callbacks to it, and what payers' apps do with what
// the merchant hands them, under /wechatpay. README.md says what of the real one is not there.
#pragma once

#include <memory>

#include "base/result.h"
#include "sandbox/core/gateway.h"

namespace finality::sandbox {

/// Reads or makes its keys in `keys_directory`/wechatpay. An error names the file.
Result<std::unique_ptr<Gateway>> make_wechatpay_gateway(const GatewayParts& parts);

}  // namespace finality::sandbox
