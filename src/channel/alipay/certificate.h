// Certificate serial numbers (SN) as Alipay computes them. Pure.
#pragma once

#include <span>
#include <string>

#include "base/crypto/certificate.h"

namespace finality::alipay {

/// The SN of a certificate: MD5 of the issuer's name and the decimal serial number, in hexadecimal.
std::string certificate_number(const Certificate& certificate);
/// The SN of a bundle of root certificates: the SNs of those signed with RSA, joined by '_'. Empty without any.
std::string roots_number(std::span<const Certificate> roots);

}  // namespace finality::alipay
