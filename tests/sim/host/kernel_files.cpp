// A program of kernel files without a main, as the compiler driver makes it: entries of its kernels, fields
// of their structs, and the command line for a host.
#include "kernel_operator.h"
#include "sim/host/kernel_launch.h"
#include "sim/host/kernel_main.h"
#include "sim/host/struct_fields.h"

namespace {

struct Shape {
  uint8_t kind;
  uint32_t count;
  int64_t tiles[2];
  struct {
    float factor;
    half add;
  } values;
};

}  // namespace

// z = x * factor + add, element by element; `z` may be larger.
extern "C" __global__ __vector__ void scale(__gm__ float* x, __gm__ float* z, Shape shape) {
  if (AscendC::GetBlockIdx() != 0) {
    return;
  }
  AscendC::GlobalTensor<float> from;
  AscendC::GlobalTensor<float> to;
  from.SetGlobalBuffer(x);
  to.SetGlobalBuffer(z);
  for (uint32_t i = 0; i < shape.count; ++i) {
    to.SetValue(i, from.GetValue(i) * shape.values.factor + static_cast<float>(shape.values.add) +
                       static_cast<float>(shape.tiles[1]));
  }
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE>(to);
}

namespace ops {

__global__ __aicore__ void from_gm(GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA_WITH_STRUCT(Shape, shape, tiling);
  AscendC::PRINTF("block %d of %d, count %u, key %d, workspace %d\n",
                  static_cast<int>(AscendC::GetBlockIdx()), static_cast<int>(AscendC::GetBlockNum()),
                  shape.count, TILING_KEY_IS(7) ? 7 : 0,
                  AscendC::GetSysWorkSpacePtr() != nullptr && workspace != nullptr ? 1 : 0);
  if (AscendC::GetBlockIdx() == 0) {
    AscendC::GlobalTensor<int32_t> to;
    to.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(z));
    to.SetValue(0, static_cast<int32_t>(shape.count));
  }
}

}  // namespace ops

template <class T>
__global__ __vector__ void scalars(__gm__ T* z, int64_t whole, float real, bool flag, T typed) {
  if (AscendC::GetBlockIdx() == 0) {
    AscendC::GlobalTensor<T> to;
    to.SetGlobalBuffer(z);
    to.SetValue(0, static_cast<T>(static_cast<float>(whole % 1000) + real + (flag ? 1.0F : 0.0F) +
                                  static_cast<float>(typed)));
  }
}

static const ::tilesim::host::KernelEntry tilesim_kernel_entry_0 =
    ::tilesim::host::MakeKernelEntry("scale", ::tilesim::host::Qualifiers::Vector(),
                                     {{"x", "__gm__ float*"}, {"z", "__gm__ float*"}, {"shape", "Shape"}},
                                     ::tilesim::SourceLine{"kernel_files.cpp", 24}, &scale);
static const ::tilesim::host::KernelEntry tilesim_kernel_entry_1 =
    ::tilesim::host::MakeKernelEntry("ops::from_gm", ::tilesim::host::Qualifiers{},
                                     {{"z", "GM_ADDR"}, {"workspace", "GM_ADDR"}, {"tiling", "GM_ADDR"}},
                                     ::tilesim::SourceLine{"kernel_files.cpp", 42}, &ops::from_gm);
static const ::tilesim::host::KernelEntry tilesim_kernel_entry_2 = ::tilesim::host::MakeKernelEntry(
    "scalars<half>", ::tilesim::host::Qualifiers::Vector(),
    {{"z", "__gm__ T*"}, {"whole", "int64_t"}, {"real", "float"}, {"flag", "bool"}, {"typed", "T"}},
    ::tilesim::SourceLine{"kernel_files.cpp", 58}, &scalars<half>);

static const bool tilesim_struct_0 = ::tilesim::host::DescribeStruct<::tilesim::host::ParameterOf<&scale, 2>>(
    "scale", "shape", TILESIM_FIELD(kind), TILESIM_FIELD(count), TILESIM_FIELD(tiles),
    TILESIM_FIELD(values.factor), TILESIM_FIELD(values.add), TILESIM_FIELD(values.sub),
    TILESIM_FIELD(values));
// As where the JSON leaves fields out: `tiles` is not named.
static const bool tilesim_struct_1 = ::tilesim::host::DescribeStruct<Shape>(
    "ops::from_gm", "tiling", TILESIM_FIELD(kind), TILESIM_FIELD(count), TILESIM_FIELD(values.factor),
    TILESIM_FIELD(values.add));

int main(int argc, char** argv) { return tilesim::host::KernelMain(argc, argv); }
