// Alipay's gateway: `/gateway.do`, payers' QR codes, bills and notifications. sandbox/README.md lists the supported
// methods and the effects of scenarios.
#pragma once

#include <memory>

#include "base/result.h"
#include "sandbox/core/gateway.h"

namespace finality::sandbox {

/// Creates the gateway. Reads its keys from `parts.keys_directory`/alipay and generates missing keys. An error names
/// the file.
Result<std::unique_ptr<Gateway>> make_alipay_gateway(const GatewayParts& parts);

}  // namespace finality::sandbox
