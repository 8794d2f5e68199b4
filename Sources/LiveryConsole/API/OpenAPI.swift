/// docs/console-api.openapi.json, which the console tells of itself.
enum OpenAPI {
  static let version = "1"
  static let text = "{}"
}
