// The main of a program that has kernels and no main of its own: the command line is the host.
#pragma once

namespace tilesim::host {

// Gives the exit code: 0, 1 where an output differs from what is expected or was not written at all, 2 for a
// mistake of the user. A fault of the kernel makes the program's 3.
int KernelMain(int argc, char** argv);

}  // namespace tilesim::host
