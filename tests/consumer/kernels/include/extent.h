#pragma once
constexpr int kExtent = 64;
