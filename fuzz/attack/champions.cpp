// The table is text with a tab between its columns, so that a new record is a line of a diff.
#include "fuzz/attack/champions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <tuple>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/generate.h"
#include "props/gen.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view head =
    "impl\tdtype\tn_class\tobjective\tkappa_most\tcontract\tseed\tevaluations\tshare_of_bound\tulp\t"
    "normwise_u\tkappa\tversion\tcase\tcurve";
constexpr std::size_t columns = 15;
constexpr std::string_view repeats_head =
    "impl\tdtype\tn\tobjective\tseed\tevaluations\tinstruction_set\tsha256";
/// A record is a new one where it is worse by this.
constexpr double worth = 1e-3;
constexpr std::size_t longest_curve = 12;

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == at) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

/// Reads the fields of one line, and says which of them is none.
class Fields {
 public:
  Fields(std::string where, std::string_view line, std::size_t wanted)
      : where_(std::move(where)), fields_(split(line, '\t')) {
    if (fields_.size() != wanted)
      throw InputError(fmt::format("{}: {} columns; expected {}", where_, fields_.size(), wanted));
  }
  std::string text() { return fields_[at_++]; }
  std::string some(const char* what) {
    if (fields_[at_].empty()) fail(what);
    return text();
  }
  template <class N>
  N number(const char* what) {
    return number_in<N>(fields_[at_++], what);
  }
  template <class N>
  N number_in(const std::string& text, const char* what) {
    N out{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size()) fail(what, text);
    return out;
  }
  template <class T>
  T named(const std::optional<T>& found, const char* what) {
    if (!found) fail(what, fields_[at_ - 1]);
    return *found;
  }
  [[noreturn]] void fail(const char* what, const std::string& text = "") const {
    throw InputError(fmt::format("{}: '{}'; expected {}", where_, text, what));
  }

 private:
  std::string where_;
  std::vector<std::string> fields_;
  std::size_t at_ = 0;
};

Champion parse_line(const std::string& where, std::string_view line) {
  Fields fields(where, line, columns);
  Champion c;
  c.key.impl = fields.some("an implementation");
  c.key.dtype = fields.named(parse_dtype(fields.text()), "a dtype");
  c.key.length = fields.number<std::int64_t>("the class of n");
  if (c.key.length < 1 || c.key.length != length_class(c.key.length)) fields.fail("a power of two");
  c.key.objective = fields.named(objective_named(fields.text()), "an objective");
  const std::string most = fields.text();
  c.key.kappa_most = most == "any" ? 0 : fields.number_in<double>(most, "a condition number, or any");
  c.key.contract = fields.some("a contract");
  c.seed = fields.number<std::uint64_t>("a seed");
  c.evaluations = fields.number<std::int64_t>("a number of evaluations");
  for (double* v : {&c.share, &c.ulp, &c.normwise_u, &c.kappa}) *v = fields.number<double>("a number");
  c.version = fields.text();
  if (c.version == "-") c.version.clear();
  c.file = fields.some("a file");
  const std::string curve = fields.text();
  for (const std::string& point : split(curve, ' ')) {
    if (curve.empty()) break;
    const auto parts = split(point, ':');
    if (parts.size() != 2) fields.fail("evaluations:value", point);
    c.curve.emplace_back(fields.number_in<std::int64_t>(parts[0], "evaluations"),
                         fields.number_in<double>(parts[1], "a value"));
  }
  return c;
}

std::string line_of(const Champion& c) {
  std::string curve;
  for (const auto& [at, value] : c.curve)
    curve += fmt::format("{}{}:{:.4g}", curve.empty() ? "" : " ", at, value);
  const std::string most = c.key.kappa_most > 0 ? fmt::format("{}", c.key.kappa_most) : "any";
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", c.key.impl,
                     dtype_name(c.key.dtype), c.key.length, objective_name(c.key.objective), most,
                     c.key.contract, c.seed, c.evaluations, c.share, c.ulp, c.normwise_u, c.kappa,
                     c.version.empty() ? "-" : c.version, c.file, curve);
}

