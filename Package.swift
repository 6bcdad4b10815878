// swift-tools-version: 6.2
import PackageDescription

// Settings that every Swift target shares: warnings stop the build, and imports of C and of other
// modules stay internal unless they say otherwise.
let shared: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

// A fence wraps one C library; strict memory safety makes each unsafe call visible there.
let fence: [SwiftSetting] = shared + [.strictMemorySafety()]

let package = Package(
  name: "Almanac",
  products: [
    .library(name: "CivilTime", targets: ["CivilTime"]),
    .library(name: "Recurrence", targets: ["Recurrence"]),
    .library(name: "CalendarModel", targets: ["CalendarModel"]),
    .library(name: "Almanac", targets: ["Almanac"]),
    .executable(name: "almanac", targets: ["AlmanacCLI"]),
    .executable(name: "almanac-bench", targets: ["AlmanacBench"]),
  ],
  targets: [
    // Row 0: civil time, and the C libraries.
    .target(name: "CivilTime", swiftSettings: shared),
    .systemLibrary(
      name: "CLibgit2", pkgConfig: "libgit2",
      providers: [.apt(["libgit2-dev"]), .brew(["libgit2"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CLibical", pkgConfig: "libical",
      providers: [.apt(["libical-dev"]), .brew(["libical"])]),

    // Row 1: recurrence, and the fences.
    .target(name: "Recurrence", dependencies: ["CivilTime"], swiftSettings: shared),
    .target(name: "GitStore", dependencies: ["CLibgit2"], swiftSettings: fence),
    .target(name: "SearchIndex", dependencies: ["CSQLite"], swiftSettings: fence),

    // Rows 2 to 4: the model, the merge, the replica.
    .target(
      name: "CalendarModel", dependencies: ["CivilTime", "Recurrence"], swiftSettings: shared),
    .target(
      name: "CalendarMerge", dependencies: ["CivilTime", "Recurrence", "CalendarModel"],
      swiftSettings: shared),
    .target(
      name: "Almanac",
      dependencies: [
        "CivilTime", "Recurrence", "CalendarModel", "CalendarMerge", "GitStore", "SearchIndex",
      ],
      swiftSettings: shared),

    // Row 6: the command line.
    .executableTarget(
      name: "AlmanacCLI",
      dependencies: ["CivilTime", "Recurrence", "CalendarModel", "Almanac"],
      swiftSettings: shared),

    // Tests and benchmarks.
    .target(
      name: "TestSupport", dependencies: ["CivilTime", "CalendarModel"],
      path: "Tests/TestSupport", swiftSettings: shared),
    .testTarget(
      name: "CivilTimeTests", dependencies: ["CivilTime", "TestSupport"],
      swiftSettings: shared),
    .testTarget(
      name: "RecurrenceTests", dependencies: ["Recurrence", "TestSupport", "CLibical"],
      exclude: ["Corpus"], swiftSettings: shared),
    .testTarget(
      name: "CalendarModelTests", dependencies: ["CalendarModel", "TestSupport"],
      exclude: ["Corpus"], swiftSettings: shared),
    .testTarget(
      name: "CalendarMergeTests", dependencies: ["CalendarMerge", "TestSupport"],
      exclude: ["Corpus"], swiftSettings: shared),
    .testTarget(
      name: "GitStoreTests", dependencies: ["GitStore", "TestSupport"], swiftSettings: shared),
    .testTarget(
      name: "SearchIndexTests", dependencies: ["SearchIndex", "TestSupport"],
      swiftSettings: shared),
    .testTarget(
      name: "AlmanacTests", dependencies: ["Almanac", "TestSupport"], swiftSettings: shared),
    .testTarget(
      name: "AlmanacCLITests", dependencies: ["AlmanacCLI", "TestSupport"],
      exclude: ["Corpus"], swiftSettings: shared),
    .testTarget(name: "TidyTests", dependencies: ["TestSupport"], swiftSettings: shared),
    .executableTarget(
      name: "AlmanacBench",
      dependencies: [
        "CivilTime", "Recurrence", "CalendarModel", "CalendarMerge", "Almanac", "TestSupport",
        "CLibical",
      ],
      path: "Benchmarks/AlmanacBench", swiftSettings: shared),
  ],
  swiftLanguageModes: [.v6]
)
