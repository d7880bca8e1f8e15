// Alipay's methods of funds authorizations (资金预授权, alipay.fund.auth.*), and their captures (转支付). An
// authorization is a hold: its auth_no is the hold_no. A capture is a trade with its own trade_no.
#pragma once

#include "sandbox/alipay/methods.h"

namespace finality::sandbox::alipay {

// alipay.fund.auth.order.freeze, .order.voucher.create and .order.app.freeze.
Reply freeze(Ledger& ledger, const Params& params, const GatewayContext& context);
Reply create_voucher(Ledger& ledger, const Params& params, const GatewayContext& context);
Reply open_freeze(Ledger& ledger, const Params& params, const GatewayContext& context);

// alipay.fund.auth.operation.detail.query, .operation.cancel and .order.unfreeze.
Reply query_operation(Ledger& ledger, const Params& params, const GatewayContext& context);
Reply cancel_freeze(Ledger& ledger, const Params& params, const GatewayContext& context);
Reply unfreeze(Ledger& ledger, const Params& params, const GatewayContext& context);

/// alipay.trade.pay with auth_no.
Reply capture(Ledger& ledger, const Params& params, const GatewayContext& context);

}  // namespace finality::sandbox::alipay
