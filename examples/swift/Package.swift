// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "kiosk",
  dependencies: [.package(name: "livery", path: "../..")],
  targets: [
    .executableTarget(name: "kiosk", dependencies: [.product(name: "Livery", package: "livery")])
  ],
  swiftLanguageModes: [.v6])
