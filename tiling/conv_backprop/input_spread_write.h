// How Conv3DBackpropInput writes pixels that lie apart in dx. Arithmetic that the tile program and the
// tuner's bounds share: it knows no memory and no time.
#pragma once

#include <cstdint>

namespace ConvBackpropApi {

// A block of a phase of W. Steps are elements of dx from one to the next.
struct SpreadBlock {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t lines = 0;  // of cin1
  int64_t row_step = 0;
  int64_t line_step = 0;
};

// Each line of 16 channels is a row-major matrix, a pixel each row. One instruction takes as many of them as
// follow each other evenly both in L0C, by whole fractals, and in dx, by at most 65535 elements: the lines of
// a row of pixels, or the rows of a line, whichever are more.
struct SpreadWrite {
  bool rows_together = false;   // an instruction takes the rows of a line
  bool lines_together = false;  // or the lines of a row
  int64_t row_moves = 1;        // instructions: row_moves * line_moves
  int64_t line_moves = 1;

  static SpreadWrite Of(const SpreadBlock& b) {
    constexpr int64_t kMostStep = 65535;
    const bool lines_fit = b.line_step <= kMostStep;
    const bool rows_fit = b.columns % 16 == 0 && b.row_step <= kMostStep;
    SpreadWrite write;
    write.rows_together = rows_fit && (!lines_fit || b.lines < b.rows);
    write.lines_together = lines_fit && !write.rows_together;
    write.row_moves = write.rows_together ? 1 : b.rows;
    write.line_moves = write.lines_together ? 1 : b.lines;
    return write;
  }
};

}  // namespace ConvBackpropApi
