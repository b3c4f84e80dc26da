#pragma once

#include "formats/tensor.h"

namespace tilesim {

// The same storage with D = 1 where the layout has four axes.
Layout With3Axes(const Layout& layout);

// `host`, of four or five axes, in `device` layout. Taken over, so that no more than both exist at a time.
Tensor ToDevice(Tensor host, const Layout& device);
// `device` in `host` layout, which may have four axes. Taken over likewise.
Tensor ToHost(Tensor device, const Layout& host);

}  // namespace tilesim
