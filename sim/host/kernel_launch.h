// What the compiler driver's generated code names: a launch `kernel<<<blocks, ub, stream>>>(...)` becomes
// Launch(LaunchSite{...}, kernel).With(blocks, ub, stream)(...), and each kernel that is defined is made
// known by a KernelEntry. User programs do not include it by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/core/source_line.h"

namespace tilesim::host {

// What a kernel's declarations say of the cores that it is for.
struct Qualifiers {
  enum class Cores : uint8_t { kUnsaid, kVector, kCube, kMix };

  Cores cores = Cores::kUnsaid;  // kUnsaid: only __aicore__
  int aics = 0;                  // of a block, for kMix
  int aivs = 0;
  int schedmode = 0;   // __schedmode__: 1: all blocks start together
  int workspace = -1;  // the number, from 0, of the parameter that is __kfc_workspace__; -1: none is

  static constexpr Qualifiers Vector() { return {.cores = Cores::kVector}; }
  static constexpr Qualifiers Cube() { return {.cores = Cores::kCube}; }
  static constexpr Qualifiers Mix(int aics, int aivs) {
    return {.cores = Cores::kMix, .aics = aics, .aivs = aivs};
  }
  constexpr Qualifiers Scheduled(int mode) const {
    Qualifiers more = *this;
    more.schedmode = mode;
    return more;
  }
  constexpr Qualifiers WithWorkspace(int parameter) const {
    Qualifiers more = *this;
    more.workspace = parameter;
    return more;
  }
};

// A launch in the source. The texts are literals: they are kept as they are.
struct LaunchSite {
  const char* kernel = "";  // as written: "add_custom", "ops::gemm<half, 2>"
  Qualifiers qualifiers;
  SourceLine where;
  void (*function)() = nullptr;  // that is launched, of another type; null: through a lambda
  const char* around = "";       // the function that launches, __PRETTY_FUNCTION__: see InstanceName
  const char* parameters = "";   // of a template, which is no KernelEntry: "x, y"
};

// The second value between <<< and >>>: bytes of UB, or a null pointer, which is none.
struct UbBytes {
  uint64_t bytes = 0;

  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) constexpr UbBytes(T count)
      : bytes(static_cast<uint64_t>(count)) {}
  constexpr UbBytes(std::nullptr_t) {}
  UbBytes(const void* pointer) : bytes(reinterpret_cast<uint64_t>(pointer)) {}
};

// The values between <<< and >>>.
struct LaunchShape {
  std::optional<int64_t> blocks = 1;  // none: as many as the part has cores for the kernel
  uint64_t ub_bytes = 0;
  void* stream = nullptr;  // null: the default stream
};

// An argument that is a pointer, and thus a GM address.
struct PointerArgument {
  int number = 0;  // of the parameter, from 0
  const void* value = nullptr;
  bool is_workspace = false;  // need not be written
};

// A kernel with the arguments of a launch. (std::function would double what this header costs the compiler.)
class KernelCall {
 public:
  KernelCall() = default;
  KernelCall(const KernelCall&) = delete;
  KernelCall& operator=(const KernelCall&) = delete;
  virtual ~KernelCall() = default;
  virtual void Run() const = 0;
};

// Puts a launch on its stream. `kernel` is run once on each core, and deleted when the launch is over.
void Start(const LaunchSite& site, const LaunchShape& shape, std::vector<PointerArgument> pointers,
           const KernelCall* kernel);

namespace internal {

template <class F>
class CallOf final : public KernelCall {
 public:
  explicit CallOf(F call) : call_(std::move(call)) {}
  void Run() const override { call_(); }

