#include "http/pages/checkout_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>

#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "base/html.h"
#include "base/log.h"
#include "base/net/http_url.h"
#include "base/qr_code.h"
#include "decide/order/order_refusal.h"
#include "http/pages/brand_color.h"
#include "http/pages/checkout_assets.h"
#include "http/pages/shop_page.h"
#include "model/machines.h"
#include "model/payer_link.h"

namespace finality::http {
namespace {

constexpr std::array<std::string_view, kStatuses> kStatusNames{"paid",       "refunded",  "authorized", "failed",
                                                               "expired",    "cancelled", "ending",     "confirming",
                                                               "questioned", "waiting",   "declined",   "unstarted"};

constexpr int kChoicePause = 60;  // seconds until a page reloads without scripts while the payer chooses a method

// Returns the reload interval in seconds for browsers without scripts. It grows with the time the payer has waited.
int reload_pause(Duration waiting) {
  using namespace std::chrono_literals;
  return waiting < 1min ? 2 : waiting < 5min ? 5 : 15;
}

/// Settings for reloading a page.
struct Refresh {
  int seconds = 0;      // reload interval without scripts; 0: the page is final
  std::string version;  // identifies the content, so that the script detects changes
};

// Returns the Content-Security-Policy of a page. `data:` allows the empty icon, without which browsers request
// /favicon.ico. `brand_style`: the second style sheet; may be empty.
std::string policy_of(std::string_view brand_style) {
  const std::string branded = brand_style.empty() ? "" : fmt::format(" 'sha256-{}'", to_base64(sha256(brand_style)));
  return fmt::format(
      "default-src 'none'; style-src 'sha256-{}'{}; script-src 'sha256-{}'; img-src 'self' data:; connect-src 'self'; "
      "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      to_base64(sha256(kStyle)), branded, to_base64(sha256(kScript)));
}

CheckoutHtml page(const Words& words, std::string_view title, const Refresh& refresh, std::string_view content,
                  std::string_view brand_style = "") {
  const std::string again =
      refresh.seconds > 0
          ? fmt::format("<noscript><meta http-equiv=\"refresh\" content=\"{}\"></noscript>\n", refresh.seconds)
          : "";
  const std::string branded = brand_style.empty() ? "" : fmt::format("<style>{}</style>\n", brand_style);
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"robots\" content=\"noindex\">\n<link rel=\"icon\" "
      "href=\"data:,\">\n{}<title>{}</title>\n<style>{}</style>\n{}</head>\n"
      "<body>\n<main aria-live=\"polite\" data-version=\"{}\"{}>\n{}</main>\n<script>{}</script>\n</body>\n</html>\n",
      words.code, again, escape_html(title), kStyle, branded, refresh.version, refresh.seconds > 0 ? " data-open" : "",
      content, kScript);
  return {std::move(html), policy_of(brand_style)};
}

// Returns the text with the name of the shop in place of `{}`.
std::string with_shop(std::string_view text, std::string_view shop) {
  std::string out(text);
  if (const std::size_t at = out.find("{}"); at != std::string::npos) out.replace(at, 2, shop);
  return out;
}

std::string state(std::string_view name, const StatusWords& words, std::string_view shop) {
  std::string shown = fmt::format("<p id=\"state\" class=\"status-{}\">{}</p>\n", name, escape_html(words.title));
  const std::string advice = with_shop(words.advice, shop);
  if (!advice.empty()) shown += fmt::format("<p class=\"quiet advice\">{}</p>\n", escape_html(advice));
  return shown;
}

std::string detail(std::string_view name, std::string_view value) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escape_html(value));
}

bool is_web_address(const std::optional<std::string>& text) { return text && net::parse_http_url(*text).has_value(); }

/// What the payer has to do for a payment or authorization. The members refer to its row.
struct PayerTask {
  ObjectRef attempt;
  std::string_view channel;
  std::string_view method;
  ActionType action_type;
  const std::optional<std::string>& action_url;
  const std::optional<std::string>& action_code;
};

