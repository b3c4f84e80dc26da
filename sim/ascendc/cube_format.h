// How a matrix lies in its memory, for kernels and for the host programs that plan for them.
#pragma once

enum class CubeFormat {
  ND = 0,
  NZ,
  ZN,
  ZZ,
  NN,
  ND_ALIGN,  // rows of C that are filled up with zeros to 32 bytes
  SCALAR,
  VECTOR,  // A of one row
  COLUMN_MAJOR,
  ROW_MAJOR = ND
};
