// The numbers (SN) by which Alipay and an application name each other's certificates. Pure.
#pragma once

#include <span>
#include <string>

#include "base/crypto/certificate.h"

namespace finality::alipay {

/// MD5 of the issuer's name and the serial number in decimal, as hexadecimal.
std::string certificate_number(const Certificate& certificate);
/// The numbers of those roots that sign with RSA, joined by '_'. Empty when none does.
std::string roots_number(std::span<const Certificate> roots);

}  // namespace finality::alipay
