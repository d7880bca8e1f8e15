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
#include "http/pages/shop_page.h"
#include "model/machines.h"

namespace finality::http {
namespace {

constexpr std::array<std::string_view, kStatuses> kStatusNames{"paid",       "refunded",  "authorized", "failed",
                                                               "expired",    "cancelled", "ending",     "confirming",
                                                               "questioned", "waiting",   "declined",   "unstarted"};

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --page: #f3f4f6; --card: #fff; --text: #111827; --quiet: #5b6472; --edge: #e1e5ea;
  --accent: #1a56db; --on-accent: #fff; --good: #046c4e; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --page: #0e1116; --card: #171c24; --text: #eceff4; --quiet: #a3adba;
  --edge: #2c3440; --accent: #7aa7ff; --on-accent: #0b1220; --good: #5bd1a0; --bad: #ff9b91; } }
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; padding: 24px 16px; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center;
  background: var(--page); color: var(--text); font: 16px/1.5 system-ui, -apple-system, "PingFang SC", "Microsoft YaHei",
  "Noto Sans CJK SC", sans-serif; }
main { width: 100%; max-width: 420px; padding: 28px 24px; border: 1px solid var(--edge); border-radius: 18px;
  background: var(--card); text-align: center; overflow-wrap: anywhere; }
p, h1 { margin: 0; }
h1 { font-size: 17px; font-weight: 600; }
.quiet { color: var(--quiet); font-size: 14px; }
#amount { margin: 10px 0 14px; font-size: 36px; line-height: 1.2; font-weight: 700;
  font-variant-numeric: tabular-nums; }
#state { font-weight: 600; }
.status-paid, .status-authorized { color: var(--good); }
.status-failed, .status-expired, .status-cancelled, .status-declined { color: var(--bad); }
.advice { margin-top: 4px; }
#code { width: 232px; max-width: 100%; margin: 18px auto 0; border: 1px solid var(--edge); border-radius: 12px;
  overflow: hidden; background: #fff; }
#code svg { display: block; width: 100%; }
.button { display: block; margin-top: 18px; padding: 13px; border-radius: 12px; background: var(--accent);
  color: var(--on-accent); font-weight: 600; text-decoration: none; }
#open { display: inline-block; margin-top: 12px; padding: 4px; color: var(--accent); font-size: 14px; }
.on-phone { display: none; }
@media (hover: none) and (pointer: coarse) { .on-phone { display: block; } .off-phone { display: none; } }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 6px 16px; margin: 22px 0 0; padding-top: 16px;
  border-top: 1px solid var(--edge); font-size: 14px; text-align: left; }
dt { color: var(--quiet); }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; }
)css";

// Script of the page: shows times in the browser's time zone. While the order is open, it requests the page again after
// growing pauses, and immediately when the payer returns to the tab. It never replaces a shown order by an error page.
constexpr std::string_view kScript = R"js(
const FIRST = 2000, MOST = 30000;
let pause = FIRST, timer = 0;
function localize() {
  for (const time of document.querySelectorAll('time'))
    time.textContent = new Date(time.dateTime).toLocaleString(document.documentElement.lang,
      {dateStyle: 'medium', timeStyle: 'short'});
}
function plan() {
  clearTimeout(timer);
  if (document.querySelector('main').hasAttribute('data-open')) timer = setTimeout(look, pause);
}
async function look() {
  try {
    const reply = await fetch(location.href, {cache: 'no-store'});
    const next = new DOMParser().parseFromString(await reply.text(), 'text/html');
    const main = next.querySelector('main'), shown = document.querySelector('main');
    pause = main.dataset.version === shown.dataset.version ? Math.min(pause * 1.4, MOST) : FIRST;
    if (reply.ok || !document.getElementById('subject')) {
      document.title = next.title;
      shown.replaceWith(document.adoptNode(main));
      localize();
    }
  } catch (offline) { pause = Math.min(pause * 1.4, MOST); }
  plan();
}
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && document.querySelector('main').hasAttribute('data-open')) { pause = FIRST; clearTimeout(timer); look(); }
});
localize();
plan();
)js";

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

