// Alipay's gateway: `/gateway.do`, the codes that payers scan, the bills, the notifications. README.md says which of
// Alipay's methods there are, and how scenarios show.
#pragma once

#include <memory>

#include "base/result.h"
#include "sandbox/core/gateway.h"

namespace finality::sandbox {

/// Reads or makes its keys. An error names the file.
Result<std::unique_ptr<Gateway>> make_alipay_gateway(const GatewayParts& parts);

}  // namespace finality::sandbox
