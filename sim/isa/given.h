// A member of an instruction that decides what it is.
#pragma once

namespace tilesim::isa {

// A T that whoever makes the instruction has to give: leaving it out does not compile.
template <class T>
class Given {
 public:
  constexpr Given(T value) : value_(value) {}
  constexpr operator T() const { return value_; }

 private:
  T value_;
};

}  // namespace tilesim::isa
