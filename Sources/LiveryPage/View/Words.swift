import LiveryClient
import LiveryHTTP

/// What the page itself says, in the languages that it speaks. The schema's texts are the schema's.
enum Word: Int, CaseIterable {
  case settings, groups, search, searchHint, found, nothingFound, done, save, unsaved, saved, nothingToSave
  case notSaved, conflictIntro, keepMine, takeTheirs, decide
  case why, history, undo, reset, resetTitle, back, required, restart, deprecated
  case setHere, isDefault, from, by, lockedBy, readOnly, disabledBy, noValue
  case secretSet, secretUnset, secretHint, secretRemove
  case items, editList, add, remove, moveUp, moveDown, item, emptyList
  case none, choose, unknownOption, utc, bytes, range, atLeast, atMost, on, off
  case layer, value, time, origin, state, revision
  case closed, closedHint, noSettings, changedMeanwhile, brand, skip, current, hidden, tooMuch, gone, failed
  case wins, shadowed, rejected, expired, orphaned, older, contrast, colors, images, warns, errors
  case typeHere, offline, ended, secretAgain, characters, inSteps
  case fileAgain, linkTitle, linkHint, goOn, wrongPIN, waitFor, open, notFromHere, later, malformed, notOurs
  case findings, error, warning, checkPasses, checkFails, legibility, legibilityHint, sample, textOnBackground
  case text, largeText, better, onDevices, gradients, alsoPart, missing, elsewhere, switchedOff, noColors
  case noPairs, noImages, phone, tablet, tv, desktop, watch, dark, light, device, usualDevices, appearance
  case scale, show, screenTitle, welcome, tryChanges, draftWaits, draft, draftHint, dropDraft, takeOut
  case imageLoading, imageFailed, imagePlaceholder
  case onTrial, trialHint, confirmTrial, revertTrial
  case covered, wantsInteger, wantsNumber, wantsURL, wantsDate, wantsColor, wantsValue, wantsForm, allowed
  case asked, noPrompts, answer, decline, answered, notAnswered, lookedAt, notAsked
}

struct Words: Sendable {
  enum Language: Sendable {
    case english, german
  }

  /// The tag that the document carries.
  let tag: String
  /// Whether what is shown is written from right to left: texts of the schema, as these words never are.
  let isRightToLeft: Bool
  private let language: Language

  /// - Parameters:
  ///   - tag: of BCP 47.
  ///   - languages: those that the schema has texts in, where these are shown.
  init(_ tag: String, of languages: [String] = []) {
    let primary = Words.primary(tag)
    language = primary.sameBytes(as: "de") ? .german : .english
    self.tag = tag.isEmpty ? "en" : tag
    isRightToLeft = Words.isRightToLeft(primary) && Languages.has(tag, languages)
  }

  /// The language itself, in small letters.
  private static func primary(_ tag: String) -> String {
    String(decoding: tag.utf8.prefix { $0 != UInt8(ascii: "-") }.map { $0 | 0x20 }, as: UTF8.self)
  }

