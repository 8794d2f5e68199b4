import CSystem
import LMDB

// The one trial that a store may have.
extension View {
  /// What was begun last, pending or not; nil if nothing ever was.
  func trial() throws(StoreError) -> TrialState? {
    guard let stored = try storedTrial() else { return nil }
    guard let state = TrialState(stored) else { throw StoreError.damaged("what is known of the trial") }
    return state
  }

  /// The trial that nobody has ended in the store, be its time over or not.
  func pendingTrial() throws(StoreError) -> TrialState? {
    guard let state = try trial(), state.isPending else { return nil }
    return state
  }

  func isOver(_ trial: TrialState) -> Bool { trial.term.isOver(at: trialMoment) }

  /// The places that are on trial, in the order of layers. What has left the trial by being restored may be among them.
  func placesOnTrial() throws(StoreError) -> [LayerKey] {
    var places: [LayerKey] = []
    try walk(databases.expiries, from: ExpiryKey.trialKeys) { (key, _) throws(StoreError) in
      guard let key = ExpiryKey(key) else { throw StoreError.damaged("what is on trial") }
      guard key.time == ExpiryKey.onTrial else { return false }
      places.append(key.place)
      return true
    }
    return places
  }

  /// The settings that are on trial, as they are stored; a damaged one is left out.
  func settingsOnTrial() throws(StoreError) -> [(name: String, setting: SettingRecord, part: TrialPart)] {
    var names = NameSet()
    for place in try placesOnTrial() { names.insert(place.name) }
    var found: [(name: String, setting: SettingRecord, part: TrialPart)] = []
    for name in names.names {
      do throws(StoreError) {
        guard let setting = try wholeSetting(name), let part = setting.trial else { continue }
        found.append((name, setting, part))
      } catch {
        // What is damaged is for its readers to report.
        guard error.code == .corrupt else { throw error }
      }
    }
    return found
  }

  /// Whether there are any; one that is damaged counts.
  func hasSettingsOnTrial() throws(StoreError) -> Bool {
    for place in try placesOnTrial() {
      do throws(StoreError) { if try wholeSetting(place.name)?.trial != nil { return true } } catch {
        guard error.code == .corrupt else { throw error }
        return true
      }
    }
    return false
  }

  /// No place is known to be on trial any more.
  func forgetPlacesOnTrial() throws(StoreError) {
    for place in try placesOnTrial() { try deleteExpiry(ExpiryKey(ExpiryKey.onTrial, place)) }
  }
}
