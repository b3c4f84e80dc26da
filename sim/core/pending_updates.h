// One core's atomic updates of GM that have not reached GM yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/core/update_layer.h"

namespace tilesim {

// Gathers updates in pages and puts them into GM when told to, in the order of addresses. Several updates of
// one element are joined first, so GM sees one update a core; but additions in 16-bit types land one by one,
// in program order, for each rounds to the type. Knows no other core; addresses are host addresses.
class PendingUpdates {
 public:
  // Takes its memory from `pool` from now on; one of its own until then.
  void UsePool(std::shared_ptr<UpdateLayerPool> pool) { pool_ = std::move(pool); }
  // GM[i] = GM[i] op src[i] in type `type` (int8, int16, fp16, bf16, fp32, int32). `address` is a multiple of
  // the type's size.
  void Add(AtomicOp op, AtomicType type, uint64_t address, const void* src, size_t count);
  // May any byte of the range have updates? Quick; may say yes for bytes near updates.
  bool Near(uint64_t address, size_t size_bytes) const {
    return address < high_ && address + size_bytes > low_;
  }
  // `bytes`: what GM holds in the range. Applies the updates to them; GM stays as it is.
  void Overlay(uint64_t address, void* bytes, size_t size_bytes) const;
  // A plain write of the range is about to happen: updates of it are void. Elements it covers in part get
  // theirs now.
  void Forget(uint64_t address, size_t size_bytes);
  // Puts everything into GM.
  void Commit();

 private:
  using Layer = UpdateLayer;
  static constexpr int kPageShift = Layer::kPageShift;
  static constexpr uint64_t kPageBytes = Layer::kPageBytes;
  // Later layers apply after earlier ones.
  using Page = std::vector<std::unique_ptr<Layer>>;

  Layer& LayerFor(uint64_t page_index, AtomicOp op, AtomicType type, uint64_t begin, uint64_t end);
  // Puts the updates of bytes [begin, end) of a page, multiples of 4, into GM and forgets them.
  static void Fold(Page& page, uint64_t page_address, uint64_t begin, uint64_t end);
  // Calls f(page, page_address, begin, end) for each page with updates, with the part of the range that lies
  // in it.
  template <class Pages, class F>
  static void ForPages(Pages& pages, uint64_t address, size_t size_bytes, F&& f);
  static bool Touches(const Layer& layer, uint64_t begin, uint64_t end);

  std::shared_ptr<UpdateLayerPool> pool_;  // none before the first update, unless told
  std::unordered_map<uint64_t, Page> pages_;
  uint64_t low_ = ~uint64_t{0};  // all pages lie in [low_, high_)
  uint64_t high_ = 0;
};

}  // namespace tilesim