// Returns the task of the newest row that waits for an action of the payer, or empty.
template <class Row>
std::optional<PayerTask> newest_task(const std::vector<Row>& rows) {
  for (const Row& row : rows | std::views::reverse)
    if (row.state == decltype(row.state)::pending && !row.close_pending)
      return PayerTask{row.id, row.channel, row.method, row.action_type, row.action_url, row.action_code};
  return std::nullopt;
}

// An order has payments or authorizations, never both.
std::optional<PayerTask> task_of(const OrderAggregate& aggregate) {
  const auto payment = newest_task(aggregate.payments);
  return payment ? payment : newest_task(aggregate.authorizations);
}

// Returns the time of the newest payment or authorization, or of the order if it has none.
Time last_start_of(const OrderAggregate& aggregate) {
  if (!aggregate.payments.empty()) return aggregate.payments.back().created_at;
  return aggregate.authorizations.empty() ? aggregate.order.created_at : aggregate.authorizations.back().created_at;
}

CheckoutStatus end_of(const Order& order) {
  if (order.state == OrderState::succeeded)
    return order.refunded_amount >= order.paid_amount ? CheckoutStatus::refunded : CheckoutStatus::paid;
  if (order.state == OrderState::failed) return CheckoutStatus::failed;
  return order.close_reason == ClosedReason::expired ? CheckoutStatus::expired : CheckoutStatus::cancelled;
}

bool has_unresolved_money(const OrderAggregate& aggregate) {
  return std::ranges::any_of(aggregate.receipts,
                             [](const Receipt& receipt) { return receipt.state == ReceiptState::suspense; });
}

CheckoutStatus status_of(const OrderAggregate& aggregate, Time now) {
  const Order& order = aggregate.order;
  if (order_machine.is_final(order.state)) return end_of(order);
  if (std::ranges::any_of(aggregate.payments, is_under_review)) return CheckoutStatus::questioned;
  if (order.state == OrderState::authorized) return CheckoutStatus::authorized;
  if (order.close_requested || order.expires_at <= now) return CheckoutStatus::ending;
  if (order.parked || order.state == OrderState::processing) return CheckoutStatus::confirming;
  if (has_unresolved_money(aggregate)) return CheckoutStatus::questioned;
  if (task_of(aggregate)) return CheckoutStatus::waiting;
  const bool is_started = !aggregate.payments.empty() || !aggregate.authorizations.empty();
  return is_started ? CheckoutStatus::declined : CheckoutStatus::unstarted;
}

std::string advice(std::string_view text, std::string_view where = "") {
  return fmt::format("<p class=\"quiet advice{}\">{}</p>\n", where, escape_html(text));
}

std::string code_to_scan(const PayerTask& task, const Capabilities& channel, const Words& words) {
  const Result<std::string> picture = qr_code_svg(task.action_code.value_or(""));
  if (!picture) {
    log::error("checkout page cannot show the QR code",
               {{std::string(name_of(task.attempt.type)), to_text(task.attempt)}, {"error", picture.error().message}});
    return advice(words.in_the_shop);
  }
  const AppWords& app = words.of(channel.payer_app);
  const bool opens_app = !app.open.empty() && is_web_address(task.action_code);
  const std::string_view where = opens_app ? " off-phone" : "";
  std::string shown = advice(app.scan, opens_app || !app.on_phone.empty() ? " off-phone" : "");
  if (!app.on_phone.empty()) shown += advice(app.on_phone, " on-phone");
  shown += fmt::format("<div id=\"code\" class=\"{}\" role=\"img\" aria-label=\"{}\">{}</div>\n", where, words.qr_code,
                       *picture);
  if (opens_app)
    shown += fmt::format("<a id=\"app\" class=\"button on-phone\" href=\"{}\">{}</a>\n", escape_html(*task.action_code),
                         app.open);
  if (channel.takes_scenario && is_web_address(task.action_code))
    shown += fmt::format("<a id=\"open\" target=\"_blank\" rel=\"noopener\" href=\"{}\">{}</a>\n",
                         escape_html(*task.action_code), words.sandbox_link);
  return shown;
}