  /// Whether a language is written from right to left.
  private static func isRightToLeft(_ primary: String) -> Bool {
    ["ar", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi", "dv", "ckb"].contains { $0.sameBytes(as: primary) }
  }

  subscript(word: Word) -> String {
    @inline(never) get {
      switch language {
      case .english: Self.english(word)
      case .german: Self.german(word)
      }
    }
  }

  private static func english(_ word: Word) -> String {
    switch word {
    case .settings: "Settings"
    case .groups: "Groups of settings"
    case .search: "Search"
    case .searchHint: "Search all settings"
    case .found: "found"
    case .nothingFound: "Nothing found."
    case .done: "Done"
    case .save: "Save"
    case .unsaved: "Not saved yet"
    case .saved: "Saved"
    case .nothingToSave: "Nothing was changed."
    case .notSaved: "Not saved: please look at what is marked."
    case .conflictIntro: "Not saved: somebody else has changed this meanwhile. Decide what is to count."
    case .keepMine: "Set mine"
    case .takeTheirs: "Leave it as it is now"
    case .decide: "What is to count?"
    case .why: "Why this value"
    case .history: "History"
    case .undo: "Undo"
    case .reset: "Reset"
    case .resetTitle: "Remove the value that was set here"
    case .back: "Back"
    case .required: "required"
    case .restart: "takes effect after a restart"
    case .deprecated: "Deprecated"
    case .setHere: "Set here"
    case .isDefault: "Default"
    case .from: "From"
    case .by: "by"
    case .lockedBy: "Decided by"
    case .readOnly: "Read-only: it is set by the administrator"
    case .disabledBy: "Without effect as long as this is set otherwise:"
    case .noValue: "No value"
    case .secretSet: "A secret is set. It is not shown."
    case .secretUnset: "No secret is set."
    case .secretHint: "Type here to replace it"
    case .secretRemove: "Empty it"
    case .items: "items"
    case .editList: "Edit the list"
    case .add: "Add an item"
    case .remove: "Remove"
    case .moveUp: "Move up"
    case .moveDown: "Move down"
    case .item: "Item"
    case .emptyList: "The list is empty."
    case .none: "none"
    case .choose: "Please choose"
    case .unknownOption: "not one of the options"
    case .utc: "UTC"
    case .bytes: "bytes"
    case .range: "to"
    case .atLeast: "at least"
    case .atMost: "at most"
    case .on: "on"
    case .off: "off"
    case .layer: "Layer"
    case .value: "Value"
    case .time: "Time"
    case .origin: "Origin"
    case .state: "State"
    case .revision: "Revision"
    case .closed: "Finished"
    case .closedHint: "You can close this window."
    case .noSettings: "There is nothing to set here."
    case .changedMeanwhile: "Changed meanwhile to"
    case .brand: "Brand"
    case .skip: "Skip to the settings"
    case .current: "now"
    case .hidden: "secret"
    case .tooMuch: "That is too large."
    case .gone: "There is no such page."
    case .failed: "That did not work."
    case .wins: "counts"
    case .shadowed: "hidden by a stronger one"
    case .rejected: "does not fit the schema"
    case .expired: "expired"
    case .orphaned: "no longer declared"
    case .older: "Older"
    case .contrast: "Contrast"
    case .colors: "Colors"
    case .images: "Images"
    case .warns: "warnings"
    case .errors: "errors"
    case .typeHere: "Type to search"
    case .offline: "No connection to the device. What you typed is kept."
    case .ended:
      "This session is over, and nothing was saved. What you typed is still here: open a new link in another tab."
    case .secretAgain: "Please type it again: it was not saved, and is not sent back."
    case .characters: "characters"
    case .inSteps: "in steps of"
    case .fileAgain: "Please choose the file again: it was not saved."
    case .linkTitle: "Open the link"
    case .linkHint: "These settings open with a link: ask for a new one at the device."
    case .goOn: "Go on"
    case .wrongPIN: "That was not the PIN."
    case .waitFor: "The next one is looked at in"
    case .open: "Open"
    case .notFromHere: "This is not allowed from here."
    case .later: "There is too much to do at the moment. Try again later."
    case .malformed: "The request is malformed."
    case .notOurs: "This commit changed more than what can be set here."
    case .findings: "Findings"
    case .error: "error"
    case .warning: "warning"
    case .checkPasses: "`livery brand check` passes"
    case .checkFails: "`livery brand check` does not pass"
    case .legibility: "Legibility"
    case .legibilityHint:
      "Contrast as of WCAG 2: text needs 4.5 for AA and 7 for AAA; large text, from 24 pixels or 19 in bold, needs 3 and 4.5."
    case .sample: "Sample"
    case .textOnBackground: "Text / background"
    case .text: "Text"
    case .largeText: "Large text"
    case .better: "try"
    case .onDevices: "On devices"
    case .gradients: "Gradients"
    case .alsoPart: "Also part of it"
    case .missing: "missing"
    case .elsewhere: "elsewhere"
    case .switchedOff: "switched off"
    case .noColors: "There are no colors."
    case .noPairs: "There are no pairs of text and background."
    case .noImages: "There are no images."
    case .phone: "Phone"
    case .tablet: "Tablet"
    case .tv: "TV"
    case .desktop: "Desktop"
    case .watch: "Watch"
    case .dark: "dark"
    case .light: "light"
    case .device: "Device"
    case .usualDevices: "the usual ones"
    case .appearance: "Appearance"
    case .scale: "Scale"
    case .show: "Show"
    case .screenTitle: "Title"
    case .welcome: "Welcome"
    case .tryChanges: "Try changes"
    case .draftWaits: "There is a draft that is not saved."
    case .draft: "Draft of the brand"
    case .draftHint: "Change colors and images, and look at the result below. Nothing of it counts until it is saved."
    case .dropDraft: "Drop the draft"
    case .takeOut: "Leave this image out"
    case .imageLoading: "loading"
    case .imageFailed: "could not be loaded"
    case .imagePlaceholder: "placeholder"
    case .covered: "What a stronger layer has goes on to count for:"
    case .wantsInteger: "Please enter a whole number."
    case .wantsNumber: "Please enter a number."
    case .wantsURL: "Please enter a whole address, such as https://example.com/."
    case .wantsDate: "Please enter a date and a time."
    case .wantsColor: "Please enter a color, such as #336699."
    case .wantsValue: "Please enter a value."
    case .wantsForm: "This does not have the form that is wanted here."
    case .allowed: "Allowed:"
    case .asked: "Waiting for an answer"
    case .noPrompts: "Nobody waits for an answer."
    case .answer: "Answer"
    case .decline: "Decline"
    case .answered: "Answered."
    case .notAnswered: "Not answered: look at what is marked."
    case .lookedAt: "The answer is being looked at."
    case .notAsked: "Nobody waits for this answer any more:"
    case .onTrial: "On trial"
    case .trialHint: "On trial: what was changed goes back by itself, in"
    case .confirmTrial: "Keep it"
    case .revertTrial: "Take it back now"
    }
  }

  private static func german(_ word: Word) -> String {
    switch word {
    case .settings: "Einstellungen"
    case .groups: "Gruppen von Einstellungen"
    case .search: "Suchen"
    case .searchHint: "Alle Einstellungen durchsuchen"
    case .found: "gefunden"
    case .nothingFound: "Nichts gefunden."
    case .done: "Fertig"
    case .save: "Speichern"
    case .unsaved: "Noch nicht gespeichert"
    case .saved: "Gespeichert"
    case .nothingToSave: "Es wurde nichts geändert."
    case .notSaved: "Nicht gespeichert: Bitte sehen Sie nach, was markiert ist."
    case .conflictIntro:
      "Nicht gespeichert: Inzwischen hat jemand anderes das geändert. Entscheiden Sie, was gelten soll."
    case .keepMine: "Meinen setzen"
    case .takeTheirs: "Lassen, wie es jetzt ist"
    case .decide: "Was soll gelten?"
    case .why: "Warum dieser Wert"
    case .history: "Verlauf"
    case .undo: "Zurücknehmen"
    case .reset: "Zurücksetzen"
    case .resetTitle: "Den hier gesetzten Wert entfernen"
    case .back: "Zurück"
    case .required: "erforderlich"
    case .restart: "wirkt nach einem Neustart"
    case .deprecated: "Veraltet"
    case .setHere: "Hier gesetzt"
    case .isDefault: "Vorgabe"
    case .from: "Von"
    case .by: "durch"
    case .lockedBy: "Festgelegt von"
    case .readOnly: "Nur lesbar: Die Verwaltung setzt es"
    case .disabledBy: "Ohne Wirkung, solange dies anders eingestellt ist:"
    case .noValue: "Kein Wert"
    case .secretSet: "Ein Geheimnis ist gesetzt. Es wird nicht gezeigt."
    case .secretUnset: "Es ist kein Geheimnis gesetzt."
    case .secretHint: "Hier tippen, um es zu ersetzen"
    case .secretRemove: "Leeren"
    case .items: "Einträge"
    case .editList: "Liste bearbeiten"
    case .add: "Eintrag hinzufügen"
    case .remove: "Entfernen"
    case .moveUp: "Nach oben"
    case .moveDown: "Nach unten"
    case .item: "Eintrag"
    case .emptyList: "Die Liste ist leer."
    case .none: "keiner"
    case .choose: "Bitte wählen"
    case .unknownOption: "keine der Möglichkeiten"
    case .utc: "UTC"
    case .bytes: "Bytes"
    case .range: "bis"
    case .atLeast: "mindestens"
    case .atMost: "höchstens"
    case .on: "an"
    case .off: "aus"
    case .layer: "Ebene"
    case .value: "Wert"
    case .time: "Zeit"
    case .origin: "Herkunft"
    case .state: "Zustand"
    case .revision: "Revision"
    case .closed: "Fertig"
    case .closedHint: "Sie können dieses Fenster schließen."
    case .noSettings: "Hier gibt es nichts einzustellen."
    case .changedMeanwhile: "Inzwischen geändert in"
    case .brand: "Marke"
    case .skip: "Zu den Einstellungen springen"
    case .current: "jetzt"
    case .hidden: "geheim"
    case .tooMuch: "Das ist zu groß."
    case .gone: "Diese Seite gibt es nicht."
    case .failed: "Das hat nicht geklappt."
    case .wins: "gilt"
    case .shadowed: "von einem stärkeren verdeckt"
    case .rejected: "passt nicht zum Schema"
    case .expired: "abgelaufen"
    case .orphaned: "nicht mehr deklariert"
    case .older: "Ältere"
    case .contrast: "Kontrast"
    case .colors: "Farben"
    case .images: "Bilder"
    case .warns: "Warnungen"
    case .errors: "Fehler"
    case .typeHere: "Tippen, um zu suchen"
    case .offline: "Keine Verbindung zum Gerät. Was Sie getippt haben, bleibt erhalten."
    case .ended:
      "Diese Sitzung ist beendet, gespeichert wurde nichts. Was Sie getippt haben, bleibt: Öffnen Sie woanders einen neuen Link."
    case .secretAgain: "Bitte noch einmal tippen: Es wurde nicht gespeichert und wird nicht zurückgeschickt."
    case .characters: "Zeichen"
    case .inSteps: "in Schritten von"
    case .fileAgain: "Bitte die Datei noch einmal wählen: Sie wurde nicht gespeichert."
    case .linkTitle: "Öffnen Sie den Link"
    case .linkHint: "Diese Einstellungen öffnet ein Link: Lassen Sie sich am Gerät einen neuen zeigen."
    case .goOn: "Weiter"
    case .wrongPIN: "Das war nicht die PIN."
    case .waitFor: "Die nächste wird angesehen in"
    case .open: "Öffnen"
    case .notFromHere: "Das ist von hier aus nicht erlaubt."
    case .later: "Im Augenblick ist zu viel zu tun. Versuchen Sie es später."
    case .malformed: "Die Anfrage ist nicht wohlgeformt."
    case .notOurs: "Dieser Commit hat mehr geändert, als hier einzustellen ist."
    case .findings: "Befunde"
    case .error: "Fehler"
    case .warning: "Warnung"
    case .checkPasses: "`livery brand check` besteht"
    case .checkFails: "`livery brand check` besteht nicht"
    case .legibility: "Lesbarkeit"
    case .legibilityHint:
      "Kontrast nach WCAG 2: Text braucht 4,5 für AA und 7 für AAA; großer Text, ab 24 Pixeln oder 19 in Fettschrift, 3 und 4,5."
    case .sample: "Probe"
    case .textOnBackground: "Text / Hintergrund"
    case .text: "Text"
    case .largeText: "Großer Text"
    case .better: "besser"
    case .onDevices: "Auf Geräten"
    case .gradients: "Verläufe"
    case .alsoPart: "Gehört auch dazu"
    case .missing: "fehlt"
    case .elsewhere: "anderswo"
    case .switchedOff: "ausgeschaltet"
    case .noColors: "Es gibt keine Farben."
    case .noPairs: "Es gibt keine Paare von Text und Hintergrund."
    case .noImages: "Es gibt keine Bilder."
    case .phone: "Telefon"
    case .tablet: "Tablet"
    case .tv: "Fernseher"
    case .desktop: "Rechner"
    case .watch: "Uhr"
    case .dark: "dunkel"
    case .light: "hell"
    case .device: "Gerät"
    case .usualDevices: "die üblichen"
    case .appearance: "Erscheinung"
    case .scale: "Skalierung"
    case .show: "Zeigen"
    case .screenTitle: "Titel"
    case .welcome: "Willkommen"
    case .tryChanges: "Änderungen ausprobieren"
    case .draftWaits: "Es gibt einen Entwurf, der nicht gespeichert ist."
    case .draft: "Entwurf der Marke"
    case .draftHint:
      "Ändern Sie Farben und Bilder, und sehen Sie sich unten das Ergebnis an. Nichts davon gilt, bevor es gespeichert ist."
    case .dropDraft: "Entwurf verwerfen"
    case .takeOut: "Dieses Bild weglassen"
    case .imageLoading: "wird geladen"
    case .imageFailed: "konnte nicht geladen werden"
    case .imagePlaceholder: "Platzhalter"
    case .covered: "Weiter gilt, was eine stärkere Ebene hat, für:"
    case .wantsInteger: "Bitte geben Sie eine ganze Zahl ein."
    case .wantsNumber: "Bitte geben Sie eine Zahl ein."
    case .wantsURL: "Bitte geben Sie eine ganze Adresse ein, etwa https://example.com/."
    case .wantsDate: "Bitte geben Sie Datum und Uhrzeit ein."
    case .wantsColor: "Bitte geben Sie eine Farbe ein, etwa #336699."
    case .wantsValue: "Bitte geben Sie einen Wert ein."
    case .wantsForm: "Das hat nicht die Form, die hier verlangt ist."
    case .allowed: "Erlaubt:"
    case .asked: "Wartet auf eine Antwort"
    case .noPrompts: "Niemand wartet auf eine Antwort."
    case .answer: "Antworten"
    case .decline: "Ablehnen"
    case .answered: "Beantwortet."
    case .notAnswered: "Nicht beantwortet: Bitte sehen Sie nach, was markiert ist."
    case .lookedAt: "Die Antwort wird angesehen."
    case .notAsked: "Niemand wartet mehr auf diese Antwort:"
    case .onTrial: "Auf Probe"
    case .trialHint: "Auf Probe: Die Änderung geht von selbst zurück, in"
    case .confirmTrial: "Behalten"
    case .revertTrial: "Jetzt zurücknehmen"
    }
  }
}

extension Words {
  /// A layer, for people.
  func name(ofLayer layer: String) -> String {
    switch (language, layer) {
    case (.english, "enforced"), (.english, "recommended"): "the console"
    case (.english, "user"): "the operator"
    case (.english, "session"): "the session"
    case (.english, "bundle"): "the app's brand"
    case (.english, "defaults"): "the schema"
    case (.english, "override"): "support"
    case (.german, "enforced"), (.german, "recommended"): "der Konsole"
    case (.german, "user"): "der Bedienung"
    case (.german, "session"): "der Sitzung"
    case (.german, "bundle"): "der Marke der App"
    case (.german, "defaults"): "dem Schema"
    case (.german, "override"): "dem Support"
    default: layer
    }
  }

  func state(_ state: String) -> String {
    switch state {
    case "wins": self[.wins]
    case "shadowed": self[.shadowed]
    case "rejected": self[.rejected]
    case "expired": self[.expired]
    case "orphaned": self[.orphaned]
    default: state
    }
  }

  /// What is wrong with what was typed for a setting that breaks a constraint of its schema; nil where the library says it better.
  func fault(_ constraint: String, of element: Element) -> String? {
    switch (constraint, element.kind) {
    // Of an item's members the item has to be told.
    case (_, .list): nil
    case ("Type", .integer): self[.wantsInteger]
    case ("Type", .number): self[.wantsNumber]
    case ("Type", .url): self[.wantsURL]
    case ("Type", .date): self[.wantsDate]
    case ("Type", .color): self[.wantsColor]
    case ("Required", _): self[.wantsValue]
    case ("Pattern", _): self[.wantsForm]
    case ("Options", .choice), ("Options", .choices): self[.choose]
    case ("Minimum", _), ("Maximum", _), ("Step", _), ("MinLength", _), ("MaxLength", _), ("MaxItems", _):
      Limits(element, self).text.map { "\(self[.allowed]) \($0)" }
    default: nil
    }
  }
}
