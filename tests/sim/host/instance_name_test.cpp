#include "sim/host/instance_name.h"

#include "gtest/gtest.h"

namespace tilesim::host {
namespace {

TEST(InstanceName, HasTheArgumentsOfTheTemplateAround) {
  EXPECT_EQ(InstanceName("my::add<T, kTile>", "void Run(void*) [with T = tilesim::Half; int kTile = 512]"),
            "my::add<half, 512>");
  EXPECT_EQ(InstanceName("add<T, mode, sizeof(T)>",
                         "void Op<T>::Run() [with Mode mode = Mode::kB; T = tilesim::BFloat16]"),
            "add<bfloat16_t, Mode::kB, sizeof(bfloat16_t)>");
  EXPECT_EQ(InstanceName("add<V>", "void Run() [with V = std::pair<int, long int>; T = float]"),
            "add<std::pair<int, long int>>");
}

TEST(InstanceName, OfWhatIsNotSaidStaysAsWritten) {
  EXPECT_EQ(InstanceName("add<T>", "int main()"), "add<T>");
  EXPECT_EQ(InstanceName("add<T>", ""), "add<T>");
  EXPECT_EQ(InstanceName("add<T>", "void Run() [with TT = int; int t = 3]"), "add<T>");
  EXPECT_EQ(InstanceName("T::add", "void Run() [with T = int]"), "T::add");
  EXPECT_EQ(InstanceName("add<T>", "void Run() [with T"), "add<T>");
  EXPECT_EQ(InstanceName("add<T>", "void Run() [with ]"), "add<T>");
}

}  // namespace
}  // namespace tilesim::host