// Renders the link to the channel's page. WeChat Pay rejects requests without a Referer. The referrer policy `origin`
// sends it the host of the checkout page, but not the secret link.
std::string way_to_channel(const PayerTask& task, const Capabilities& channel, const Words& words) {
  if (!is_web_address(task.action_url)) return advice(words.in_the_shop);
  return fmt::format("<a id=\"pay\" class=\"button\" referrerpolicy=\"origin\" href=\"{}\">{}</a>\n",
                     escape_html(*task.action_url), words.of(channel.payer_app).go);
}

std::string way_to_pay(const PayerTask& task, const Policy& policy, const Words& words) {
  const auto configured = policy.channels.find(task.channel);
  const Capabilities channel = configured == policy.channels.end() ? Capabilities{} : configured->second;
  switch (task.action_type) {
    case ActionType::qr_code:
      return code_to_scan(task, channel, words);
    case ActionType::redirect:
      return way_to_channel(task, channel, words);
    case ActionType::form:
      return advice(words.in_the_shop);
    case ActionType::none:
      return advice(words.of(channel.payer_app).confirm);
  }
  return {};
}

std::string time_detail(std::string_view name, Time at) {
  const std::string text = to_rfc3339(at);
  return fmt::format("<dt>{}</dt><dd><time datetime=\"{}\">{}</time></dd>\n", name, text, text);
}

// Renders the time, method and channel_trade_no of an accepted receipt.
std::string receipt_details(const Receipt& receipt, const Policy& policy, const Words& words) {
  const auto channel = policy.channels.find(receipt.channel);
  const PayerApp app = channel == policy.channels.end() ? PayerApp::any : channel->second.payer_app;
  const std::string_view name = words.of(app).name;
  const std::string amount =  // of an accepted payment that has another amount than its order
      receipt.accepted_difference == 0 ? "" : detail(words.captured, display_money(receipt.amount, receipt.currency));
  return amount + time_detail(words.paid_at, receipt.paid_at) +
         detail(words.method, name.empty() ? receipt.channel : name) +
         detail(words.transaction, receipt.channel_trade_no);
}

// Renders the newest accepted receipt; empty for an order that is not paid.
std::string payment_details(const OrderAggregate& aggregate, const Policy& policy, const Words& words) {
  const auto newest_first = aggregate.receipts | std::views::reverse;
  const auto accepted = std::ranges::find(newest_first, ReceiptState::accepted, &Receipt::state);
  if (aggregate.order.state != OrderState::succeeded || accepted == newest_first.end()) return "";
  return receipt_details(*accepted, policy, words);
}

// Renders the amount that is held for the order with its deadline, and what was captured of it.
std::string capture_details(const OrderAggregate& aggregate, const Policy& policy, const Words& words) {
  std::string list;
  for (const Authorization& row : aggregate.authorizations) {
    if (row.state != AuthorizationState::authorized) continue;
    list += detail(words.held, display_money(row.authorized_amount, row.currency));
    if (row.capture_before) list += time_detail(words.held_until, *row.capture_before);
  }
  for (const Receipt& receipt : aggregate.receipts)
    if (receipt.state == ReceiptState::accepted)
      list += detail(words.captured, display_money(receipt.amount, receipt.currency)) +
              receipt_details(receipt, policy, words);
  return list;
}

std::string details(const OrderAggregate& aggregate, const Policy& policy, const Words& words) {
  const Order& order = aggregate.order;
  const auto collected = order.capture_method == CaptureMethod::manual ? capture_details : payment_details;
  std::string list = detail(words.order_number, order.merchant_order_no) + collected(aggregate, policy, words);
  if (order.refunded_amount > 0) list += detail(words.refunded, display_money(order.refunded_amount, order.currency));
  return list;
}

CheckoutHtml note(Language language, std::string_view name, StatusWords Words::* status_words, int reload_seconds,
                  std::string_view more = "") {
  const Words& words = words_of(language);
  return page(words, (words.*status_words).title, {reload_seconds, std::string(name)},
              state(name, words.*status_words, "") + std::string(more));
}

