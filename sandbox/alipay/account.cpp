#include "sandbox/alipay/account.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/crypto/certificate.h"
#include "base/crypto/legacy_digest.h"
#include "sandbox/core/certificates.h"

namespace finality::sandbox::alipay {
namespace {

constexpr int kYears = 5;
constexpr std::string_view kOrganization = "Finality Sandbox";

CertificateName name_of(std::string_view unit, std::string_view common_name) {
  return {.country = "CN",
          .organization = std::string(kOrganization),
          .unit = std::string(unit),
          .common_name = std::string(common_name)};
}

Result<std::string> serial_number(const std::string& pem) {
  const auto certificate = Certificate::parse(pem);
  if (!certificate) return std::unexpected(certificate.error());
  return md5_hex(certificate->issuer() + certificate->serial_decimal());
}

struct Identities {
  Identity root;
  Identity alipay;
  Identity app;
};

Result<Identities> read_or_make_identities(const std::filesystem::path& own, const std::filesystem::path& merchants,
                                           const Application& application) {
  const Time now = SystemClock().now();
  auto root = read_or_make_identity(own, "root", [&] {
    return make_root(name_of("Certification Authority", "Sandbox Alipay Root CA"), now, kYears);
  });
  if (!root) return std::unexpected(root.error());
  auto alipay = read_or_make_identity(own, fmt::format("alipay{}", application.suffix), [&] {
    return make_identity(name_of("Alipay", "Sandbox Alipay"), *root, now, kYears);
  });
  if (!alipay) return std::unexpected(alipay.error());
  auto app = read_or_make_identity(merchants, "app", [&] {
    return make_identity(name_of("Merchant", fmt::format("{}-{}", application.seller_id, application.app_id)), *root,
                         now, kYears);
  });
  if (!app) return std::unexpected(app.error());
  return Identities{std::move(*root), std::move(*alipay), std::move(*app)};
}

Result<void> write_for_merchant(const std::filesystem::path& directory, const Application& app,
                                const Identities& identities) {
  const std::array<std::pair<const char*, std::string>, 4> files{{
      {"alipay_public_key.pem", identities.alipay.key.public_key().to_pem()},
      {"alipay_certificate.pem", identities.alipay.certificate},
      {"alipay_root_certificate.pem", identities.root.certificate},
      {"account.json", fmt::format("{{\"app_id\": \"{}\", \"seller_id\": \"{}\"}}\n", app.app_id, app.seller_id)},
  }};
  for (const auto& [name, text] : files)
    if (auto written = write_file(directory / name, text); !written) return written;
  return {};
}

}  // namespace

Result<Account> read_or_make_keys(const std::filesystem::path& directory, const Application& app) {
  const std::filesystem::path own = directory / "alipay";
  const std::filesystem::path merchants = own / fmt::format("merchant{}", app.suffix);
  std::error_code error;
  std::filesystem::create_directories(merchants, error);
  if (error) return fail(fmt::format("cannot create the directory {}: {}", merchants.string(), error.message()));
  auto identities = read_or_make_identities(own, merchants, app);
  if (!identities) return std::unexpected(identities.error());
  if (auto written = write_for_merchant(merchants, app, *identities); !written) return std::unexpected(written.error());
  auto alipay_sn = serial_number(identities->alipay.certificate);
  if (!alipay_sn) return std::unexpected(alipay_sn.error());
  auto app_sn = serial_number(identities->app.certificate);
  if (!app_sn) return std::unexpected(app_sn.error());
  auto root_sn = serial_number(identities->root.certificate);
  if (!root_sn) return std::unexpected(root_sn.error());
  return Account{.app = app,
                 .alipay = identities->alipay.key,
                 .merchant = identities->app.key.public_key(),
                 .alipay_sn = std::move(*alipay_sn),
                 .app_sn = std::move(*app_sn),
                 .root_sn = std::move(*root_sn)};
}

}  // namespace finality::sandbox::alipay
