// For the tests: writes the page of a results.json, as `normcheck render` does.
#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

#include "reports/page/page.h"

int main(int argc, char** argv) try {
  if (argc != 3) throw std::runtime_error("write_page RESULTS.json PAGE.html");
  std::ifstream in(argv[1]);
  const auto results = nlohmann::ordered_json::parse(in);
  std::ofstream out(argv[2], std::ios::binary);
  out << normcheck::index_html(results);
  return out.flush() ? 0 : 2;
} catch (const std::exception& e) {
  fmt::print(stderr, "write_page: {}\n", e.what());
  return 2;
}
