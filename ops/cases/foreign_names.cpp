#include "ops/cases/foreign_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>

#include "formats/error.h"

namespace tilesim {
namespace {

struct ForeignColumn {
  std::string_view name;  // as Plain() has it
  std::string_view ours;  // empty: no column says it
  std::string_view more;
};
constexpr ForeignColumn kColumns[] = {
    {"kernelsize", "filter", ", its shape or a pooling's window"},
    {"kernelshape", "filter", ", its shape or a pooling's window"},
    {"kernel", "filter", ", its shape or a pooling's window"},
    {"ksize", "filter", ", its shape or a pooling's window"},
    {"window", "filter", ", of poolings the window"},
    {"windowsize", "filter", ", of poolings the window"},
    {"poolsize", "filter", ", of poolings the window"},
    {"weight", "filter", " for its shape, w_file for its values"},
    {"filtershape", "filter", ""},
    {"filtersize", "filter", ""},
    {"inputsize", "input", ""},
    {"inputsizes", "input", ""},
    {"inputshape", "input", ""},
    {"xshape", "input", ""},
    {"gradoutput", "dy_file", ""},
    {"outbackprop", "dy_file", ""},
    {"outputsize", "output", ""},
    {"padding", "pad", ""},
    {"paddings", "pad", ""},
    {"pads", "pad",
     ": both ends of an axis side by side, top x bottom x left x right; ONNX gives all begins, then all "
     "ends"},
    {"autopad", "pad", ": valid, or same, which is SAME_UPPER: an odd zero stands behind"},
    {"ceilmode", "rounding", ": ceil_mode=True is rounding ceil_in_bounds"},
    {"dimroundingmode", "rounding", ""},
    {"dataformat", "layout", ""},
    {"format", "layout", ""},
    {"includebatchinindex", "argmax", ": true is argmax batch_nhwc"},
    {"indices", "argmax_file", ""},
    {"datatype", "dtype", ""},
    {"type", "dtype", ""},
    {"operator", "op", ""},
    {"name", "id", ""},
    {"returnindices", "", "a max pooling always gives its argmax; leave it out"},
    {"bias", "", "there is no bias; leave it out"},
    {"transposea", "transpose_a", ""},
    {"transposeb", "transpose_b", ""},
    {"transposex1", "transpose_a", ""},
    {"transposex2", "transpose_b", ""},
    {"inchannels", "", "channels stand in input and filter; leave it out"},
    {"outchannels", "", "channels stand in input and filter; leave it out"},
};

struct ForeignName {
  std::string_view name;  // as Plain() has it
  std::string_view ours;
};
constexpr ForeignName kTypes[] = {{"float16", "fp16"}, {"half", "fp16"},    {"f16", "fp16"},
                                  {"float32", "fp32"}, {"float", "fp32"},   {"f32", "fp32"},
                                  {"single", "fp32"},  {"bfloat16", "bf16"}};
constexpr ForeignName kLayouts2d[] = {{"channelslast", "NHWC"}, {"channelsfirst", "NCHW"}};
constexpr ForeignName kLayouts3d[] = {
    {"channelslast", "NDHWC"}, {"channelslast3d", "NDHWC"}, {"channelsfirst", "NCDHW"}};
// Beginnings of names, as Plain() has them, of what looks like an operator of ours and is another.
constexpr ForeignName kMissing[] = {{"avgpool", "average pooling"},
                                    {"averagepool", "average pooling"},
                                    {"lppool", "power-average pooling"},
                                    {"lpool", "power-average pooling"},
                                    {"maxunpool", "max unpooling"},
                                    {"adaptive", "adaptive pooling"},
                                    {"fractionalmaxpool", "fractional max pooling"},
                                    {"globalmaxpool", "global pooling"},
                                    {"globalaveragepool", "global pooling"},
                                    {"maxroipool", "pooling of regions"}};
// The same, of whole names.
constexpr ForeignName kMissingNames[] = {{"conv", "forward convolution"},
                                         {"conv2d", "forward convolution"},
                                         {"conv3d", "forward convolution"},
                                         {"convolution", "forward convolution"},
                                         {"bmm", "the product of batches of matrices"},
                                         {"batchmatmul", "the product of batches of matrices"},
                                         {"batchmatmulv2", "the product of batches of matrices"}};
constexpr ForeignName kOperators[] = {
    {"maxpool", "max_pool2d"},
    {"maxpool2d", "max_pool2d"},
    {"maxpool3d", "max_pool3d"},
    {"maxpool1d", "max_pool2d with an H of 1 and the window 1xK"},
    {"maxpool1dwithindices", "max_pool2d with an H of 1 and the window 1xK"},
    {"maxpoolv2", "max_pool2d"},
    {"maxpoolv3", "max_pool2d"},
    {"maxpoolwithargmax", "max_pool2d"},
    {"maxpoolwithargmaxv1", "max_pool2d"},
    {"maxpoolwithargmaxv2", "max_pool2d"},
    {"maxpoolwithargmaxv3", "max_pool2d"},
    {"maxpool2dwithmask", "max_pool2d"},
    {"maxpool2dwithindices", "max_pool2d"},
    {"maxpool3dwithindices", "max_pool3d"},
    {"maxpool3dwithargmax", "max_pool3d"},
    {"maxpool3dwithargmaxv2", "max_pool3d"},
    {"maxpoolgrad", "max_pool2d_grad"},
    {"maxpoolgradwithargmax", "max_pool2d_grad"},
    {"maxpoolgradwithargmaxv1", "max_pool2d_grad"},
    {"maxpoolgradwithargmaxv2", "max_pool2d_grad"},
    {"maxpoolgradwithargmaxv3", "max_pool2d_grad"},
    {"maxpool2dwithmaskbackward", "max_pool2d_grad"},
    {"maxpool3dwithargmaxbackward", "max_pool3d_grad"},
    {"maxpool3dgrad", "max_pool3d_grad"},
    {"maxpool2dbackward", "max_pool2d_grad"},
    {"maxpool2dbackprop", "max_pool2d_grad"},
    {"maxpool2dwithindicesbackward", "max_pool2d_grad"},
    {"maxpool3dbackward", "max_pool3d_grad"},
    {"maxpool3dbackprop", "max_pool3d_grad"},
    {"maxpool3dwithindicesbackward", "max_pool3d_grad"},
    {"maxpool3dgradwithargmax", "max_pool3d_grad"},
    {"permute", "transpose"},
    {"transposed", "transpose"},
    {"tensormove", "copy"},
    {"datacopy", "copy"},
    {"clone", "copy"},
    {"identity", "copy"},
    {"zeroslike", "mem_set"},
    {"zeros", "mem_set"},
    {"fill", "mem_set"},
    {"full", "mem_set"},
    {"addv2", "add"},
    {"addn", "add of two tensors at a time"},
    {"matmulv2", "matmul"},
    {"matmulv3", "matmul"},
    {"gemm", "matmul"},
    {"mm", "matmul"},
    {"conv2dweight", "conv2d_backprop_filter"},
    {"conv2dinput", "conv2d_backprop_input"},
    {"conv3dweight", "conv3d_backprop_filter"},
    {"conv3dinput", "conv3d_backprop_input"},
    {"conv3dbackpropfilterv2", "conv3d_backprop_filter"},
    {"conv3dbackpropinputv2", "conv3d_backprop_input"},
    {"convtranspose3d", "conv3d_transpose"},
    {"convtranspose", "conv3d_transpose"},
};

// Lower case, without '-' and '_', and without the module before the last '.'.
std::string Plain(std::string_view name) {
  std::string plain;
  for (const char letter : name.substr(name.rfind('.') + 1)) {
    if (letter != '-' && letter != '_') {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
  }
  return plain;
}

// "MaxPool2d" for "aclnnMaxPool2d".
std::string_view WithoutVendor(std::string_view name) {
  constexpr std::string_view kVendor = "aclnn";
  return name.starts_with(kVendor) ? name.substr(kVendor.size()) : name;
}

std::string_view OursIn(std::span<const ForeignName> names, std::string_view name) {
  const auto known = std::ranges::find(names, Plain(name), &ForeignName::name);
  return known == names.end() ? "" : known->ours;
}

}  // namespace

std::string OurColumn(std::string_view name, std::string_view before) {
  const auto* const known = std::ranges::find(kColumns, Plain(name), &ForeignColumn::name);
  if (known == std::end(kColumns)) {
    return "";
  }
  return known->ours.empty() ? Say(known->more, "; ")
                             : Say("that is ", before, known->ours, " here", known->more, "; ");
}

std::string_view OurOperator(std::string_view name) { return OursIn(kOperators, WithoutVendor(name)); }

std::string_view OperatorNotHere(std::string_view name) {
  if (const std::string_view whole = OursIn(kMissingNames, WithoutVendor(name)); !whole.empty()) {
    return whole;
  }
  const std::string plain = Plain(WithoutVendor(name));
  const auto* const known = std::ranges::find_if(
      kMissing, [&](const ForeignName& missing) { return plain.starts_with(missing.name); });
  return known == std::end(kMissing) ? "" : known->ours;
}

std::string_view OurLayout(std::string_view name, bool is_2d) {
  return is_2d ? OursIn(kLayouts2d, name) : OursIn(kLayouts3d, name);
}

std::string_view OurType(std::string_view name) { return OursIn(kTypes, name); }

}  // namespace tilesim
