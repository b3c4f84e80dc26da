// The arguments of a kernel from words: "x=x.npy", "n=int32:5", "z=out:fp16:8x2048". Arrays are put into the
// memory of the device.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/arrays.h"
#include "sim/host/kernel_launch.h"
#include "sim/host/program.h"

namespace tilesim::host {

// "add_custom(__gm__ half* x, uint32_t n)"
std::string SignatureOf(const KernelEntry& kernel);

class KernelArguments {
 public:
  // `words`: "NAME=VALUE", one for each parameter. Throws UserError, which shows the signature.
  KernelArguments(const KernelEntry& kernel, std::span<const std::string> words, Program& program);

  // The values, one a parameter; they live as long as this.
  [[nodiscard]] std::vector<const void*> Values() const;
  [[nodiscard]] std::vector<PointerArgument> Pointers() const;
  [[nodiscard]] bool HasWorkspace() const { return has_workspace_; }

  struct Output {
    std::string name;
    size_t argument = 0;
    const ElementType* type = nullptr;
    std::vector<int64_t> shape;
  };
  [[nodiscard]] const std::vector<Output>& outputs() const { return outputs_; }
  [[nodiscard]] const Output* FindOutput(std::string_view name) const;
  // What the device holds now.
  [[nodiscard]] Array Read(const Output& output) const;
  // A sentence for each array whose elements are of another type than the kernel takes them for. `types_in`
  // gives the types as which it looked at what begins in [begin, end), as programs name them.
  [[nodiscard]] std::vector<std::string> OtherTypes(
      const std::function<std::set<std::string_view>(uint64_t begin, uint64_t end)>& types_in) const;
  // Its first byte on the device.
  [[nodiscard]] const std::byte* Begin(const Output& output) const;

 private:
  struct Argument {
    std::vector<std::byte> value;  // of the parameter
    bool is_workspace = false;
    const ElementType* type = nullptr;  // of an array
    uint64_t size_bytes = 0;            // that it points to
  };

  void Bind(size_t number, const std::string& text);
  void BindStruct(size_t number, std::string_view text);
  void BindScalar(size_t number, const ElementType& type, std::string_view text);
  void BindArray(size_t number, const Array& array, bool is_output);
  void BindMemory(size_t number, uint64_t size_bytes);
  void BindSame(size_t number, size_t other);
  void SetPointer(size_t number, void* pointer);
  // "--arg x: "
  [[nodiscard]] std::string Where(size_t number) const;
  [[nodiscard]] std::string WhyNothing(size_t number, std::string_view text) const;
  void RequirePointer(size_t number, const ElementType* type) const;

  const KernelEntry& kernel_;
  Program& program_;
  std::vector<Argument> arguments_;
  std::vector<Output> outputs_;
  bool has_workspace_ = false;
};

}  // namespace tilesim::host
