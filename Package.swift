// swift-tools-version: 6.2
import PackageDescription

// One source list, two builds. `swift build` gives the package build; with LIVERY_EMBEDDED=1 in the environment the
// same targets compile as Embedded Swift into a library without a Swift runtime (CMakeLists.txt drives that).
let embedded = Context.environment["LIVERY_EMBEDDED"] == "1"

let swiftSettings: [SwiftSetting] =
  [
    .treatAllWarnings(as: .error),
    .treatWarning("EmbeddedRestrictions", as: .error),
  ]
  + (embedded
    ? [
      .enableExperimentalFeature("Embedded"),
      // The outliner names the constant arrays of a function by their order alone. A function that two modules specialize
      // may have them in different orders, and the linker then mixes them up: arrays with another's content.
      .unsafeFlags(["-Xllvm", "-sil-disable-pass=object-outliner"]),
      .unsafeFlags(
        [
          "-wmo", "-Osize",
          // Copies of functions for the closures that they are called with make the library larger, and no faster.
          "-Xllvm", "-sil-disable-pass=closure-specialize",
          "-Xfrontend", "-function-sections", "-enforce-exclusivity=unchecked",
        ],
        .when(configuration: .release)),
      .unsafeFlags(["-wmo"], .when(configuration: .debug)),
    ]
    : [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])])

// Reading, writing and watching alone: the other functions say that they are unavailable (Sources/LiveryABI/Parts.swift).
let coreOnly: [SwiftSetting] = Context.environment["LIVERY_CORE_ONLY"] == "1" ? [.define("LIVERY_CORE_ONLY")] : []

let cSettings: [CSetting] =
  embedded
  ? [.define("LIVERY_EMBEDDED"), .unsafeFlags(["-Os", "-ffunction-sections"], .when(configuration: .release))] : []

// What allocates goes through Sources/CSystem/memory.c.
let wrapped = ["malloc", "calloc", "realloc", "posix_memalign", "free"]

// Sources/CSystem/math.c has what the device build needs of libm.
let runtimeLinks: [LinkerSetting] =
  embedded
  ? [
    .linkedLibrary("swiftUnicodeDataTables"),
    .unsafeFlags(["-use-ld=lld"] + forLinker(wrapped.map { "--wrap=\($0)" })),
    .unsafeFlags(
      forLinker([
        "--icf=all", "--no-eh-frame-hdr", "-T", "\(Context.packageDirectory)/tools/link/layout.ld",
        // cmake/RunSwift.cmake has all modules compiled as a whole, by the linker.
        "--lto-newpm-passes=forceattrs,default<Oz>", "-mllvm", "-enable-machine-outliner=always",
      ])),
  ] : [.linkedLibrary("m")]

// What the linker made of all modules: the static library is made of it.
let wholeObject = Context.environment["LIVERY_WHOLE_OBJECT"].map { ["--lto-obj-path=\($0)"] } ?? []

let libraryLinks: [LinkerSetting] =
  // The library's threads may still be on their way when a program closes it.
  runtimeLinks + [.unsafeFlags(forLinker(["-z", "nodelete"]))]
  + (embedded
    ? [
      .unsafeFlags(
        forLinker(
          [
            // What every program runs lies together: the kernel maps code around what is run.
            "--symbol-ordering-file=\(Context.packageDirectory)/tools/link/order.txt", "--no-warn-symbol-ordering",
            // What warm reads run, and each setting of a commit, stays whole: to call what is alike elsewhere would cost a tenth.
            "-mllvm", "-forceattrs-csv-path=\(Context.packageDirectory)/tools/link/whole.csv",
            "--version-script=\(Context.packageDirectory)/tools/link/livery.map",
            "-z", "pack-relative-relocs", "-z", "defs", "-soname", "liblivery.so.0",
          ] + wholeObject))
    ] : [])

func forLinker(_ options: [String]) -> [String] { options.flatMap { ["-Xlinker", $0] } }

var products: [Product] = [
  .library(name: "livery", type: .dynamic, targets: ["LiveryABI"]),
  .library(name: "livery-static", type: .static, targets: ["LiveryABI"]),
]