/// The last point of each part of it stays.
void thin(std::vector<std::pair<std::int64_t, double>>& curve) {
  while (curve.size() > longest_curve) {
    std::size_t least = 1;
    for (std::size_t k = 1; k + 1 < curve.size(); ++k) {
      const auto gain = [&](std::size_t i) { return curve[i].second / curve[i - 1].second; };
      if (gain(k) < gain(least)) least = k;
    }
    curve.erase(curve.begin() + static_cast<std::ptrdiff_t>(least));
  }
}

double value_of(Objective objective, double share, double ulp, double normwise_u) {
  return objective == Objective::share ? share : objective == Objective::ulp ? ulp : normwise_u;
}

}  // namespace

std::int64_t length_class(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))));
}

double value_of(const Champion& c) { return value_of(c.key.objective, c.share, c.ulp, c.normwise_u); }

std::string champion_stem(const ChampionKey& key) {
  std::string impl = key.impl;
  std::replace_if(
      impl.begin(), impl.end(), [](char c) { return c == '/' || c == ':' || c == '+'; }, '-');
  std::string out =
      fmt::format("{}.{}.n{}.{}", impl, dtype_name(key.dtype), key.length, objective_name(key.objective));
  if (std::isfinite(key.kappa_most) && key.kappa_most > 0) out += fmt::format("-kappa{}", key.kappa_most);
  if (key.kappa_most == 0) out += "-any";
  return out;
}

std::vector<Champion> read_champions(const fs::path& folder) {
  const fs::path path = folder / "records.tsv";
  std::vector<Champion> out;
  std::error_code error;
  if (!fs::exists(path, error)) return out;
  const std::string text = read_file(path);
  const auto lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string where = fmt::format("{}:{}", path.string(), i + 1);
    if (i == 0 && lines[i] != head)
      throw InputError(fmt::format("{}: expected the names of the columns: {}", where, head));
    if (i == 0 || lines[i].empty()) continue;
    Champion c = parse_line(where, lines[i]);
    if (std::any_of(out.begin(), out.end(), [&](const Champion& o) { return o.key == c.key; }))
      throw InputError(fmt::format("{}: a second line for {}", where, champion_stem(c.key)));
    out.push_back(std::move(c));
  }
  return out;
}

void write_champions(const fs::path& folder, std::vector<Champion> champions) {
  const auto order = [](const Champion& c) {
    return std::tuple(c.key.impl, dtype_name(c.key.dtype), c.key.length, c.key.objective, c.key.kappa_most,
                      c.key.contract);
  };
  std::sort(champions.begin(), champions.end(),
            [&](const Champion& a, const Champion& b) { return order(a) < order(b); });
  std::string text = std::string(head) + "\n";
  for (const Champion& c : champions) text += line_of(c);
  write_file_atomically(folder / "records.tsv", text);
}

std::vector<Case> champion_cases(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".case") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Case> out;
  for (const fs::path& file : files) out.push_back(read_case(file));
  return out;
}

bool keep_record(const fs::path& folder, const ChampionKey& key, const AttackResult& result,
                 std::uint64_t seed, const std::string& version) {
  if (result.records.empty()) return false;
  std::vector<Champion> all = read_champions(folder);
  auto known = std::find_if(all.begin(), all.end(), [&](const Champion& c) { return c.key == key; });
  const bool first = known == all.end();
  if (first) {
    Champion fresh;
    fresh.key = key;
    known = all.insert(all.end(), std::move(fresh));
  }
  const double before = first ? -1 : value_of(*known);
  const AttackRecord& worst = result.records.back();
  const std::int64_t earlier = known->evaluations;
  known->evaluations += result.evaluations;
  // Of another version the old record says nothing.
  const bool other_version = !first && known->version != version;
  const bool fresh = other_version || worst.value > before * (1 + worth);
  if (fresh) {
    if (other_version) {
      known->curve.clear();
      known->evaluations = result.evaluations;
    }
    known->seed = seed;
    known->share = worst.share;
    known->ulp = worst.ulp;
    known->normwise_u = worst.normwise_u;
    known->kappa = worst.kappa;
    known->version = version;
    known->file = champion_stem(key) + ".case";
    for (const AttackRecord& r : result.records) {
      const std::int64_t at = (other_version ? 0 : earlier) + r.evaluations;
      if (known->curve.empty() || r.value > known->curve.back().second)
        known->curve.emplace_back(at, r.value);
    }
    thin(known->curve);
    Case c = worst.problem;
    c.id = champion_stem(key);
    c.violates.clear();
    c.origin.clear();
    c.notes = {fmt::format("the largest {} that is known of {}{}{}", objective_name(key.objective), key.impl,
                           version.empty() ? "" : " ", version)};
    fs::create_directories(folder);
    write_case(folder / known->file, c);
  }
  write_champions(folder, std::move(all));
  return fresh;
}

