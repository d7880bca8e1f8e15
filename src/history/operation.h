// What a client was told: one request of one client and the answer to it, as a line of a history.
//
// A history is a file of JSON Lines, an object per request, in any order:
//
//   {"call": 1200, "return": 5400, "client": "till-3", "merchant": "a", "method": "POST", "path": "/v1/transfers",
//    "key": "k-17", "body": {…}, "status": 201, "replayed": true, "answer": {…}}
//
//   call      when it was sent; return: when its answer was there. Nanoseconds of one monotonic clock, which all
//             clients of the file share
//   return, status, answer    all three are absent when no answer came: nobody knows whether it was carried out
//   client    who asked, for people
//   merchant  whose key asked: what the scope of numbers and of Idempotency-Keys is. Never the key itself
//   path      as it was sent, with its query
//   key       the Idempotency-Key, without quotes; absent when there was none
//   body      what was sent; absent when nothing was
//   replayed  whether the answer carried Idempotent-Replayed: true
//   answer    the JSON of the response
//
// A history is complete: what moves the merchants' money is asked by clients that write down every request. A retry is
// a line of its own.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace finality::history {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct Operation {
  std::int64_t call = 0;
  std::int64_t returned = kNever;
  std::string client;
  std::string merchant;
  std::string method;
  std::string path;
  std::string key;
  bool replayed = false;
  int status = 0;  // 0: no answer came
  boost::json::object body;
  boost::json::object answer;
};

}  // namespace finality::history
