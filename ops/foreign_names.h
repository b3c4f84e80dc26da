// Names that PyTorch, TensorFlow, ONNX and the vendor have for what a case says by others.
#pragma once

#include <string>
#include <string_view>

namespace tilesim {

// "that is filter here, the window; " for "kernel_size"; nothing for a name that means nothing known.
// `before` stands before the column's name, such as "--". Letters' case, '-' and '_' differ by nothing.
std::string OurColumn(std::string_view name, std::string_view before = "");

// "max_pool2d" for "MaxPool2dWithIndices"; nothing for a name that means no operator of ours.
std::string_view OurOperator(std::string_view name);

// "fp16" for "float16"; nothing for a name that means no element type of ours.
std::string_view OurType(std::string_view name);

}  // namespace tilesim
