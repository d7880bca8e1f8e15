// Tests of properties that every kind of channel in the registry must have.
#include "channel/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace finality {
namespace {

class EveryKind : public testing::TestWithParam<const ChannelKind*> {
 protected:
  static const ChannelKind& kind() { return *GetParam(); }
  static const Setting* find(std::string_view key) {
    const auto at = std::ranges::find(kind().settings, key, &Setting::key);
    return at == kind().settings.end() ? nullptr : &*at;
  }
  static bool has_texts() {
    return std::ranges::any_of(kind().settings, [](const Setting& setting) { return is_text_location(setting.type); });
  }
  /// Returns options with a value for every text setting and every URL setting of the kind.
  static ChannelOptions options() {
    ChannelOptions options{.name = "some", .public_url = "https://pay.example", .values = {}};
    for (const Setting& setting : kind().settings) {
      if (setting.type == SettingType::text) options.values.set(setting.key, std::string("1"));
      if (setting.type == SettingType::url) options.values.set(setting.key, std::string("https://channel.example"));
    }
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Registry, EveryKind, testing::ValuesIn(channel_kinds().begin(), channel_kinds().end()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(EveryKind, IsFoundByItsName) {
  EXPECT_EQ(find_kind(kind().name), &kind());
  EXPECT_EQ(std::ranges::count(channel_kinds(), kind().name, &ChannelKind::name), 1) << "names are unique";
  EXPECT_FALSE(kind().title.empty());
  EXPECT_NE(kind().make, nullptr);
}

TEST_P(EveryKind, SettingsHaveUniqueNamesAndAreDocumented) {
  // Reserved names: the first four are settings of every kind, the last two are members of ChannelOptions.
  std::set<std::string> names{"kind", "merchants", "funds", "enabled", "name", "public_url"};
  for (const Setting& setting : kind().settings) {
    EXPECT_FALSE(setting.what.empty()) << setting.key;
    EXPECT_FALSE(std::string(setting.what).append(setting.more).contains('\n'))
        << setting.key << ": must be one line of a table";
    EXPECT_FALSE(setting.is_required && !setting.fallback.empty()) << setting.key;
    const bool may_have_default =
        setting.type == SettingType::text || setting.type == SettingType::url || setting.type == SettingType::number;
    EXPECT_TRUE(may_have_default || setting.fallback.empty()) << setting.key;
    EXPECT_EQ(setting.type == SettingType::number, setting.number_max > 0) << setting.key;
    const std::int64_t number = default_values(kind().settings).number(setting.key);
    EXPECT_LE(number, setting.number_max) << setting.key;
    EXPECT_TRUE(setting.type != SettingType::number || setting.fallback.empty() ||
                std::to_string(number) == setting.fallback)
        << setting.key;
    for (const std::string& name : names_of(setting)) {
      EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string::npos) << name;
      EXPECT_TRUE(names.insert(name).second) << name << " is a duplicate";
    }
  }
}

TEST_P(EveryKind, IsIdentifiedByRequiredValues) {
  EXPECT_TRUE(!kind().identity.empty() || kind().is_identified_by_name);
  for (const std::string_view key : kind().identity) {
    const Setting* setting = find(key);
    ASSERT_NE(setting, nullptr) << key;
    EXPECT_TRUE(setting->is_required) << key;
    EXPECT_FALSE(is_text_location(setting->type)) << key << ": a replaceable text must not be part of the identity";
  }
}

TEST_P(EveryKind, WithTextsHasReplaceableKeys) { EXPECT_TRUE(kind().interfaces.replaceable_keys || !has_texts()); }

TEST_P(EveryKind, AnInvalidTextIsAnErrorThatBeginsWithItsSetting) {
  if (!has_texts()) return;
  const auto begins_with_a_text = [](const std::string& message) {
    const Setting* setting = find(message.substr(0, message.find_first_of(".:")));
    return message.contains(": ") && setting != nullptr && is_text_location(setting->type);
  };
  ChannelTexts wrong;
  for (const Setting& setting : kind().settings) {
    if (setting.type == SettingType::secret) wrong.set(setting.key, Secret("a canary"));
    if (setting.type == SettingType::file) wrong.set(setting.key, std::string("a canary"));
    if (setting.type == SettingType::files) wrong.set(setting.key, ChannelTexts::Table{{"id", "a canary"}});
  }
  const auto without = kind().make(options(), {});
  ASSERT_FALSE(without);
  EXPECT_TRUE(begins_with_a_text(without.error().message)) << without.error().message;
  const auto made = kind().make(options(), wrong);
  if (made) {  // the kind accepts any text, for example as a shared secret
    EXPECT_EQ((*made)->name(), "some");
    return;
  }
  EXPECT_TRUE(begins_with_a_text(made.error().message)) << made.error().message;
  EXPECT_FALSE(made.error().message.contains("canary")) << made.error().message;
}

TEST_P(EveryKind, TheDemoAccountNamesSettings) {
  for (const DemoValue& value : kind().demo.settings) {
    const Setting* setting = find(value.name);
    ASSERT_NE(setting, nullptr) << value.name;
    const bool is_file = value.source == DemoSource::merchant_file || value.source == DemoSource::demo_file;
    EXPECT_EQ(is_text_location(setting->type), is_file) << value.name;
    EXPECT_EQ(setting->type == SettingType::flag, value.source == DemoSource::enabled) << value.name;
    EXPECT_EQ(setting->type == SettingType::files, !value.id_field.empty()) << value.name;
  }
  if (kind().demo.channels.empty()) return;
  for (const Setting& setting : kind().settings)
    if (setting.is_required)
      EXPECT_NE(std::ranges::find(kind().demo.settings, setting.key, &DemoValue::name), kind().demo.settings.end())
          << setting.key;
}

TEST(Registry, FindsTheKindsOfTheConfiguration) {
  for (const std::string_view name : {"sandbox", "alipay", "wechatpay"}) EXPECT_NE(find_kind(name), nullptr) << name;
  EXPECT_EQ(find_kind("bank"), nullptr);
  EXPECT_EQ(find_kind(""), nullptr);
}

TEST(Registry, InterfacesFollowFromTheClass) {
  const ChannelInterfaces sandbox = find_kind("sandbox")->interfaces, alipay = find_kind("alipay")->interfaces,
                          wechatpay = find_kind("wechatpay")->interfaces;
  EXPECT_TRUE(sandbox.authorizations && alipay.authorizations);
  EXPECT_FALSE(wechatpay.authorizations) << "WeChat Pay has no authorizations for ordinary merchants";
  EXPECT_TRUE(sandbox.refunds && alipay.refunds && wechatpay.refunds);
  EXPECT_TRUE(sandbox.statements && alipay.statements && wechatpay.statements);
  EXPECT_FALSE(sandbox.maintenance || alipay.maintenance);
  EXPECT_TRUE(wechatpay.maintenance);
}

TEST(ChannelSettingValues, UnsetValuesAreEmpty) {
  ChannelValues values;
  EXPECT_EQ(values.text("url"), "");
  EXPECT_FALSE(values.flag("sandbox"));
  EXPECT_EQ(values.number("days"), 0);
  values.set("url", std::string("https://a"));
  values.set("sandbox", true);
  values.set("days", std::int64_t{7});
  EXPECT_EQ(values.text("url"), "https://a");
  EXPECT_TRUE(values.flag("sandbox"));
  EXPECT_EQ(values.text("sandbox"), "") << "a flag is not a text";
  EXPECT_EQ(values.number("days"), 7);
  const ChannelTexts texts;
  EXPECT_TRUE(texts.secret("x").empty());
  EXPECT_EQ(texts.text("x"), "");
  EXPECT_TRUE(texts.table("x").empty());
}

TEST(ChannelSettingValues, DefaultsHaveTheTypeOfTheirSetting) {
  const Setting settings[] = {
      {.key = "mode", .fallback = "one", .what = ""},
      {.key = "days", .type = SettingType::number, .fallback = "7", .what = "", .number_max = 9},
      {.key = "none", .what = ""}};
  const ChannelValues values = default_values(settings);
  EXPECT_EQ(values.text("mode"), "one");
  EXPECT_EQ(values.number("days"), 7);
  EXPECT_EQ(values.all().size(), 2u);
}

TEST(ChannelSettingNames, DependOnTheType) {
  EXPECT_EQ(names_of({.key = "k", .type = SettingType::secret, .what = ""}),
            (std::vector<std::string>{"k_file", "k_env"}));
  EXPECT_EQ(names_of({.key = "k", .type = SettingType::file, .what = ""}), (std::vector<std::string>{"k_file"}));
  for (const SettingType type :
       {SettingType::text, SettingType::url, SettingType::flag, SettingType::number, SettingType::files})
    EXPECT_EQ(names_of({.key = "k", .type = type, .what = ""}), (std::vector<std::string>{"k"}));
}

}  // namespace
}  // namespace finality
