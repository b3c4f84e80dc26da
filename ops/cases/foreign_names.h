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

// "average pooling" for "avg_pool2d": what no operator of ours computes, though its name is like one; else
// nothing.
std::string_view OperatorNotHere(std::string_view name);

// "NHWC" for "channels_last"; nothing for a name that means no layout of ours.
std::string_view OurLayout(std::string_view name, bool is_2d);

// "fp16" for "float16"; nothing for a name that means no element type of ours.
std::string_view OurType(std::string_view name);

}  // namespace tilesim
