// Computes the serial numbers (SN) with which Alipay identifies certificates. Pure.
#pragma once

#include <span>
#include <string>

#include "base/crypto/certificate.h"

namespace finality::alipay {

/// Returns the SN of a certificate: the MD5 hash of the issuer's name and the decimal serial number, in hexadecimal.
std::string certificate_number(const Certificate& certificate);
/// Returns the SN of a bundle of root certificates: the SNs of its RSA-signed certificates, joined by '_'. Empty if no
/// certificate of the bundle is signed with RSA.
std::string roots_number(std::span<const Certificate> roots);

}  // namespace finality::alipay
