// The main of a program whose files define kernels and no main: its command line is the host.

namespace tilesim::host {

int KernelMain(int argc, char** argv);

}  // namespace tilesim::host

int main(int argc, char** argv) { return tilesim::host::KernelMain(argc, argv); }