 private:
  F call_;
};

template <class... P>
std::vector<PointerArgument> PointersAmong(const P&... arguments) {
  std::vector<PointerArgument> pointers;
  [[maybe_unused]] int number = 0;
  [[maybe_unused]] const auto look = [&](const auto& argument) {
    using Argument = std::remove_cvref_t<decltype(argument)>;
    if constexpr (std::is_pointer_v<Argument> && !std::is_function_v<std::remove_pointer_t<Argument>>) {
      pointers.push_back(
          {.number = number, .value = const_cast<const void*>(static_cast<const volatile void*>(argument))});
    } else if constexpr (std::is_null_pointer_v<Argument>) {
      pointers.push_back({.number = number, .value = nullptr});
    }
    ++number;
  };
  (look(arguments), ...);
  return pointers;
}

// Whether a function of that type may be a kernel; says why not.
template <class R, class... P>
constexpr bool IsKernel() {
  constexpr bool kByValue = (!std::is_reference_v<P> && ...);
  static_assert(std::is_void_v<R>, "a kernel returns void; hand it memory of the device for its result");
  static_assert(kByValue, "a kernel takes its parameters by value, none by reference");
  return std::is_void_v<R> && kByValue;
}

template <class... P>
struct FunctionLaunch {
  LaunchSite site;
  LaunchShape shape;
  void (*kernel)(P...);

  // The arguments are converted as in a direct call, and copied for each core.
  void operator()(P... arguments) const {
    LaunchSite known = site;
    known.function = reinterpret_cast<void (*)()>(kernel);
    Start(known, shape, PointersAmong(arguments...),
          new CallOf([run = kernel, arguments...] { run(arguments...); }));
  }
};

template <class F>
struct CallableLaunch {
  LaunchSite site;
  LaunchShape shape;
  F kernel;

  template <class... Arguments>
  void operator()(Arguments... arguments) const {
    Start(site, shape, PointersAmong(arguments...),
          new CallOf([run = kernel, arguments...] { run(arguments...); }));
  }
};

// Whether values may stand between <<< and >>>; says which may not. A stream may be written as 0.
template <class Blocks = int, class Bytes = std::nullptr_t, class Stream = std::nullptr_t, class... More>
constexpr bool AreLaunchValues() {
  constexpr bool kBlocks = std::is_convertible_v<Blocks, int64_t>;
  constexpr bool kUb = std::is_convertible_v<Bytes, UbBytes>;
  constexpr bool kStream = std::is_convertible_v<Stream, void*> || std::is_integral_v<Stream>;
  static_assert(kBlocks, "a launch is kernel<<<blocks, ub_bytes or nullptr, stream>>>: blocks is no number");
  static_assert(kUb,
                "a launch is kernel<<<blocks, ub_bytes or nullptr, stream>>>: the second value is no number "
                "and no nullptr");
  static_assert(kStream,
                "a launch is kernel<<<blocks, ub_bytes or nullptr, stream>>>: the third value is no stream");
  static_assert(
      sizeof...(More) == 0,
      "a launch is kernel<<<blocks, ub_bytes or nullptr, stream>>>: there are more than three values");
  return kBlocks && kUb && kStream && sizeof...(More) == 0;
}

template <class Stream = std::nullptr_t>
LaunchShape ShapeOf(int64_t blocks, UbBytes ub = nullptr, Stream stream = nullptr) {
  if constexpr (std::is_integral_v<Stream>) {
    return {blocks, ub.bytes, reinterpret_cast<void*>(static_cast<uintptr_t>(stream))};
  } else {
    return {blocks, ub.bytes, stream};
  }
}

// A kernel before the values between <<< and >>>. `Launch`: with them.
template <class Launch, class Kernel>
struct Launched {
  LaunchSite site;
  Kernel kernel;

  template <class... Values>
  Launch With(Values... values) const {
    constexpr bool kAny = sizeof...(Values) > 0;
    static_assert(kAny, "a launch is kernel<<<blocks, ub_bytes or nullptr, stream>>>: there is no value");
    if constexpr (AreLaunchValues<Values...>() && kAny) {
      return {site, ShapeOf(values...), kernel};
    } else {
      __builtin_unreachable();
    }
  }
};

}  // namespace internal

