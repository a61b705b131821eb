// Promise: judge, import and replay take a dump as it is, say what they took as what, and name what is
// missing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "corpus/case_file.h"
#include "corpus/npy.h"
#include "corpus/npz.h"
#include "corpus/onnx_tensor.h"
#include "corpus/safetensors.h"
#include "impl/table.h"
#include "props/command_run.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& words) { return text.find(words) != text.npos; }

/// A layer's tensors under `prefix`, y by `row`.
void add_layer(NamedTensors& out, const std::string& prefix, const std::string& row, DType dtype = DType::f32,
               double mean = 3) {
  Case c = drawn_case(dtype, 4, 64, mean);
  c.gamma = Tensor(dtype, {64});
  for (int i = 0; i < 64; ++i) c.gamma->set_value(i, 1 + i / 16.0);
  const Observation o = run_case(*find_row(row), c, {.mean = true, .rstd = true});
  out.insert(out.end(), {{prefix + "input", c.x},
                         {prefix + "output", o.y},
                         {prefix + "weight", *c.gamma},
                         {prefix + "mean", *o.mean},
                         {prefix + "rstd", *o.rstd}});
}

struct Folder {
  fs::path path;
  std::string operator()(const char* name) const { return (path / name).string(); }
};

TEST(CommandDump, TensorsAreTakenByTheirNames) {
  const Folder file{fresh_folder("dump_names")};
  NamedTensors plain, nested, bare;
  add_layer(plain, "", "two_pass/f32");
  add_layer(nested, "model.norm.", "two_pass/f32", DType::bf16);
  write_file_atomically(file("a.npz"), format_npz(plain));
  write_file_atomically(file("b.npz"), format_npz(plain, true));
  write_file_atomically(file("a.safetensors"), format_safetensors(nested));
  for (const auto& [name, tensor] : plain) {
    write_npy(file((name + ".npy").c_str()), tensor);
    write_file_atomically(file((name + ".pb").c_str()), format_onnx_tensor(name, tensor));
  }
  const auto all = [&](const char* extension) {
    std::string out;
    for (const auto& [name, tensor] : plain) out += " " + file((name + extension).c_str());
    return out;
  };
  for (const std::string& dump :
       {file("a.npz"), file("b.npz"), file("a.safetensors"), all(".npy"), all(".pb")}) {
    const Told r = run("judge " + dump + " --eps 1e-5");
    EXPECT_EQ(r.code, 0) << r.out << r.err;
    EXPECT_TRUE(has(r.out, "taken    x = ")) << r.out;
    EXPECT_TRUE(has(r.out, "judged   y, mean, rstd, each within its bound")) << r.out;
    EXPECT_TRUE(has(r.out, "weight")) << r.out;
    // gamma was taken: with another one the output is wrong.
    const Told wrong = run(fmt::format("judge {} --eps 1e-5 --gamma {}", dump, file("mean.npy")));
    EXPECT_EQ(wrong.code, 2) << wrong.out;
  }
  const std::string one = file("a.npz");
  for (const std::string& call :
       {fmt::format("judge --x {0}:input --y {0}:output --gamma {0}:weight --eps 1e-5", one),
        fmt::format("judge --x {0} --y {0} --gamma {0} --eps 1e-5", one),
        fmt::format("judge {0} --map x=input,y=output,gamma=weight --eps 1e-5", one),
        fmt::format("judge {0} --map x=input,y=output --gamma {1} --eps 1e-5", one, file("weight.npy"))}) {
    const Told r = run(call);
    EXPECT_EQ(r.code, 0) << call << r.out << r.err;
    EXPECT_TRUE(has(r.out, "PASS")) << r.out;
  }
  EXPECT_EQ(run(fmt::format("judge {} --map x=input,y=output --eps 1e-5", one)).code, 1) << "without gamma";
  fmt::print("five kinds of dump, four ways to say it\n");
}

