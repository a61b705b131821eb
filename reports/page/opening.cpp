// The first screen: where the numbers come from, what the unit is, what was found, and what to use.
#include <fmt/format.h>

#include <array>

#include "reports/page/parts.h"

namespace normcheck::page {

std::string opening(const Json& results, Trace& trace) {
  const auto value = [&](std::string_view pointer, Show show = Show::text) {
    return traced(results, pointer, show, trace);
  };
  std::string out = "<header><h1>How wrong can a layer norm be</h1>\n";
  const bool timed =
      at(results, "plan/budget_evaluations").is_null() && !at(results, "plan/budget_seconds").is_null();
  out += fmt::format(
      "<p class=from>normcheck {}, {}, {}, {}; flags <code>{}</code>; {}; finished {}; seed {}; budget {} "
      "{}; judged "
      "under the contract {}. Made by {}</p>\n",
      value("/run/version"), value("/run/compiler"), value("/run/processor"), value("/run/instruction_set"),
      value("/run/flags"), value("/run/system"), value("/run/finished"), value("/seed"),
      timed ? value("/plan/budget_seconds") : value("/plan/budget_evaluations", Show::count),
      timed ? "seconds" : "evaluations", value("/contract"), command(at(results, "plan/command")));
  out +=
      "<p><b>The unit.</b> 1 ulp is the spacing of the output format at the <em>exact</em> value: "
      "2^(e−p+1) for a value in [2^e, 2^(e+1)) and p significant bits. An error is |got − exact| / "
      "ulp(exact), against the exact value, not a rounded one: a correctly rounded (RN) y is off by at "
      "most 0.5 ulp. (<code>normcheck advise</code> tells errors in ulp of the row's largest |y|, and says "
      "so.) u is the unit roundoff, 2^−24 in f32, 2^−53 in f64, 2^−11 in f16, 2^−8 in bf16. "
      "kappa = sqrt(1 + mean²/variance) of a row: by how much the mean outweighs the "
      "spread.</p>\n<p><b>Proven</b> is a theorem, evaluated on the row at hand. <b>Largest known</b> is "
      "the largest that was seen; nothing says that there is none larger.</p>\n<p><b>Every number has a "
      "source.</b> It lies in results.json at the JSON pointer that its <code>data-from</code> names, or "
      "that of its row and the <code>data-key</code> of its column; point at a number to read it. <span "
      "id=self-test role=status>The test of this page by itself has not run: it needs JavaScript. All "
      "else does not.</span></p>\n";
  constexpr std::array<std::array<std::string_view, 2>, 11> parts = {{{"use", "What to use"},
                                                                      {"verdicts", "Verdicts"},
                                                                      {"panels", "Error and bound"},
                                                                      {"heat", "kappa × n"},
                                                                      {"champions", "Largest known errors"},
                                                                      {"semantics", "Semantics"},
                                                                      {"cost", "Cost"},
                                                                      {"detection", "Detection"},
                                                                      {"peers", "Libraries"},
                                                                      {"folklore", "Folklore"},
                                                                      {"method", "Method and limits"}}};
  out += "<nav>";
  for (const auto& part : parts) out += fmt::format("<a href=\"#{}\">{}</a> ", part[0], part[1]);
  return out + "</nav></header>\n";
}

std::string findings(const Json& results, Trace& trace) {
  constexpr std::array<Column, 10> columns = {
      {{"implementation", "", "impl", Show::text},
       {"dtype", "", "dtype", Show::text},
       {"regime", "", "regime", Show::text},
       {"verdict", "", "verdict", Show::verdict},
       {"element", "", "worst/index", Show::text, "none"},
       {"got", "", "worst/got_hex", Show::code, "no number"},
       {"exact, rounded", "", "worst/want_hex", Show::code, "no number"},
       {"error", "ulp", "worst/error_ulp", Show::number, "no number"},
       {"proven bound", "ulp", "worst/allowed_ulp", Show::bound, "no bound"},
       {"why", "", "reason", Show::text, "not said"}}};
  std::string body;
  const auto unexpected = items(at(results, "unexpected"));
  if (!unexpected.empty()) {
    body += "<ul>";
    for (std::size_t i = 0; i < unexpected.size(); ++i) {
      const Json& replay = at(unexpected[i], "replay");
      body += fmt::format("<li><span class=bad>✗</span> {}{}\n",
                          traced(results, fmt::format("/unexpected/{}/what", i), Show::text, trace),
                          string_of(replay).empty() ? "" : "<br>" + command(replay));
    }
    body += "</ul>\n";
  }
  const auto all = items(at(results, "findings"));
  std::string rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (at(all[i], "expected") == true) continue;
    const std::string pointer = fmt::format("/findings/{}", i);
    rows += fmt::format("<tr data-from=\"{}\">{}<td class=t>{}\n", pointer,
                        cells(all[i], pointer, columns, trace), command(at(all[i], "replay")));
  }
  if (!rows.empty()) {
    body += box("Findings",
                fmt::format("<table class=sort><thead><tr>{}<th scope=col class=t data-key=replay>replay"
                            "</thead><tbody>\n{}</table>",
                            head_cells(columns), rows));
  }
  return body.empty() ? "" : section("findings", "Findings that nobody expected", body);
}

namespace {

std::string beside(const Json& results) {
  if (items(at(results, "heat")).empty()) return "";
  return "<p>Largest known errors of all algorithms, <a href=\"#side\">side by side</a>.</p>\n";
}

}  // namespace

std::string recommendations(const Json& results, Trace& trace) {
  const auto all = items(at(results, "recommendations"));
  if (all.empty())
    return section("use", "What to use", not_run("Recommendations: not run") + beside(results));
  std::string body =
      "<p>Each sentence is computed from the results; its sources are named behind it.</p>\n<ul class=use>\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string standing = string_of(at(all[i], "standing"));
    body += fmt::format("<li><span class=\"tag {}\">{} {}</span> {} <small class=sources>from",
                        standing == "proven" ? "proven" : "known", standing == "proven" ? "■" : "□",
                        shown(at(all[i], "standing"), Show::text),
                        traced(results, fmt::format("/recommendations/{}/sentence", i), Show::text, trace));
    const auto from = items(at(all[i], "from"));
    for (const Json& source : from)
      body += fmt::format(" <code class=ptr>{}</code>", escaped(string_of(source)));
    body += from.empty() ? " nothing: not traceable</small>\n" : "</small>\n";
  }
  return section("use", "What to use", body + "</ul>\n" + beside(results));
}

}  // namespace normcheck::page
