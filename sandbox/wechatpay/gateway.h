// WeChat Pay's gateway, API v3: merchants' requests under /v3, callbacks to merchants, and requests of payers' apps
// under /wechatpay. sandbox/README.md lists the differences from the real gateway.
#pragma once

#include <memory>

#include "base/result.h"
#include "sandbox/core/gateway.h"

namespace finality::sandbox {

/// Creates the gateway. Reads its keys from `parts.keys_directory`/wechatpay and generates missing keys. An error names
/// the file.
Result<std::unique_ptr<Gateway>> make_wechatpay_gateway(const GatewayParts& parts);

}  // namespace finality::sandbox