std::string champion_complaint(const fs::path& folder, const Champion& champion, const Row& row) {
  const Case c = read_case(folder / champion.file);
  const std::string name = champion_stem(champion.key);
  if (c.x.dtype != champion.key.dtype || row_count(c) != 1 ||
      length_class(row_length(c)) != champion.key.length || c.id != name)
    return fmt::format("{}: is no case of {}; expected the row that its line of records.tsv tells of",
                       champion.file, name);
  const Contract contract = parse_contract(champion.key.contract, &row);
  const Judgement j = judge(c, run_case(row, c), contract, OracleChoice::exact);
  if (is_right(row) && is_finding(j.verdict))
    return fmt::format("{}: {} by {}: {} of what {} allows", name, verdict_name(j.verdict), row.name,
                       j.errors.max_share_of_bound, champion.key.contract);
  if (is_right(row) && !(j.errors.max_ulp <= champion.ulp))
    return fmt::format("{}: {} got worse on the input of its record: {} ulp, it was {}", name, row.name,
                       j.errors.max_ulp, champion.ulp);
  return "";
}

std::vector<RepeatedAttack> read_repeats(const fs::path& folder) {
  const fs::path path = folder / "repeats.tsv";
  std::vector<RepeatedAttack> out;
  std::error_code error;
  if (!fs::exists(path, error)) return out;
  const std::string text = read_file(path);
  const auto lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string where = fmt::format("{}:{}", path.string(), i + 1);
    if (i == 0 && lines[i] != repeats_head)
      throw InputError(fmt::format("{}: expected the names of the columns: {}", where, repeats_head));
    if (i == 0 || lines[i].empty()) continue;
    Fields fields(where, lines[i], 8);
    RepeatedAttack r;
    r.impl = fields.some("an implementation");
    r.dtype = fields.named(parse_dtype(fields.text()), "a dtype");
    r.n = fields.number<std::int64_t>("a length");
    r.objective = fields.named(objective_named(fields.text()), "an objective");
    r.seed = fields.number<std::uint64_t>("a seed");
    r.evaluations = fields.number<std::int64_t>("a number of evaluations");
    r.instruction_set = fields.some("an instruction set");
    r.digest = fields.some("a digest");
    out.push_back(std::move(r));
  }
  return out;
}

std::string repeat_line(const RepeatedAttack& r) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", r.impl, dtype_name(r.dtype), r.n,
                     objective_name(r.objective), r.seed, r.evaluations, r.instruction_set, r.digest);
}

std::string attack_again(const RepeatedAttack& repeat, const Row& row) {
  AttackPlan plan;
  plan.dtype = repeat.dtype;
  plan.n = repeat.n;
  plan.objective = repeat.objective;
  plan.budget = repeat.evaluations;
  plan.seed = repeat.seed;
  plan.freedom.eps = repeat.objective == Objective::share;
  const AttackResult result = attack(row, parse_contract("own", &row), plan);
  std::string text;
  for (const AttackRecord& r : result.records)
    text += fmt::format("{} {} {}\n{}", r.evaluations, r.method, r.value, format_case(r.problem));
  return sha256_hex(text);
}

}  // namespace normcheck