var targets: [Target] = [
  // C libraries and shims.
  .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
  .target(name: "CJansson", dependencies: ["CSystem"], cSettings: cSettings),
  .target(name: "CPlist", dependencies: ["CSystem"], cSettings: cSettings),
  .target(name: "CXXHash", cSettings: [.unsafeFlags(["-Os"])]),
  // What is kept of images, and what follows from it.
  .target(name: "CLegibility", cSettings: cSettings),
  .target(name: "CSystem", cSettings: cSettings),
  // What the processes on a store share in memory.
  .target(name: "CWake", dependencies: ["CSystem"], cSettings: cSettings),
  // What a warm read runs.
  .target(name: "CReadCache", dependencies: ["CSystem", "CWake"], cSettings: cSettings),
  // The public header. A target of its own, so that the compiler checks every implementation against it.
  .target(
    name: "CLivery", path: ".", sources: ["Sources/CLivery/header.c"], publicHeadersPath: "include"),

  // Swift, bottom to top.
  .target(name: "LMDB", dependencies: ["CLMDB", "CReadCache", "CSystem", "CWake"], swiftSettings: swiftSettings),
  .target(
    name: "LiveryCore", dependencies: ["CSystem", "CJansson", "CLegibility", "CPlist", "CXXHash"],
    swiftSettings: swiftSettings),
  .target(
    name: "Livery", dependencies: ["LiveryCore", "LMDB", "CReadCache", "CSystem", "CWake"],
    swiftSettings: swiftSettings + coreOnly,
    linkerSettings: runtimeLinks),
  .target(
    name: "LiveryABI", dependencies: ["CLivery", "Livery", "CReadCache", "CSystem"],
    swiftSettings: swiftSettings + coreOnly,
    linkerSettings: libraryLinks),
]

if Context.environment["LIVERY_COMMAND"] != "0" {
  products.append(.executable(name: "livery-command", targets: ["LiveryCommand"]))
  targets.append(
    .executableTarget(
      name: "LiveryCommand", dependencies: ["Livery", "CSystem"], swiftSettings: swiftSettings,
      linkerSettings: runtimeLinks))
}

if !embedded {
  products += [
    .library(name: "Livery", targets: ["Livery"]),
    .library(name: "LiveryCodable", targets: ["LiveryCodable"]),
    // With what its C functions come from: there is one engine in a process, also beside `import Livery`.
    .library(name: "LiveryClient", targets: ["LiveryClient", "LiveryABI"]),
  ]
  targets += [
    // Values and types that encode and decode. It stands on Foundation, which nothing else does.
    .target(name: "LiveryCodable", dependencies: ["Livery"], swiftSettings: [.treatAllWarnings(as: .error)]),
    .testTarget(name: "LiveryCodableTests", dependencies: ["LiveryCodable"]),
    .testTarget(name: "LiveryCoreTests", dependencies: ["LiveryCore"]),
    .testTarget(
      name: "LiveryTests", dependencies: ["Livery", "LMDB", "CSystem"]),
    .testTarget(
      name: "LiveryClientTests",
      dependencies: ["LiveryClient", "LiveryABI", "Livery", "LiveryTurn", "CTurn", "CLivery"]),
  ]
}

// Extensions, by their nouns: the target Livery<Noun> on LiveryClient, with its header. cmake/Extension.cmake makes
// liblivery-<noun>.so of what is compiled here, in the package build they are Swift products. `turn` is that of the tests.
let nouns =
  embedded
  ? (Context.environment["LIVERY_EXTENSIONS"] ?? "").split(separator: ",").map(String.init)
  : ["turn", "images", "page", "fetch", "secrets", "workflow", "sync", "console"]

if !nouns.isEmpty {
  // What they are written on: the C functions as Swift, and nothing of the engine.
  targets += [
    .target(name: "CClient", cSettings: cSettings),
    .target(name: "LiveryClient", dependencies: ["CLivery", "CClient"], swiftSettings: swiftSettings),
  ]
}

