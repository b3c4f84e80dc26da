// The main of a program whose files define kernels and no main: its command line is the host.
#include "sim/host/kernel_main.h"

int main(int argc, char** argv) { return tilesim::host::KernelMain(argc, argv); }
