// The merchant's account at WeChat Pay. The adapter rejects a message about a different account, even if the signature
// of the message is valid.
#pragma once

#include <string>

namespace finality::wechatpay {

struct Account {
  std::string appid;
  std::string mchid;
};

}  // namespace finality::wechatpay
