#include "channel/sandbox/kind.h"

#include "channel/sandbox/authorization.h"
#include "channel/sandbox/channel.h"

namespace finality {
namespace {

constexpr std::size_t kSecretBytesMax = 4096;

constexpr Setting kSettings[] = {
    {.key = "url",
     .type = SettingType::url,
     .is_required = true,
     .what = "the sandbox's address",
     .more = "for example `http://127.0.0.1:8090`"},
    {.key = "secret",
     .type = SettingType::secret,
     .is_required = true,
     .what = "the channel's secret",
     .more = "shared with the sandbox, 1 to 4096 bytes. `finality sandbox` writes `DIR/sandbox.secret`",
     .bytes_max = kSecretBytesMax},
    {.key = "captures",
     .fallback = sandbox_channel::kSeparateCaptures,
     .what = "the trade numbers of captures",
     .more =
         "`\"separate\"`: each capture has its own, and refunds name a capture. `\"shared\"`: all captures have that "
         "of their authorization, and refunds name the authorization. The sandbox uses `\"separate\"` for the "
         "channel `sandbox` and `\"shared\"` for `sandbox2`"},
};

constexpr std::string_view kDemoChannels[] = {"sandbox", "sandbox2"};
constexpr DemoValue kDemoSettings[] = {
    {.name = "url", .source = DemoSource::sandbox_url},
    {.name = "secret", .source = DemoSource::demo_file, .from = "sandbox.secret"},
    {.name = "captures",
     .source = DemoSource::constant,
     .from = sandbox_channel::kSharedCaptures,
     .channel = "sandbox2"},
};

std::optional<WrongSetting> check(const ChannelValues& values, const SettingKeys&) {
  const std::string& captures = values.text("captures");
  if (captures == sandbox_channel::kSeparateCaptures || captures == sandbox_channel::kSharedCaptures)
    return std::nullopt;
  return WrongSetting{"captures", "must be \"separate\" or \"shared\""};
}

Result<std::unique_ptr<Channel>> make(const ChannelOptions& options, const ChannelTexts& texts) {
  const Secret& secret = texts.secret("secret");
  if (secret.empty()) return fail("secret: the text must not be empty");
  return make_sandbox_channel({.name = options.name,
                               .url = options.values.text("url"),
                               .secret = secret,
                               .public_url = options.public_url,
                               .shares_trade_no = options.values.text("captures") == sandbox_channel::kSharedCaptures});
}

}  // namespace

constinit const ChannelKind kSandboxKind{.name = "sandbox",
                                         .title = "the simple channel of the sandbox",
                                         .about = "The sandbox runs two of them, so NAME is `sandbox` or `sandbox2`.",
                                         .settings = kSettings,
                                         .is_identified_by_name = true,  // `url` may change for the same account
                                         .interfaces = interfaces_of<SandboxChannel>(),
                                         .statement_plan = sandbox_statement_plan,
                                         .check = check,
                                         .make = make,
                                         .demo = {.channels = kDemoChannels, .settings = kDemoSettings}};

}  // namespace finality
