// Who the merchant is at WeChat Pay. Whatever is about somebody else is not believed, however well it is signed.
#pragma once

#include <string>

namespace finality::wechatpay {

struct Account {
  std::string appid;
  std::string mchid;
};

}  // namespace finality::wechatpay
