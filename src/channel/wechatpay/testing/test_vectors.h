// Test vectors from WeChat's official pages and SDKs, with their sources.
#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <fstream>
#include <sstream>
#include <string>

#include "base/testing/source_dir.h"

namespace finality::wechatpay_test {

inline const boost::json::value& vectors() {
  static const boost::json::value all = [] {
    std::ifstream file(source_dir() + "/tests/vectors/wechatpay.json");
    std::stringstream text;
    text << file.rdbuf();
    return boost::json::parse(text.str());
  }();
  return all;
}
inline std::string vector_text(const char* pointer) {
  const boost::json::string& text = vectors().at_pointer(pointer).as_string();
  return {text.data(), text.size()};
}

}  // namespace finality::wechatpay_test
