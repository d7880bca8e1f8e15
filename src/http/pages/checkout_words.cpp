#include "http/pages/checkout_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace finality::http {
namespace {

constexpr Words kEnglish{
    .code = "en",
    .pay_to = "Pay to",
    .order_number = "Order number",
    .time_left = "Time left",
    .refunded = "Refunded",
    .held = "Reserved amount",
    .held_until = "Reserved until",
    .captured = "Amount charged",
    .paid_at = "Paid at",
    .method = "Payment method",
    .transaction = "Transaction number",
    .qr_code = "QR code",
    .sandbox_link = "Sandbox: open the code on this device",
    .in_the_shop = "Continue the payment in the shop's app or on its website.",
    .back = "Back to the shop",
    .choose = "Choose a payment method.",
    .choose_again = "The last payment attempt failed. Try again, or choose another payment method.",
    .another_method = "Choose another payment method",
    .close_informed = "{} has been informed. You can close this page.",
    .close_return = "{} has been informed. You can close this page, and order again in the shop.",
    .support = "Questions?",
    .missing = {"Page not found", "This link is invalid or has expired. Ask the shop for a new link."},
    .unreadable = {"One moment", "The order cannot be shown right now. This page tries again automatically."},
    .rejected = {"Payment not started", "The request did not come from this page. Go back and choose again."},
    .statuses = {{{"Paid", "Your payment has been received."},
                  {"Refunded", "Your payment has been refunded."},
                  {"Reserved", "The amount is reserved. The shop charges it, in full or in part, or releases it."},
                  {"Not paid", "The payment did not go through. Late payments are refunded automatically."},
                  {"Expired", "The time for payment has passed. Late payments are refunded automatically."},
                  {"Cancelled", "The shop has cancelled this order. Late payments are refunded automatically."},
                  {"Order closing", "Please don't pay. If you have already paid, the result appears here soon."},
                  {"One moment", "Your payment is being prepared or confirmed. Please don't pay a second time."},
                  {"Please don't pay again",
                   "We received a payment that does not match this order. {} is checking it and will accept or "
                   "refund it."},
                  {"Waiting for your payment", ""},
                  {"Not paid yet", "The last payment attempt failed. Return to {} and choose a payment method."},
                  {"Not paid yet", "Return to {} and choose a payment method."}}},
    .apps = {{{"", "Scan the code with your payment app.", "Pay", "Confirm the payment on your phone.",
               "Open your payment app", ""},
              {"Alipay", "Scan the code with Alipay.", "Pay with Alipay",
               "Confirm the payment in Alipay on your phone.", "Open Alipay", ""},
              {"WeChat Pay", "Scan the code with WeChat.", "Pay with WeChat",
               "Confirm the payment in WeChat on your phone.", "",
               "WeChat must scan this code with a camera. Open this page on another screen, or return to the shop and "
               "choose another payment method."}}},
    .units = {"days", "h", "min", "s"},
    .ways = {"", "QR code", "Website", "Open the app"}};

constexpr Words kChinese{
    .code = "zh-CN",
    .pay_to = "付款给",
    .order_number = "订单号",
    .time_left = "剩余时间",
    .refunded = "已退款",
    .held = "冻结金额",
    .held_until = "冻结至",
    .captured = "扣款金额",
    .paid_at = "支付时间",
    .method = "支付方式",
    .transaction = "交易单号",
    .qr_code = "二维码",
    .sandbox_link = "沙箱：在本机打开二维码的内容",
    .in_the_shop = "请在商家的应用或网站中继续付款。",
    .back = "返回商家",
    .choose = "请选择支付方式。",
    .choose_again = "上一次付款未成功，请重试或选择其他支付方式。",
    .another_method = "选择其他支付方式",
    .close_informed = "“{}”已收到结果，您可以关闭本页。",
    .close_return = "“{}”已收到结果，您可以关闭本页，并在商家重新下单。",
    .support = "联系商家：",
    .missing = {"页面不存在", "此链接无效或已失效，请向商家索取新的链接。"},
    .unreadable = {"请稍候", "暂时无法显示订单，本页会自动重试。"},
    .rejected = {"未开始付款", "该请求不是由本页发出的，请返回后重新选择。"},
    .statuses = {{{"支付成功", "商家已收到您的付款。"},
                  {"已退款", "款项已原路退回。"},
                  {"金额已冻结", "商家将全部或部分扣款，未扣部分会解冻退回。"},
                  {"支付失败", "付款未成功。若仍有款项到账，会自动原路退回。"},
                  {"已过期", "付款时间已过。若仍有款项到账，会自动原路退回。"},
                  {"已取消", "商家已取消此订单。若仍有款项到账，会自动原路退回。"},
                  {"正在关闭", "请不要再付款。如果您已付款，结果稍后会显示在这里。"},
                  {"请稍候", "正在准备或确认付款，请勿重复付款。"},
                  {"请勿再次付款", "收到的款项与此订单不符，“{}”核实后会入账或原路退回。"},
                  {"等待付款", ""},
                  {"尚未付款", "上一次付款未成功，请返回“{}”重新选择支付方式。"},
                  {"尚未付款", "请返回“{}”选择支付方式。"}}},
    .apps = {{{"", "请用您的支付应用扫码付款。", "去付款", "请在手机上确认付款。", "打开支付应用", ""},
              {"支付宝", "请用支付宝扫码付款。", "用支付宝付款", "请在手机上的支付宝中确认付款。", "打开支付宝付款",
               ""},
              {"微信支付", "请用微信扫码付款。", "用微信付款", "请在手机上的微信中确认付款。", "",
               "此二维码需用微信扫描。请在另一块屏幕上打开本页，或返回商家选择其他支付方式。"}}},
    .units = {"天", "小时", "分钟", "秒"},
    .ways = {"", "扫码", "网页", "打开应用"}};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Returns the weight of a language range (RFC 9110): 0.8 for "zh;q=0.8", 1 without a weight, 0 for an invalid weight.
double weight_of(std::string_view range) {
  const std::size_t at = range.find(";q=");
  if (at == std::string_view::npos) return 1;
  const std::string_view number = trimmed(range.substr(at + 3));
  double weight = 0;
  std::from_chars(number.data(), number.data() + number.size(), weight);
  return weight;
}

std::optional<Language> supported_language(std::string_view range) {
  std::string primary(range.substr(0, range.find_first_of("-; ")));
  std::ranges::transform(primary, primary.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  if (primary == "zh") return Language::chinese;
  if (primary == "en") return Language::english;
  return std::nullopt;
}

}  // namespace

Language language_of(std::string_view accept_language) {
  Language best = Language::english;
  double most = 0;
  while (!accept_language.empty()) {
    const std::size_t end = std::min(accept_language.find(','), accept_language.size());
    const std::string_view range = trimmed(accept_language.substr(0, end));
    accept_language.remove_prefix(std::min(end + 1, accept_language.size()));
    const std::optional<Language> language = supported_language(range);
    if (!language || weight_of(range) <= most) continue;
    most = weight_of(range);
    best = *language;
  }
  return best;
}

std::string Words::duration(Duration left) const {
  using namespace std::chrono;
  const Duration sizes[] = {days(1), hours(1), minutes(1)};
  for (std::size_t i = 0; i < std::size(sizes); ++i)
    if (left >= 2 * sizes[i]) return fmt::format("{} {}", left / sizes[i], units[i]);
  return fmt::format("{} {}", duration_cast<seconds>(left).count(), units.back());
}

const Words& words_of(Language language) { return language == Language::chinese ? kChinese : kEnglish; }

}  // namespace finality::http
