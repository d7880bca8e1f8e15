#include "history/changes.h"

namespace finality::history {
namespace {

void add_observed_hold(Hold& hold, const Observation& observation) {
  hold.id = text(*observation.fields, "id");
  hold.terms = terms_of(*observation.fields, "account");
  hold.made.add_observation(observation);
  if (observation.state() == "posted") {
    hold.posted.add_observation(observation);
    hold.posted_amount = number(*observation.fields, "posted_amount");
  }
  if (observation.state() == "voided") hold.voided.add_observation(observation);
  if (observation.state() == "expired") hold.expired.add_observation(observation);
}

struct HoldEnd {
  const Times* times = nullptr;
  std::int64_t posted = 0;
};

// Returns the possible ends of the hold: the reported end or, if no response reports an end, the expiry and each
// requested end.
std::vector<HoldEnd> ends_of(const Hold& hold) {
  if (hold.posted.is_reported()) return {{&hold.posted, hold.posted_amount.value_or(0)}};
  if (hold.voided.is_reported()) return {{&hold.voided, 0}};
  std::vector<HoldEnd> ends{{&hold.expired, 0}};
  if (hold.ended()) return ends;
  for (const std::int64_t amount : hold.posts)
    ends.push_back({&hold.posted, amount != 0 ? amount : hold.terms->amount.value_or(0)});
  if (hold.voided.requested) ends.push_back({&hold.voided, 0});
  return ends;
}

}  // namespace

void book_hold(Books& books, const Number& number, Hold& hold) {
  if (!hold.terms) return;
  const std::string_view what = number.reference;
  const std::int64_t amount = hold.terms->amount.value_or(0);
  hold.expired.window.from = hold.made.window.from;  // a hold may expire at any time after its creation
  hold.expired.requested_at = hold.made.requested ? hold.made.requested_at : hold.made.reported_at;
  hold.expired.requested = true;
  AccountModel& book = books[hold.terms->debit];
  const int made = add(book, {0, amount}, hold.made, what);
  book.moves.back().hold = number;
  const std::vector<HoldEnd> ends = ends_of(hold);
  const int group = ends.size() > 1 ? book.groups++ : -1;
  for (const HoldEnd& end : ends) {
    Delta& move = book.moves[static_cast<std::size_t>(add(book, {-end.posted, -amount}, *end.times, what))];
    move.after = made;
    move.group = group;
    move.is_numbered = hold.is_numbered;
    move.hold = number;
    if (end.posted == 0) continue;
    // The server may post a hold as one change or as two: the release of the held amount and the debit. The second
    // change is optional.
    const int post = static_cast<int>(book.moves.size()) - 1;
    Delta& release = book.moves[static_cast<std::size_t>(add(book, {}, *end.times, what))];
    release.certain = false;
    release.after = post;
    if (hold.terms->credit.empty()) continue;
    AccountModel& credited = books[hold.terms->credit];
    add(credited, {end.posted, 0}, *end.times, what);
    credited.moves.back().is_numbered = hold.is_numbered;
  }
}

void book_holds(Books& books, const Reading& reading) {
  std::map<Number, Hold> holds;
  std::map<std::string_view, Hold*> by_id;
  for (const auto& [id, object] : reading.objects) {
    if (object.kind != "hold") continue;
    for (const Observation& observation : object.observations) {
      Hold& hold = holds[number_of(observation.request->operation->merchant, *observation.fields)];
      add_observed_hold(hold, observation);
      by_id[id] = &hold;
    }
  }
  for (const Request& request : reading.requests) {
    if (!request.is_post || request.path.empty() || request.path[0] != "holds" || !request.may_have_acted()) continue;
    if (request.path.size() == 1) {
      Hold& hold = holds[number_of(request.operation->merchant, request.body())];
      hold.made.add_request(request);
      if (!hold.terms) hold.terms = terms_of(request.body(), "account");
    } else if (const auto at = by_id.find(request.path[1]); at != by_id.end() && request.path.size() == 3) {
      const bool posts = request.path[2] == "post";
      (posts ? at->second->posted : at->second->voided).add_request(request);
      if (posts) at->second->posts.insert(number(request.body(), "amount").value_or(0));
    }
  }
  for (auto& [number, hold] : holds) book_hold(books, number, hold);
}

}  // namespace finality::history