// Renders a form with a button for each method. A press starts a payment, unless the order has other attempts by then.
std::string chooser(const std::vector<OfferedMethod>& methods, std::int64_t attempts, const Words& words) {
  std::string form = fmt::format(
      "<form id=\"methods\" method=\"post\">\n<input type=\"hidden\" name=\"attempts\" value=\"{}\">\n", attempts);
  for (const OfferedMethod& one : methods) {
    const std::string_view app = words.of(one.app).name;
    form += fmt::format(
        "<button class=\"choice\" name=\"method\" value=\"{}\">{}<span class=\"way\">{}</span></button>\n",
        escape_html(one.channel + '/' + one.method), escape_html(app.empty() ? one.channel : app), words.of(one.kind));
  }
  return form + "</form>\n";
}

// Renders, while a payment waits for the payer, the methods other than that of the payment.
std::string other_methods(const PayerTask& task, std::vector<OfferedMethod> methods, std::int64_t attempts,
                          const Words& words) {
  std::erase_if(methods,
                [&](const OfferedMethod& one) { return one.channel == task.channel && one.method == task.method; });
  if (methods.empty()) return "";
  return fmt::format("<details id=\"other\"><summary>{}</summary>\n{}</details>\n", words.another_method,
                     chooser(methods, attempts, words));
}

// Returns the words of the status. The page asks the payer to choose a method if it offers any.
StatusWords words_of_status(CheckoutStatus status, bool offers, const Words& words) {
  StatusWords shown = words.of(status);
  if (offers && status == CheckoutStatus::unstarted) shown.advice = words.choose;
  if (offers && status == CheckoutStatus::declined) shown.advice = words.choose_again;
  return shown;
}

bool is_paid(CheckoutStatus status) {
  return status == CheckoutStatus::paid || status == CheckoutStatus::refunded || status == CheckoutStatus::authorized;
}

// Renders the link to the shop, or, without a link, what the payer can do when the order needs nothing more.
std::string way_back(const Order& order, CheckoutStatus status, bool offers, std::string_view shop,
                     const Words& words) {
  const bool is_done = order_machine.is_final(order.state) || status == CheckoutStatus::authorized;
  const bool links = is_done || status == CheckoutStatus::declined || status == CheckoutStatus::unstarted;
  if (links && is_web_address(order.return_url)) {
    const std::string_view look = offers ? "quiet-link" : "button";
    return fmt::format("<a id=\"return\" class=\"{}\" href=\"{}\">{}</a>\n", look, escape_html(shop_page_of(order)),
                       words.back);
  }
  if (!is_done) return "";
  const std::string_view text = is_paid(status) ? words.close_informed : words.close_return;
  return fmt::format("<p id=\"close\" class=\"quiet\">{}</p>\n", escape_html(with_shop(text, shop)));
}

// Returns the amount without spaces at which a browser could break it.
std::string amount_text(const Order& order) {
  std::string text = display_money(order.amount, order.currency);
  if (const std::size_t space = text.find(' '); space != std::string::npos) text.replace(space, 1, "\u00a0");
  return text;
}

std::string_view amount_class(std::size_t characters) {
  constexpr std::size_t kShort = 12;
  constexpr std::size_t kLong = 17;
  return characters <= kShort ? "" : characters <= kLong ? " class=\"long\"" : " class=\"longest\"";
}

// Renders the logo and name of the shop, the subject and the amount. The logo is a file below the page's own URL.
std::string header(const Order& order, const Merchant& merchant, std::string_view shop, const Words& words) {
  std::string out;
  if (merchant.brand_logo) {
    const std::string path = checkout_url("", merchant, order.id);
    out = fmt::format("<img id=\"logo\" src=\"{}/logo?v={}\" alt=\"\">\n", path.substr(path.rfind('/') + 1),
                      etag_of(*merchant.brand_logo).substr(1, 8));
  }
  const std::string amount = amount_text(order);
  return out + fmt::format("<p class=\"quiet\">{} {}</p>\n<h1 id=\"subject\">{}</h1>\n<p id=\"amount\"{}>{}</p>\n",
                           words.pay_to, escape_html(shop), escape_html(order.subject), amount_class(amount.size()),
                           escape_html(amount));
}

