#!/bin/sh
# Makes reports with the built program and opens them in headless Chromium.
#   run.sh TILESIM WORK_DIR        in the project's folder; ends with 77, and says why, where Chromium, node or npm is missing
set -eu
tilesim=$1
work=$2
playwright=playwright-core@1.65.1

skip() {
  echo "skipped: $*; scripts/deps pages installs what the page's tests need"
  exit 77
}
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "there is no chromium"
command -v node >/dev/null || skip "there is no node"
command -v npm >/dev/null || skip "there is no npm"

mkdir -p "$work/npm"
if [ ! -d "$work/npm/node_modules/playwright-core" ]; then
  (cd "$work/npm" && npm install --no-save --no-audit --no-fund --loglevel=error "$playwright" >npm.log 2>&1) ||
    skip "npm cannot install $playwright ($(tail -n 1 "$work/npm/npm.log"))"
fi

rm -rf "$work/pages"
mkdir -p "$work/pages"
"$tilesim" tune --op conv3d_backprop_filter --input 2x32x8x16x16 --filter 64x32x3x3x3 --pad 1 --id layer --quiet \
  --objective pareto --budget 20runs --format json --output "$work/pages"
"$tilesim" report --op conv3d_backprop_filter --input 2x32x8x16x16 --filter 64x32x3x3x3 --pad 1 --id layer --quiet \
  --tiling "$work/pages/layer.tiling.json" --pareto "$work/pages/tuned.csv" --events 3000 --output "$work/pages"
cat >"$work/pages/cases.csv" <<'CASES'
id,op,input,filter,pad,stride
layer_a,conv3d_backprop_filter,1x32x4x16x16,32x32x3x3x3,1,1
<b>bold & "quoted",conv3d_backprop_input,1x16x4x6x8,16x16x3x3x3,1,1
"</script><b>&""'<script>window.planted=1</script>",conv3d_backprop_filter,1x16x4x6x8,16x16x3x3x3,1,1
pool,max_pool2d,2x32x28x28,3x3,1,2
too_big,conv3d_backprop_filter,1x16x4x6x8,16x16x99x3x3,1,1
CASES
got=0
"$tilesim" report --cases "$work/pages/cases.csv" --quiet --output "$work/pages" || got=$?
[ "$got" -eq 2 ] || { echo "a batch with refused rows ends with $got, not 2"; exit 1; }

NODE_PATH=$work/npm/node_modules node tests/report/page_test.js "$chromium" "$work/pages/layer.html" \
  "$work/pages/report.html" "$work/pages"
