// Measures questions about Almanac, beside the same questions put to libical in the same run.
//
//   almanac-bench [--smoke] [TEXT]
//
// `--smoke` runs each measurement once and only checks results; TEXT selects by name.

let arguments = CommandLine.arguments.dropFirst()
var harness = Harness(
  isSmoke: arguments.contains("--smoke"), filter: arguments.first { !$0.hasPrefix("-") })
RecurrenceBenchmarks.run(&harness)
RecurrenceBenchmarks.runQueries(&harness)
AgendaBenchmarks.run(&harness)
ModelBenchmarks.run(&harness)
MergeBenchmarks.run(&harness)
StoreBenchmarks.run(&harness)
harness.finish()
