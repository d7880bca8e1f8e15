// Style sheet and script of the checkout page.
#pragma once

#include <string_view>

namespace finality::http {

/// The backgrounds of the page's card in light and dark mode: --card in kStyle.
inline constexpr std::string_view kLightCard = "#ffffff";
inline constexpr std::string_view kDarkCard = "#171c24";

inline constexpr std::string_view kStyle = R"css(
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
#amount { margin: 10px 0 14px; font-size: 36px; line-height: 1.2; font-weight: 700; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
#amount.long { font-size: clamp(18px, 6.4vw, 26px); }
#amount.longest { font-size: clamp(14px, 4.4vw, 19px); }
#logo { display: block; max-width: 160px; height: 48px; margin: 0 auto 12px; object-fit: contain; }
#state { font-weight: 600; }
.status-paid, .status-authorized { color: var(--good); }
.status-failed, .status-expired, .status-cancelled, .status-declined { color: var(--bad); }
.advice { margin-top: 4px; }
#code { width: 232px; max-width: 100%; margin: 18px auto 0; border: 1px solid var(--edge); border-radius: 12px;
  overflow: hidden; background: #fff; }
#code svg { display: block; width: 100%; }
.button { display: block; margin-top: 18px; padding: 13px; border-radius: 12px; background: var(--accent);
  color: var(--on-accent); font-weight: 600; text-decoration: none; }
button { font: inherit; cursor: pointer; }
.choice { display: flex; align-items: center; gap: 12px; width: 100%; min-height: 52px; margin-top: 10px;
  padding: 12px 16px; border: 1px solid var(--edge); border-radius: 12px; background: var(--card); color: var(--text);
  font-weight: 600; text-align: left; }
.choice::after { content: "\203a"; color: var(--accent); font-size: 20px; line-height: 1; }
.choice:hover { border-color: var(--accent); }
.choice:disabled { opacity: .5; cursor: default; }
.choice .way { margin-left: auto; color: var(--quiet); font-size: 14px; font-weight: 400; }
#methods { margin-top: 16px; }
#other { margin-top: 18px; font-size: 14px; }
#other summary { padding: 8px; color: var(--accent); cursor: pointer; }
#other #methods { margin-top: 0; font-size: 16px; }
.quiet-link { display: inline-block; margin-top: 14px; padding: 4px; color: var(--accent); font-size: 14px; }
#close, #support { margin-top: 16px; }
#open { display: inline-block; margin-top: 12px; padding: 4px; color: var(--accent); font-size: 14px; }
.on-phone { display: none; }
@media (hover: none) and (pointer: coarse) { .on-phone { display: block; } .off-phone { display: none; } }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 6px 16px; margin: 22px 0 0; padding-top: 16px;
  border-top: 1px solid var(--edge); font-size: 14px; text-align: left; }
dt { color: var(--quiet); }
time { word-break: normal; }
dd { margin: 0; text-align: right; word-break: break-all; font-variant-numeric: tabular-nums; }
)css";

// Script of the page: shows times in the browser's time zone, counts down the time left by the server's clock, and
// disables the buttons of a form that is being sent. While the order is open, it requests the page again after
// growing pauses, and immediately when the payer returns to the tab. It never replaces a shown order by an error page.
inline constexpr std::string_view kScript = R"js(
const FIRST = 2000, MOST = 30000;
let pause = FIRST, timer = 0, skew = 0, isOver = false, isSent = false;
function localize() {
  for (const time of document.querySelectorAll('time'))
    time.textContent = new Date(time.dateTime).toLocaleString(document.documentElement.lang,
      {dateStyle: 'medium', timeStyle: 'short'});
  const left = document.getElementById('left');
  if (left) skew = Date.parse(left.dataset.now) - Date.now();
  isOver = false;
}
function tick() {
  const left = document.getElementById('left');
  if (!left) return;
  const seconds = Math.max(0, Math.ceil((Date.parse(left.dataset.until) - Date.now() - skew) / 1000));
  const two = number => String(number).padStart(2, '0');
  const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60;
  if (hours < 24) left.textContent = (hours > 0 ? hours + ':' + two(minutes) : minutes) + ':' + two(seconds % 60);
  if (seconds > 0 || isOver) return;
  isOver = true;
  pause = FIRST;
  clearTimeout(timer);
  look();
}
function plan() {
  clearTimeout(timer);
  if (!isSent && document.querySelector('main').hasAttribute('data-open')) timer = setTimeout(look, pause);
}
async function look() {
  try {
    const reply = await fetch(location.href, {cache: 'no-store'});
    const next = new DOMParser().parseFromString(await reply.text(), 'text/html');
    const main = next.querySelector('main'), shown = document.querySelector('main');
    const isSame = main.dataset.version === shown.dataset.version;
    pause = isSame ? Math.min(pause * 1.4, MOST) : FIRST;
    if (!isSame && !isSent && (reply.ok || !document.getElementById('subject'))) {
      document.title = next.title;
      shown.replaceWith(document.adoptNode(main));
      localize();
      tick();
    }
  } catch (offline) { pause = Math.min(pause * 1.4, MOST); }
  plan();
}
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && document.querySelector('main').hasAttribute('data-open')) { pause = FIRST; clearTimeout(timer); look(); }
});
document.addEventListener('submit', () => {
  isSent = true;
  clearTimeout(timer);
  setTimeout(() => document.querySelectorAll('.choice').forEach(button => button.disabled = true));
});
window.addEventListener('pageshow', event => { if (event.persisted) location.reload(); });
localize();
tick();
setInterval(tick, 1000);
plan();
)js";

}  // namespace finality::http
