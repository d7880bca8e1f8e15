// Certificate serial numbers (SN) as Alipay computes them. Pure.
#pragma once

#include <span>
#include <string>

#include "base/crypto/certificate.h"

namespace finality::alipay {

/// MD5 of the issuer's name and the decimal serial number, in hexadecimal.
std::string certificate_number(const Certificate& certificate);
/// The numbers of the RSA-signed roots, joined by '_'. Empty without such roots.
std::string roots_number(std::span<const Certificate> roots);

}  // namespace finality::alipay
