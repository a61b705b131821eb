// Puts the page together.
#include "reports/page/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/page/assets.h"
#include "reports/page/parts.h"

namespace normcheck {
namespace {

/// Of all but style, script and sample, which are under 60,000, so that it stays under 1.5 MB.
constexpr std::size_t most_bytes = 1'440'000;

}  // namespace

std::string index_html(const nlohmann::ordered_json& results) {
  page::Trace trace;
  const std::string first =
      page::opening(results, trace) + page::findings(results, trace) + page::recommendations(results, trace);
  std::string rest;
  for (const auto& part : {page::panels, page::heat_maps, page::champions, page::semantics, page::cost,
                           page::detection, page::peers, page::folklore, page::method})
    rest += part(results, trace);
  const std::size_t left = most_bytes - std::min(most_bytes, first.size() + rest.size());
  const std::string body = first + page::verdicts(results, left, trace) + rest;
  // The policy is what keeps the page from asking a network for anything, whatever stands in it.
  return fmt::format(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
      "<title>normcheck: how wrong can a layer norm be</title>\n<link rel=icon href=\"data:,\">\n"
      "<style>\n{}</style></head>\n<body>\n{}"
      "<script type=\"application/json\" id=sample>{}</script>\n<script>\n{}</script>\n</body></html>\n",
      page::style_sheet(), body, trace.table(), page::script());
}

}  // namespace normcheck
