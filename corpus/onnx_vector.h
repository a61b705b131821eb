// Reads a folder of ONNX's test data for LayerNormalization: a model of one node, its inputs and outputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/case.h"

namespace normcheck {

/// The node: where normalization starts, and which value stands where ("" where one is left out).
struct OnnxLayerNorm {
  std::int64_t axis = -1;  ///< from the end where negative
  float epsilon = 1e-5f;
  std::vector<std::string> inputs;   ///< of the node: X, Scale, B
  std::vector<std::string> outputs;  ///< Y, Mean, InvStdDev
  std::vector<std::string> fed;      ///< the model's inputs, in the order of its files input_0.pb, ...
  std::vector<std::string> given;    ///< the model's outputs likewise
};

/// InputError "LABEL: FIELD: ...; expected ..." for a model that is not one LayerNormalization whose
/// statistics are f32.
OnnxLayerNorm parse_onnx_model(std::string_view model, std::string_view label);

/// The folder as a case, with the outputs that another implementation gave.
struct OnnxVector {
  Case problem;  ///< norm_ndim from the axis; eps is the model's float
  Tensor y;
  std::optional<Tensor> mean;
  std::optional<Tensor> rstd;
};
/// Reads model.onnx and test_data_set_0/. InputError with the file.
OnnxVector read_onnx_vector(const std::filesystem::path& folder);

}  // namespace normcheck