if nouns.contains("turn") {
  products.append(.library(name: "livery-turn", type: .static, targets: ["LiveryTurn"]))
  targets += [
    .target(name: "CTurn", dependencies: ["CLivery"], path: "Tests/Extension/CTurn"),
    .target(
      name: "LiveryTurn", dependencies: ["LiveryClient", "CLivery", "CTurn"], path: "Tests/Extension/Turn",
      swiftSettings: swiftSettings),
  ]
}

if nouns.contains("images") {
  let decoders: [LinkerSetting] = ["png", "jpeg", "webp", "webpdemux"].map { .linkedLibrary($0) }
  targets += [
    .target(name: "CImages", dependencies: ["CLegibility"], cSettings: cSettings, linkerSettings: decoders),
    .target(
      name: "LiveryImages", dependencies: ["LiveryClient", "CLivery", "CImages", "CLegibility"],
      swiftSettings: swiftSettings),
  ]
  if embedded {
    // cmake/Extension.cmake builds the program.
    products.append(.library(name: "livery-images", type: .static, targets: ["LiveryImages"]))
  } else {
    products += [
      .library(name: "LiveryImages", targets: ["LiveryImages", "LiveryClient", "LiveryABI"]),
      .executable(name: "livery-images", targets: ["livery-images"]),
    ]
    targets += [
      .systemLibrary(name: "CRSVG", pkgConfig: "librsvg-2.0", providers: [.apt(["librsvg2-dev"])]),
      .executableTarget(
        name: "livery-images", dependencies: ["LiveryImages", "LiveryABI", "CCommand", "CImages", "CLivery", "CRSVG"],
        path: "Sources/LiveryImagesCommand", linkerSettings: [.linkedLibrary("rsvg-2"), .linkedLibrary("cairo")]),
      .testTarget(
        name: "LiveryImagesTests", dependencies: ["LiveryImages", "LiveryClient", "LiveryABI", "livery-images"]),
    ]
  }
}

if nouns.contains("console") || (nouns.contains("images") && !embedded) {
  // What programs of extensions share.
  targets.append(.target(name: "CCommand", dependencies: ["CLivery"], publicHeadersPath: "."))
}

if nouns.contains("page") || nouns.contains("secrets") || nouns.contains("sync") {
  targets.append(.systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]))
}

if nouns.contains("page") {
  targets += [
    // The server of HTTP that the page and the console of a fleet are served by.
    .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .target(
      name: "CHTTP", dependencies: ["CMicroHTTPD", "CSodium", "CClient"], cSettings: cSettings,
      linkerSettings: [.linkedLibrary("z")]),
    .target(name: "LiveryHTTP", dependencies: ["LiveryClient", "CHTTP"], swiftSettings: swiftSettings),
    .target(name: "CPage", dependencies: ["CLivery"], cSettings: cSettings, linkerSettings: [.linkedLibrary("z")]),
    .target(
      name: "LiveryPage", dependencies: ["LiveryClient", "LiveryHTTP", "CLivery", "CPage"],
      swiftSettings: swiftSettings),
  ]
  if embedded {
    products.append(.library(name: "livery-page", type: .static, targets: ["LiveryPage"]))
  } else {
    products.append(.library(name: "LiveryPage", targets: ["LiveryPage", "LiveryClient", "LiveryABI"]))
    targets.append(
      .testTarget(
        name: "LiveryPageTests",
        dependencies: ["LiveryPage", "LiveryHTTP", "LiveryClient", "CHTTP", "LiveryABI"]))
  }
}

