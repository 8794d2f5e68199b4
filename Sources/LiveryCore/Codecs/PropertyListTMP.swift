// Placeholder: remove this file when PropertyList.swift lands.
public enum PropertyList {
  public static func parse(_ bytes: [UInt8]) throws(StoreError) -> Value { throw StoreError(.parse, "not yet") }
}
