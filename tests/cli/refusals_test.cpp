// Every refusal, its words and its exit code.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

struct Refused {
  std::string name;
  std::string arguments;
  std::string says;  // stands in what the program prints
  int code = 2;
};

class CliRefusal : public testing::TestWithParam<Refused> {};

TEST_P(CliRefusal, NamesWhatIsWrong) {
  const ProgramEnd end = RunProgram(GetParam().arguments);
  EXPECT_EQ(end.code, GetParam().code) << end.err;
  EXPECT_NE((end.out + end.err).find(GetParam().says), std::string::npos) << end.out << end.err;
}

const std::string kConvertX = "convert tests/data/oracle/dw3-t-001-basic/x.npy b.npy ";

const Refused kRefused[] = {
    {"NoCommand", "", "no command"},
    {"UnknownCommand", "runn", "unknown command 'runn'; did you mean run? `tilesim --help` lists all"},
    {"LikeNoCommand", "simulate", "unknown command 'simulate'; `tilesim --help` lists all"},
    {"LikeACommand", "diffs", "unknown command 'diffs'; did you mean diff? `tilesim --help` lists all"},
    {"LikeReport", "reports", "unknown command 'reports'; did you mean report? `tilesim --help` lists all"},
    {"OptionBeforeCommand", "--soc x run", "'--soc' stands where the command belongs"},
    {"TuneBudget", "tune --op conv3d_backprop_filter --input 1x16x4x6x8 --filter 16x16x3x3x3 --budget 3x",
     "--budget = '3x': must be a time, such as 500ms, 30s, 1.5m or 2h (a number alone is seconds, 0: the "
     "planners alone), or a number of tilings to run on all cores, such as 200runs"},
    {"TuneCopy", "tune --op copy --input 64x64",
     "copy has no tilings to search yet; `tune` takes convolutions' gradients, max poolings and matmul"},
    {"ParetoBase", "tune --objective pareto --kb-out x " + kTiny,
     "--objective = 'pareto' and --kb-out exclude each other"},
    {"DiffOfNothing", "diff", "diff: 0 tiling files, takes two"},
    {"NoKnowledge", "run --kb x " + kTiny,
     "x: cannot be opened; give a file that `tilesim tune --kb-out` wrote"},
    {"Sequence", "run --op copy --input 4 --sequence acl", "--sequence = 'acl': must be one of op, aclnn"},
    {"UnknownOption", "run --cors 3",
     "unknown option '--cors'; did you mean --cores? `tilesim run --help` lists all"},
    {"LikeNoOption", "run --verbosity", "unknown option '--verbosity'; `tilesim run --help` lists all"},
    {"KernelSize", "run --kernel_size 2",
     "unknown option '--kernel_size'; that is --filter here, its shape or a pooling's window; `tilesim run "
     "--help` lists all"},
    {"Padding", "run --padding 1", "'--padding'; that is --pad here; `tilesim"},
    {"CeilMode", "run --ceil-mode true",
     "'--ceil-mode'; that is --rounding here: ceil_mode=True is rounding ceil_in_bounds; `tilesim"},
    {"ReturnIndices", "run --return_indices",
     "a max pooling always gives its argmax; leave it out; `tilesim"},
    {"KernelSizeOfList", "list --kernel_size 2", "unknown option '--kernel_size'; `tilesim list --help`"},
    {"BeginOfAnOption", "run --out x", "unknown option '--out'; did you mean --output?"},
    {"OtherCommandsOption", "run --window 1:2", "option '--window' belongs to trace and report, not to run"},
    {"MissingValue", "run --threads", "option '--threads' needs a value: --threads N"},
    {"EmptyOutput", "run --output '' " + kTiny,
     "--output = '': must not be empty; give DIR, or leave the option out"},
    {"EmptyId", "run --id '' " + kTiny, "--id = '': must not be empty; give ID[,ID...]"},
    {"EmptyTiling", "plan --tiling '' " + kTiny, "--tiling = '': must not be empty"},
    {"EmptyColumn", "run --x_file '' " + kTiny, "--x_file = '': must not be empty"},
    {"EmptyOfMany", "run --set queue.m=8 --set '' " + kTiny, "--set = '': must not be empty"},
    {"EmptyAfterEquals", "run --soc= " + kTiny, "option '--soc' needs a value"},
    {"SwitchWithValue", "run --quiet=yes", "option '--quiet' is a switch"},
    {"Twice", "run --soc unit --soc unit", "option '--soc' is given 2 times"},
    {"ExtraWord", "list operators extra", "unexpected argument 'extra'"},
    {"TwoSources", "run a.cpp main.cpp", "link several sources by `tilesim cc A B -o PROGRAM`"},
    {"SourceToCompare", "compare a.asc", "kernel files are for `tilesim run`"},
    {"NoSuchFile", "run extra", "extra: no such file; give a source with kernels (.asc, .cpp), or a program"},
    {"NoCase", "run", "no case: give --cases FILE"},
    {"NoSuchCaseFile", "run --cases nowhere.csv", "nowhere.csv: no such file here, nor nowhere.csv in "},
    {"NoSuchShippedCases", "tune --cases max_pol",
     "max_pol: no such file here, nor max_pol or max_pol.csv in "},
    {"LikeShippedCases", "tune --cases max_pol", "; did you mean max_pool? give one of these, or the path"},
    {"NoSuchId", "run --cases conv3d_backprop_filter --id bench_99", "has no such case; did you mean bench_"},
    {"IdLikeNone", "run --cases conv3d_backprop_filter --id x",
     "has no such case; its ids: bench_01, bench_02, bench_03, bench_04, bench_05, bench_06, bench_07, "
     "bench_08 "
     "and 12 more"},
    {"HiddenId", "run --id .. " + kTiny, "--id = '..': must not hold a '/' or begin with a '.'"},
    {"Pooling", "run --nan ignore " + kTiny,
     "--nan = 'ignore': belongs to pooling, conv3d_backprop_filter has no such column; leave it out"},
    {"PoolingIndex", "run --argmax plane " + kTiny, "--argmax = 'plane': belongs to pooling"},
    {"FileAndCase", "run --cases conv3d_backprop_filter --pad 1", "--cases and --pad exclude each other"},
    {"MissingColumn", "run --op conv3d_backprop_filter --filter 2x2x1x1x1", "--input = '': is required"},
    {"BadShape", "run --op conv3d_backprop_filter --input 1x2x3 --filter 2x2x1x1x1",
     "must be 5 whole numbers"},
    {"NegativePad", "run --op conv3d_backprop_filter --input 1x2x3x3x3 --filter 2x2x1x1x1 --pad -1",
     "front must be 0"},
    {"PadTwice", "run " + kTiny + "--pad -1", "option '--pad' is given 2 times"},
    {"OtherOutput", "run " + kTiny + "--output 1x16x4x6x9", "--output_shape = '1x16x4x6x9'"},
    {"OtherOutputBesideAFolder", "run " + kTiny + "--output_shape 1x16x4x6x9 --output build/none",
     "--output_shape = '1x16x4x6x9'"},
    {"FilterOfPooling", "run --op max_pool2d --input 1x1x4x4 --filter 2x2 --w_file w.npy",
     "--w_file = 'w.npy': belongs to the input gradient of a convolution, max_pool2d has no such column"},
    {"DyOfPooling", "run --op max_pool2d --input 1x1x4x4 --filter 2x2 --dy_file dy.npy",
     "--dy_file = 'dy.npy': belongs to gradients, max_pool2d has no such column; leave it out"},
    {"ArgmaxOfForward", "run --op max_pool3d --input 1x1x4x4x4 --filter 2x2x2 --argmax_file a.npy",
     "belongs to the gradient of pooling, max_pool3d has no such column"},
    {"UnknownOperator", "run --op conv4d --input 1x1x4x4 --filter 2x2",
     "unknown operator; this version has conv3d_backprop_filter, conv2d_backprop_filter"},
    {"ForeignOperator", "run --op MaxPool2dWithIndices --input 1x1x4x4 --filter 2x2",
     "unknown operator; that is max_pool2d here; this version has conv3d_backprop_filter"},
    {"OperatorOfAnotherKind", "run --op avg_pool2d --input 1x1x4x4 --filter 2x2",
     "--op = 'avg_pool2d': average pooling is not in this version; this version has conv3d_backprop_filter"},
    {"OtherPooling", "run --op torch.nn.LPPool2d", "power-average pooling is not in this version"},
    {"ForwardConvolution", "run --op aclnnConv2D", "forward convolution is not in this version"},
    {"BatchedProduct", "run --op torch.bmm", "the product of batches of matrices is not in this version"},
    {"Unpooling", "run --op max_unpool2d", "max unpooling is not in this version"},
    {"OneDimension", "run --op max_pool1d",
     "that is max_pool2d with an H of 1 and the window 1xK here; this version has"},
    {"VendorsOperator", "run --op aclnnMaxPool2dWithIndices", "that is max_pool2d here"},
    {"VendorsGradient", "run --op aclnnMaxPool3dWithArgmaxBackward", "that is max_pool3d_grad here"},
    {"VendorsThird", "run --op MaxPoolWithArgmaxV3", "that is max_pool2d here"},
    {"TensorFlowsOperator", "run --op tf.nn.max_pool3d", "that is max_pool3d here"},
    {"ChannelsLast", "run --op max_pool2d --input 1x4x4x1 --filter 2x2 --layout channels_last",
     "--layout = 'channels_last': must be one of NCHW, NHWC; that is NHWC here"},
    {"OnnxPads", "run --op max_pool2d --input 1x1x4x4 --filter 2x2 --pads 1x1x1x1",
     "that is --pad here: both ends of an axis side by side, top x bottom x left x right; ONNX gives all "
     "begins, then all ends;"},
    {"OnnxAutoPad", "run --auto_pad SAME_LOWER",
     "that is --pad here: valid, or same, which is SAME_UPPER: an odd zero stands behind;"},
    {"WindowOf2d", "run --op max_pool2d --input 1x1x4x4",
     "--filter = '': is required; give the window, such as 3x3"},
    {"WindowOf3d", "run --op max_pool3d --input 1x1x4x4x4", "give the window, such as 2x3x3"},
    {"InputOf2d", "run --op max_pool2d --filter 2x2",
     "--input = '': is required; give the shape of the forward input, in layout, such as 2x32x16x16"},
    {"PadOf2d", "run --op max_pool2d --input 1x1x4x4 --filter 2x2 --pad 0,1", "for example same, 1 or 0x1"},
    {"Positions", "run --op max_pool2d --input 1x3x60000x60000 --filter 2x2",
     "counts 3600000000 positions of the input"},
    {"UnknownSoc", "run " + kTiny + "--soc ascend911", "unknown SoC 'ascend911'; known SoCs: ascend910b1"},
    {"UnknownParameter", "run " + kTiny + "--set l1=3", "unknown key 'l1'"},
    {"ParameterBound", "run " + kTiny + "--set memory.l1_bytes=-1", "memory.l1_bytes"},
    {"TooManyCores", "run " + kTiny + "--cores 25",
     "--cores = '25': must be a whole number of 1 to 24, all that conv3d_backprop_filter can use of "
     "ascend910b2"},
    {"NoThreads", "run " + kTiny + "--threads -1",
     "--threads = '-1': must be a whole number of 1 to 1024; the default is all of the machine"},
    {"CoresDefault", "run " + kTiny + "--cores 0", "1 to 48; the default is all of the part"},
    {"Products", "run " + kTiny + "--products x",
     "--products = 'x': must be a whole number, at least 1; the default is computed from the case"},
    {"PlanFormat", "plan " + kTiny + "--format xml",
     "must be one of table, csv, json; the default is table (plan: json)"},
    {"TraceFormat", "trace " + kTiny + "--format csv", "--format = 'csv': the trace itself is always JSON"},
    {"OrderOfOne", "run " + kTiny + "--order best", "--order = 'best': must be one of file, size"},
    {"UnknownMode", "run " + kTiny + "--mode fast", "--mode = 'fast'"},
    {"UnknownPlanner", "run " + kTiny + "--planner best", "--planner = 'best'"},
    {"UnknownFormat", "run " + kTiny + "--format xml", "--format = 'xml'"},
    {"UnknownOrder", "run --cases conv3d_backprop_filter --order random", "--order = 'random'"},
    {"CompareWithoutValues", "compare " + kTiny + "--mode timing", "mode timing computes no values"},
    {"PlannerAndTiling", "run " + kTiny + "--planner op --tiling x",
     "--planner and --tiling exclude each other"},
    {"NoTilingFile", "run " + kTiny + "--tiling nowhere.json",
     "nowhere.json: no such tiling file; give the JSON that `tilesim plan` prints for this case"},
    {"EmptyTilingFile", "run " + kTiny + "--tiling /dev/null", "/dev/null: is empty; give the JSON that"},
    {"TilingIsAFolder", "run " + kTiny + "--tiling tests", "tests: is a folder, must be a tiling file; give"},
    {"TilingIsNoJson", "run " + kTiny + "--tiling CMakeLists.txt", "not JSON"},
    {"TooLargeForThePart",
     "run --op conv3d_backprop_filter --input 64x64x64x512x512 --filter 64x64x1x1x1 --mode timing",
     "bytes of GM, ascend910b2 has"},
    {"TooLargeForTheMachine",
     "run --op conv3d_backprop_filter --input 64x64x64x512x512 --filter 64x64x1x1x1 --set "
     "memory.gm_bytes=9000000000000",
     "use --mode timing"},
    {"DropSyncForm", "run " + kTiny + "--drop-sync here", "must be FILE:LINE"},
    {"DropSyncNowhere", "run " + kTiny + "--drop-sync main.cpp:1",
     "no synchronising call there; those of this run: "},
    {"OutputIsAFile", "run " + kTiny + "--output CMakeLists.txt", "--output = 'CMakeLists.txt'"},
    {"BinaryOfMany", "plan --cases conv3d_backprop_filter --binary x",
     "--binary takes one case, there are 20"},
    {"NothingLegal", "plan " + kTiny + "--dtype fp32 --planner api", "\"legal\":false", 1},
    {"NothingToRun", "run " + kTiny + "--dtype fp32 --planner api", "no_tiling", 1},
    {"TraceOfMany", "trace --cases conv3d_backprop_filter", "20 cases, takes one"},
    {"TraceWindow", "trace " + kTiny + "--window 9:3",
     "--window = '9:3': FROM is not below TO; must be FROM:TO, whole numbers of cycles from 0"},
    {"WindowOfOneNumber", "trace " + kTiny + "--window 9", "--window = '9': has no colon; must be FROM:TO"},
    {"WindowBelowZero", "trace " + kTiny + "--window=-1:3",
     "--window = '-1:3': FROM is '-1', no whole number from 0"},
    {"WindowOfAFraction", "trace " + kTiny + "--window 1:3.5", "TO is '3.5', no whole number from 0"},
    {"WindowWithoutEnd", "trace " + kTiny + "--window 1:", "TO is '', no whole number from 0"},
    {"WindowTooLong", "trace " + kTiny + "--window 0:99999999999999999999",
     "TO is 99999999999999999999, beyond what a run can take"},
    {"ParetoFolder", "report " + kTiny + "--pareto docs",
     "docs: is a folder, must be a table (CSV); give the tuned.csv"},
    {"InstructionsFolder", "validate --instructions docs",
     "--instructions = 'docs': is a folder, must be a CSV file; give one such as "},
    {"KernelsFolder", "validate --kernels docs", "--kernels = 'docs': is a folder, must be a CSV file"},
    {"TracePastTheEnd", "trace " + kTiny + "--window 90000000:90000001",
     "--window = '90000000:90000001': begins after the end of the run, which takes "},
    {"ConvertWords", "convert a.npy", "must be two"},
    {"ConvertNoFrom", "convert a.npy b.npy --to ND", "--from is missing; ND is made of FRACTAL_NZ, zZ, nZ"},
    {"ConvertNoTo", "convert a.npy b.npy --from NCDHW", "--to is missing; NCDHW goes to NDHWC, NDC1HWC0"},
    {"ConvertUnknownFormat", "convert a.npy b.npy --from NCDWH --to NDHWC",
     "--from = 'NCDWH': unknown format; did you mean NCDHW? NDHWC is made of NCDHW, NDC1HWC0"},
    {"ConvertOtherAxes", "convert a.npy b.npy --from NCDHW --to OIDHW",
     "both must have the same: NCDHW goes to NDHWC, NDC1HWC0"},
    {"ConvertRank", kConvertX + "--from NCHW --to NHWC",
     "x.npy: shape (1, 16, 4, 6, 8) has 5 extents, NCHW has 4; --from must be one of NCDHW, NDHWC, OIDHW, "
     "DHWIO"},
    {"ConvertC0OfPlain", kConvertX + "--from NCDHW --to NDHWC --c0 16",
     "--c0 = '16': neither NCDHW nor NDHWC is blocked by C0; leave it out"},
    {"ConvertC0", kConvertX + "--from NCDHW --to NDC1HWC0 --c0 5",
     "--c0 = '5': must be 4, 8, 16, 32 or 64; the default of fp16 is 16"},
    {"ConvertC0Range", kConvertX + "--from NCDHW --to NDC1HWC0 --c0 0",
     "4 to 64; the default is 32 bytes: 16 for fp16 and bf16, 8 for fp32"},
    {"ConvertNowhere",
     "convert tests/data/oracle/dw3-t-001-basic/x.npy no/such/b.npy --from NCDHW --to NDHWC",
     "tilesim: no/such/b.npy: cannot be written"},
    {"ConvertNoFile", "convert nowhere.npy b.npy --from NCDHW --to NDHWC", "nowhere.npy"},
    {"ConvertNoShape", "convert tests/data/oracle/dw3-t-001-basic/x.npy b.npy --from NDC1HWC0 --to NCDHW",
     "--shape is missing"},
    {"ConvertGroups",
     "convert tests/data/oracle/dw3-t-001-basic/x.npy b.npy --from NCDHW --to NDHWC --groups 2",
     "is no filter"},
    {"ConvertInexact",
     "convert tests/data/oracle/dw3-t-001-basic/x.npy b.npy --from NCDHW --to NDHWC --dtype int32", "x.npy"},
    {"ListSocOfSocs", "list socs --soc unit", "--soc = 'unit': of `list` it belongs to `list parameters`"},
    {"ListUnknownKind", "list chips", "unknown kind 'chips'"},
    {"TuneCores",
     "tune --cores 48 --budget 0 --op conv3d_backprop_filter --input 1x16x4x6x8 --filter 16x16x3x3x3",
     "--cores = '48': must be a whole number of 1 to 24, all that conv3d_backprop_filter can use of "
     "ascend910b2"},
    {"FolderConfig", "run --config tests", "--config = 'tests': is a folder; give an INI file"},
    {"NoConfig", "run --config nowhere.ini", "--config = 'nowhere.ini': cannot be read"},
};

