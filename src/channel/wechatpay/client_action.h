// The payer's action from WeChat's response to a new trade. Pure.
//
//   native  code_url    qr_code: shown to the payer's phone
//   h5      h5_url      redirect
//   jsapi   prepay_id   form: JSON for WeixinJSBridge or wx.requestPayment, signed with the merchant's key
//   app     prepay_id   form: JSON for the mobile SDK (PayReq), signed likewise
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

/// `body` is the verified response to `call`, a send. An error when the field for the payer's action is missing.
Result<ClientAction> client_action_of(const ChannelCall& call, const boost::json::object& body, const Signer& signer,
                                      std::string_view appid, Time now);

}  // namespace finality::wechatpay
