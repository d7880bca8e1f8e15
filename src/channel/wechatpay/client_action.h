// Converts WeChat's response to a new trade into the action that the payer must perform. Pure.
//
//   method  field       action
//   native  code_url    qr_code: the payer scans code_url as a QR code
//   h5      h5_url      redirect: the payer's browser opens h5_url
//   jsapi   prepay_id   form: signed JSON for WeixinJSBridge or wx.requestPayment
//   app     prepay_id   form: signed JSON for the mobile SDK (PayReq)
//
// The signature of a form is made with the merchant's key.
#pragma once

#include <boost/json/object.hpp>

#include "base/result.h"
#include "channel/wechatpay/signature.h"
#include "model/effect.h"
#include "model/evidence.h"

namespace finality::wechatpay {

struct ClientAction {
  ActionType type = ActionType::none;
  std::string url;
  std::string code;
};

/// Returns the payer's action for a trade. `call` is a send_payment call and `body` is its verified response. Returns
/// an error if the field of the payment method is missing or malformed.
Result<ClientAction> client_action_of(const ChannelCall& call, const boost::json::object& body, const Signer& signer,
                                      std::string_view appid, Time now);

}  // namespace finality::wechatpay