INSTANTIATE_TEST_SUITE_P(Cli, CliRefusal, testing::ValuesIn(kRefused),
                         [](const auto& test) { return test.param.name; });

// The requests of this operator among the published odd ones; what PyTorch or TensorFlow.js answer to them
// differs.
struct OddRequest {
  std::string id;
  std::string cells;  // input, filter, output, stride, pad, dilation, groups
  std::string column;
};
const OddRequest kOddRequests[] = {
    {"e01", "1x2x4x5x6,3x2x2x2x2,1x3x3x4x4,1,0,1,1", "output"},
    {"e02", "1x4x3x3x3,3x2x1x1x1,,1,0,1,1", "filter"},
    {"e03", "1x4x3x3x3,3x2x1x1x1,,1,0,1,2", "groups"},
    {"e04", "1x4x3x3x3,4x4x1x1x1,,1,0,1,0", "groups"},
    {"e05", "1x2x3x3x3,2x2x1x1x1,,0,0,1,1", "stride"},
    {"e06", "1x2x3x3x3,2x2x2x2x2,,1,0,0,1", "dilation"},
    {"e07", "1x2x5x5x5,2x2x1x1x1,,1,-1,1,1", "pad"},
    {"e08", "1x1x2x2x2,1x1x3x3x3,,1,0,1,1", "filter"},
    {"e09", "2x2x3x3x3,2x2x1x1x1,1x2x3x3x3,1,0,1,1", "output"},
};

