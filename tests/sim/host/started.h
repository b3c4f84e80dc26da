// Starts a program and says what it printed and how it ended.
#pragma once

#include <string>

namespace tilesim {

struct Ended {
  int code = 0;     // exit code; 128 and the signal's number where one ended it
  std::string out;  // stdout
  std::string err;  // stderr
};

// `command` is for the shell: "TILESIM_OPTIONS=... program words".
Ended Started(const std::string& command);

// The program of host_program.cpp with a scenario of its, on the part of configs/unit.cfg unless told.
Ended HostProgram(const std::string& scenario, const std::string& options = "--soc configs/unit.cfg");

void ExpectHas(const std::string& text, const std::string& part);
void ExpectHasNot(const std::string& text, const std::string& part);

}  // namespace tilesim
