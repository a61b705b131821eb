// Measures what the oracles cost, by Google Benchmark, and writes the table: oracle_bench [FOLDER
// [OPTION...]]. OPTION is one of Google Benchmark's, as --benchmark_filter=f32/1024.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "oracles/bench/paths.h"
#include "oracles/bench/speed_table.h"

namespace normcheck::bench {
namespace {

constexpr int kRounds = 11;

/// Keeps the time of every round; prints nothing of its own.
class Collector : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(std::vector<Speed>& speeds) : speeds_(speeds) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      for (Speed& s : speeds_) {
        if (run.benchmark_name().starts_with(name_of(s)))
          s.rounds.push_back(run.GetAdjustedCPUTime() / static_cast<double>(s.n));
      }
    }
  }
  static std::string name_of(const Speed& s) {
    return fmt::format("{}/{}/{}/", dtype_name(s.dtype), s.n, s.path);
  }

 private:
  std::vector<Speed>& speeds_;
};

bool write(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) fmt::print(stderr, "oracle_bench: {}: cannot be written\n", file);
  return static_cast<bool>(out);
}

int run(int argc, char** argv) {
  std::string folder = ".";
  if (argc > 1 && argv[1][0] != '-') {
    folder = argv[1];
    argv[1] = argv[0];
    --argc, ++argv;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

  std::vector<Speed> speeds;
  std::vector<std::unique_ptr<Work>> works;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    for (const std::int64_t n : {64, 1024, 16384}) {
      works.push_back(std::make_unique<Work>(make_work(dtype, n)));
      Work* work = works.back().get();
      for (const Path& path : paths(dtype)) {
        speeds.push_back({dtype, n, path.name, path.about, {}});
        benchmark::RegisterBenchmark((Collector::name_of(speeds.back())).c_str(),
                                     [work, call = path.run](benchmark::State& state) {
                                       for (auto _ : state) {
                                         call(*work);
                                         benchmark::ClobberMemory();
                                       }
                                     })
            ->MinTime(0.005);
      }
    }
  }
  Collector collector(speeds);
  // In a round the paths of one row follow each other: a machine that is slow for a while is so for all of
  // them.
  for (int round = 0; round < kRounds; ++round) benchmark::RunSpecifiedBenchmarks(&collector);
  std::erase_if(speeds, [](const Speed& s) { return s.rounds.empty(); });
  const std::string table = markdown(speeds);
  fmt::print("{}", table);
  return write(folder + "/oracle_speed.md", table) && write(folder + "/oracle_speed.json", json(speeds)) ? 0
                                                                                                         : 2;
}

}  // namespace
}  // namespace normcheck::bench

int main(int argc, char** argv) { return normcheck::bench::run(argc, argv); }