std::string page(const Words& words, std::string_view title, const Refresh& refresh, std::string_view content) {
  const std::string again =
      refresh.seconds > 0
          ? fmt::format("<noscript><meta http-equiv=\"refresh\" content=\"{}\"></noscript>\n", refresh.seconds)
          : "";
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"robots\" content=\"noindex\">\n{}<title>{}</title>\n<style>{}</style>\n</head>\n"
      "<body>\n<main aria-live=\"polite\" data-version=\"{}\"{}>\n{}</main>\n<script>{}</script>\n</body>\n</html>\n",
      words.code, again, escape_html(title), kStyle, refresh.version, refresh.seconds > 0 ? " data-open" : "", content,
      kScript);
}

std::string state(std::string_view name, const StatusWords& words, std::string_view shop) {
  std::string shown = fmt::format("<p id=\"state\" class=\"status-{}\">{}</p>\n", name, escape_html(words.title));
  std::string advice(words.advice);
  if (const std::size_t at = advice.find("{}"); at != std::string::npos) advice.replace(at, 2, shop);
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
  ActionType action_type;
  const std::optional<std::string>& action_url;
  const std::optional<std::string>& action_code;
};

// Returns the task of the newest row that waits for an action of the payer, or empty.
template <class Row>
std::optional<PayerTask> newest_task(const std::vector<Row>& rows) {
  for (const Row& row : rows | std::views::reverse)
    if (row.state == decltype(row.state)::pending && !row.close_pending)
      return PayerTask{row.id, row.channel, row.action_type, row.action_url, row.action_code};
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
  return time_detail(words.paid_at, receipt.paid_at) + detail(words.method, name.empty() ? receipt.channel : name) +
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

std::string note(Language language, std::string_view name, StatusWords Words::* status_words, int reload_seconds) {
  const Words& words = words_of(language);
  return page(words, (words.*status_words).title, {reload_seconds, std::string(name)},
              state(name, words.*status_words, ""));
}

}  // namespace

std::string checkout_page(const OrderAggregate& aggregate, const Merchant& merchant, const Policy& policy, Time now,
                          Language language) {
  const Words& words = words_of(language);
  const Order& order = aggregate.order;
  const CheckoutStatus status = status_of(aggregate, now);
  const bool is_final = order_machine.is_final(order.state);
  const bool is_payable =
      status == CheckoutStatus::waiting || status == CheckoutStatus::declined || status == CheckoutStatus::unstarted;
  const std::string amount = display_money(order.amount, order.currency);

  std::string content =
      fmt::format("<p class=\"quiet\">{} {}</p>\n<h1 id=\"subject\">{}</h1>\n<p id=\"amount\">{}</p>\n", words.pay_to,
                  escape_html(merchant.name), escape_html(order.subject), escape_html(amount));
  content += state(kStatusNames[static_cast<std::size_t>(status)], words.of(status), merchant.name);
  if (status == CheckoutStatus::waiting) content += way_to_pay(*task_of(aggregate), policy, words);
  const bool links_to_shop = is_final || status == CheckoutStatus::authorized || status == CheckoutStatus::declined ||
                             status == CheckoutStatus::unstarted;
  if (links_to_shop && is_web_address(order.return_url))
    content += fmt::format("<a id=\"return\" class=\"button\" href=\"{}\">{}</a>\n", escape_html(shop_page_of(order)),
                           words.back);
  content += "<dl>\n" + details(aggregate, policy, words);
  const std::string version = to_hex(sha256(content)).substr(0, 16);  // excludes the time left, which always changes
  if (is_payable) content += detail(words.time_left, words.duration(order.expires_at - now));
  content += "</dl>\n";
  return page(words, fmt::format("{} · {}", amount, words.of(status).title),
              {is_final ? 0 : reload_pause(now - last_start_of(aggregate)), version}, content);
}

std::string missing_checkout_page(Language language) { return note(language, "missing", &Words::missing, 0); }

std::string unreadable_checkout_page(Language language) {
  return note(language, "unreadable", &Words::unreadable, reload_pause({}));
}

const std::string& checkout_page_policy() {
  static const std::string policy = fmt::format(
      "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; connect-src 'self'; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'",
      to_base64(sha256(kStyle)), to_base64(sha256(kScript)));
  return policy;
}

}  // namespace finality::http