template <class R, class... P>
internal::Launched<internal::FunctionLaunch<P...>, void (*)(P...)> Launch(const LaunchSite& site,
                                                                          R (*kernel)(P...)) {
  if constexpr (internal::IsKernel<R, P...>()) {
    return {site, kernel};
  } else {
    __builtin_unreachable();
  }
}

// For a template whose arguments are deduced from the call: `kernel` is `[](auto... a) { name(a...); }`.
template <class F>
requires(std::is_class_v<F>) internal::Launched<internal::CallableLaunch<F>, F> Launch(const LaunchSite& site,
                                                                                       F kernel) {
  return {site, std::move(kernel)};
}

// A parameter as it is written.
struct KernelParameter {
  const char* name = "";
  const char* type = "";  // "__gm__ uint8_t*"
};

// A parameter as it is compiled.
struct ParameterKind {
  enum class Kind : uint8_t { kPointer, kSigned, kUnsigned, kBool, kReal, kStruct };
  Kind kind = Kind::kStruct;
  size_t size_bytes = 0;
  size_t align_bytes = 1;
  Kind pointee =
      Kind::kStruct;         // of a pointer: what it points to; half and bfloat16_t are structs of 2 bytes
  size_t pointee_bytes = 0;  // 0: void
};

// A kernel of the program.
struct KernelEntry {
  const char* name = "";  // with its namespaces: "ops::gemm", "add<half, 2>"
  Qualifiers qualifiers;
  std::vector<KernelParameter> parameters;
  SourceLine where;                  // of its definition
  std::vector<ParameterKind> kinds;  // of the parameters
  void (*kernel)() = nullptr;        // of another type, which `caller` knows
  void (*caller)(void (*kernel)(), const std::vector<const void*>& values) = nullptr;

  // With the values that `values` points to, one a parameter.
  void Call(const std::vector<const void*>& values) const { caller(kernel, values); }
};

// Makes a kernel known; the program keeps a copy.
void Register(const KernelEntry& entry);

namespace internal {

template <class T>
constexpr ParameterKind KindOf() {
  using enum ParameterKind::Kind;
  ParameterKind kind{.kind = kStruct, .size_bytes = sizeof(T), .align_bytes = alignof(T)};
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
    kind.kind = kPointer;
    if constexpr (!std::is_void_v<Pointee> && !std::is_function_v<Pointee>) {
      const ParameterKind pointee = KindOf<Pointee>();
      kind.pointee = pointee.kind;
      kind.pointee_bytes = pointee.size_bytes;
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    kind.kind = kBool;
  } else if constexpr (std::is_floating_point_v<T>) {
    kind.kind = kReal;
  } else if constexpr (std::is_enum_v<T>) {
    return KindOf<std::underlying_type_t<T>>();
  } else if constexpr (std::is_integral_v<T>) {
    kind.kind = std::is_signed_v<T> ? kSigned : kUnsigned;
  }
  return kind;
}

template <class... P, size_t... number>
void CallWith(void (*kernel)(P...), const std::vector<const void*>& values, std::index_sequence<number...>) {
  kernel(*static_cast<const std::remove_cv_t<P>*>(values[number])...);
}

}  // namespace internal

template <class R, class... P>
KernelEntry MakeKernelEntry(const char* name, const Qualifiers& qualifiers,
                            std::initializer_list<KernelParameter> parameters, SourceLine where,
                            R (*kernel)(P...)) {
  KernelEntry entry{.name = name,
                    .qualifiers = qualifiers,
                    .parameters = parameters,
                    .where = where,
                    .kinds = {},
                    .kernel = nullptr,
                    .caller = nullptr};
  if constexpr (internal::IsKernel<R, P...>()) {
    entry.kinds = {internal::KindOf<std::remove_cv_t<P>>()...};
    entry.kernel = reinterpret_cast<void (*)()>(kernel);
    entry.caller = [](void (*of_no_type)(), const std::vector<const void*>& values) {
      internal::CallWith(reinterpret_cast<void (*)(P...)>(of_no_type), values,
                         std::index_sequence_for<P...>());
    };
  }
  Register(entry);
  return entry;
}

}  // namespace tilesim::host