std::string time_left(const Order& order, Time now, const Words& words) {
  return fmt::format("<dt>{}</dt><dd id=\"left\" role=\"timer\" data-until=\"{}\" data-now=\"{}\">{}</dd>\n",
                     words.time_left, to_rfc3339(order.expires_at), to_rfc3339(now),
                     words.duration(order.expires_at - now));
}

// Returns the style sheet with the merchant's color, adapted to the cards of the light and the dark mode.
std::string brand_style(const Merchant& merchant) {
  if (!merchant.brand_color) return "";
  const Accent light = accent_on(kLightCard, *merchant.brand_color);
  const Accent dark = accent_on(kDarkCard, *merchant.brand_color);
  return fmt::format(
      ":root {{ --accent: {}; --on-accent: {}; }} @media (prefers-color-scheme: dark) {{ :root {{ --accent: {}; "
      "--on-accent: {}; }} }}",
      light.color, light.text, dark.color, dark.text);
}

}  // namespace

CheckoutHtml checkout_page(const OrderAggregate& aggregate, const Merchant& merchant, const Policy& policy, Time now,
                           Language language, const std::vector<OfferedMethod>& methods) {
  const Words& words = words_of(language);
  const Order& order = aggregate.order;
  const std::string shop = merchant.brand_name.value_or(merchant.name);
  const CheckoutStatus status = status_of(aggregate, now);
  const bool is_waiting = status == CheckoutStatus::waiting;
  const bool offers = !methods.empty() && can_start_payment(aggregate, now);
  const std::int64_t attempts = attempts_of(aggregate);

  std::string content = header(order, merchant, shop, words);
  content += state(kStatusNames[static_cast<std::size_t>(status)], words_of_status(status, offers, words), shop);
  if (is_waiting) content += way_to_pay(*task_of(aggregate), policy, words);
  if (offers && is_waiting) content += other_methods(*task_of(aggregate), methods, attempts, words);
  const bool is_choosing = offers && !is_waiting;
  if (is_choosing) content += chooser(methods, attempts, words);
  content += way_back(order, status, offers, shop, words);
  content += "<dl>\n" + details(aggregate, policy, words);
  const std::string version = to_hex(sha256(content)).substr(0, 16);  // excludes the time left, which always changes
  if (is_waiting || status == CheckoutStatus::declined || status == CheckoutStatus::unstarted)
    content += time_left(order, now, words);
  content += "</dl>\n";
  if (merchant.brand_support)
    content += fmt::format("<p id=\"support\" class=\"quiet\">{} {}</p>\n", words.support,
                           escape_html(*merchant.brand_support));
  const bool is_final = order_machine.is_final(order.state);
  const int pause = is_choosing ? kChoicePause : reload_pause(now - last_start_of(aggregate));
  return page(words, fmt::format("{} · {}", amount_text(order), words.of(status).title),
              {is_final ? 0 : pause, version}, content, brand_style(merchant));
}

CheckoutHtml missing_checkout_page(Language language) { return note(language, "missing", &Words::missing, 0); }

CheckoutHtml unreadable_checkout_page(Language language) {
  return note(language, "unreadable", &Words::unreadable, reload_pause({}));
}

CheckoutHtml rejected_checkout_page(Language language) {
  return note(language, "rejected", &Words::rejected, 0,
              fmt::format("<a id=\"again\" class=\"button\" href=\"?\">{}</a>\n", words_of(language).another_method));
}

bool can_start_payment(const OrderAggregate& aggregate, Time now) {
  const CheckoutStatus status = status_of(aggregate, now);
  const bool is_open =
      status == CheckoutStatus::waiting || status == CheckoutStatus::declined || status == CheckoutStatus::unstarted;
  return is_open && attempts_of(aggregate) < aggregate.order.attempts.value_or(limits::kAttemptsMax);
}

std::string etag_of(const Bytes& logo) { return '"' + to_hex(sha256(logo.data())).substr(0, 32) + '"'; }

}  // namespace finality::http
