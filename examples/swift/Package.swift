// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "examples",
  dependencies: [.package(name: "livery", path: "../..")],
  targets: [
    .executableTarget(name: "kiosk", dependencies: [.product(name: "Livery", package: "livery")]),
    .executableTarget(name: "watch", dependencies: [.product(name: "Livery", package: "livery")]),
    .executableTarget(name: "operator", dependencies: [.product(name: "Livery", package: "livery")]),
    .executableTarget(name: "fetch", dependencies: [.product(name: "LiveryFetch", package: "livery")]),
    .executableTarget(name: "login", dependencies: [.product(name: "LiveryUserSession", package: "livery")]),
  ],
  swiftLanguageModes: [.v6])