if nouns.contains("console") {
  targets += [
    // The database: SQLite is linked, libpq is loaded by the first connection.
    .target(
      name: "CDatabase", dependencies: ["CClient"], cSettings: cSettings, linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CConsole", cSettings: cSettings, linkerSettings: [.linkedLibrary("z")]),
    .target(
      name: "LiveryConsole",
      dependencies: [
        "LiveryClient", "LiveryHTTP", "LiveryPage", "LiveryFleet", "LiveryTransfer", "CLivery", "CCommand", "CConsole",
        "CDatabase", "CMosquitto", "CQRCode",
      ],
      swiftSettings: swiftSettings),
  ]
  if embedded {
    products.append(.library(name: "livery-console", type: .static, targets: ["LiveryConsole"]))
  } else {
    products.append(.executable(name: "livery-console", targets: ["livery-console"]))
    targets += [
      .executableTarget(
        name: "livery-console", dependencies: ["LiveryConsole", "CConsole", "LiveryABI"],
        path: "Sources/LiveryConsoleCommand"),
      // The console's pages on a fleet in memory, for their tests.
      .executableTarget(
        name: "console-sample",
        dependencies: ["LiveryConsole", "LiveryFleet", "LiveryHTTP", "LiveryClient", "LiveryABI"],
        path: "Tests/ConsolePages/Sample", swiftSettings: [.treatAllWarnings(as: .error)], linkerSettings: runtimeLinks),
    ]
  }
}

if nouns.contains("fetch") || nouns.contains("sync") || nouns.contains("console") {
  // Of libcurl it takes the headers alone (libcurl4-openssl-dev): the library is loaded by the first request.
  targets.append(.target(name: "CCurl", dependencies: ["CLivery", "CClient"], cSettings: cSettings))
}

if nouns.contains("sync") || nouns.contains("console") {
  targets.append(
    .target(name: "LiveryTransfer", dependencies: ["LiveryClient", "CLivery", "CCurl"], swiftSettings: swiftSettings))
}

if nouns.contains("fetch") {
  targets += [
    .target(name: "CFetch", dependencies: ["CLivery", "CCurl"], cSettings: cSettings),
    .target(
      name: "LiveryFetch", dependencies: ["LiveryClient", "CLivery", "CClient", "CFetch"],
      swiftSettings: swiftSettings),
  ]
  if embedded {
    products.append(.library(name: "livery-fetch", type: .static, targets: ["LiveryFetch"]))
  } else {
    products.append(.library(name: "LiveryFetch", targets: ["LiveryFetch", "LiveryClient", "LiveryABI"]))
    targets.append(.testTarget(name: "LiveryFetchTests", dependencies: ["LiveryFetch", "LiveryClient", "LiveryABI"]))
  }
}

if nouns.contains("secrets") {
  targets += [
    .target(name: "CSecrets", dependencies: ["CSodium"], cSettings: cSettings),
    .target(
      name: "LiverySecrets", dependencies: ["LiveryClient", "CLivery", "CSecrets"], swiftSettings: swiftSettings),
  ]
  if embedded {
    products.append(.library(name: "livery-secrets", type: .static, targets: ["LiverySecrets"]))
  } else {
    products.append(.library(name: "LiverySecrets", targets: ["LiverySecrets", "LiveryClient", "LiveryABI"]))
    targets.append(
      .testTarget(name: "LiverySecretsTests", dependencies: ["LiverySecrets", "LiveryClient", "LiveryABI", "CSecrets"]))
  }
}

if nouns.contains("workflow") {
  targets += [
    .target(name: "CWorkflow", dependencies: ["CClient"], cSettings: cSettings),
    .target(
      name: "LiveryWorkflow", dependencies: ["LiveryClient", "CLivery", "CClient", "CWorkflow"],
      swiftSettings: swiftSettings),
  ]
  if embedded {
    products.append(.library(name: "livery-workflow", type: .static, targets: ["LiveryWorkflow"]))
  } else {
    products += [
      .library(name: "LiveryWorkflow", targets: ["LiveryWorkflow", "LiveryClient", "LiveryABI"]),
      .library(
        name: "LiveryUserSession", targets: ["LiveryUserSession", "LiveryWorkflow", "LiveryClient", "LiveryABI"]),
    ]
    targets += [
      // Users of types that encode and decode. It stands on Foundation.
      .target(
        name: "LiveryUserSession", dependencies: ["LiveryWorkflow", "LiveryClient"],
        swiftSettings: [.treatAllWarnings(as: .error)]),
      .testTarget(
        name: "LiveryWorkflowTests",
        dependencies: ["LiveryWorkflow", "LiveryUserSession", "CWorkflow", "LiveryClient", "LiveryABI"]),
    ]
  }
}

// What device and console of a fleet share: documents, trust, and how a device gets along.
if nouns.contains("sync") {
  targets += [
    .target(name: "CFleet", dependencies: ["CSodium"], cSettings: cSettings),
    // Of libmosquitto it takes the headers alone (libmosquitto-dev): the library is loaded by the first connection.
    .target(name: "CMosquitto", dependencies: ["CLivery", "CClient"], cSettings: cSettings),
    // Of libqrencode, too (libqrencode-dev).
    .target(name: "CQRCode", dependencies: ["CLivery"], cSettings: cSettings),
    .target(name: "LiveryFleet", dependencies: ["LiveryClient", "CFleet"], swiftSettings: swiftSettings),
  ]
  if !embedded {
    products.append(.library(name: "LiveryFleet", targets: ["LiveryFleet", "LiveryClient", "LiveryABI"]))
    targets.append(
      .testTarget(name: "LiveryFleetTests", dependencies: ["LiveryFleet", "LiveryClient", "LiveryABI", "CFleet"]))
  }
}

// The device's end on a real store, clock and network.
if nouns.contains("sync") {
  targets += [
    .target(name: "CSync", dependencies: ["CClient"], cSettings: cSettings),
    .target(
      name: "LiverySync",
      dependencies: [
        "LiveryClient", "CLivery", "CClient", "CFleet", "CMosquitto", "CSync", "LiveryFleet", "LiveryTransfer",
      ],
      swiftSettings: swiftSettings),
  ]
  if embedded {
    products.append(.library(name: "livery-sync", type: .static, targets: ["LiverySync"]))
  } else {
    products.append(.library(name: "LiverySync", targets: ["LiverySync", "LiveryClient", "LiveryABI"]))
    targets.append(
      .testTarget(name: "LiverySyncTests", dependencies: ["LiverySync", "LiveryFleet", "LiveryClient", "LiveryABI"]))
  }
}

// A fleet in virtual time. It remembers which signatures are right: it takes the place of what verifies them.
if nouns.contains("sync"), !embedded {
  products.append(.executable(name: "livery-simulate", targets: ["livery-simulate"]))
  targets += [
    .target(name: "CSimulator", dependencies: ["CFleet", "CSodium", "CSystem"]),
    .target(
      name: "LiverySimulator", dependencies: ["LiveryFleet", "LiveryClient", "CSimulator"],
      swiftSettings: [.treatAllWarnings(as: .error), .unsafeFlags(["-O"])],
      linkerSettings: [.unsafeFlags(["-Xlinker", "--wrap=lvd_verify", "-Xlinker", "--wrap=lvd_hash"])]),
    .executableTarget(
      name: "livery-simulate", dependencies: ["LiverySimulator", "LiveryABI"], path: "Sources/LiverySimulatorCommand",
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .testTarget(name: "LiverySimulatorTests", dependencies: ["LiverySimulator", "LiveryABI"]),
  ]
}

// The parsers as one function each: for scripts/torture as a library that libFuzzer drives, and with a test that goes
// through what it has collected.
let parsed: [Target.Dependency] = [
  "Livery", "LMDB", "CSystem", "LiveryPage", "LiveryHTTP", "LiveryFetch", "LiverySecrets", "LiveryWorkflow",
  "LiveryFleet",
]
if Context.environment["LIVERY_FUZZ"] == "1" {
  products.append(.library(name: "livery-fuzz", type: .static, targets: ["Fuzz"]))
  targets.append(
    .target(
      name: "Fuzz", dependencies: parsed, path: "Tests/Fuzz/Parsers", swiftSettings: swiftSettings,
      linkerSettings: runtimeLinks))
} else if !embedded {
  targets.append(
    .testTarget(
      name: "FuzzTests", dependencies: parsed + ["LiveryABI", "LiveryClient", "LiveryCore"], path: "Tests/Fuzz",
      exclude: ["corpus", "fuzz.py", "pack.py", "fuzz.c", "images.c", "camera.c"]))
}

let package = Package(
  name: "livery", products: products, targets: targets, swiftLanguageModes: [.v6], cLanguageStandard: .gnu11)
