#include "sandbox/scenario.h"

#include <algorithm>
#include <iterator>

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

// clang-format off
constexpr Scenario kScenarios[] = {
    {.name = "pays",
     .story = "The payer pays at once.",
     .create = {},
     .payer = {.act = PayerAct::pay, .after = 100ms}},
    {.name = "manual",
     .story = "A person decides on the payer's page.",
     .create = {},
     .payer = {}},
    {.name = "declines",
     .story = "The payer declines at once.",
     .create = {},
     .payer = {.act = PayerAct::decline, .after = 100ms}},
    {.name = "never_pays",
     .story = "The payer walks away; the trade waits until it expires or is closed.",
     .create = {},
     .payer = {}},
    {.name = "slow",
     .story = "The trade is made at once but the answer comes after three seconds; then the payer pays.",
     .create = {.answer_after = 3s},
     .payer = {.act = PayerAct::pay, .after = 3100ms}},
};
// clang-format on

}  // namespace

std::span<const Scenario> scenarios() { return kScenarios; }

const Scenario* find_scenario(std::string_view name) {
  const auto* at = std::ranges::find(kScenarios, name, &Scenario::name);
  return at != std::end(kScenarios) ? at : nullptr;
}

}  // namespace finality::sandbox
