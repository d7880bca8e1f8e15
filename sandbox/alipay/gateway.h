// Alipay's gateway: `/gateway.do`, payers' QR codes, bills and notifications. README.md lists the supported methods and
// the effects of scenarios.
#pragma once

#include <memory>

#include "base/result.h"
#include "sandbox/core/gateway.h"

namespace finality::sandbox {

/// Makes the gateway; reads its keys from `parts.keys_directory` and generates missing ones. The error names the file.
Result<std::unique_ptr<Gateway>> make_alipay_gateway(const GatewayParts& parts);

}  // namespace finality::sandbox