TEST(CommandDump, ArchivesSayBfloat16ByTheOption) {
  const Folder file{fresh_folder("dump_bf16")};
  NamedTensors all;
  add_layer(all, "", "two_pass/f32", DType::bf16);
  const std::string bytes = format_npz(all);
  write_file_atomically(file("a.npz"), bytes);
  const std::string call = "judge " + file("a.npz") + " --eps 1e-5";
  const Told said = run(call + " --dtype bf16");
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_TRUE(has(said.out, "bf16 [4,64] over [64]")) << said.out;
  const Told unsaid = run(call);
  EXPECT_EQ(unsaid.code, 2) << unsaid.out;
  EXPECT_TRUE(has(unsaid.err, "a.npz:input: descr: '<V2'; expected a float")) << unsaid.err;
  fmt::print("x, y and gamma in bf16, f32 statistics beside them\n");
}

TEST(CommandDump, ALineALayerAndTheWorstInFull) {
  const Folder file{fresh_folder("dump_layers")};
  NamedTensors all;
  for (const int layer : {0, 1, 2, 10}) {
    // naive in f16 is far off at a mean of 30; the others are right.
    add_layer(all, fmt::format("model.layers.{}.", layer), layer == 2 ? "naive/f16" : "two_pass/f32",
              DType::f16, 30);
  }
  write_file_atomically(file("a.safetensors"), format_safetensors(all));
  const std::string map =
      " --eps 1e-5 --map 'x=model.layers.*.input,y=model.layers.*.output,gamma=model.layers.*.weight'";
  const Told r = run("judge " + file("a.safetensors") + map);
  EXPECT_EQ(r.code, 1) << r.out << r.err;
  for (const char* line : {"\n0      PASS", "\n1      PASS", "\n2      FAIL", "\n10     PASS"})
    EXPECT_TRUE(has(r.out, line)) << line << "\n" << r.out;
  EXPECT_LT(r.out.find("\n2 "), r.out.find("\n10 ")) << "in natural order";
  EXPECT_TRUE(has(r.out, "\nthe worst: 2\nFAIL  ")) << r.out;
  EXPECT_TRUE(has(r.out, ":model.layers.2.output  f16 [4,64] over [64]")) << r.out;

  // A layer that lacks a tensor is in the table, and the command does not end well.
  std::erase_if(all, [](const auto& t) { return t.first == "model.layers.1.weight"; });
  write_file_atomically(file("b.safetensors"), format_safetensors(all));
  const Told lacks = run("judge " + file("b.safetensors") + map);
  EXPECT_EQ(lacks.code, 2) << lacks.out;
  EXPECT_TRUE(has(lacks.out, "\n1      NOT RUN  no tensor 'model.layers.1.weight' for gamma")) << lacks.out;
  EXPECT_TRUE(has(lacks.out, "\n10     PASS")) << lacks.out;
  EXPECT_EQ(lacks.err,
            "normcheck: 1 of 4 layers could not be judged; 1: no tensor 'model.layers.1.weight' for gamma\n");
  fmt::print("four layers, one of them wrong, and one that lacks its gamma\n");
}

