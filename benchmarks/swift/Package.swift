// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "livery", path: "../..")],
  targets: [
    .target(name: "Driver"),
    .executableTarget(
      name: "bench-livery-swift", dependencies: ["Driver", .product(name: "Livery", package: "livery")]),
    .executableTarget(name: "bench-userdefaults", dependencies: ["Driver"]),
  ],
  swiftLanguageModes: [.v6])
