// What comes from runs that are published beside a report: detection of known mistakes, and real libraries.
#include <fmt/format.h>

#include <array>

#include "reports/page/parts.h"

namespace normcheck::page {
namespace {

/// What one family of algorithms gives on a public input: its error, with the glyph of its verdict.
std::string family_cell(const Json& input, const std::string& pointer, std::string_view family,
                        Trace& trace) {
  const Json& result = at(input, family);
  if (!result.is_object()) return "<td class=x>no such row";
  const Json& error = at(result, "error_ulp");
  const Json& said = error.is_null() ? at(result, "verdict") : error;
  trace.seen(fmt::format("{}/{}/{}", pointer, family, error.is_null() ? "verdict" : "error_ulp"), said);
  return fmt::format("<td class={} data-from=\"{}/{}/{}\">{}",
                     verdict_class(string_of(at(result, "verdict"))), pointer, family,
                     error.is_null() ? "verdict" : "error_ulp", shown(said, Show::number));
}

std::string public_inputs(const Json& results, Trace& trace) {
  const auto all = items(at(results, "public_inputs"));
  if (all.empty()) return not_run("Inputs from public bug reports: not run");
  constexpr std::array<std::string_view, 4> families = {"naive", "two_pass", "welford", "half"};
  constexpr std::array<Column, 2> columns = {
      {{"input", "", "case", Show::text}, {"dtype", "", "dtype", Show::text}}};
  constexpr std::array<Column, 1> last = {{{"reported", "", "origin", Show::text}}};
  std::string rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string pointer = fmt::format("/public_inputs/{}", i);
    rows += fmt::format("<tr data-from=\"{}\">{}", pointer, cells(all[i], pointer, columns, trace));
    for (const std::string_view family : families) rows += family_cell(all[i], pointer, family, trace);
    rows += cells(all[i], pointer, last, trace) + "\n";
  }
  std::string heads = head_cells(columns);
  for (const std::string_view family : families)
    heads += fmt::format("<th scope=col class=t>{}, largest known <small>ulp</small>", family);
  return fmt::format(
      "<details class=part><summary>What naive, two_pass, welford and half precision give on {} inputs of "
      "public bug reports</summary>\n{}</details>\n",
      all.size(),
      box("Inputs of public bug reports",
          fmt::format("<table class=\"sort filter\"><thead><tr>{}{}</thead><tbody>\n{}</table>", heads,
                      head_cells(last), rows)));
}

}  // namespace

std::string detection(const Json& results, Trace& trace) {
  const Json& all = at(results, "detection");
  if (!all.is_object())
    return section("detection", "Known mistakes: what finds them",
                   not_run("Detection: not run") + public_inputs(results, trace));
  const auto value = [&](std::string_view key, Show show) {
    return traced(results, fmt::format("/detection/{}", key), show, trace);
  };
  std::string body = fmt::format(
      "<p>Mistakes of public bug reports, made again as kernels: {} of {} runs caught them, in a median of "
      "{} ms. From "
      "{}, made by {}.</p>\n",
      value("caught", Show::count), value("runs", Show::count), value("median_ms", Show::number),
      value("source", Show::text), command(at(all, "command")));
  constexpr std::array<Column, 4> classes = {{{"kind of mistake", "", "kind", Show::text},
                                              {"mistakes", "", "mistakes", Show::count},
                                              {"caught", "runs", "caught", Show::count},
                                              {"of", "runs", "runs", Show::count}}};
  body += box("By kind", table(at(all, "by_class"), "/detection/by_class", classes, trace, "class=sort"));
  constexpr std::array<Column, 6> others = {{{"a test of others", "", "name", Show::text},
                                             {"shows", "mistakes", "shows", Show::count},
                                             {"of", "mistakes", "of", Show::count},
                                             {"right kernels that it fails", "", "fails_right", Show::text},
                                             {"what it does", "", "what", Show::text},
                                             {"source", "", "source", Show::text}}};
  body += "<h3>The same mistakes under what others test with</h3>\n" +
          box("Tests of others",
              table(at(all, "others"), "/detection/others", others, trace, "class=\"sort words\""));
  return section("detection", "Known mistakes: what finds them", body + public_inputs(results, trace));
}

namespace {

/// Of the same library, version and dtype: the largest normwise error that a search found, and its command.
std::string searched_cells(const Json& results, const Json& entry, Trace& trace) {
  const auto all = items(at(results, "champions"));
  std::size_t best = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (at(all[i], "impl") != at(entry, "peer") || at(all[i], "dtype") != at(entry, "dtype") ||
        at(all[i], "version") != at(entry, "version") || at(all[i], "objective") != "normwise")
      continue;
    if (best == all.size() || number_of(at(all[i], "normwise_u")) > number_of(at(all[best], "normwise_u")))
      best = i;
  }
  if (best == all.size()) return "<td class=x>not run<td class=x>not run";
  const std::string pointer = fmt::format("/champions/{}/normwise_u", best);
  trace.seen(pointer, at(all[best], "normwise_u"));
  return fmt::format("<td data-from=\"{}\">{}<td class=t data-from=\"/champions/{}/command\">{}", pointer,
                     shown(at(all[best], "normwise_u"), Show::number), best,
                     command(at(all[best], "command")));
}

}  // namespace