TEST(CommandDump, WrongCallsAreOneLineWithWhatTheFileHas) {
  const Folder file{fresh_folder("dump_wrong")};
  NamedTensors one, two;
  add_layer(one, "", "two_pass/f32");
  add_layer(two, "a.", "two_pass/f32");
  add_layer(two, "b.", "two_pass/f32");
  write_file_atomically(file("one.npz"), format_npz(one));
  write_file_atomically(file("two.npz"), format_npz(two));
  write_file_atomically(file("odd.npz"), format_npz({{"foo", one[0].second}, {"bar", one[1].second}}));
  fs::create_directory(file("onnx"));
  write_file_atomically(file("onnx/model.onnx"), "");
  const std::string dump = "judge " + file("one.npz"), eps = " --eps 1e-5";
  const std::pair<std::string, std::string> calls[] = {
      {dump, "--eps is required"},
      {dump + eps + " --map x=inputt,y=output",
       "no tensor 'inputt' for x; expected one of input, output, weight"},
      {dump + eps + " --map x=inputt,y=output", "'input' may be meant"},
      {dump + eps + " --map x=input", "no tensor is called y"},
      {dump + eps + " --map x", "--map: 'x'; expected ROLE=NAME"},
      {dump + eps + " --map z=input", "--map: 'z=input'; expected ROLE=NAME, with a ROLE of x, y"},
      {dump + eps + " --map x=input,x=output", "--map: x twice"},
      {dump + eps + " --map 'x=*.*'", "at most one '*'"},
      {dump + eps + " --map 'x=input,y=output,gamma=*'", "'*' in gamma's name alone"},
      {dump + eps + " --map 'x=l.*.input,y=l.*.output'", "no tensor 'l.*.input' for x"},
      {"judge" + eps + " --map x=input", "--map: no dump"},
      {"judge" + eps, "--x is required"},
      {"judge " + file("two.npz") + eps, "x may be a.input and b.input; expected --map x=a.input,..."},
      {"judge " + file("odd.npz") + eps,
       "no tensor is called x or the like; expected --map x=NAME, with one of foo and bar"},
      {"judge " + file("one.npz") + " " + file("one.npz") + eps + " --map x=input,y=output",
       "both have 'input'"},
      {fmt::format("judge --x {0}:foo --y {0}:baz", file("odd.npz")) + eps, "no tensor 'baz' for y"},
      {fmt::format("judge --x {0} --y {0}", file("odd.npz")) + eps,
       "2 tensors; expected FILE:NAME with one of foo and bar"},
      {"judge --x /nosuch.npz:a --y /nosuch.npz:b" + eps, "/nosuch.npz:a: cannot be read"},
      {dump + eps + " --mean " + file("one.npz") + ":weight", "is f32 [64]; expected f32 [4,1] or [4]"},
      {dump + eps + " --norm-ndim 3", "no layer norm takes this"},
      {dump + eps + " --dtype f64", "is f32; expected f64"},
      {"judge " + file("onnx") + eps, "a folder of ONNX's test data says all itself"},
      {"judge " + file("onnx"), "model.onnx: graph: 0 nodes"},
      {"judge " + file("") + eps, "a folder without model.onnx; expected"},
      {"import " + file("one.npz") + eps, "required"},
      {"import " + file("two.npz") + eps + " -o a.case", "x may be a.input and b.input"},
      {"replay " + file("one.npz"), "--eps is required"}};
  for (const auto& [call, words] : calls) {
    const Told r = run(call);
    EXPECT_EQ(r.code, 2) << call << "\n" << r.out;
    EXPECT_TRUE(is_one_line(r.err)) << call << "\n" << r.err;
    EXPECT_TRUE(has(r.err, words)) << call << "\n" << r.err << words;
  }
  fmt::print("{} calls\n", std::size(calls));
}

TEST(CommandDump, ACaseIsImportedOnceAndReplaysAsTheDumpDoes) {
  const Folder file{fresh_folder("dump_import")};
  NamedTensors all;
  for (const int layer : {0, 1})
    add_layer(all, fmt::format("l.{}.", layer), "two_pass/f32", DType::f32, 5000);
  write_file_atomically(file("a.npz"), format_npz(all));
  const std::string one = file("a.npz") + " --eps 1e-5 --map x=l.0.input,gamma=l.0.weight";
  const std::string import = "import " + one + " -o " + file("one.case");
  const Told r = run(import);
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  const Case c = read_case(file("one.case"));
  EXPECT_EQ(c.x, all[0].second);
  EXPECT_EQ(c.gamma, all[2].second);
  EXPECT_EQ(c.eps, 1e-5);
  EXPECT_EQ(c.id, "one");
  const Told again = run(import);
  EXPECT_EQ(again.code, 2);
  EXPECT_TRUE(has(again.err, "one.case: is there already; expected a new name, or --force")) << again.err;
  EXPECT_EQ(run(import + " --force").code, 0);

  const std::string many = "import " + file("a.npz") + " --eps 1e-5 --map 'x=l.*.input,gamma=l.*.weight' -o ";
  EXPECT_EQ(run(many + file("all.case")).code, 0);
  EXPECT_EQ(read_case(file("all-1.case")).x, all[5].second);
  fs::remove(file("all-0.case"));
  EXPECT_EQ(run(many + file("all.case")).code, 2);
  EXPECT_FALSE(fs::exists(file("all-0.case"))) << "none is written where one cannot be";

  const Told from_case = run("replay " + file("one.case") + " --impl naive/f32");
  const Told from_dump = run("replay " + one + " --impl naive/f32");
  EXPECT_EQ(from_case.code, 1) << from_case.out << from_case.err;
  EXPECT_EQ(from_dump.code, 1) << from_dump.out << from_dump.err;
  const std::size_t at = from_dump.out.find("  replay   ");
  ASSERT_NE(at, std::string::npos) << from_dump.out;
  const std::string line = from_dump.out.substr(at + 11, from_dump.out.find('\n', at) - at - 11);
  EXPECT_EQ(type(line).out, from_dump.out) << line;
  EXPECT_EQ(run("replay " + one + " --impl welford/f32").code, 0);
  fmt::print("a case, two of layers, and a dump replayed by the line that it printed\n");
}