TEST(OddRequests, AreRefusedByColumnWhileOtherRowsRun) {
  const ScratchFolder folder;
  std::string text = "id,op,input,filter,output,stride,pad,dilation,groups\n";
  for (const OddRequest& request : kOddRequests) {
    text += request.id + ",conv3d_backprop_filter," + request.cells + "\n";
  }
  folder.Write("cases.csv", text + "good,conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,,1,0,1,1\n");
  const ProgramEnd end = RunProgram("run --format json --cases " + folder / "cases.csv");
  EXPECT_EQ(end.code, 2) << end.err;
  const std::vector<std::string> lines = Lines(end.out);
  ASSERT_EQ(lines.size(), std::size(kOddRequests) + 1);
  for (size_t i = 0; i < std::size(kOddRequests); ++i) {
    const nlohmann::json row = ParseJson(lines[i]);
    const std::string message = row["message"];
    EXPECT_EQ(row["id"], kOddRequests[i].id);
    EXPECT_EQ(row["verdict"], "refused");
    EXPECT_EQ(message.find(folder / "cases.csv" + ":" + std::to_string(i + 2) + ": row " +
                           std::to_string(i + 1) + " (" + kOddRequests[i].id + "): "),
              0U)
        << message;
    EXPECT_NE(message.find(kOddRequests[i].column), std::string::npos) << message;
  }
  EXPECT_EQ(ParseJson(lines.back())["verdict"], "ok");
}

// On the command line each is refused too, with nothing on standard output.
TEST(OddRequests, AreRefusedOnTheCommandLine) {
  constexpr const char* kNames[] = {"input", "filter", "output", "stride", "pad", "dilation", "groups"};
  for (const OddRequest& request : kOddRequests) {
    std::string arguments = "compare --op conv3d_backprop_filter";
    size_t begin = 0;
    for (const char* name : kNames) {
      const size_t end = std::min(request.cells.find(',', begin), request.cells.size());
      const std::string cell = request.cells.substr(begin, end - begin);
      arguments += cell.empty() ? "" : " --" + std::string(name) + " " + cell;
      begin = end + 1;
    }
    const ProgramEnd end = RunProgram(arguments);
    EXPECT_EQ(end.code, 2) << request.id;
    EXPECT_EQ(end.out, "") << request.id;
    EXPECT_EQ(end.err.find("tilesim: --"), 0U) << request.id << end.err;
  }
}

}  // namespace
}  // namespace tilesim