std::string peers(const Json& results, Trace& trace) {
  const Json& all = at(results, "peers");
  if (!all.is_object()) return section("peers", "Real libraries", not_run("Libraries: not run"));
  constexpr std::array<Column, 6> first = {{{"library", "", "peer", Show::text},
                                            {"version", "", "version", Show::text},
                                            {"dtype", "", "dtype", Show::text},
                                            {"passed", "cases", "total/verdicts/PASS", Show::count, "0"},
                                            {"failed", "cases", "total/verdicts/FAIL", Show::count, "0"},
                                            {"of", "cases", "total/cases", Show::count}}};
  constexpr std::array<Column, 9> last = {
      {{"largest known", "u, normwise", "total/largest_normwise_finite/error_u", Show::number, "none judged"},
       {"replay of the largest, normwise", "", "total/largest_normwise_finite/command", Show::command,
        "not kept"},
       {"largest known", "ulp", "total/largest_finite/error_ulp", Show::number, "none judged"},
       {"its proven bound", "ulp", "total/largest_finite/allowed_ulp", Show::bound, "none judged"},
       {"n", "", "total/largest_finite/n", Show::count, "none judged"},
       {"kappa", "", "total/largest_finite/kappa", Show::number, "none judged"},
       {"replay of the largest, in ulp", "", "total/largest_finite/command", Show::command, "not kept"},
       {"largest known share", "of its bound", "total/largest_share_of_bound"},
       {"known faults", "", "known", Show::text}}};
  std::string body = fmt::format(
      "<p>Each library as it is shipped, on the same inputs, under <code>stable</code>. The largest known "
      "error "
      "is the largest finite one that was seen, here with the command that shows it again, pasted at the "
      "root of "
      "a checkout where the library is installed. u is relative to the two terms that make y; in ulp of y, "
      "where "
      "the exact y is next to 0 an ulp is tiny. <b>By search</b>: the largest that a search found on rows of "
      "kappa at most 4, where no layer norm has an excuse; all that it found stand under <a "
      "href=\"#champions\">Largest known errors</a>. From {}, made by {}.</p>\n",
      traced(results, "/peers/source", Show::text, trace), command(at(all, "command")));
  const auto entries = items(at(all, "entries"));
  std::string rows;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string pointer = fmt::format("/peers/entries/{}", i);
    rows += fmt::format("<tr data-from=\"{}\">{}{}{}\n", pointer, cells(entries[i], pointer, first, trace),
                        searched_cells(results, entries[i], trace), cells(entries[i], pointer, last, trace));
  }
  body +=
      entries.empty()
          ? not_run("No library was run")
          : box("Libraries",
                fmt::format("<table class=\"sort filter\"><thead><tr>{}<th scope=col>largest known by search "
                            "<small>u, normwise</small><th scope=col class=t>replay of that{}</thead><tbody>"
                            "\n{}</table>",
                            head_cells(first), head_cells(last), rows));
  const auto absent = items(at(all, "not_installed"));
  if (!absent.empty()) {
    body += "<p>Not run, since not installed:</p>\n<ul>";
    for (std::size_t i = 0; i < absent.size(); ++i)
      body += fmt::format("<li>{} {}\n",
                          traced(results, fmt::format("/peers/not_installed/{}/peer", i), Show::text, trace),
                          command(at(absent[i], "install")));
    body += "</ul>\n";
  }
  return section("peers", "Real libraries", body);
}

std::string method(const Json& results, Trace& trace) {
  std::string body =
      "<p><b>What is proven.</b> Every bound on this page: a theorem evaluated on the row at hand (its n, "
      "its mean, its "
      "sums) with every operation of the evaluation rounded up. A FAIL is a proof that the kernel does not "
      "keep "
      "its contract; a PASS says that it kept it on the rows that it was given. The exact value comes "
      "from exact or double-double arithmetic whose own error is bounded.</p>\n"
      "<p><b>What is only the largest known.</b> Every error, p99 and share: seen on the generated rows, the "
      "public "
      "inputs and what a search found. Another seed or a larger budget may find a larger one.</p>\n"
      "<p><b>Where it is blind.</b> At large n and kappa the bound grows past what some mistakes do: the "
      "hatched cells of "
      "the heat maps. A PASS there says little.</p>\n<h3>What was not run</h3>\n";
  const auto missing = items(at(results, "plan/not_run"));
  if (missing.empty()) body += "<p>The results name nothing that was left out.</p>\n";
  if (!missing.empty()) {
    body += "<ul>";
    for (std::size_t i = 0; i < missing.size(); ++i)
      body += fmt::format("<li>{}\n", traced(results, fmt::format("/plan/not_run/{}", i), Show::text, trace));
    body += "</ul>\n";
  }
  body += "<h3>Where it was run</h3>\n";
  const Json& run = at(results, "run");
  if (!run.is_object() || run.empty())
    return section("method", "Method and limits", body + not_run("Not said"));
  std::string rows;
  for (const auto& [name, unused] : run.items()) {
    // A pointer spells "/" and "~" of a name otherwise; names of the schema have neither.
    if (name.find_first_of("/~") != std::string::npos) continue;
    rows += fmt::format("<tr><th scope=row>{}<td class=t>{}\n", escaped(name),
                        traced(results, "/run/" + name, Show::text, trace));
  }
  body += box("Where it was run", fmt::format("<table><tbody>\n{}</table>", rows));
  return section("method", "Method and limits", body);
}

}  // namespace normcheck::page
