// What starts a program in place of the main that its files define: the linker's --wrap=main asks for it.
#include "sim/host/kernel_main.h"

extern "C" int __wrap_main(int argc, char** argv) { return tilesim::host::KernelMain(argc, argv); }
