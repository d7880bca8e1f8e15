// WeChat Pay's gateway, API v3: the merchant's requests under /v3, callbacks to the merchant, and the requests of
// payers' apps under /wechatpay. README.md lists the missing features.
#pragma once

#include <memory>

#include "base/result.h"
#include "sandbox/core/gateway.h"

namespace finality::sandbox {

/// Makes the gateway; reads its keys from `parts.keys_directory`/wechatpay and generates missing ones. The error names
/// the file.
Result<std::unique_ptr<Gateway>> make_wechatpay_gateway(const GatewayParts& parts);

}  // namespace finality::sandbox
