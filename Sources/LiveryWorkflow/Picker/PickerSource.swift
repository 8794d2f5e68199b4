import CLiveryWorkflow
import LiveryClient

/// Where an image comes from. Raw values are those of the C constants.
public enum PickerSource: Int32, Sendable, CaseIterable {
  /// A file in a folder, which may be that of a removable medium.
  case folder = 1
  case camera
  /// A person, by the prompt `photo-upload`.
  case upload

  /// The name of the setting with what is known about the permission to use it, behind `picker.`.
  public var name: String {
    switch self {
    case .folder: "folder"
    case .camera: "camera"
    case .upload: "upload"
    }
  }
}

/// What is known about the permission to use a source. Raw values are those of the C constants.
public enum PickerPermission: Int32, Sendable {
  /// Nobody was asked yet.
  case notAsked = 0
  case granted
  /// A person, or the operating system, said no.
  case denied
  /// It may not be used here, whatever a person says.
  case restricted
}

/// What is kept of permissions: settings below `picker.`.
enum PickerPermissions {
  static let prefix = "picker."
  static let usage = "usage.camera"

  static func setting(_ source: PickerSource) -> String { prefix + source.name }

  static func text(_ permission: PickerPermission) -> String {
    switch permission {
    case .notAsked: ""
    case .granted: "granted"
    case .denied: "denied"
    case .restricted: "restricted"
    }
  }

  static func permission(_ text: String) -> PickerPermission? {
    for permission in [PickerPermission.granted, .denied, .restricted]
    where self.text(permission).utf8.elementsEqual(text.utf8) { return permission }
    return nil
  }

  /// Takes the namespace for this handle.
  static func claim(_ store: Store) throws(StoreError) {
    try store.claim(prefix) { (value, name) throws(StoreError) in
      guard PickerSource.allCases.contains(where: { setting($0).utf8.elementsEqual(name.utf8) }) else {
        throw StoreError(.notFound, "there is no such source of images", setting: name)
      }
      guard case .string(let text) = value else {
        throw StoreError(.typeMismatch, "a permission is a text", setting: name)
      }
      guard permission(text) != nil else {
        throw StoreError(.invalidValue, "a permission is \"granted\", \"denied\" or \"restricted\"", setting: name)
      }
      return value
    }
  }
}

extension Store {
  /// What is known about the permission to use a source. Corresponds to `livery_picker_known_permission` in C.
  public func pickerPermission(_ source: PickerSource) throws(StoreError) -> PickerPermission {
    guard let text = try textIfAny(PickerPermissions.setting(source)) else { return .notAsked }
    // What was meant by anything else was hardly a yes.
    return PickerPermissions.permission(text) ?? .restricted
  }

  /// Whether people are told what the camera is used for.
  func tellsUsageOfCamera() throws(StoreError) -> Bool { try textIfAny(PickerPermissions.usage)?.isEmpty == false }

  /// A text, "" where the setting holds something else; nil where it holds nothing.
  private func textIfAny(_ name: String) throws(StoreError) -> String? {
    do throws(StoreError) { return try string(name) } catch {
      if error.code == .typeMismatch { return "" }
      guard error.code == .notFound || error.code == .noValue else { throw error }
      return nil
    }
  }
}