TEST(CommandDump, WhatIsJudgedIsWrittenForMachinesToo) {
  const Folder file{fresh_folder("dump_machines")};
  NamedTensors layers;
  add_layer(layers, "layers.0.", "two_pass/f32");
  add_layer(layers, "layers.1.", "naive/f32", DType::f32, 3000);
  add_layer(layers, "layers.2.", "two_pass/f32");
  layers.pop_back();  // and has no rstd
  layers.pop_back();
  std::erase_if(layers, [](const auto& t) { return t.first == "layers.2.output"; });
  write_file_atomically(file("a.npz"), format_npz(layers));
  const std::string map = " --map x=layers.*.input,y=layers.*.output,gamma=layers.*.weight";
  const std::string out = fmt::format(" --json {} --junit {}", file("j.json"), file("j.xml"));
  const Told all = run("judge " + file("a.npz") + " --eps 1e-5" + map + out);
  EXPECT_EQ(all.code, 2) << all.out << all.err;
  const std::string json = read_file(file("j.json")), junit = read_file(file("j.xml"));
  EXPECT_EQ(std::count(json.begin(), json.end(), '\n'), 3) << json;
  for (const char* words : {R"("record":"judged","layer":"0")", R"("verdict":"PASS")", R"("verdict":"FAIL")",
                            R"("layer":"2","verdict":"NOT RUN")", R"("worst":{"output":"y")"})
    EXPECT_TRUE(has(json, words)) << words << '\n' << json;
  for (const char* words : {R"(tests="3")", R"(failures="2")", R"(type="FAIL")", R"(type="NOT RUN")"})
    EXPECT_TRUE(has(junit, words)) << words << '\n' << junit;

  std::erase_if(layers, [](const auto& t) { return !t.first.starts_with("layers.0."); });
  for (auto& [name, tensor] : layers) name = name.substr(9);
  write_file_atomically(file("b.npz"), format_npz(layers));
  const Told one = run("judge " + file("b.npz") + " --eps 1e-5" + out);
  EXPECT_EQ(one.code, 0) << one.out << one.err;
  EXPECT_TRUE(has(read_file(file("j.json")), R"("verdict":"PASS")"));
  EXPECT_TRUE(has(read_file(file("j.xml")), R"(failures="0")"));
  const Told nowhere = run("judge " + file("b.npz") + " --eps 1e-5 --json " + file("b.npz") + "/j.json");
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_TRUE(nowhere.out.empty() && is_one_line(nowhere.err)) << nowhere.out << nowhere.err;
  const std::string before = read_file(file("b.npz"));
  const Told itself = run("judge " + file("b.npz") + " --eps 1e-5 --json " + file("b.npz"));
  EXPECT_EQ(itself.code, 2);
  EXPECT_EQ(read_file(file("b.npz")), before) << "an input is not written over";
  fmt::print("three layers, one right, one wrong, one without y: {} bytes of JSON, {} of JUnit\n",
             json.size(), junit.size());
}

}  // namespace
}  // namespace normcheck
