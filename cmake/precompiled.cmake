# Precompiled headers. A group of folders shares the headers that most of its sources include; each group is compiled
# once per variant ("" for the program, _test, _sanitized, _sanitized_test). Each source must still include the headers
# that it uses: `make tidy` builds with FINALITY_PRECOMPILE=OFF. Headers of the project are named <…>, so that the
# include directory finds them and no path of this checkout reaches the compiler cache (ADR 0053).
option(FINALITY_PRECOMPILE "Precompile common headers" ON)

# Group of each folder. Groups with few sources in a variant share a larger one.
set(folders_of_base base fsm history model)
set(folders_of_sandbox sandbox)
set(folders_of_decide ledger decide)
set(folders_of_channel channel)
set(folders_of_store store)
set(folders_of_engine engine wire query worker sim audit)
set(folders_of_http http)
set(folders_of_app app bench lab)
set(groups base sandbox decide channel store engine http app)
set(groups_test base decide engine)
set(groups_sanitized base channel)
set(groups_sanitized_test base channel)
# The group that replaces a group that a variant lacks.
set(larger_than_sandbox base)
set(larger_than_channel engine)
set(larger_than_store engine)
set(larger_than_http engine)
set(larger_than_app engine)

set(headers_of_base <algorithm> <array> <charconv> <chrono> <condition_variable> <deque> <filesystem> <fstream>
    <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread> <unordered_map> <utility>
    <variant> <vector> <boost/json/array.hpp> <boost/json/object.hpp> <boost/json/parse.hpp> <boost/json/serialize.hpp>
    <boost/json/value.hpp> <fmt/format.h> <base/crypto/encoding.h> <base/described.h> <base/limits.h> <base/log.h>
    <base/money.h> <base/net/http_message.h> <base/result.h> <base/time/date.h> <base/time/time.h>)
set(headers_of_sandbox ${headers_of_base} <sqlite3.h> <base/net/http_client.h> <base/net/http_server.h>)
set(headers_of_model <model/evidence.h> <model/natural_key.h> <model/out_trade_no.h> <model/policy.h>
    <model/working_set.h>)
set(headers_of_decide ${headers_of_base} ${headers_of_model} <decide/account/account_writer.h>
    <decide/aggregate_writer.h> <decide/context.h> <decide/exception/open_case.h> <decide/post.h> <ledger/chart.h>)
set(headers_of_channel ${headers_of_base} ${headers_of_model} <channel/channel.h> <channel/parsing/json_fields.h>
    <channel/statements.h> <channel/upstream.h>)
set(headers_of_store ${headers_of_base} ${headers_of_model} <model/machines.h> <model/row_types.h> <store/fault.h>
    <store/sql/columns.h> <store/store.h>)
set(headers_of_engine ${headers_of_base} ${headers_of_model} <future> <prometheus/registry.h> <channel/channel.h>
    <channel/statements.h> <channel/upstream.h> <decide/command.h> <engine/engine.h> <model/machines.h> <store/store.h>
    <wire/wire.h>)
set(headers_of_http ${headers_of_engine} <http/input/fields.h> <http/input/query_params.h> <http/server/call.h>
    <query/lists.h> <query/refusals.h> <query/show.h>)
set(headers_of_app ${headers_of_engine} <CLI/CLI.hpp> <app/config/settings.h> <app/node.h>)
set(headers_of_tests_of_decide ${headers_of_decide} <decide/testing/test_world.h>)

set(libraries_of_engine prometheus-cpp::core)
set(libraries_of_http prometheus-cpp::core)
set(libraries_of_app prometheus-cpp::core CLI11::CLI11)

# Adds the precompiled headers of a group in a variant.
function(finality_precompiled group variant)
  set(name precompiled_${group}${variant})
  set(headers ${headers_of_${group}})
  if(variant MATCHES "_test$" AND DEFINED headers_of_tests_of_${group})
    set(headers ${headers_of_tests_of_${group}})
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cpp CONTENT "")  # unlike WRITE, does not touch an unchanged file
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE Threads::Threads fmt::fmt ${libraries_of_${group}})
  target_precompile_headers(${name} PRIVATE ${headers})
  if(variant MATCHES "_sanitized")
    target_compile_options(${name} PRIVATE ${sanitized_options})
  endif()
  if(variant MATCHES "_test$")
    target_link_libraries(${name} PRIVATE GTest::gtest)
    target_precompile_headers(${name} PRIVATE <gtest/gtest.h>)
    target_compile_options(${name} PRIVATE ${test_options})
  endif()
endfunction()

# Lets a target of a folder use the precompiled headers of the folder's group.
function(finality_use_precompiled target folder variant)
  if(NOT FINALITY_PRECOMPILE)
    return()
  endif()
  string(REGEX REPLACE "/.*" "" folder ${folder})
  foreach(candidate ${groups})
    if(folder IN_LIST folders_of_${candidate})
      set(group ${candidate})
    endif()
  endforeach()
  if(NOT group IN_LIST groups${variant})
    set(group ${larger_than_${group}})
  endif()
  target_precompile_headers(${target} REUSE_FROM precompiled_${group}${variant})
endfunction()

if(FINALITY_PRECOMPILE)
  set(variants "")
  if(FINALITY_TESTS)
    list(APPEND variants _test)
  endif()
  if(sanitized_layers)
    list(APPEND variants _sanitized _sanitized_test)
  endif()
  foreach(group ${groups})
    finality_precompiled(${group} "")
  endforeach()
  foreach(variant ${variants})
    foreach(group ${groups${variant}})
      finality_precompiled(${group} ${variant})
    endforeach()
  endforeach()
endif()
