// The model is read for one node's attributes and names; everything else in it is passed over.
#include "corpus/onnx_vector.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/onnx_tensor.h"
#include "corpus/protobuf.h"
#include "corpus/value_text.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;
using Type = WireField::Type;

[[noreturn]] void fail(std::string_view label, std::string_view field, std::string_view found,
                       std::string_view expected) {
  throw InputError(fmt::format("{}: {}: {}; expected {}", label, field, found, expected));
}

std::string text_of(const WireField& field, std::string_view label, std::string_view what) {
  if (field.type != Type::bytes) fail(label, what, "another wire type", "a string");
  return std::string(field.bytes);
}

std::string_view message_of(const WireField& field, std::string_view label, std::string_view what) {
  if (field.type != Type::bytes) fail(label, what, "another wire type", "a message");
  return field.bytes;
}

/// AttributeProto: name 1, f 2, i 3. The type (20) follows from which of them is there.
void read_attribute(std::string_view message, std::string_view label, OnnxLayerNorm& node) {
  std::string name;
  std::optional<float> number;
  std::optional<std::int64_t> integer;
  WireReader reader(message, label);
  while (!reader.done()) {
    const WireField field = reader.next();
    if (field.number == 1) name = text_of(field, label, "attribute");
    if (field.number == 2 && field.type == Type::fixed32)
      number = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    if (field.number == 3 && field.type == Type::varint) integer = static_cast<std::int64_t>(field.value);
  }
  if (name == "epsilon" && number) {
    node.epsilon = *number;
  } else if (name == "axis") {
    node.axis = integer.value_or(0);  // 0 is what is not written
  } else if (name == "stash_type") {
    if (integer.value_or(0) != 1)
      fail(label, "stash_type", fmt::format("{}", integer.value_or(0)), "1, statistics in f32");
  } else {
    fail(label, "attribute", shown(name), "axis, epsilon and stash_type");
  }
}

/// NodeProto: input 1, output 2, op_type 4, attribute 5, domain 7.
void read_node(std::string_view message, std::string_view label, OnnxLayerNorm& node) {
  std::string op;
  WireReader reader(message, label);
  while (!reader.done()) {
    const WireField field = reader.next();
    if (field.number == 1) node.inputs.push_back(text_of(field, label, "input"));
    if (field.number == 2) node.outputs.push_back(text_of(field, label, "output"));
    if (field.number == 4) op = text_of(field, label, "op_type");
    if (field.number == 5) read_attribute(message_of(field, label, "attribute"), label, node);
  }
  if (op != "LayerNormalization") fail(label, "op_type", shown(op), "LayerNormalization");
  const std::size_t in = node.inputs.size(), out = node.outputs.size();
  if (in < 2 || in > 3 || out < 1 || out > 3)
    fail(label, "node", fmt::format("{} inputs, {} outputs", in, out),
         "X, Scale and perhaps B; Y and statistics");
}

std::string value_name(std::string_view message, std::string_view label) {
  WireReader reader(message, label);
  std::string name;
  while (!reader.done()) {
    const WireField field = reader.next();
    if (field.number == 1) name = text_of(field, label, "value");
  }
  return name;
}

/// The file of a value among `names`, which is read; nothing for a name that is empty.
std::optional<Tensor> read_value(const fs::path& folder, std::string_view kind,
                                 const std::vector<std::string>& names,
                                 const std::vector<std::string>& of_node, std::size_t position) {
  if (position >= of_node.size() || of_node[position].empty()) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), of_node[position]);
  if (found == names.end())
    fail((folder / "model.onnx").string(), kind, fmt::format("{} has no file", shown(of_node[position])),
         "it among the model's own");
  const fs::path path = folder / "test_data_set_0" / fmt::format("{}_{}.pb", kind, found - names.begin());
  return parse_onnx_tensor(read_file(path), path.string()).second;
}

/// A name as a case's id can be.
std::string id_of(const fs::path& folder) {
  std::string id = (folder.has_filename() ? folder : folder.parent_path()).filename().string().substr(0, 128);
  for (char& c : id) {
    if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_') c = '-';
  }
  return id.empty() || id[0] == '-' ? "onnx" + id : id;
}

}  // namespace

OnnxLayerNorm parse_onnx_model(std::string_view model, std::string_view label) {
  OnnxLayerNorm out;
  std::vector<std::string_view> nodes;
  WireReader reader(model, label);
  while (!reader.done()) {
    const WireField part = reader.next();
    if (part.number != 7) continue;  // ModelProto: graph 7
    WireReader graph(message_of(part, label, "graph"), label);
    while (!graph.done()) {
      const WireField field = graph.next();
      if (field.number == 1) nodes.push_back(message_of(field, label, "node"));
      if (field.number == 11) out.fed.push_back(value_name(message_of(field, label, "input"), label));
      if (field.number == 12) out.given.push_back(value_name(message_of(field, label, "output"), label));
    }
  }
  if (nodes.size() != 1)
    fail(label, "graph", fmt::format("{} nodes", nodes.size()), "one, a LayerNormalization");
  read_node(nodes[0], label, out);
  return out;
}

OnnxVector read_onnx_vector(const fs::path& folder) {
  const std::string model = (folder / "model.onnx").string();
  const OnnxLayerNorm node = parse_onnx_model(read_file(model), model);
  OnnxVector out;
  Case& c = out.problem;
  c.id = id_of(folder);
  c.eps = static_cast<double>(node.epsilon);
  std::optional<Tensor> x = read_value(folder, "input", node.fed, node.inputs, 0);
  if (!x) fail(model, "node", "no X", "one");
  c.x = std::move(*x);
  c.gamma = read_value(folder, "input", node.fed, node.inputs, 1);
  c.beta = read_value(folder, "input", node.fed, node.inputs, 2);
  const auto rank = static_cast<std::int64_t>(c.x.shape.size());
  const std::int64_t axis = node.axis < 0 ? node.axis + rank : node.axis;
  if (node.axis < -rank || axis >= rank)
    fail(model, "axis", fmt::format("{}", node.axis), fmt::format("{} to {}", -rank, rank - 1));
  c.norm_ndim = rank - axis;
  std::optional<Tensor> y = read_value(folder, "output", node.given, node.outputs, 0);
  if (!y) fail(model, "node", "no Y", "one");
  out.y = std::move(*y);
  out.mean = read_value(folder, "output", node.given, node.outputs, 1);
  out.rstd = read_value(folder, "output", node.given, node.outputs, 2);
  return out;
}

}  // namespace normcheck
