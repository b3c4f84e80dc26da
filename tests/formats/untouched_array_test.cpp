#include "formats/untouched_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <utility>

namespace tilesim {
namespace {

TEST(UntouchedArray, RefusesSizesWhoseBytesCannotBeCounted) {
  EXPECT_THROW(UntouchedArray<uint64_t>(SIZE_MAX / 8), std::bad_alloc);
  EXPECT_THROW(UntouchedArray<uint64_t>(SIZE_MAX / 8 + 2), std::bad_alloc);
  EXPECT_THROW(UntouchedArray<char>(SIZE_MAX - 63), std::bad_alloc);
}

TEST(UntouchedArray, GoesToAnotherOwnerWithItsValues) {
  UntouchedArray<char> array(3);
  array.data()[2] = 'x';
  UntouchedArray<char> other(100);
  other = std::move(array);
  const UntouchedArray<char> last = std::move(other);
  ASSERT_EQ(last.size(), 3u);
  EXPECT_EQ(last.data()[0], '\0');
  EXPECT_EQ(last.data()[2], 'x');
}

#ifdef TILESIM_ADDRESS_SANITIZER
TEST(UntouchedArray, IsAllThatMayBeTouched) {
  for (const size_t size : {0, 1, 7, 8, 63, 64, 1000, 1 << 20}) {
    UntouchedArray<char> array(size);
    EXPECT_EQ(__asan_region_is_poisoned(array.data(), size), nullptr) << size;
    EXPECT_TRUE(__asan_address_is_poisoned(array.data() - 1)) << size;
    EXPECT_TRUE(__asan_address_is_poisoned(array.data() + size)) << size;
  }
}
#endif

}  // namespace
}  // namespace tilesim
