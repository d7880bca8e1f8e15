// The merchant's identity at WeChat Pay. Messages about another account are rejected, even with a valid signature.
#pragma once

#include <string>

namespace finality::wechatpay {

struct Account {
  std::string appid;
  std::string mchid;
};

}  // namespace finality::wechatpay
