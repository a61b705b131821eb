// Writes the pieces of the page.
#include "reports/page/html.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "reports/numbers.h"

namespace normcheck::page {
namespace {

const Json none;

/// The style sheet sets a glyph beside each; what is not here is shown without one.
constexpr std::pair<std::string_view, std::string_view> marks[] = {
    {"PASS", "P"}, {"FAIL", "F"},    {"CRASH", "F"},   {"TIMEOUT", "F"}, {"SUSPECT", "S"},
    {"VOID", "V"}, {"VACUOUS", "V"}, {"REFUSED", "U"}, {"NOT RUN", "U"}, {"UNSUPPORTED", "U"}};

std::string percent_text(double share) {
  if (!std::isfinite(share)) return short_number(share);
  if (share > 0 && share < 0.0005) return "&lt;0.1%";
  if (share < 1 && share >= 0.9995) return "&gt;99.9%";
  return fmt::format("{:.1f}%", 100 * share);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
          out += "\xef\xbf\xbd";
        else
          out += c;
    }
  }
  return out;
}

const Json& at(const Json& value, std::string_view path) {
  const Json* now = &value;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string key(path.substr(0, slash));
    path = slash == std::string_view::npos ? "" : path.substr(slash + 1);
    if (now->is_object()) {
      const auto found = now->find(key);
      if (found == now->end()) return none;
      now = &*found;
    } else if (now->is_array() && !key.empty() && key.size() < 9 &&
               key.find_first_not_of("0123456789") == std::string::npos && std::stoul(key) < now->size()) {
      now = &(*now)[std::stoul(key)];
    } else {
      return none;
    }
  }
  return *now;
}

std::span<const Json> items(const Json& value) {
  const auto* array = value.get_ptr<const Json::array_t*>();
  return array == nullptr ? std::span<const Json>{} : std::span<const Json>(*array);
}

std::string string_of(const Json& value) { return value.is_string() ? value.get<std::string>() : ""; }

bool is_number(const Json& value) {
  return value.is_number() || value == "nan" || value == "inf" || value == "-inf";
}

double number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

std::string_view verdict_class(std::string_view verdict) {
  for (const auto& [start, css] : marks) {
    if (verdict.starts_with(start)) return css;  // "FAIL, as known" is a FAIL
  }
  return "t";
}

std::string shown(const Json& value, Show show) {
  if (value.is_null()) return "not run";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (is_number(value) && show != Show::text && show != Show::code) {
    if (show == Show::bound && !std::isfinite(number_of(value))) return "no bound";
    if (show == Show::percent) return percent_text(number_of(value));
    if (show == Show::count && value.is_number_integer()) return grouped(value.get<std::int64_t>());
    return short_number(number_of(value));
  }
  if (value.is_number_integer()) return value.dump();
  if (value.is_number()) return exact_decimal(value.get<double>());
  if (value.is_array() && !value.empty()) {
    std::string out;
    for (const Json& item : value) out += (out.empty() ? "" : ", ") + shown(item, show);
    return out;
  }
  if (value.is_array()) return "none";
  if (!value.is_string()) return escaped(value.dump(-1, ' ', false, Json::error_handler_t::replace));
  const auto& text = value.get_ref<const std::string&>();
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return "(empty)";
  return show == Show::code ? fmt::format("<code>{}</code>", escaped(text)) : escaped(text);
}

std::string command(const Json& text) {
  if (!text.is_string() || text.get_ref<const std::string&>().empty()) return "<span class=x>not run</span>";
  return fmt::format("<code class=cmd>{}</code>", escaped(text.get_ref<const std::string&>()));
}

void Trace::seen(std::string_view pointer, const Json& value) {
  if (count_++ % 7 == 0 && !value.is_structured()) kept_.emplace_back(pointer, value);
}

std::string Trace::table() const {
  Json out = Json::object();
  // 400 are enough for a test, and not much of the page; spread over all of it.
  const std::size_t step = kept_.size() / 400 + 1;
  for (std::size_t i = 0; i < kept_.size(); i += step) out[kept_[i].first] = kept_[i].second;
  std::string text;
  for (const char c : out.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

std::string head_cells(std::span<const Column> columns) {
  std::string out;
  for (const Column& c : columns) {
    const bool words =
        c.show == Show::text || c.show == Show::code || c.show == Show::verdict || c.show == Show::command;
    out += fmt::format("<th scope=col{} data-key=\"{}\">{}", words ? " class=t" : "", escaped(c.key), c.head);
    if (!c.unit.empty()) out += fmt::format(" <small>{}</small>", c.unit);
  }
  return out;
}

std::string head_row(std::span<const Column> columns) {
  return fmt::format("<thead><tr>{}</thead>\n", head_cells(columns));
}

std::string cells(const Json& row, std::string_view pointer, std::span<const Column> columns, Trace& trace) {
  std::string out;
  for (const Column& c : columns) {
    const Json& value = at(row, c.key);
    trace.seen(fmt::format("{}/{}", pointer, c.key), value);
    const bool words = c.show == Show::text || c.show == Show::code || value.is_structured();
    if (value.is_null())
      out += fmt::format("<td{}>{}", c.none == "0" ? "" : " class=x", c.none);
    else if (c.show == Show::command)
      out += "<td class=t>" + command(value);
    else if (c.show == Show::verdict)
      out += fmt::format("<td class={}>{}", verdict_class(string_of(value)), shown(value, c.show));
    else
      out += fmt::format("<td{}>{}", words || !is_number(value) ? " class=t" : "", shown(value, c.show));
  }
  return out;
}

std::string table(const Json& rows, std::string_view pointer, std::span<const Column> columns, Trace& trace,
                  std::string_view attributes) {
  const auto all = items(rows);
  if (all.empty()) return not_run("Not run, or nothing there");
  std::string out = fmt::format("<table {}>{}<tbody>\n", attributes, head_row(columns));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string at_row = fmt::format("{}/{}", pointer, i);
    out += fmt::format("<tr data-from=\"{}\">{}\n", at_row, cells(all[i], at_row, columns, trace));
  }
  return out + "</table>";
}

std::string box(std::string_view label, std::string_view body) {
  return fmt::format("<div class=box tabindex=0 role=region aria-label=\"{}\">{}</div>\n", label, body);
}

std::string traced(const Json& results, std::string_view pointer, Show show, Trace& trace) {
  const Json& value = at(results, pointer.substr(1));
  trace.seen(pointer, value);
  return fmt::format("<span data-from=\"{}\">{}</span>", escaped(pointer), shown(value, show));
}

std::string not_run(std::string_view what) { return fmt::format("<p class=x>{}.</p>\n", what); }

std::string section(std::string_view id, std::string_view title, std::string_view body) {
  return fmt::format("<section id={}><h2>{}</h2>\n{}</section>\n", id, title, body);
}

}  // namespace normcheck::page
