// Decrypts JSON resources that WeChat Pay encrypts with the APIv3 key (AEAD_AES_256_GCM). Pure.
#pragma once

#include <boost/json/object.hpp>

#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace finality::wechatpay {

/// Decrypts the resource {algorithm, ciphertext, nonce, associated_data} and returns the plaintext. associated_data may
/// be empty or missing. Returns an error if a member is malformed or the ciphertext does not authenticate.
Result<std::string> decrypt(const boost::json::object& resource, const Secret& api_v3_key);

}  // namespace finality::wechatpay
